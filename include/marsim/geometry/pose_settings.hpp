// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "marsim/common/settings.hpp"
#include "marsim/geometry/pose.hpp"

namespace marsim {

/// The settings `position: [x, y, z]` [m] and `rpy: [roll, pitch, yaw]` [rad] of a pose.
void declarePose(Settings& settings, Pose& X_AB);

}  // namespace marsim
