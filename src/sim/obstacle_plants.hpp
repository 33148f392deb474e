// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "marsim/collision/neighbours.hpp"
#include "marsim/scene/planting.hpp"

namespace marsim::sim {

/// The points of a map and of its plants that are obstacles; errors name `where`. Throws
/// ConfigError as scene::plantVegetation() and scene::obstaclePoints() do.
std::shared_ptr<const collision::Neighbours> neighboursIn(
    const std::shared_ptr<const map::SurfelMap>& map, const scene::VegetationConfig& vegetation,
    const std::string& where);

}  // namespace marsim::sim
