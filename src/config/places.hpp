// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "marsim/map/point_cloud.hpp"

namespace marsim::config {

/// The cloud of a place's file with another spacing [m] of its points; nothing is kept in the
/// cache. Throws as resolveMap does.
map::PointCloud makePlaceAt(const std::filesystem::path& yaml, double spacing);

}  // namespace marsim::config
