#pragma once

#include <filesystem>
#include <vector>

#include "physics/limit_row.hpp"

namespace marsim::physics {

/// Ranges of a small shrub as a HDL-64E sees it from 46 places 8 m away (Goodin et al., section
/// 3.4.3): broad, and of two modes.
void rateShrub(std::vector<LimitRow>& rows);

/// Writes shrub_ranges.svg, their histogram.
void drawShrub(const std::filesystem::path& folder);

}  // namespace marsim::physics
