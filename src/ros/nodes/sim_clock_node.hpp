// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <std_srvs/SetBool.h>
#include <std_srvs/Trigger.h>

#include "clock/clock_sync.hpp"
#include "clock/sim_clock.hpp"
#include "marsim/ClockGrant.h"
#include "marsim/RunUntil.h"
#include "marsim/SetPace.h"
#include "marsim/StepTime.h"
#include "marsim/common/time.hpp"
#include "ros/common/answer_listener.hpp"
#include "ros/common/diagnostics.hpp"
#include "ros/common/idle_gate.hpp"
#include "ros/common/inputs.hpp"

namespace marsim::ros_nodes {

/// Publishes /clock as a SimClock says: at a fixed step of simulated time, paced to wall time;
/// later where a node that grants time (marsim/ClockGrant on /clock_grants) has not granted it yet,
/// or an answer of a client is due (AnswerListener). While it stands, /clock is sent again. On a
/// LAN one machine's clock leads: it answers the questions of the others, which follow it
/// (ClockFollower). Followers begin at its first answer, run on alone without it, and do not wait.
/// Parameters: rate [Hz], pace: simulated seconds a wall second (max: as fast as all can
/// follow; a follower's is its leader's), patience [s]: wall time for which a node that granted
/// time is waited for (auto: 5, in lockstep for ever), and a client that owes an answer (auto: 10),
/// participants (names of nodes, see Lockstep), more_participants (full names, comma-separated),
/// wait_for (see parseAnswerRules), wait_until_idle (programs of an IdleGate, comma-separated; in
/// lockstep), idle_tick [s]: how often they hear of the time, lan (a name or file of config/lan;
/// empty, the default: on no LAN), machine (which of them this one is). Services, not a follower's:
/// pause (std_srvs/SetBool), step (std_srvs/Trigger: one clock step while paused), step_time
/// (marsim/StepTime), run_until (marsim/RunUntil), set_pace (marsim/SetPace).
class SimClockNode {
 public:
  SimClockNode(ros::NodeHandle handle, ros::NodeHandle private_handle);
  ~SimClockNode();

 private:
  using WallClock = SimClock::WallClock;
  using Request = std::function<SimClock::Reply(WallClock::time_point now)>;

  void advertise(ros::NodeHandle& private_handle);
  void makeIdleGate(ros::NodeHandle& handle, const std::string& names, double tick,
                    const std::string& where, SimClockConfig& config);
  void joinLan(const std::string& lan, const std::string& machine, const std::string& where);
  void run();
  void stand(WallClock::time_point wall);
  WallClock::time_point wakeAt(WallClock::time_point wall) const;
  bool follow();
  void settle(std::unique_lock<std::mutex>& lock);
  void publish();
  TimeNs now() const { return client_ != nullptr ? followed_ : clock_->now(); }
  ClockReading read();
  void onGrant(const marsim::ClockGrantConstPtr& message);
  void onHeard();
  template <class Response>
  bool answer(Response& response, const std::string& what, const Request& request);
  bool onPause(std_srvs::SetBool::Request& request, std_srvs::SetBool::Response& response);
  bool onStep(std_srvs::Trigger::Request& request, std_srvs::Trigger::Response& response);
  bool onStepTime(marsim::StepTime::Request& request, marsim::StepTime::Response& response);
  bool onRunUntil(marsim::RunUntil::Request& request, marsim::RunUntil::Response& response);
  bool onSetPace(marsim::SetPace::Request& request, marsim::SetPace::Response& response);
  void diagnose(diagnostic_updater::DiagnosticStatusWrapper& status);
  void diagnoseLeader(diagnostic_updater::DiagnosticStatusWrapper& status);

  std::unique_ptr<IdleGate> idle_;  ///< null: waits for no programs
  ros::Publisher clock_publisher_;
  Inputs inputs_;
  ros::Subscriber grant_subscriber_;
  ros::CallbackQueue waiting_calls_;  ///< for services that wait for time
  std::vector<ros::ServiceServer> services_;
  Diagnostics diagnostics_;

  std::mutex mutex_;  ///< guards the members below
  std::unique_ptr<SimClock> clock_;
  WallClock::time_point told_at_;  ///< last publication of /clock
  WallClock::time_point ticked_;   ///< when the present time began
  std::condition_variable changed_;
  WallClock::time_point reported_at_;  ///< for the real-time factor between two reports
  TimeNs reported_now_ = 0;

  std::string leader_;  ///< machine of the leader; empty: this one leads
  std::unique_ptr<ClockClient> client_;
  TimeNs followed_ = 0;  ///< the leader's time
  double followed_pace_ = 1.0;
  std::uint32_t run_ = 0;
  std::unique_ptr<AnswerListener> answers_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
  std::unique_ptr<ClockServer> server_;  ///< reads the members above
  std::unique_ptr<ros::AsyncSpinner> waiting_spinner_;
};

}  // namespace marsim::ros_nodes
