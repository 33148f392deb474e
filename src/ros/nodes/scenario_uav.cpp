#include "ros/nodes/scenario_uav.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <geometry_msgs/PoseStamped.h>
#include <nav_msgs/Path.h>

#include "marsim/StateReference.h"
#include "marsim/control/reference.hpp"
#include "marsim/geometry/pose_file.hpp"
#include "ros/messages/conversions.hpp"
#include "suite/figure_eight.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr std::uint32_t kQueue = 5000;       // of what comes 500 times a second
constexpr TimeNs kBegin = kNsPerSecond / 2;  // before the flight begins
constexpr TimeNs kReferencePeriod = kNsPerSecond / 100;
constexpr TimeNs kErrorPeriod = kNsPerSecond / 100;     // at most, of what is told
constexpr TimeNs kClearancePeriod = kNsPerSecond / 50;  // as the vehicle tells it
constexpr double kTurns = 0.3;  // [m] a goal farther than that is looked at on the way

std::string goalTopic(const std::string& client, const std::string& uav) {
  if (client == "ego_planner" || client == "fast_planner" || client == "fuel") {
    return "/waypoint_generator/waypoints";
  }
  if (client == "ego_swarm") return "/move_base_simple/goal";
  if (client == "super") return "/goal";
  return "/" + uav + "/goal";
}

// The value of the last one at or before a stamp.
double valueAt(const std::vector<std::pair<TimeNs, double>>& values, TimeNs stamp, double none) {
  const auto after = std::upper_bound(
      values.begin(), values.end(), stamp,
      [](TimeNs t, const std::pair<TimeNs, double>& value) { return t < value.first; });
  return after == values.begin() ? none : std::prev(after)->second;
}

control::Reference referenceOf(const KinematicState& state) {
  control::Reference reference;
  reference.p_WB = state.X_WB.p;
  reference.v_WB = state.v_WB;
  reference.a_WB = state.a_WB;
  reference.yaw = yawOf(state.X_WB.q);
  reference.yaw_rate = (state.X_WB.q * state.w_WB_B).z();
  return reference;
}

}  // namespace

ScenarioUav::ScenarioUav(const ros::NodeHandle& root, const std::string& name,
                         const suite::Scenario& scenario)
    : name_(name), goal_yaw_(scenario.yaw) {
  const auto given = scenario.flights.find(name);
  const suite::Flight flight = given == scenario.flights.end() ? suite::Flight() : given->second;
  goals_ = suite::GoalFlight(flight.goals, scenario.goal_tolerance);
  const auto collision = scenario.arguments.find("collision");
  collides_ = collision == scenario.arguments.end() || collision->second != "false";
  if (scenario.lockstep) beginAfter(0);
  ros::NodeHandle handle(root, name);
  const std::string topic = goalTopic(scenario.client, name);
  sends_path_message_ = topic == "/waypoint_generator/waypoints";
  if (!flight.goals.empty()) {
    goal_publisher_ = sends_path_message_ ? handle.advertise<nav_msgs::Path>(topic, 10)
                                          : handle.advertise<geometry_msgs::PoseStamped>(topic, 10);
  }
  setPath(flight, scenario.yaw);
  if (path_) reference_publisher_ = handle.advertise<marsim::StateReference>("command/state", 100);

  const ros::TransportHints no_delay = ros::TransportHints().tcpNoDelay();
  state_subscriber_ = handle.subscribe("state", kQueue, &ScenarioUav::onState, this, no_delay);
  error_subscriber_ = handle.subscribe<marsim::TrackingError>(
      "tracking_error", kQueue,
      [this](const marsim::TrackingErrorConstPtr& message) {
        errors_.emplace_back(fromRos(message->header.stamp), fromVector3(message->position).norm());
      },
      ros::VoidConstPtr(), no_delay);
  clearance_subscriber_ = handle.subscribe<marsim::Clearance>(
      "clearance", kQueue, [this](const marsim::ClearanceConstPtr& message) {
        clearances_.emplace_back(fromRos(message->header.stamp), message->distance);
      });
  contact_subscriber_ = handle.subscribe<marsim::Contact>(
      "collision", kQueue, [this](const marsim::ContactConstPtr& message) {
        if (message->begins) contacts_.push_back(fromRos(message->header.stamp));
      });
}

void ScenarioUav::setPath(const suite::Flight& flight, double start_yaw) {
  if (flight.figure_eight) {
    const suite::FigureEightPath eight(*flight.figure_eight, start_yaw);
    path_duration_ = eight.duration();
    path_ = [eight](TimeNs t) { return eight.at(t); };
  } else if (!flight.trajectory.empty()) {
    const PoseTrack track(readPoseFile(flight.trajectory), flight.trajectory);
    path_duration_ = track.end() - track.begin();
    path_ = [track](TimeNs t) { return track.at(track.begin() + t); };
  }
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
  reads(error_subscriber_);
  if (collides_) {
    reads(contact_subscriber_);
    reads(clearance_subscriber_);
  }
  if (path_) tells(reference_publisher_);
  if (goals_.count() > 0) tells(goal_publisher_);
  return missing;
}

void ScenarioUav::beginAfter(TimeNs stamp) { begin_ = stamp + kBegin; }

void ScenarioUav::onState(const marsim::VehicleStateConstPtr& message) {
  const TimeNs stamp = fromRos(message->header.stamp);
  if (stamp <= now_) return;  // told again, while time stands still
  now_ = stamp;
  suite::MotionSample sample;
  sample.stamp = stamp;
  sample.X_WB = {fromQuaternion(message->pose.orientation), fromPoint(message->pose.position)};
  sample.v_WB = fromVector3(message->velocity);
  samples_.push_back(sample);
  fly(sample);
  const bool path_over = begin_ && (!path_ || now_ >= *begin_ + path_duration_);
  if (!flown_at_ && goals_.over() && path_over) flown_at_ = now_;
  on_state(stamp);
}

void ScenarioUav::fly(const suite::MotionSample& state) {
  if (!begin_ || state.stamp < *begin_) return;
  if (const Eigen::Vector3d* goal = goals_.next(state)) sendGoal(*goal, state);
  if (!path_) return;
  const TimeNs until = std::min(state.stamp + kLead - *begin_, path_duration_);
  const TimeNs first = path_sent_ < 0 ? kLead : path_sent_ + kReferencePeriod;
  for (TimeNs t = first; t <= until; t += kReferencePeriod) {
    marsim::StateReference message;
    toMessage(referenceOf(path_(t)), *begin_ + t, message);
    message.header.frame_id = "world";
    reference_publisher_.publish(message);
    path_sent_ = t;
  }
}

void ScenarioUav::sendGoal(const Eigen::Vector3d& goal, const suite::MotionSample& state) {
  const Eigen::Vector3d ahead = goal - state.X_WB.p;
  if (ahead.head<2>().norm() > kTurns) goal_yaw_ = std::atan2(ahead.y(), ahead.x());
  const geometry_msgs::PoseStamped pose =
      toPoseStamped({fromRollPitchYaw(0.0, 0.0, goal_yaw_), goal}, "world", state.stamp + kLead);
  if (!sends_path_message_) return goal_publisher_.publish(pose);
  nav_msgs::Path path;
  path.header = pose.header;
  path.poses = {pose};
  goal_publisher_.publish(path);
}

std::string ScenarioUav::progress() const {
  if (goals_.count() == 0) return "";
  return fmt::format("goal {} of {}", goals_.records().size(), goals_.count());
}

// Without a command yet there is no tracking error, without collisions no clearance.
bool ScenarioUav::complete(TimeNs stamp) const {
  const auto reaches = [stamp](const std::vector<std::pair<TimeNs, double>>& values,
                               TimeNs period) {
    return values.empty() || values.back().first > stamp - period;
  };
  return now_ >= stamp && reaches(errors_, kErrorPeriod) && reaches(clearances_, kClearancePeriod);
}

suite::UavRecording ScenarioUav::recording(TimeNs stamp) const {
  suite::UavRecording recording;
  recording.name = name_;
  for (suite::MotionSample sample : samples_) {
    if (sample.stamp > stamp) break;
    sample.tracking_error = valueAt(errors_, sample.stamp, 0.0);
    sample.clearance = valueAt(clearances_, sample.stamp, sample.clearance);
    recording.samples.push_back(sample);
  }
  for (const auto& [at, clearance] : clearances_) {
    if (at <= stamp) recording.least_clearance = std::min(recording.least_clearance, clearance);
  }
  for (const suite::GoalRecord& goal : goals_.records()) {
    if (goal.sent <= stamp) recording.goals.push_back(goal);
  }
  recording.contacts = static_cast<int>(std::count_if(contacts_.begin(), contacts_.end(),
                                                      [stamp](TimeNs at) { return at <= stamp; }));
  return recording;
}

}  // namespace marsim::ros_nodes
