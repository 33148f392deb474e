#pragma once

#include <atomic>
#include <functional>
#include <string>

#include <ros/ros.h>

#include "marsim/common/time.hpp"
#include "ros/common/render_thread.hpp"

namespace marsim::ros_nodes {

/// How far /clock may go past what a node that steps has reached.
constexpr TimeNs kClockLead = kNsPerSecond / 10;

/// Where time is granted: beside /clock, also where that has another name.
std::string grantTopic(const ros::NodeHandle& handle);

/// A node's say in how far simulated time may go (marsim/ClockGrant on /clock_grants). /clock shows
/// no time later than the one granted last. Calls may come from any thread.
class ClockGrants {
 public:
  /// Grants under the name of `private_handle`. Nothing is held back before the first grant.
  ClockGrants(ros::NodeHandle& handle, const ros::NodeHandle& private_handle);
  ~ClockGrants();

  void grant(TimeNs until) const;
  /// The same again, where something was granted: the clock may not have heard it.
  void repeat() const;
  /// Holds nothing back any more, until the next grant.
  void leave() const;

 private:
  std::string who_;
  mutable std::atomic<TimeNs> until_{0};  ///< 0: nothing granted
  ros::Publisher publisher_;
};

/// Lockstep of a sensor that renders: simulated time goes one of its periods at a time, while its
/// thread keeps up, so that nothing is dropped. What falls due before the clock has heard of it
/// waits in the thread's queue, which is made longer for that. It grants kClockLead more, so that
/// where no states come it is their vehicle that holds time, by name.
class RenderLockstep {
 public:
  /// Takes part when it has a state and `isReady` says so. Both functions are called in the node's
  /// callbacks, `onTimer` every kTimer.
  RenderLockstep(ros::NodeHandle& handle, const ros::NodeHandle& private_handle,
                 RenderThread& thread, TimeNs period, std::function<bool()> isReady,
                 std::function<void()> onTimer);

  /// Call when all that falls due at this state has been given to the thread.
  void onState(TimeNs stamp);
  /// At the end of a job of the thread.
  void onRendered() const;

 private:
  static constexpr std::size_t kLongestBacklog = 1;  // jobs that wait when time is granted
  static constexpr std::size_t kLongestQueue = 200;  // jobs; a clock that hears no grants runs on
  static constexpr double kTimer = 0.1;              // [s] of wall time

  ClockGrants grants_;
  const RenderThread& thread_;
  TimeNs period_;
  std::function<bool()> isReady_;
  TimeNs looked_at_ = 0;
  TimeNs granted_until_ = 1;  // past: a clock that hears it waits
  std::atomic<bool> takes_part_{false};
  std::atomic<TimeNs> stamp_{-1};  // of the last state; < 0: none
  ros::SteadyTimer timer_;
};

}  // namespace marsim::ros_nodes
