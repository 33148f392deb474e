// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Light on a dull day, over white ground under an open sky: most of it from above, some from the
/// ground, a little more from the sun's direction behind the clouds. A surface with unit normal n
/// gets kFromSky (1 + n_z) / 2 + kFromGround (1 - n_z) / 2 + kFromSun max(n . sun, 0).
namespace marsim::lidar {

constexpr float kFromSky = 0.74F, kFromGround = 0.26F, kFromSun = 0.32F;
constexpr float kSunward[3] = {0.4504281F, 0.3002854F, 0.8407991F};  ///< unit, in W

/// z of the assumed normal of balls: leaves face all ways, more of them up.
constexpr float kLeafUp = 0.3F;
constexpr float kLightOnLeaves =
    kFromSky * (0.5F + 0.5F * kLeafUp) + kFromGround * (0.5F - 0.5F * kLeafUp) + kFromSun * kLeafUp;

/// A pixel's length on a surface is limited to that at this cosine.
constexpr float kLeastIncidence = 0.12F;

}  // namespace marsim::lidar
