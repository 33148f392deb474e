#include "marsim/ros/controller_node.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nav_msgs/Path.h>

#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "marsim/ros/conversions.hpp"
#include "marsim/ros/position_command.hpp"
#include "marsim/ros/swarm_params.hpp"
#include "marsim/ros/trajectory_message.hpp"
#include "marsim/sim/world.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr double kWarningPeriod = 2.0;              // [s]
constexpr std::uint32_t kQueue = 100;               // messages of a burst after a stall
constexpr double kLargestJump = 0.25;               // [m] beyond what was flown between two states
constexpr std::uint32_t kStatesBetweenLooks = 16;   // for planners that came or went
constexpr TimeNs kPathSpacing = kNsPerSecond / 10;  // of the poses on `planned_path`

// Whether a vehicle did not fly from one state to the next: the simulation was restarted, or the
// vehicle put back to its start.
bool wasMoved(const KinematicState& from, const KinematicState& to) {
  if (to.stamp < from.stamp) return true;
  const Eigen::Vector3d flown = toSeconds(to.stamp - from.stamp) * from.v_WB;
  return (to.X_WB.p - from.X_WB.p - flown).norm() > kLargestJump;
}

bool isFinite(const geometry_msgs::Pose& pose) {
  return fromPoint(pose.position).allFinite() &&
         fromQuaternion(pose.orientation).coeffs().allFinite();
}

bool isFinite(const control::Reference& reference) {
  return reference.p_WB.allFinite() && reference.v_WB.allFinite() && reference.a_WB.allFinite() &&
         std::isfinite(reference.yaw) && std::isfinite(reference.yaw_rate);
}

}  // namespace

ControllerNode::ControllerNode(ros::NodeHandle handle, ros::NodeHandle private_handle) {
  Params params(private_handle);
  frames_ = Frames::read(params, handle);
  const config::Vehicle vehicle = config::loadVehicle(
      given(readSwarmPlace(params, handle).vehicle, params.text("vehicle", "hummingbird")));
  control::ControllerConfig config = config::loadController(params.text("controller", "default"));
  config.goal.speed = params.number("goal_speed", config.goal.speed, Quantity::kSpeed);
  config.goal.acceleration =
      params.number("goal_acceleration", config.goal.acceleration, Quantity::kNumber);
  params.finish();
  config.validate(params.where());

  limits_ = config.goal;
  controller_ = std::make_unique<control::Controller>(config, sim::vehicleModel(vehicle.vehicle));
  commander_ = std::make_unique<control::Commander>(config.goal);

  motor_publisher_ = {handle, "motor_speeds", kQueue};
  reference_publisher_ = {handle, "reference", kQueue};
  error_publisher_ = {handle, "tracking_error", kQueue};
  path_publisher_ = handle.advertise<nav_msgs::Path>("planned_path", 1, true);

  const ros::TransportHints no_delay = ros::TransportHints().tcpNoDelay();
  goal_subscriber_ = handle.subscribe<geometry_msgs::PoseStamped>(
      "goal", 10, [this](const geometry_msgs::PoseStampedConstPtr& goal) { onGoal(goal, false); });
  goal_2d_subscriber_ = handle.subscribe<geometry_msgs::PoseStamped>(
      "goal_2d", 10,
      [this](const geometry_msgs::PoseStampedConstPtr& goal) { onGoal(goal, true); });
  reference_subscriber_ =
      handle.subscribe("command/state", 10, &ControllerNode::onReference, this, no_delay);
  handle_ = handle;
  subscribeToPositionCommands();
  trajectory_subscriber_ =
      handle.subscribe("command/trajectory", 10, &ControllerNode::onTrajectory, this, no_delay);
  pose_subscriber_ = handle.subscribe("command/pose", 10, &ControllerNode::onPose, this, no_delay);
  state_subscriber_ = handle.subscribe("state", kQueue, &ControllerNode::onState, this, no_delay);
}

void ControllerNode::subscribeToPositionCommands() {
  position_subscriber_.shutdown();  // else the new one would join it
  position_subscriber_ =
      handle_.subscribe("command/position", 10, &ControllerNode::onPositionCommand, this,
                        ros::TransportHints().tcpNoDelay());
  has_planner_ = false;
}

// roscpp ties a subscription that takes any definition to the first one it meets. When that
// planner has gone, another one may come with its own.
void ControllerNode::noticePlanners() {
  if (++states_ % kStatesBetweenLooks != 0) return;
  const bool has_planner = position_subscriber_.getNumPublishers() > 0;
  if (has_planner_ && !has_planner) {
    subscribeToPositionCommands();
  } else {
    has_planner_ = has_planner;
  }
}

void ControllerNode::onState(const marsim::VehicleStateConstPtr& message) {
  noticePlanners();
  const KinematicState state = fromMessage(*message);
  if (has_state_ && (message->placements != placements_ || wasMoved(state_, state))) {
    commander_->reset();
    controller_->reset();
  }
  placements_ = message->placements;
  state_ = state;
  has_state_ = true;
  reference_ = commander_->reference(state);
  if (message->on_ground && !commander_->commanded()) return;  // rests until its first command

  const Eigen::Array4d speeds = controller_->update(state, reference_);
  const auto motors = boost::make_shared<marsim::MotorSpeeds>();
  motors->header.stamp = message->header.stamp;
  motors->header.frame_id = frames_.base();
  motors->speeds.assign(speeds.data(), speeds.data() + speeds.size());
  motor_publisher_.publish(motors);
  publishTracking(message->header.stamp);
}

void ControllerNode::publishTracking(const ros::Time& stamp) {
  if (reference_publisher_.wanted()) {
    const auto reference = boost::make_shared<marsim::StateReference>();
    toMessage(reference_, state_.stamp, *reference);
    reference->header.frame_id = frames_.world;
    reference_publisher_.publish(reference);
  }
  if (error_publisher_.wanted()) {
    const auto error = boost::make_shared<marsim::TrackingError>();
    error->header.stamp = stamp;
    error->header.frame_id = frames_.world;
    error->position = toVector3(reference_.p_WB - state_.X_WB.p);
    error->velocity = toVector3(reference_.v_WB - state_.v_WB);
    error->yaw = wrapAngle(reference_.yaw - yawOf(state_.X_WB.q));
    error_publisher_.publish(error);
  }
}

void ControllerNode::onGoal(const geometry_msgs::PoseStampedConstPtr& message, bool keep_altitude) {
  if (!hasState("goal")) return;
  if (!isFinite(message->pose)) {
    ROS_WARN_THROTTLE(kWarningPeriod, "goal ignored: pose has a value that is NaN or infinite");
    return;
  }
  const std::string& frame = message->header.frame_id;
  const bool in_body = isFrame(frame, frames_.base());
  if (!in_body && !isWorldFrame(frame, frames_.world)) {
    ROS_WARN_THROTTLE(kWarningPeriod,
                      "goal ignored: header.frame_id is '%s', allowed: '%s' or '%s'", frame.c_str(),
                      frames_.world.c_str(), frames_.base().c_str());
    return;
  }
  Pose X_WG{fromQuaternion(message->pose.orientation), fromPoint(message->pose.position)};
  const bool keeps_yaw = isUnset(X_WG.q);
  if (keeps_yaw) {
    X_WG.q.setIdentity();
  } else {
    X_WG.q.normalize();
  }
  if (in_body) X_WG = state_.X_WB * X_WG;
  if (keep_altitude) X_WG.p.z() = reference_.p_WB.z();
  const double yaw = keeps_yaw ? reference_.yaw : yawOf(X_WG.q);
  commander_->setGoal(X_WG.p, yaw, state_.stamp);
  publishPlannedPath(X_WG.p, yaw);
}

void ControllerNode::onReference(const marsim::StateReferenceConstPtr& message) {
  const control::Reference reference = fromMessage(*message);
  if (!isFinite(reference)) {
    ROS_WARN_THROTTLE(kWarningPeriod, "command/state ignored: a value is NaN or infinite");
    return;
  }
  if (!isCommandFrame("command/state", message->header.frame_id)) return;
  if (!hasState("command/state")) return;
  commander_->setReference(reference, state_.stamp);
}

void ControllerNode::onPositionCommand(const topic_tools::ShapeShifter::ConstPtr& message) {
  has_planner_ = true;  // also one that comes and goes between two looks
  const std::string& md5 = message->getMD5Sum();
  if (positionCommandUsers(md5) == nullptr) {
    warnOnce(fmt::format("command/position ignored: {} with md5 {}, allowed: {}",
                         message->getDataType(), md5, knownPositionCommands()));
    return;
  }
  std::vector<std::uint8_t> bytes(message->size());
  ros::serialization::OStream stream(bytes.data(), message->size());
  message->write(stream);
  try {
    const PositionCommand command = decodePositionCommand(md5, bytes);
    if (!isCommandFrame("command/position", command.frame_id)) return;
    if (command.trajectory_flag && !isFollowed(*command.trajectory_flag)) {
      ROS_WARN_THROTTLE(kWarningPeriod,
                        "command/position not followed: trajectory_flag is %d, allowed: 0 to 3",
                        *command.trajectory_flag);
      return;
    }
    if (!hasState("command/position")) return;
    commander_->setReference(command.reference, state_.stamp);
  } catch (const Error& error) {
    ROS_WARN_THROTTLE(kWarningPeriod, "command/position ignored: %s", error.what());
  }
}

void ControllerNode::onTrajectory(const trajectory_msgs::MultiDOFJointTrajectoryConstPtr& message) {
  if (!isCommandFrame("command/trajectory", message->header.frame_id)) return;
  try {
    const auto points = fromMessage(*message, reference_.yaw);
    if (!hasState("command/trajectory")) return;
    commander_->setTrajectory(points, state_.stamp);
  } catch (const Error& error) {
    ROS_WARN_THROTTLE(kWarningPeriod, "command/trajectory ignored: %s", error.what());
  }
}

void ControllerNode::onPose(const geometry_msgs::PoseStampedConstPtr& message) {
  if (!isCommandFrame("command/pose", message->header.frame_id)) return;
  if (!isFinite(message->pose)) {
    ROS_WARN_THROTTLE(kWarningPeriod, "command/pose ignored: a value is NaN or infinite");
    return;
  }
  if (!hasState("command/pose")) return;
  const double yaw = yawOrPresent(fromQuaternion(message->pose.orientation), reference_.yaw);
  commander_->setPose(fromPoint(message->pose.position), yaw, state_.stamp);
}

bool ControllerNode::hasState(const char* topic) const {
  if (!has_state_) {
    ROS_WARN_THROTTLE(kWarningPeriod, "%s ignored: no state of the vehicle received yet", topic);
  }
  return has_state_;
}

// Planners write `world` whatever the frame is called here.
bool ControllerNode::isCommandFrame(const char* topic, const std::string& frame) {
  if (isWorldFrame(frame, frames_.world) || isFrame(frame, "world")) return true;
  warnOnce(fmt::format("{} ignored: header.frame_id is '{}', allowed: '{}', 'world' or empty",
                       topic, frame, frames_.world));
  return false;
}

void ControllerNode::warnOnce(const std::string& text) {
  if (warned_.insert(text).second) ROS_WARN("%s", text.c_str());
}

void ControllerNode::publishPlannedPath(const Eigen::Vector3d& goal_p_WB, double yaw) {
  const control::GoalPath path(reference_, state_.stamp, goal_p_WB, yaw, limits_);
  nav_msgs::Path message;
  message.header.stamp = toRos(state_.stamp);
  message.header.frame_id = frames_.world;
  for (TimeNs t = state_.stamp;; t += kPathSpacing) {
    const control::Reference at = path.at(t);
    geometry_msgs::PoseStamped pose;
    pose.header.frame_id = frames_.world;
    pose.header.stamp = toRos(t);
    pose.pose = toPose({fromRollPitchYaw(0.0, 0.0, at.yaw), at.p_WB});
    message.poses.push_back(pose);
    if (t >= path.end()) break;
  }
  path_publisher_.publish(message);
}

}  // namespace marsim::ros_nodes
