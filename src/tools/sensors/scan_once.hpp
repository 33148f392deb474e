// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "marsim/common/bounds.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/lidar_gl/renderer.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/map/surfel_map.hpp"
#include "marsim/viz/picture.hpp"
#include "tools/process/command_line.hpp"

/// One scan of a sensor at rest, without ROS.
namespace marsim::tools {

struct ScanRequest : ScannedWorld {
  static constexpr Bounds kDurations{0.0, 3600.0};  ///< [s]

  Pose X_WS;                                    ///< the sensor; its mounting is left out
  std::string rays = "auto", returns = "auto";  ///< config::chooseBeam
  double duration = 0.0;                        ///< [s] 0: one scan's
  map::SurfelMapConfig surfels;
  lidar_gl::RendererChoice renderer = lidar_gl::RendererChoice::kCpu;
  bool sensor_frame = false;    ///< write points in S, not in W
  std::filesystem::path cloud;  ///< PCD or PLY to write; empty: none
  std::filesystem::path image;  ///< PNG to write; empty: none
  viz::PictureConfig picture;   ///< its size
};

struct ScanSummary {
  std::string sensor;     ///< its full name
  double duration = 0.0;  ///< [s]
  /// Inside the field of view; see lidar::Scan.
  std::size_t shots = 0, too_near = 0, too_dark = 0;
  std::size_t returned = 0;  ///< shots with one or several returns
  std::size_t returns = 0;
  std::size_t of_plants = 0;                                 ///< returns
  std::size_t of_particles = 0;                              ///< returns of rain, fog, snow, dust
  std::vector<std::string> log;                              ///< lines about the renderer
  map::SpacingAdvice spacing;                                ///< of the map
  double range_least = 0, range_median = 0, range_most = 0;  ///< [m] of the returns
};

/// Throws the errors of loading sensor and map, ConfigError for a duration, FileError for the
/// files, GlError if OpenGL is required and unavailable.
ScanSummary scanOnce(const ScanRequest& request);

/// The reason for no or nearly no returns, in a line; empty if there are enough.
std::string whyEmpty(const ScanRequest& request, const ScanSummary& summary);

}  // namespace marsim::tools
