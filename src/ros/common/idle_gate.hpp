// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <ros/ros.h>
#include <rosgraph_msgs/Clock.h>

#include "clock/idle_watch.hpp"
#include "marsim/common/time.hpp"

namespace marsim::ros_nodes {

/// Whether this simulation's clock has an IdleGate.
bool timeWaitsUntilIdle();

/// Lets simulated time wait for programs that know nothing of it: at every tick until the
/// simulator's nodes and the programs are idle (IdleWatch). The simulator's nodes hear /clock at
/// every period, the programs at ticks only, one after another, when all data have arrived.
///
/// Programs are nodes, numbers of processes, or commands (the file name of a running program). The
/// simulator's nodes are those whose programs lie in this one's folder. Publishes /clock_idle
/// (rosgraph_msgs/Clock) at every tick before the programs hear of it: what is sent then, such as a
/// goal, arrives at a definite time.
class IdleGate {
 public:
  /// `patience` [s]: wall time for one tick.
  IdleGate(ros::NodeHandle& handle, std::vector<std::string> names, TimeNs tick, double patience);

  /// The name under which it grants time.
  const std::string& name() const { return name_; }
  /// For /clock's publisher: who subscribes.
  ros::SubscriberStatusCallback onConnect();
  ros::SubscriberStatusCallback onDisconnect();

  /// Sends a time to all but the programs, which hear it in settle(). Before the first settle() to
  /// the programs as well.
  void tell(const rosgraph_msgs::Clock& time);
  /// Whether settle() is to be called before time goes on.
  bool isDue(TimeNs now) const { return now % tick_ == 0 && now != settled_; }
  /// Waits until all is idle at `now`, tells the programs, waits again; at 0 until all programs
  /// run. Returns the time until which the clock may go on; nothing: call it again. It returns
  /// after a while even if the programs are not idle yet. From one thread.
  std::optional<TimeNs> settle(TimeNs now, const std::atomic<bool>& stop);
  /// The busy program that it gave up, for diagnostics; empty: none.
  std::string lost() const;

 private:
  /// Nodes of the programs that are there, by program.
  using Nodes = std::vector<std::vector<std::string>>;
  using Wait = std::function<std::optional<std::string>(IdleWatch::WallTime deadline)>;

  bool begin();
  std::vector<std::string> find(std::vector<IdleWatch::Program>& programs, Nodes& nodes) const;
  void refresh();
  void settleAt(TimeNs now, const std::atomic<bool>& stop);
  void send(const rosgraph_msgs::Clock& time, std::size_t program);
  void setLost(const std::string& text);

  std::vector<std::string> names_;
  std::string name_;
  TimeNs tick_;
  double patience_;
  ros::Publisher idle_publisher_;

  std::unique_ptr<IdleWatch> watch_;  ///< null: not begun
  bool off_ = false;                  ///< the system does not let it look
  TimeNs settled_ = -1;
  int until_refresh_ = 0;  ///< ticks
  std::vector<bool> gone_;

  mutable std::mutex mutex_;                                  ///< guards the members below
  std::multimap<std::string, ros::SubscriberLinkPtr> links_;  ///< of /clock's subscribers, by node
  Nodes nodes_;
  std::string lost_;
};

}  // namespace marsim::ros_nodes
