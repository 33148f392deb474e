// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

#include "physics/limit_row.hpp"

namespace marsim::physics {

/// Rates mirrors, panes and retro-reflectors against closed forms.
void rateSurfaces(std::vector<LimitRow>& rows);

/// Writes pool.svg, the reports of a LiDAR over a pool before a wall, and bloom.svg, a blooming
/// sign.
void drawSurfaces(const std::filesystem::path& folder);

}  // namespace marsim::physics
