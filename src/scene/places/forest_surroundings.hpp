// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "marsim/scene/places.hpp"
#include "scene/places/relief.hpp"
#include "scene/places/surface_sampler.hpp"

namespace marsim::scene {

/// Adds the surroundings of a forest, `surroundings` [m] wide, so that a sensor in it always sees
/// something: ground that rises to a bank, at least as many trees as inside, bushes. Uses no random
/// stream of the forest's own layout; the sampler must keep points outside the forest's extent.
void surroundForest(const ForestConfig& config, const Relief& relief, SurfaceSampler& sampler);

}  // namespace marsim::scene
