// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "marsim/scene/planting.hpp"
#include "physics/limit_row.hpp"

namespace marsim::physics {

/// Depth of a dip in a histogram of ranges below both of its sides, in standard deviations, that
/// tells two modes: less than one histogram in a thousand has one by chance.
constexpr double kSureDip = 4.5;

/// A potted shrub of 0.3 m: a trunk, bare below a wide and flat crown.
scene::SpeciesConfig pottedShrub();
constexpr double kPottedHeight = 0.27;  // [m] of the sensor that looks at it

/// Ranges [m] of a shrub by a HDL-64E `height` [m] above its foot, from 91 places 8 m away.
std::vector<double> rangesOfShrub(const scene::SpeciesConfig& species, std::uint64_t seed,
                                  double height);

/// The deepest dip of the ranges' histogram below the lower of its sides, in standard deviations of
/// the difference of two Poisson counts.
double dipOfRanges(const std::vector<double>& ranges);

/// Rates the ranges of a small shrub seen by an HDL-64E from 91 places 8 m away (Goodin et al.,
/// section 3.4.3): broad, with two modes.
void rateShrub(std::vector<LimitRow>& rows);

/// Writes shrub_ranges.svg, the ranges' histogram.
void drawShrub(const std::filesystem::path& folder);

}  // namespace marsim::physics
