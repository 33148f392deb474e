#pragma once

#include "marsim/scene/places.hpp"
#include "scene/places/relief.hpp"
#include "scene/places/surface_sampler.hpp"

namespace marsim::scene {

/// Lays what lies around a forest, `surroundings` [m] wide, so that a sensor in it never looks into
/// nothing: ground that rises to a bank, as many trees as inside or more, bushes. Uses no random
/// stream of the forest's own layout; the sampler must keep points outside the forest's extent.
void surroundForest(const ForestConfig& config, const Relief& relief, SurfaceSampler& sampler);

}  // namespace marsim::scene
