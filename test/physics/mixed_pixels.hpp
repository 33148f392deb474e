// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

#include "physics/limit_row.hpp"

namespace marsim::physics {

/// Rates nine rods in a row before a wall, seen by an LMS-291 (Goodin et al., Electronics 2018,
/// 7(9):154, section 3.4.2): how many beams give points between rods and wall; also two planes
/// about half a pulse apart, and the choice of each mode among three planes.
void rateMixedPixels(std::vector<LimitRow>& rows);

/// Number of beams of 320 whose points lie more than 5 cm behind the row of rods and before the
/// wall.
int mixedBeams(double wall_behind);

/// Draws from above the rods and the wall by one ray a beam and by nine (mixed_pixels.svg), and
/// with the wall 2 m behind the rods by the modes first and last (two_modes.svg).
void drawMixedPixels(const std::filesystem::path& folder);

}  // namespace marsim::physics
