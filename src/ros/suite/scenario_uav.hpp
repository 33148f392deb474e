// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ros/ros.h>

#include "marsim/Clearance.h"
#include "marsim/Contact.h"
#include "marsim/MotorStates.h"
#include "marsim/TrackingError.h"
#include "marsim/VehicleState.h"
#include "ros/common/inputs.hpp"
#include "ros/suite/slam_flight.hpp"
#include "scenario/flight_guide.hpp"
#include "scenario/recording.hpp"
#include "scenario/scenario.hpp"

namespace marsim::ros_nodes {

/// One UAV of a scenario: flies it along its goals or its path, and records the flight.
///
/// In, below its namespace: `state`, `tracking_error`, `clearance`, `collision`,
/// `motor_states`. Out: `goal`, or
/// the client's topic for goals, and `command/state`. Commands have stamps ahead of the state that
/// they answer (scenario::FlightGuide), so that in lockstep they act at the same instant in every
/// run.
class ScenarioUav {
 public:
  /// With `slam` it flies a SLAM flight from where it is first seen, records nothing and waits for
  /// beginAfter() in lockstep, too.
  ScenarioUav(const std::string& name, const scenario::Scenario& scenario, const SlamFlight* slam);

  /// Whether it is the turn of a drone out of `drones` to send goals on a topic that all share:
  /// EGO-Planner-v2 keeps the newest message alone, whomever it is for. Turns are 50 ms apart.
  static bool isTurnOf(int drone, int drones, TimeNs now);

  /// Topics that it reads or publishes without a counterpart yet: "nobody publishes TOPIC".
  std::vector<std::string> missing() const;
  /// Outside of lockstep: the flight begins soon after a stamp, and never before this was called.
  /// In lockstep it begins soon after time does, a SLAM flight only if time waits until programs
  /// are idle.
  void beginAfter(TimeNs stamp) { guide_.beginAfter(stamp); }
  /// Called with the stamp of every new state; set before the first one.
  std::function<void(TimeNs)> on_state;

  TimeNs now() const { return now_; }  ///< stamp of the last state; < 0: none yet
  /// When the flight was completed; none: it is not yet.
  std::optional<TimeNs> flownAt() const { return guide_.flownAt(); }
  std::size_t goalCount() const { return guide_.goalCount(); }
  std::string progress() const;  ///< "goal 2 of 4"; empty: no goals
  /// Whether all messages up to `stamp` have arrived.
  bool complete(TimeNs stamp) const;
  /// The recording up to `stamp`.
  scenario::UavRecording recording(TimeNs stamp) const;

 private:
  void onState(const marsim::VehicleStateConstPtr& message);
  void record();
  void fly(const scenario::MotionSample& state);
  void sendGoal(const StampedPose& goal);

  void sendHeldGoals();

  std::string name_;
  bool sends_path_message_ = false;  ///< goals as nav_msgs/Path
  bool sends_goal_set_ = false;      ///< goals as quadrotor_msgs/GoalSet
  int drone_ = 0, drones_ = 1;       ///< its number for the planner, and how many there are
  bool collides_ = true;
  scenario::FlightGuide guide_;
  const SlamFlight* slam_;  ///< null: none

  TimeNs now_ = -1;
  std::vector<scenario::MotionSample> samples_;
  std::vector<std::pair<TimeNs, Eigen::Vector3d>> errors_;  ///< [m] by their stamps
  std::vector<std::pair<TimeNs, double>> clearances_;       ///< [m] by their stamps
  std::vector<std::pair<TimeNs, double>> contacts_;         ///< [m/s] at which they begin
  std::vector<std::pair<TimeNs, double>> powers_;           ///< [W] by their stamps

  bool holds_goals_ = false;             ///< false: goals are sent at once
  std::vector<StampedPose> held_goals_;  ///< until all programs that time waits for are idle
  ros::Publisher goal_publisher_, reference_publisher_;
  Inputs inputs_;
  ros::Subscriber idle_subscriber_;
  ros::Subscriber state_subscriber_, error_subscriber_, clearance_subscriber_, contact_subscriber_,
      motor_subscriber_;
};

}  // namespace marsim::ros_nodes
