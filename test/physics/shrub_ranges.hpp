// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

#include "physics/limit_row.hpp"

namespace marsim::physics {

/// Rates the ranges of a small shrub seen by an HDL-64E from 46 places 8 m away (Goodin et al.,
/// section 3.4.3): broad, with two modes.
void rateShrub(std::vector<LimitRow>& rows);

/// Writes shrub_ranges.svg, the ranges' histogram.
void drawShrub(const std::filesystem::path& folder);

}  // namespace marsim::physics
