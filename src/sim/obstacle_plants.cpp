// SPDX-License-Identifier: BSD-3-Clause
#include "sim/obstacle_plants.hpp"

#include <algorithm>

#include "marsim/lidar/plants.hpp"

namespace marsim::sim {

std::shared_ptr<const collision::Neighbours> neighboursIn(
    const std::shared_ptr<const map::SurfelMap>& map, const scene::VegetationConfig& vegetation,
    const std::string& where) {
  if (!vegetation.hasObstacles()) return collision::makeNeighbours(map);
  const double spacing = std::min(map->resolution(), collision::pointSpacing(*map));
  return collision::makeNeighbours(
      map, scene::obstaclePoints(lidar::vegetationOn(map, vegetation, where), spacing, where));
}

}  // namespace marsim::sim
