// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

#include "physics/limit_row.hpp"

namespace marsim::physics {

/// A stand of stems, 10 m wide and 5 m deep.
struct GrassStand {
  double diameter;  ///< [m] of a stem
  int stems;
  double distance;  ///< [m] of the stand's edge
};

/// Depths [m] behind the edge of the stand at which a Lidar of nine rays returns pulses.
std::vector<double> standDepths(const GrassStand& stand, int pulses);

/// Rates a fixed beam of 1 mrad in front of a stand of thin stems (Goodin et al., Electronics 2018,
/// 7(9):154, section 3.4.1), by a Lidar of nine rays and by an independent Monte Carlo simulation:
/// mean, deviation and gamma shape of the depths, and that a gamma distribution fits them better
/// than an exponential one. `pulses`: of each stand.
void rateGrassStands(int pulses, std::vector<LimitRow>& rows);

/// Histograms of the depths of one of the stands by both, and the fitted distributions
/// (stand_depths.svg).
void drawDepths(int pulses, const std::filesystem::path& folder);

}  // namespace marsim::physics
