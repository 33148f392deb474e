// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "collision/structure.hpp"
#include "marsim/geometry/pose.hpp"
#include "ros/common/params.hpp"
#include "scenario/flight_guide.hpp"

namespace marsim::ros_nodes {

/// A flight for LiDAR-inertial odometry: two seconds of rest, a take-off where the UAV stands, a
/// turn to the heading and way points that keep structure in view (collision::planSlamRoute), an
/// excitation of all axes (control::Excitation), and rounds of the way points, which end at the
/// start, where a UAV that took off lands.
class SlamFlight {
 public:
  /// Parameters: map and those of readMapConfig, vegetation (what is an obstacle is flown round),
  /// vehicle, lidar, ground_z, route_length.
  explicit SlamFlight(Params& params);

  /// The flight that begins there. Throws Error where there is no goal.
  std::vector<scenario::Stage> from(const Pose& X_WB) const;

 private:
  std::unique_ptr<collision::ClearanceMap> map_;
  collision::ViewLimits view_;
  double radius_ = 0.0, lowest_z_ = 0.0;  ///< [m]
  double route_length_ = 0.0;             ///< [m] least, of the rounds together
};

}  // namespace marsim::ros_nodes
