// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "marsim/lidar_gl/renderer.hpp"
#include "ros/common/params.hpp"

namespace marsim::ros_nodes {

/// Parameters of the renderer, the same for every node that renders: renderer (cpu | opengl | auto)
/// and threads (of the processor; 0: all cores).
struct RendererParams {
  lidar_gl::RendererChoice choice = lidar_gl::RendererChoice::kCpu;
  lidar::RendererConfig config;

  /// Throws ConfigError.
  static RendererParams read(Params& params);
  /// Logs which device renders, or why the processor does. Throws GlError if OpenGL is required and
  /// unavailable.
  std::unique_ptr<lidar::RayRenderer> makeRayRenderer(
      std::shared_ptr<const map::SurfelMap> map) const;
  std::unique_ptr<lidar::ImageRenderer> makeImageRenderer(
      std::shared_ptr<const map::SurfelMap> map) const;
};

}  // namespace marsim::ros_nodes
