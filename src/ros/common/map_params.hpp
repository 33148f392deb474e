// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/bounds.hpp"
#include "marsim/common/progress.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/load_map.hpp"
#include "ros/common/params.hpp"

namespace marsim::ros_nodes {

/// Parameters that say how a map is made of its source:
/// resolution [m], surface (paper | blended); noise, smoothing_radius,
/// blending_depth and hole_radius [m] of blended surfaces, intensity_full_scale (auto: as
/// SurfelMapConfig says). Throws ConfigError.
inline map::SurfelMapConfig readMapConfig(Params& params) {
  map::SurfelMapConfig config;
  config.resolution = params.number("resolution", config.resolution, Quantity::kLength);
  config.surface = map::surfaceOf(params.choice("surface", {"blended", "paper", "sized"}));
  const auto readOrAuto = [&](const char* name, double& value, Quantity quantity) {
    value = params.numberOrAuto(name, quantity, value);
  };
  readOrAuto("noise", config.noise, Quantity::kLength);
  readOrAuto("smoothing_radius", config.smoothing_radius, Quantity::kLength);
  readOrAuto("blending_depth", config.blending_depth, Quantity::kLength);
  readOrAuto("hole_radius", config.hole_radius, Quantity::kLength);
  readOrAuto("intensity_full_scale", config.intensity_full_scale, Quantity::kNumber);
  config.validate(params.where());
  return config;
}

/// The map of a node, the same for every node that uses it: the parameter map and those of
/// readMapConfig.
struct MapParams {
  explicit MapParams(Params& params) : source(params.text("map")), config(readMapConfig(params)) {}
  /// Shows progress as that of `task`. Throws what config::resolveMap and map::shareSurfelMap do.
  map::LoadedMap load(const std::string& task) const { return loadAt(config.resolution, task); }
  /// Loads it with another resolution [m].
  map::LoadedMap loadAt(double resolution, const std::string& task) const {
    map::SurfelMapConfig made = config;
    made.resolution = resolution;
    Progress progress(task);
    return map::shareSurfelMap(config::resolveMap(source), made, progress);
  }

  std::string source;
  map::SurfelMapConfig config;
};

}  // namespace marsim::ros_nodes
