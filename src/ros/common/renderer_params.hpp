#pragma once

#include <memory>

#include "marsim/lidar_gl/renderer.hpp"
#include "ros/common/params.hpp"

namespace marsim::ros_nodes {

/// Parameters that say who renders, the same for every node that does: renderer (cpu | opengl |
/// auto) and threads (of the processor; 0: all cores).
struct RendererParams {
  lidar_gl::RendererChoice choice = lidar_gl::RendererChoice::kCpu;
  lidar::RendererConfig config;

  /// Throws ConfigError.
  static RendererParams read(Params& params);
  /// Logs which device renders, or why the processor does. Throws GlError where it must be OpenGL
  /// and cannot.
  std::unique_ptr<lidar::RayRenderer> makeRayRenderer(
      std::shared_ptr<const map::SurfelMap> map) const;
  std::unique_ptr<lidar::ImageRenderer> makeImageRenderer(
      std::shared_ptr<const map::SurfelMap> map) const;
};

}  // namespace marsim::ros_nodes
