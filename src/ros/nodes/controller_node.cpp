#include "ros/nodes/controller_node.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nav_msgs/Path.h>

#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "ros/common/swarm_params.hpp"
#include "ros/messages/conversions.hpp"
#include "ros/messages/pose_messages.hpp"
#include "ros/messages/trajectory_message.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr std::uint32_t kQueue = 100;               // messages of a burst after a stall
constexpr std::uint32_t kStatesBetweenLooks = 16;   // for planners that came or went
constexpr TimeNs kPathSpacing = kNsPerSecond / 10;  // of the poses on `planned_path`, at least
constexpr TimeNs kPathPoses = 2000;                 // on it, at most
constexpr char kPositionCommand[] = "command/position";
constexpr double kLongestWait = 1.0;  // [s] of wall time for `active_command`

// The fields that a command cannot do without.
bool isFinite(const control::Reference& reference) {
  return reference.p_WB.allFinite() && reference.v_WB.allFinite() && std::isfinite(reference.yaw);
}

WarningTime wallTime() { return WarningTime::clock::now(); }

}  // namespace

ControllerNode::ControllerNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : diagnostics_(handle, private_handle) {
  Params params(private_handle);
  frames_ = Frames::read(params, handle);
  const config::Vehicle vehicle = config::loadVehicle(
      given(readSwarmPlace(params, handle).vehicle, params.text("vehicle", "hummingbird")));
  control::ControllerConfig config = config::loadController(params.text("controller", "default"));
  config.goal.speed = params.number("goal_speed", config.goal.speed, Quantity::kSpeed);
  config.goal.acceleration =
      params.number("goal_acceleration", config.goal.acceleration, Quantity::kNumber);
  ground_z_ = params.numberOrAuto("ground_z", Quantity::kLength);
  config.validate(params.where());
  const control::VehicleModel model = sim::vehicleModel(vehicle.vehicle);
  pilot_ = std::make_unique<sim::Pilot>(config, model);
  estimates_ = EstimateInput::make(handle, params, vehicle, config, *pilot_, [this] { onImu(); });
  in_lockstep_ = params.flag("lockstep", false);
  params.finish();

  limits_ = config.goal;
  watch_ = std::make_unique<control::CommandWatch>(
      config, model, [](const std::string& text) { ROS_WARN("%s", text.c_str()); });
  if (std::isfinite(ground_z_)) watch_->setGround(ground_z_);

  motor_publisher_ = {handle, "motor_speeds", kQueue};
  reference_publisher_ = {handle, "reference", kQueue};
  error_publisher_ = {handle, "tracking_error", kQueue};
  path_publisher_ = handle.advertise<nav_msgs::Path>("planned_path", 1, true);
  diagnostics_.setHardwareID("simulation");
  diagnostics_.add("controller", this, &ControllerNode::diagnose);

  const ros::TransportHints no_delay = ros::TransportHints().tcpNoDelay();
  goal_subscriber_ = subscribe(handle, "goal", sim::CommandKind::kGoal, &ControllerNode::onGoal);
  goal_2d_subscriber_ =
      subscribe(handle, "goal_2d", sim::CommandKind::kGoal2d, &ControllerNode::onGoal2d);
  reference_subscriber_ =
      subscribe(handle, "command/state", sim::CommandKind::kState, &ControllerNode::onReference);
  handle_ = handle;
  subscribeToPositionCommands();
  map_info_subscriber_ = handle.subscribe("/map_info", 1, &ControllerNode::onMapInfo, this);
  trajectory_subscriber_ = subscribe(handle, "command/trajectory", sim::CommandKind::kTrajectory,
                                     &ControllerNode::onTrajectory);
  pose_subscriber_ =
      subscribe(handle, "command/pose", sim::CommandKind::kPose, &ControllerNode::onPose);
  teller_ = CommandTeller(handle, frames_.world);
  kept_subscriber_ =
      handle.subscribe("active_command", 1, &ControllerNode::onActiveCommand, this, no_delay);
  state_subscriber_ = handle.subscribe("state", kQueue, &ControllerNode::onState, this, no_delay);
}

template <class Message>
ros::Subscriber ControllerNode::subscribe(
    ros::NodeHandle& handle, const std::string& name, sim::CommandKind kind,
    void (ControllerNode::*on)(const boost::shared_ptr<const Message>&)) {
  const auto callback = [this, kind, on](const boost::shared_ptr<const Message>& message) {
    take(kind, fromRos(message->header.stamp), [this, on, message] { (this->*on)(message); });
  };
  return handle.subscribe<Message>(name, 10, callback, ros::VoidConstPtr(),
                                   ros::TransportHints().tcpNoDelay());
}

// Outside of lockstep stamps are not read.
void ControllerNode::take(sim::CommandKind kind, TimeNs stamp,
                          const std::function<void()>& command) {
  if (!in_lockstep_) return command();
  const bool is_near =
      pilot_->commandAt(stamp, kind, [command](control::Commander&, TimeNs) { command(); });
  if (is_near) return;
  ROS_WARN_ONCE(
      "a command of %.3f s acts at the next state after %.3f s: it is more than %.1f s "
      "ahead",
      toSeconds(stamp), toSeconds(state_.stamp), toSeconds(sim::kFarthestAhead));
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
  if (resumes_ && !knowsWhatToFollow(*message)) {
    unanswered_ = message;
    return;
  }
  if (estimates_ && !estimates_->isReady(fromMessage(*message))) {
    awaits_imu_ = message;
    return;
  }
  const bool is_known = has_state_ && message->placements == placements_ &&
                        fromRos(message->header.stamp) == state_.stamp;
  if (!is_known) {
    answer(*message);
  } else if (motors_ && (in_lockstep_ || !motors_->speeds.empty()) &&
             motors_->header.stamp == message->header.stamp) {
    motor_publisher_.publish(motors_);  // the first answer may have been lost
  }
}

// The vehicle tells of a state before its IMU does.
void ControllerNode::onImu() {
  if (const marsim::VehicleStateConstPtr state = std::exchange(awaits_imu_, nullptr)) onState(state);
}

// A controller that is started in the place of another one must know what that one followed before
// it answers; the vehicle waits that long.
bool ControllerNode::knowsWhatToFollow(const marsim::VehicleState& message) {
  if (message.commanded) {
    const WarningTime now = wallTime();
    if (!waits_since_) waits_since_ = now;
    const bool has_come = kept_ && kept_->placements == message.placements;
    if (has_come) {
      resume(*kept_, fromRos(message.header.stamp));
    } else if (now - *waits_since_ < std::chrono::duration<double>(kLongestWait)) {
      return false;
    } else {
      ROS_WARN("what the vehicle follows (active_command) did not come: it is brought to rest");
    }
  }
  endWait();
  return true;
}

void ControllerNode::endWait() {
  resumes_ = false;
  unanswered_.reset();
  kept_.reset();
  kept_subscriber_.shutdown();
}

void ControllerNode::onActiveCommand(const marsim::ActiveCommandConstPtr& message) {
  if (!resumes_) return;
  kept_ = message;
  if (const marsim::VehicleStateConstPtr state = unanswered_) onState(state);
}

void ControllerNode::resume(const marsim::ActiveCommand& message, TimeNs now) {
  try {
    const control::ActiveCommand command = fromMessage(message);
    pilot_->commander().resume(command, now);
    watch_->resumed();
    ROS_INFO("goes on with the command of %.3f s", toSeconds(command.stamp));
    if (command.kind == control::ActiveCommand::Kind::kGoal) publishPlannedPath();
  } catch (const Error& error) {
    refuse("active_command", error.what());
  }
}

void ControllerNode::answer(const marsim::VehicleState& message) {
  const sim::VehicleReport report = fromMessage(message);
  if (pilot_->notice(report)) {
    watch_->reset();
    teller_.reset();
  }
  placements_ = report.placements;
  state_ = report.motion;
  has_state_ = true;
  const auto speeds = pilot_->answer(report);
  state_ = pilot_->motion();
  if (estimates_) estimates_->tellNews();
  reference_ = pilot_->reference();
  teller_.tell(pilot_->commander(), state_.stamp, placements_);
  diagnostics_.update();

  motors_ = boost::make_shared<marsim::MotorSpeeds>();
  motors_->header.stamp = message.header.stamp;
  motors_->header.frame_id = frames_.base();
  if (speeds) motors_->speeds.assign(speeds->data(), speeds->data() + speeds->size());
  motors_->placements = placements_;
  if (speeds || in_lockstep_) motor_publisher_.publish(motors_);
  if (!speeds) return;  // it rests until its first command
  watch_->followed(reference_, state_, wallTime());
  publishTracking(report.motion);
}

// After every command.
void ControllerNode::tellCommand() {
  teller_.taken();
  teller_.tell(pilot_->commander(), state_.stamp, placements_);
}

void ControllerNode::publishTracking(const KinematicState& truth) {
  if (reference_publisher_.wanted()) {
    const auto reference = boost::make_shared<marsim::StateReference>();
    toMessage(reference_, truth.stamp, *reference);
    reference->header.frame_id = frames_.world;
    reference_publisher_.publish(reference);
  }
  if (error_publisher_.wanted()) {
    const auto error = boost::make_shared<marsim::TrackingError>();
    error->header.stamp = toRos(truth.stamp);
    error->header.frame_id = frames_.world;
    error->position = toVector3(reference_.p_WB - truth.X_WB.p);
    error->velocity = toVector3(reference_.v_WB - truth.v_WB);
    error->yaw = wrapAngle(reference_.yaw - yawOf(truth.X_WB.q));
    error_publisher_.publish(error);
  }
}

void ControllerNode::flyTo(const geometry_msgs::PoseStamped& message, bool keep_altitude) {
  if (!isFinite(message.pose)) {
    refuse("goal", "pose has a value that is NaN or infinite");
    return;
  }
  const std::string& frame = message.header.frame_id;
  const bool in_body = isFrame(frame, frames_.base());
  if (!in_body && !isWorldFrame(frame, frames_.world)) {
    refuse("goal", fmt::format("header.frame_id is '{}', allowed: '{}' or '{}'", frame,
                               frames_.world, frames_.base()));
    return;
  }
  // A refused goal must not end a wait for what was commanded before (see hasState).
  if ((in_body || keep_altitude) && !hasState("goal")) return;
  Pose X_WG{fromQuaternion(message.pose.orientation), fromPoint(message.pose.position)};
  const bool keeps_yaw = isUnset(X_WG.q);
  if (keeps_yaw) {
    X_WG.q.setIdentity();
  } else {
    X_WG.q.normalize();
  }
  if (in_body) X_WG = state_.X_WB * X_WG;
  if (keep_altitude) X_WG.p.z() = reference_.p_WB.z();
  const std::string problem = watch_->goalProblem(X_WG.p);
  if (!problem.empty()) {
    refuse("goal", problem);
    return;
  }
  if (!hasState("goal")) return;
  watch_->placed("goal", X_WG.p, wallTime());
  const double yaw = keeps_yaw ? reference_.yaw : yawOf(X_WG.q);
  pilot_->commander().setGoal(X_WG.p, yaw, state_.stamp);
  tellCommand();
  publishPlannedPath();
}

void ControllerNode::onReference(const marsim::StateReferenceConstPtr& message) {
  constexpr char kTopic[] = "command/state";
  control::Reference reference = fromMessage(*message);
  if (!isFinite(reference)) {
    refuse(kTopic, "position, velocity or yaw is NaN or infinite");
    return;
  }
  if (!isCommandFrame(kTopic, message->header.frame_id) || !hasState(kTopic)) return;
  for (const std::string& field : control::dropUnusable(reference)) watch_->notGiven(kTopic, field);
  watch_->tracked(kTopic, reference, state_, wallTime());
  pilot_->commander().setReference(reference, state_.stamp);
  tellCommand();
}

void ControllerNode::onPositionCommand(const topic_tools::ShapeShifter::ConstPtr& message) {
  has_planner_ = true;  // also one that comes and goes between two looks
  const std::string& md5 = message->getMD5Sum();
  const char* users = positionCommandUsers(md5);
  if (users == nullptr) {
    watch_->refusedAlways(kPositionCommand,
                          fmt::format("{} with md5 {}, allowed: {}", message->getDataType(), md5,
                                      knownPositionCommands()),
                          wallTime());
    return;
  }
  std::vector<std::uint8_t> bytes(message->size());
  ros::serialization::OStream stream(bytes.data(), message->size());
  message->write(stream);
  try {
    const PositionCommand command = decodePositionCommand(md5, bytes);
    take(sim::CommandKind::kPosition, command.stamp,
         [this, command, users] { follow(command, users); });
  } catch (const Error& error) {
    refuse(kPositionCommand, error.what());
  }
}

void ControllerNode::follow(const PositionCommand& command, const char* users) {
  if (!isCommandFrame(kPositionCommand, command.frame_id)) return;
  if (command.trajectory_flag && !isFollowed(*command.trajectory_flag)) {
    refuse(kPositionCommand, fmt::format("trajectory_flag is {}, allowed: 0 to 3",
                                         static_cast<int>(*command.trajectory_flag)));
    return;
  }
  if (!hasState(kPositionCommand)) return;
  for (const std::string& field : command.not_given) {
    watch_->notGiven(fmt::format("{} ({})", kPositionCommand, users), field);
  }
  watch_->tracked(kPositionCommand, command.reference, state_, wallTime());
  pilot_->commander().setReference(command.reference, state_.stamp);
  tellCommand();
}

void ControllerNode::onTrajectory(const trajectory_msgs::MultiDOFJointTrajectoryConstPtr& message) {
  constexpr char kTopic[] = "command/trajectory";
  if (!isCommandFrame(kTopic, message->header.frame_id)) return;
  try {
    fromMessage(*message, reference_.yaw);  // what is refused must not end a wait (see hasState)
    if (!hasState(kTopic)) return;
    const TrajectoryCommand command = fromMessage(*message, reference_.yaw);
    for (const std::string& field : command.not_given) watch_->notGiven(kTopic, field);
    watch_->tracked(kTopic, command.points, state_, wallTime());
    pilot_->commander().setTrajectory(command.points, state_.stamp);
    tellCommand();
  } catch (const Error& error) {
    refuse(kTopic, error.what());
  }
}

void ControllerNode::onPose(const geometry_msgs::PoseStampedConstPtr& message) {
  constexpr char kTopic[] = "command/pose";
  if (!isCommandFrame(kTopic, message->header.frame_id)) return;
  if (!isFinite(message->pose)) {
    refuse(kTopic, "a value is NaN or infinite");
    return;
  }
  if (!hasState(kTopic)) return;
  const Eigen::Vector3d p_WB = fromPoint(message->pose.position);
  watch_->placed(kTopic, p_WB, wallTime());
  const double yaw = yawOrPresent(fromQuaternion(message->pose.orientation), reference_.yaw);
  pilot_->commander().setPose(p_WB, yaw, state_.stamp);
  tellCommand();
}

void ControllerNode::onMapInfo(const marsim::MapInfoConstPtr& message) {
  watch_->setMap({fromPoint(message->min), fromPoint(message->max)});
  if (!std::isfinite(ground_z_)) watch_->setGround(message->min.z);
}

bool ControllerNode::hasState(const char* topic) {
  if (const marsim::VehicleStateConstPtr state = unanswered_) {  // a newer command is what counts
    endWait();
    answer(*state);
  }
  if (!has_state_) refuse(topic, "no state of the vehicle received yet");
  return has_state_;
}

// Planners write `world` whatever the frame is called here.
bool ControllerNode::isCommandFrame(const char* topic, const std::string& frame) {
  if (isWorldFrame(frame, frames_.world) || isFrame(frame, "world")) return true;
  watch_->refusedAlways(
      topic,
      fmt::format("header.frame_id is '{}', allowed: {}'world' or empty", frame,
                  frames_.world == "world" ? "" : fmt::format("'{}', ", frames_.world)),
      wallTime());
  return false;
}

void ControllerNode::refuse(const char* topic, const std::string& reason) {
  watch_->refused(topic, reason, wallTime());
}

void ControllerNode::diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) {
  using diagnostic_msgs::DiagnosticStatus;
  const control::CommandWatch::Report report = watch_->report(wallTime());
  status.summary(report.warns ? DiagnosticStatus::WARN : DiagnosticStatus::OK, report.summary);
  for (const auto& [key, value] : report.values) status.add(key, value);
  if (estimates_) status.add("flies on", nameOf(estimates_->phase()));
}

// The path to the goal that is flown to.
void ControllerNode::publishPlannedPath() {
  const control::ActiveCommand goal = pilot_->commander().active();
  const control::GoalPath path(goal.from, goal.stamp, goal.target_p_WB, goal.target_yaw, limits_);
  nav_msgs::Path message;
  message.header = toHeader(goal.stamp, frames_.world);
  const TimeNs spacing = std::max(kPathSpacing, (path.end() - goal.stamp) / kPathPoses);
  for (TimeNs t = goal.stamp;; t += spacing) {
    const control::Reference at = path.at(t);
    message.poses.push_back(
        toPoseStamped({fromRollPitchYaw(0.0, 0.0, at.yaw), at.p_WB}, frames_.world, t));
    if (t >= path.end()) break;
  }
  path_publisher_.publish(message);
}

}  // namespace marsim::ros_nodes
