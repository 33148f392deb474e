// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

#include <ros/ros.h>

#include "marsim/common/time.hpp"
#include "ros/common/clock_grants.hpp"

namespace marsim::ros_nodes {

/// Instants at which a node that commands a UAV reads its state, every kPeriod of simulated time.
/// In lockstep its commands act kLead after the instant from which they follow, and it grants time
/// only so far that they arrive before: a flight is then repeatable, as far as the node's inputs
/// are.
class CommandTicks {
 public:
  static constexpr TimeNs kPeriod = 10'000'000;
  static constexpr TimeNs kLead = 30'000'000;
  /// Less than two periods: a tick's state comes only after all messages sent before the last
  /// tick's grant have left the node. Of two topics written at once the later one may arrive first.
  static constexpr TimeNs kGrant = 18'000'000;
  static_assert(kGrant < 2 * kPeriod && kGrant < kLead);

  /// Takes part in lockstep once `isConnected` tells that its topics are connected.
  CommandTicks(ros::NodeHandle& handle, const ros::NodeHandle& private_handle, bool in_lockstep,
               std::function<bool()> isConnected);

  /// Whether a state is the first of a period; repeated ones are not.
  bool isDue(TimeNs stamp);
  /// The stamp of a command that follows from this state.
  TimeNs actsAt(TimeNs stamp) const { return in_lockstep_ ? stamp + kLead : stamp; }
  /// Notes that the state was handled.
  void handled(TimeNs stamp);
  bool inLockstep() const { return in_lockstep_; }
  /// Grants nothing more while `holds`, so that time stands.
  void hold(bool holds) { holds_ = holds; }
  /// Time of the last grant.
  TimeNs granted() const { return granted_; }
  /// Leaves lockstep.
  void leave();

 private:
  void grant(TimeNs from);
  void onTimer();

  bool in_lockstep_;
  std::function<bool()> isConnected_;
  std::unique_ptr<ClockGrants> grants_;  ///< null outside of lockstep
  bool begun_ = false;
  bool holds_ = false;
  TimeNs granted_ = 0;
  TimeNs tick_ = -1;  ///< < 0: no state yet
  ros::SteadyTimer timer_;
};

}  // namespace marsim::ros_nodes
