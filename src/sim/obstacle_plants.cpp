// SPDX-License-Identifier: BSD-3-Clause
#include "sim/obstacle_plants.hpp"

#include "marsim/lidar/plants.hpp"

namespace marsim::sim {

std::shared_ptr<const collision::Neighbours> neighboursIn(
    const std::shared_ptr<const map::SurfelMap>& map, const scene::VegetationConfig& vegetation,
    const std::string& where) {
  if (!vegetation.hasObstacles()) return collision::makeNeighbours(map);
  return collision::makeNeighbours(
      map,
      scene::obstaclePoints(lidar::vegetationOn(map, vegetation, where), map->resolution(), where));
}

}  // namespace marsim::sim
