// SPDX-License-Identifier: BSD-3-Clause
#include "ros/suite/scenario_uav.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <geometry_msgs/PoseStamped.h>
#include <nav_msgs/Path.h>
#include <rosgraph_msgs/Clock.h>
#include <topic_tools/shape_shifter.h>

#include "config/scenario.hpp"
#include "control/paths/reference_of.hpp"
#include "marsim/StateReference.h"
#include "ros/common/idle_gate.hpp"
#include "ros/messages/conversions.hpp"
#include "ros/uav/contact_publisher.hpp"
#include "ros/uav/motion_publisher.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr std::uint32_t kUavQueue = 5000;            // for topics with 500 messages a second
constexpr TimeNs kErrorPeriod = kNsPerSecond / 100;  // least time between used messages
constexpr double kSlamTolerance = 0.15;              // [m] tolerance of its goals

std::string goalTopic(const std::string& client, const std::string& uav) {
  if (client == "ego_planner" || client == "fast_planner" || client == "fuel") {
    return "/waypoint_generator/waypoints";
  }
  if (client == "ego_swarm") return "/move_base_simple/goal";
  if (client == "ego_planner_v2") return "/goal_with_id";
  if (client == "super") return "/goal";
  return "/" + uav + "/goal";
}

// quadrotor_msgs/GoalSet of EGO-Planner-v2, without that package.
topic_tools::ShapeShifter goalSet(int drone, const Eigen::Vector3d& p_W) {
  const auto id = static_cast<std::int16_t>(drone);
  const Eigen::Vector3f place = p_W.cast<float>();
  std::array<std::uint8_t, sizeof(id) + 3 * sizeof(float)> bytes;
  std::memcpy(bytes.data(), &id, sizeof(id));
  std::memcpy(bytes.data() + sizeof(id), place.data(), 3 * sizeof(float));
  topic_tools::ShapeShifter message;
  message.morph("647346ea582a0f372d5aad4ae220f0b2", "quadrotor_msgs/GoalSet",
                "int16 drone_id\nfloat32[3] goal\n", "");
  ros::serialization::IStream stream(bytes.data(), bytes.size());
  message.read(stream);
  return message;
}

// The last value at or before a stamp.
template <class Value>
Value valueAt(const std::vector<std::pair<TimeNs, Value>>& values, TimeNs stamp, Value none) {
  const auto after = std::upper_bound(values.begin(), values.end(), stamp,
                                      [](TimeNs t, const auto& value) { return t < value.first; });
  return after == values.begin() ? none : std::prev(after)->second;
}

}  // namespace

ScenarioUav::ScenarioUav(const std::string& name, const scenario::Scenario& scenario,
                         const SlamFlight* slam)
    : name_(name), guide_(scenario, name), slam_(slam), inputs_(ros::NodeHandle("/" + name)) {
  collides_ = config::argumentOf(scenario, "collision") != "false";
  if (scenario.lockstep && slam == nullptr) beginAfter(0);
  ros::NodeHandle handle("/" + name);
  holds_goals_ = scenario.lockstep && timeWaitsUntilIdle();
  if (holds_goals_) {
    idle_subscriber_ = handle.subscribe<rosgraph_msgs::Clock>(
        "/clock_idle", 10, [this](const rosgraph_msgs::ClockConstPtr&) { sendHeldGoals(); });
  }
  const std::string topic = goalTopic(scenario.client, name);
  sends_path_message_ = topic == "/waypoint_generator/waypoints";
  sends_goal_set_ = topic == "/goal_with_id";
  const std::size_t digits = name.find_first_of("0123456789");  // uavN flies as drone N
  if (digits != std::string::npos) drone_ = std::atoi(name.c_str() + digits);
  drones_ = scenario.uavs;
  if (guide_.goalCount() > 0 || slam != nullptr) {
    goal_publisher_ = sends_path_message_ ? handle.advertise<nav_msgs::Path>(topic, 10)
                      : sends_goal_set_
                          ? goalSet(0, Eigen::Vector3d::Zero()).advertise(handle, topic, 10)
                          : handle.advertise<geometry_msgs::PoseStamped>(topic, 10);
  }
  if (guide_.hasPath() || slam != nullptr)
    reference_publisher_ = handle.advertise<marsim::StateReference>("command/state", 100);

  state_subscriber_ = inputs_.subscribeToStream("state", kUavQueue, &ScenarioUav::onState, this);
  if (slam == nullptr) record();
}

void ScenarioUav::record() {
  error_subscriber_ = inputs_.subscribe<marsim::TrackingError>(
      "tracking_error", kUavQueue, [this](const marsim::TrackingErrorConstPtr& message) {
        errors_.emplace_back(fromRos(message->header.stamp), fromVector3(message->position));
      });
  clearance_subscriber_ = inputs_.subscribe<marsim::Clearance>(
      "clearance", kUavQueue, [this](const marsim::ClearanceConstPtr& message) {
        clearances_.emplace_back(fromRos(message->header.stamp), message->distance);
      });
  contact_subscriber_ = inputs_.subscribe<marsim::Contact>(
      "collision", kUavQueue, [this](const marsim::ContactConstPtr& message) {
        if (!message->begins) return;
        contacts_.emplace_back(fromRos(message->header.stamp), message->relative_speed);
      });
  motor_subscriber_ = inputs_.subscribe<marsim::MotorStates>(
      "motor_states", kUavQueue, [this](const marsim::MotorStatesConstPtr& message) {
        powers_.emplace_back(fromRos(message->header.stamp), message->power);
      });
}

std::vector<std::string> ScenarioUav::missing() const {
  std::vector<std::string> missing;
  const auto reads = [&](const ros::Subscriber& subscriber) {
    if (subscriber.getNumPublishers() == 0) {
      missing.push_back("nobody publishes " + subscriber.getTopic());
    }
  };
  const auto tells = [&](const ros::Publisher& publisher) {
    if (publisher.getNumSubscribers() == 0)
      missing.push_back("nobody reads " + publisher.getTopic());
  };
  reads(state_subscriber_);
  if (slam_ == nullptr) reads(error_subscriber_);
  if (collides_ && slam_ == nullptr) {
    reads(contact_subscriber_);
    reads(clearance_subscriber_);
  }
  if (reference_publisher_) tells(reference_publisher_);
  if (goal_publisher_) tells(goal_publisher_);
  return missing;
}

void ScenarioUav::onState(const marsim::VehicleStateConstPtr& message) {
  const TimeNs stamp = fromRos(message->header.stamp);
  if (stamp <= now_) return;  // repeated, while time stands still
  now_ = stamp;
  scenario::MotionSample sample;
  sample.stamp = stamp;
  sample.X_WB = {fromQuaternion(message->pose.orientation), fromPoint(message->pose.position)};
  sample.v_WB = fromVector3(message->velocity);
  if (slam_ == nullptr) {
    samples_.push_back(sample);
  } else if (guide_.goalCount() == 0) {
    guide_ = {slam_->from(sample.X_WB), kSlamTolerance, 0.0};
    if (holds_goals_) guide_.beginAfter(stamp);
  }
  fly(sample);
  on_state(stamp);
}

void ScenarioUav::fly(const scenario::MotionSample& state) {
  const scenario::FlightGuide::Commands commands = guide_.answer(state);
  if (commands.goal) held_goals_.push_back(*commands.goal);
  if (!holds_goals_) sendHeldGoals();
  for (const KinematicState& reference : commands.references) {
    marsim::StateReference message;
    toMessage(control::referenceOf(reference), reference.stamp, message);
    message.header.frame_id = "world";
    reference_publisher_.publish(message);
  }
}

bool ScenarioUav::isTurnOf(int drone, int drones, TimeNs now) {
  constexpr TimeNs kTurn = kNsPerSecond / 20;
  return drones == 1 || now / kTurn % (2 * drones) == 2 * drone;
}

void ScenarioUav::sendHeldGoals() {
  if (sends_goal_set_ && !isTurnOf(drone_, drones_, now_)) return;
  for (const StampedPose& goal : held_goals_) sendGoal(goal);
  held_goals_.clear();
  const bool has_flight = slam_ == nullptr || guide_.goalCount() > 0;
  // Each tick waits for a subscriber. One that sends references must not wait for the master.
  if (has_flight && guide_.hasSentGoals() && !guide_.hasPath()) idle_subscriber_.shutdown();
}

void ScenarioUav::sendGoal(const StampedPose& goal) {
  if (sends_goal_set_) return goal_publisher_.publish(goalSet(drone_, goal.X_WB.p));
  const geometry_msgs::PoseStamped pose = toPoseStamped(goal.X_WB, "world", goal.stamp);
  if (!sends_path_message_) return goal_publisher_.publish(pose);
  nav_msgs::Path path;
  path.header = pose.header;
  path.poses = {pose};
  goal_publisher_.publish(path);
}

std::string ScenarioUav::progress() const {
  if (guide_.goalCount() == 0) return "";
  return fmt::format("goal {} of {}", guide_.goals().size(), guide_.goalCount());
}

// Before the first command there is no tracking error, without collisions no clearance.
bool ScenarioUav::complete(TimeNs stamp) const {
  const auto reaches = [stamp](const auto& values, TimeNs period) {
    return values.empty() || values.back().first > stamp - period;
  };
  return now_ >= stamp && reaches(errors_, kErrorPeriod) &&
         reaches(clearances_, ContactPublisher::kClearancePeriod) &&
         reaches(powers_, MotionPublisher::kMotorPeriod);
}

scenario::UavRecording ScenarioUav::recording(TimeNs stamp) const {
  scenario::UavRecording recording;
  recording.name = name_;
  for (scenario::MotionSample sample : samples_) {
    if (sample.stamp > stamp) break;
    sample.to_reference = valueAt(errors_, sample.stamp, sample.to_reference);
    sample.tracking_error = sample.to_reference.norm();
    sample.clearance = valueAt(clearances_, sample.stamp, sample.clearance);
    sample.power = valueAt(powers_, sample.stamp, sample.power);
    recording.samples.push_back(sample);
  }
  for (const auto& [at, clearance] : clearances_) {
    if (at <= stamp) recording.least_clearance = std::min(recording.least_clearance, clearance);
  }
  for (const scenario::GoalRecord& goal : guide_.goals()) {
    if (goal.sent <= stamp) recording.goals.push_back(goal);
  }
  for (const auto& [at, speed] : contacts_) {
    if (at > stamp) continue;
    ++recording.contacts;
    recording.worst_contact_speed = std::max(recording.worst_contact_speed, speed);
  }
  return recording;
}

}  // namespace marsim::ros_nodes
