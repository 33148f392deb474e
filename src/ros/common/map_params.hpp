#pragma once

#include <cmath>

#include "common/bounds.hpp"
#include "marsim/map/surfel_map.hpp"
#include "ros/common/params.hpp"

namespace marsim::ros_nodes {

/// Parameters that say how a map is made of its source, the same for every node that uses the map:
/// resolution [m], surface (paper | blended); noise, smoothing_radius,
/// blending_depth and hole_radius [m] of blended surfaces, intensity_full_scale (auto: as
/// SurfelMapConfig says). Throws ConfigError.
inline map::SurfelMapConfig readMapConfig(Params& params) {
  map::SurfelMapConfig config;
  config.resolution = params.number("resolution", config.resolution, Quantity::kLength);
  config.surface =
      map::surfaceOf(params.choice("surface", map::nameOf(config.surface), {"blended", "paper"}));
  const auto readOrAuto = [&](const char* name, double& value) {
    const double given = params.numberOrAuto(name, Quantity::kLength);
    if (std::isfinite(given)) value = given;
  };
  readOrAuto("noise", config.noise);
  readOrAuto("smoothing_radius", config.smoothing_radius);
  readOrAuto("blending_depth", config.blending_depth);
  readOrAuto("hole_radius", config.hole_radius);
  const double full_scale = params.numberOrAuto("intensity_full_scale", Quantity::kNumber);
  if (std::isfinite(full_scale)) config.intensity_full_scale = full_scale;
  config.validate(params.where());
  return config;
}

}  // namespace marsim::ros_nodes
