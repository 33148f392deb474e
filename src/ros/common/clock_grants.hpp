// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include <ros/ros.h>

#include "marsim/ClockGrant.h"
#include "marsim/common/time.hpp"
#include "ros/common/render_thread.hpp"
#include "ros/common/watched_publisher.hpp"

namespace marsim::ros_nodes {

/// How far /clock may go past the state of a node that steps.
constexpr TimeNs kClockLead = kNsPerSecond / 10;

/// Topic for grants of time: beside /clock, even if that is remapped.
std::string grantTopic(const ros::NodeHandle& handle);

/// A node's limit on simulated time (marsim/ClockGrant on /clock_grants). /clock shows no time
/// later than the last granted one. Safe from any thread.
class ClockGrants {
 public:
  /// Grants under the name of `private_handle`. Holds nothing back before the first grant.
  ClockGrants(ros::NodeHandle& handle, const ros::NodeHandle& private_handle);
  ~ClockGrants();

  void grant(TimeNs until) const;
  /// Repeats the last grant, if any, since the clock may have missed it.
  void repeat() const;
  /// Holds nothing back until the next grant.
  void leave() const;
  /// Makes all of this process leave for good and gives their messages time to be sent; for
  /// processes that end, before ros::shutdown().
  static void leaveAll();

 private:
  void publish(TimeNs until) const;

  std::string who_;
  mutable std::mutex mutex_;  ///< so that no grant follows the last farewell
  mutable TimeNs until_ = 0;  ///< 0: nothing granted
  mutable bool has_left_ = false;
  WatchedPublisher<marsim::ClockGrant> publisher_;
};

/// Lockstep of a sensor that renders: simulated time advances one of its periods at a time, while
/// its thread keeps up, so that nothing is dropped. Jobs due before the clock has heard of it wait
/// in the thread's queue, which is made longer for that. It grants kClockLead more, so that without
/// states the clock names their vehicle as the holder of time.
class RenderLockstep {
 public:
  /// Takes part once it has a state and `isReady` returns true. Both functions are called in the
  /// node's callbacks, `onTimer` every kTimer.
  RenderLockstep(ros::NodeHandle& handle, const ros::NodeHandle& private_handle,
                 RenderThread& thread, TimeNs period, std::function<bool()> isReady,
                 std::function<void()> onTimer);

  /// Call it when all jobs due at this state are in the thread.
  void onState(TimeNs stamp);
  /// Call it at the end of a job in the thread.
  void onRendered() const;

 private:
  static constexpr std::size_t kLongestBacklog = 1;  // jobs that may wait when time is granted
  static constexpr std::size_t kLongestQueue = 200;  // jobs; a clock that hears no grants runs on
  static constexpr double kTimer = 0.1;              // [s] of wall time

  ClockGrants grants_;
  const RenderThread& thread_;
  TimeNs period_;
  std::function<bool()> isReady_;
  TimeNs looked_at_ = 0;
  TimeNs granted_until_ = 1;  // a time of the past, at which a clock that hears it waits
  std::atomic<bool> takes_part_{false};
  std::atomic<TimeNs> stamp_{-1};  // of the last state; < 0: none
  ros::SteadyTimer timer_;
};

}  // namespace marsim::ros_nodes
