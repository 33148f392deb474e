// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "scenario/scenario.hpp"

namespace marsim::config {

/// A data set needs neither description nor checks.
enum class Purpose { kSuite, kDataset };

/// Loads a scenario. Relative paths in it start at its own folder. Throws as the loaders of
/// load.hpp do.
scenario::Scenario loadScenario(const std::filesystem::path& path,
                                Purpose purpose = Purpose::kSuite);

/// The map, resolution, surface, LiDAR, IMU, vehicle or collision of a scenario: as it says, or
/// else the default of the launch file that flies it.
std::string argumentOf(const scenario::Scenario& scenario, const std::string& name);

}  // namespace marsim::config
