#include "ros/common/renderer_params.hpp"

#include <utility>

namespace marsim::ros_nodes {

RendererParams RendererParams::read(Params& params) {
  RendererParams result;
  const std::string name =
      params.choice("renderer", lidar_gl::nameOf(result.choice), {"cpu", "opengl", "auto"});
  result.choice = lidar_gl::rendererChoiceOf(name, params.where());
  result.config.threads = params.integer("threads", result.config.threads, 0, 1024);
  return result;
}

std::unique_ptr<lidar::Renderer> RendererParams::make(
    lidar_gl::Use use, std::shared_ptr<const map::SurfelMap> map) const {
  const auto log = [](const std::string& line, bool warning) {
    if (warning) {
      ROS_WARN("%s", line.c_str());
    } else {
      ROS_INFO("%s", line.c_str());
    }
  };
  return lidar_gl::makeRenderer(choice, use, std::move(map), config, log);
}

}  // namespace marsim::ros_nodes
