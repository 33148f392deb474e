#pragma once

#include <filesystem>
#include <vector>

#include "physics/limit_row.hpp"

namespace marsim::physics {

/// Mirrors, panes and retro-reflectors against closed forms.
void rateSurfaces(std::vector<LimitRow>& rows);

/// Writes pool.svg: what a LiDAR reports over a pool before a wall, and bloom.svg: a sign that
/// blooms.
void drawSurfaces(const std::filesystem::path& folder);

}  // namespace marsim::physics
