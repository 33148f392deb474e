#include "ros/suite/scenario_uav.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <geometry_msgs/PoseStamped.h>
#include <nav_msgs/Path.h>

#include "control/paths/reference_of.hpp"
#include "marsim/StateReference.h"
#include "ros/messages/conversions.hpp"
#include "ros/uav/contact_publisher.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr std::uint32_t kQueue = 5000;               // of what comes 500 times a second
constexpr TimeNs kErrorPeriod = kNsPerSecond / 100;  // at most, of what is told

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

scenario::Flight flightOf(const scenario::Scenario& scenario, const std::string& uav) {
  const auto given = scenario.flights.find(uav);
  return given == scenario.flights.end() ? scenario::Flight() : given->second;
}

}  // namespace

ScenarioUav::ScenarioUav(const ros::NodeHandle& root, const std::string& name,
                         const scenario::Scenario& scenario)
    : name_(name),
      guide_(flightOf(scenario, name), scenario.goal_tolerance, scenario.yaw),
      inputs_(ros::NodeHandle(root, name)) {
  const auto collision = scenario.arguments.find("collision");
  collides_ = collision == scenario.arguments.end() || collision->second != "false";
  if (scenario.lockstep) beginAfter(0);
  ros::NodeHandle handle(root, name);
  const std::string topic = goalTopic(scenario.client, name);
  sends_path_message_ = topic == "/waypoint_generator/waypoints";
  if (guide_.goals().count() > 0) {
    goal_publisher_ = sends_path_message_ ? handle.advertise<nav_msgs::Path>(topic, 10)
                                          : handle.advertise<geometry_msgs::PoseStamped>(topic, 10);
  }
  if (guide_.hasPath())
    reference_publisher_ = handle.advertise<marsim::StateReference>("command/state", 100);

  state_subscriber_ = inputs_.subscribeToStream("state", kQueue, &ScenarioUav::onState, this);
  error_subscriber_ = inputs_.subscribe<marsim::TrackingError>(
      "tracking_error", kQueue, [this](const marsim::TrackingErrorConstPtr& message) {
        errors_.emplace_back(fromRos(message->header.stamp), fromVector3(message->position).norm());
      });
  clearance_subscriber_ = inputs_.subscribe<marsim::Clearance>(
      "clearance", kQueue, [this](const marsim::ClearanceConstPtr& message) {
        clearances_.emplace_back(fromRos(message->header.stamp), message->distance);
      });
  contact_subscriber_ = inputs_.subscribe<marsim::Contact>(
      "collision", kQueue, [this](const marsim::ContactConstPtr& message) {
        if (message->begins) contacts_.push_back(fromRos(message->header.stamp));
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
  reads(error_subscriber_);
  if (collides_) {
    reads(contact_subscriber_);
    reads(clearance_subscriber_);
  }
  if (guide_.hasPath()) tells(reference_publisher_);
  if (guide_.goals().count() > 0) tells(goal_publisher_);
  return missing;
}

void ScenarioUav::onState(const marsim::VehicleStateConstPtr& message) {
  const TimeNs stamp = fromRos(message->header.stamp);
  if (stamp <= now_) return;  // told again, while time stands still
  now_ = stamp;
  scenario::MotionSample sample;
  sample.stamp = stamp;
  sample.X_WB = {fromQuaternion(message->pose.orientation), fromPoint(message->pose.position)};
  sample.v_WB = fromVector3(message->velocity);
  samples_.push_back(sample);
  fly(sample);
  on_state(stamp);
}

void ScenarioUav::fly(const scenario::MotionSample& state) {
  const scenario::FlightGuide::Commands commands = guide_.answer(state);
  if (commands.goal) sendGoal(*commands.goal);
  for (const KinematicState& reference : commands.references) {
    marsim::StateReference message;
    toMessage(control::referenceOf(reference), reference.stamp, message);
    message.header.frame_id = "world";
    reference_publisher_.publish(message);
  }
}

void ScenarioUav::sendGoal(const StampedPose& goal) {
  const geometry_msgs::PoseStamped pose = toPoseStamped(goal.X_WB, "world", goal.stamp);
  if (!sends_path_message_) return goal_publisher_.publish(pose);
  nav_msgs::Path path;
  path.header = pose.header;
  path.poses = {pose};
  goal_publisher_.publish(path);
}

std::string ScenarioUav::progress() const {
  const scenario::GoalFlight& goals = guide_.goals();
  if (goals.count() == 0) return "";
  return fmt::format("goal {} of {}", goals.records().size(), goals.count());
}

// Without a command yet there is no tracking error, without collisions no clearance.
bool ScenarioUav::complete(TimeNs stamp) const {
  const auto reaches = [stamp](const std::vector<std::pair<TimeNs, double>>& values,
                               TimeNs period) {
    return values.empty() || values.back().first > stamp - period;
  };
  return now_ >= stamp && reaches(errors_, kErrorPeriod) &&
         reaches(clearances_, ContactPublisher::kClearancePeriod);
}

scenario::UavRecording ScenarioUav::recording(TimeNs stamp) const {
  scenario::UavRecording recording;
  recording.name = name_;
  for (scenario::MotionSample sample : samples_) {
    if (sample.stamp > stamp) break;
    sample.tracking_error = valueAt(errors_, sample.stamp, 0.0);
    sample.clearance = valueAt(clearances_, sample.stamp, sample.clearance);
    recording.samples.push_back(sample);
  }
  for (const auto& [at, clearance] : clearances_) {
    if (at <= stamp) recording.least_clearance = std::min(recording.least_clearance, clearance);
  }
  for (const scenario::GoalRecord& goal : guide_.goals().records()) {
    if (goal.sent <= stamp) recording.goals.push_back(goal);
  }
  recording.contacts = static_cast<int>(std::count_if(contacts_.begin(), contacts_.end(),
                                                      [stamp](TimeNs at) { return at <= stamp; }));
  return recording;
}

}  // namespace marsim::ros_nodes
