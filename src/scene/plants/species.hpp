// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include "marsim/common/random.hpp"
#include "marsim/scene/planting.hpp"

namespace marsim::scene {

/// Adds a plant of a species to a patch, its foot at a place [m] in M.
void growPlant(const SpeciesConfig& species, const Eigen::Vector2d& foot, RandomStream& random,
               Patch& patch);

}  // namespace marsim::scene
