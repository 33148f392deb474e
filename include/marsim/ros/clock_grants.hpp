#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include <ros/ros.h>

#include "marsim/common/time.hpp"
#include "marsim/ros/render_thread.hpp"

namespace marsim::ros_nodes {

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
  /// Holds nothing back any more, until the next grant.
  void leave() const;

 private:
  std::string who_;
  ros::Publisher publisher_;
};

/// Lockstep of a sensor that renders: simulated time goes one of its periods at a time, while its
/// thread keeps up, so that nothing is dropped. What falls due before the clock has heard of it
/// waits in the thread's queue, which is made longer for that. While no state comes though the
/// thread keeps up, time waits for somebody else, and the sensor holds nothing back.
class RenderLockstep {
 public:
  RenderLockstep(ros::NodeHandle& handle, const ros::NodeHandle& private_handle,
                 RenderThread& thread, TimeNs period);

  /// What falls due at this state has been given to the thread.
  void onState(TimeNs stamp);
  /// At the end of a job of the thread.
  void onRendered() const;

 private:
  static constexpr std::size_t kLongestBacklog = 1;  // jobs that wait when time is granted
  static constexpr std::size_t kLongestQueue = 200;  // jobs; a clock that hears no grants runs on
  static constexpr double kLongestSilence = 0.3;     // [s] of wall time without a state

  void onTimer();

  ClockGrants grants_;
  const RenderThread& thread_;
  TimeNs period_;
  TimeNs looked_at_ = 0;
  TimeNs granted_until_ = 1;  // past: a clock that hears it waits
  std::atomic<TimeNs> stamp_{0};
  std::chrono::steady_clock::time_point heard_at_;
  ros::SteadyTimer timer_;
};

}  // namespace marsim::ros_nodes
