// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

#include "physics/limit_row.hpp"

namespace marsim::physics {

/// Rates a LiDAR in rain, snow and fog against the integrals of their formulas
/// (test/lidar/weather_formulas.hpp): returns of particles by range, the share of a target's
/// returns lost to brighter ones, and the range at which a target of 10 % is lost. `scans`: of
/// each.
void rateWeather(int scans, std::vector<LimitRow>& rows);

/// Draws returns of particles by range, by the LiDAR and by the formulas (particles.svg).
void drawParticles(int scans, const std::filesystem::path& folder);

}  // namespace marsim::physics
