// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "collision/structure.hpp"
#include "marsim/geometry/pose.hpp"
#include "ros/common/params.hpp"
#include "scenario/flight_guide.hpp"

namespace marsim::ros_nodes {

/// A flight for LiDAR-inertial odometry: two seconds of rest, a turn to the heading and way points
/// that keep structure in view (collision::planSlamRoute), an excitation of all axes
/// (control::Excitation), the way points, and back to the start.
class SlamFlight {
 public:
  /// Parameters: map and those of readMapConfig, vegetation (what is an obstacle is flown round),
  /// vehicle, lidar, ground_z.
  explicit SlamFlight(Params& params);

  /// The flight that begins there. Throws Error where there is no goal.
  std::vector<scenario::Stage> from(const Pose& X_WB) const;

 private:
  std::unique_ptr<collision::ClearanceMap> map_;
  collision::ViewLimits view_;
  double radius_ = 0.0, lowest_z_ = 0.0;  ///< [m]
};

}  // namespace marsim::ros_nodes
