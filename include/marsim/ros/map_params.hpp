#pragma once

#include "marsim/map/surfel_map.hpp"
#include "marsim/ros/params.hpp"

namespace marsim::ros_nodes {

/// Parameters that say how a map is made of its source, the same for every node that uses the map:
/// resolution [m], surface (paper | blended), storage (compact | float). Throws ConfigError.
inline map::SurfelMapConfig readMapConfig(Params& params) {
  map::SurfelMapConfig config;
  config.resolution = params.number("resolution", config.resolution, Quantity::kLength);
  config.surface =
      map::surfaceOf(params.choice("surface", map::nameOf(config.surface), {"blended", "paper"}));
  config.storage =
      map::storageOf(params.choice("storage", map::nameOf(config.storage), {"compact", "float"}));
  config.validate(params.where());
  return config;
}

}  // namespace marsim::ros_nodes
