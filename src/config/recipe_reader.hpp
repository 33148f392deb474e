// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/yaml_reader.hpp"
#include "scene/places/recipe.hpp"

namespace marsim::config {

/// Reads a recipe's own keys: size, start, ground, groups, parts, surroundings.
void readRecipe(YamlReader& reader, scene::Recipe& recipe);

}  // namespace marsim::config
