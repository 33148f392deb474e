// SPDX-License-Identifier: BSD-3-Clause
#include "ros/common/renderer_params.hpp"

#include <utility>

namespace marsim::ros_nodes {
namespace {

void log(const std::string& line, bool warning) {
  if (warning) {
    ROS_WARN("%s", line.c_str());
  } else {
    ROS_INFO("%s", line.c_str());
  }
}

}  // namespace

RendererParams RendererParams::read(Params& params) {
  RendererParams result;
  const std::string name = params.choice("renderer", {"cpu", "opengl", "auto"});
  result.choice = lidar_gl::rendererChoiceOf(name, params.where());
  result.config.threads = params.integer("threads", result.config.threads, 0, 1024);
  return result;
}

std::unique_ptr<lidar::RayRenderer> RendererParams::makeRayRenderer(
    std::shared_ptr<const map::SurfelMap> map) const {
  return lidar_gl::makeRayRenderer(choice, std::move(map), config, log);
}

std::unique_ptr<lidar::ImageRenderer> RendererParams::makeImageRenderer(
    std::shared_ptr<const map::SurfelMap> map) const {
  return lidar_gl::makeImageRenderer(choice, std::move(map), config, log);
}

}  // namespace marsim::ros_nodes
