// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <diagnostic_updater/diagnostic_updater.h>
#include <ros/ros.h>

#include "marsim/Contact.h"

#include "marsim/sim/collisions.hpp"
#include "ros/common/params.hpp"

namespace marsim::ros_nodes {

/// Fills everything except the frame's name and the count.
marsim::Contact toMessage(const collision::ContactEvent& event);

/// Parameters collision, collision_response (report | stop_motors | bounce);
/// collision_restitution, collision_yield_speed [m/s], collision_friction; contact_release [s],
/// ground_margin [m], landing_speed [m/s] and landing_tilt [rad] of CollisionConfig. Throws
/// ConfigError, UnknownNameError.
sim::CollisionConfig readCollisionConfig(Params& params);

/// Publishes a UAV's collisions: `collision` (marsim/Contact), `clearance`
/// (marsim/Clearance, 50 Hz) and `collision_markers` (visualization_msgs/MarkerArray) in its
/// namespace.
class ContactPublisher {
 public:
  static constexpr TimeNs kClearancePeriod = kNsPerSecond / 50;
  static constexpr double kClearanceLimit = 5.0;  ///< [m] limit of the search

  ContactPublisher(ros::NodeHandle& handle, const std::string& world_frame);

  /// Publishes contacts that have begun or ended.
  void publish(const std::vector<collision::ContactEvent>& events);
  bool wantsClearance() const { return clearance_.getNumSubscribers() > 0; }
  void publish(TimeNs stamp, const collision::Clearance& clearance);
  void diagnose(const sim::Collisions& collisions, const vehicle::Platform& platform,
                diagnostic_updater::DiagnosticStatusWrapper& status) const;

 private:
  void publishMarkers(const collision::ContactEvent& event);

  std::string frame_;
  std::uint32_t begun_ = 0;
  ros::Publisher contact_, clearance_, markers_;
};

}  // namespace marsim::ros_nodes
