#pragma once

#include <filesystem>

#include "scenario/scenario.hpp"

namespace marsim::config {

/// Loads a scenario of `marsim suite`. Relative paths in it start at its own folder. Throws as the
/// loaders of load.hpp do.
scenario::Scenario loadScenario(const std::filesystem::path& path);

}  // namespace marsim::config
