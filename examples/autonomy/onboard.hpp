// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "marsim/marsim.hpp"
#include "navigator.hpp"

namespace autonomy {

/// The vehicle of Zhong 2023, section 5.2, with a Mid-360, at rest at a start [m], [rad].
marsim::sim::UavConfig onboardConfig(const Eigen::Vector3d& start, double yaw);

/// The returns of a scan [m] in W.
std::vector<Eigen::Vector3d> pointsOf(const marsim::lidar::Scan& scan);

/// Hands a UAV's scans and odometry to a navigator, and its commands to the UAV. The navigator must
/// live as long as the UAV flies.
void connect(marsim::sim::Uav& uav, Navigator& navigator);

}  // namespace autonomy
