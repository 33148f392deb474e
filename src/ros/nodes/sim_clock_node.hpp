#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <diagnostic_updater/diagnostic_updater.h>
#include <ros/ros.h>
#include <std_srvs/SetBool.h>
#include <std_srvs/Trigger.h>

#include "lan/clock_sync.hpp"
#include "marsim/ClockGrant.h"
#include "marsim/common/time.hpp"

namespace marsim::ros_nodes {

/// Publishes /clock at a fixed step of simulated time, paced to wall time; later where a node that
/// grants time (marsim/ClockGrant on /clock_grants) has not granted it yet. In lockstep, where
/// nodes are named that take part, it stands at 0 until all of them have granted some, and waits
/// for them for ever; while it stands, it is told again. On a LAN one machine's leads: it answers
/// the others' questions, and they follow it (ClockFollower); those begin when it has answered, run
/// on by themselves while it does not, and wait for nobody's grants. Parameters: rate [Hz] (500),
/// pace: simulated seconds a wall second (1; a follower's is its leader's), patience [s]: wall time
/// for which a node that granted time is waited for (auto: 5, in lockstep for ever), participants
/// (names of nodes, see Lockstep), more_participants (full names, comma-separated), lan (a name or
/// file of config/lan; empty, the default: on no LAN), machine (which of them this one is).
/// Services: pause (std_srvs/SetBool), step (std_srvs/Trigger: one clock step while paused); not a
/// follower's.
class SimClockNode {
 public:
  SimClockNode(ros::NodeHandle handle, ros::NodeHandle private_handle);
  ~SimClockNode();

 private:
  using WallClock = std::chrono::steady_clock;

  void joinLan(const std::string& lan, const std::string& machine, const std::string& where);
  void run();
  void tick();
  void onGrant(const marsim::ClockGrantConstPtr& message);
  bool awaitGrants(std::unique_lock<std::mutex>& lock);
  void standStill(WallClock::time_point now);
  bool isHeld() const;
  std::string holders() const;
  void letGo();
  void follow();
  void publish();
  ClockReading read();
  bool onPause(std_srvs::SetBool::Request& request, std_srvs::SetBool::Response& response);
  bool onStep(std_srvs::Trigger::Request& request, std_srvs::Trigger::Response& response);
  void diagnose(diagnostic_updater::DiagnosticStatusWrapper& status);

  TimeNs period_;
  double pace_;
  double patience_;
  ros::Publisher clock_publisher_;
  ros::Subscriber grant_subscriber_;
  ros::ServiceServer pause_service_, step_service_;
  diagnostic_updater::Updater diagnostics_;

  std::mutex mutex_;  ///< guards what follows
  TimeNs now_ = 0;
  WallClock::time_point ticked_;  ///< when now_ began
  bool paused_ = false;
  std::map<std::string, TimeNs> grants_;  ///< how far time may go, by who says so
  std::map<std::string, TimeNs> let_go_;  ///< the same, of those that were waited for in vain
  bool in_lockstep_ = false;
  std::condition_variable granted_;
  WallClock::time_point held_since_, repeated_at_;
  bool held_ = false;
  WallClock::time_point reported_at_;  ///< for the real-time factor between two reports
  TimeNs reported_now_ = 0;

  std::string leader_;  ///< machine that is followed; empty: none
  std::unique_ptr<ClockClient> client_;
  std::uint32_t run_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
  std::unique_ptr<ClockServer> server_;  ///< reads what is above
};

}  // namespace marsim::ros_nodes
