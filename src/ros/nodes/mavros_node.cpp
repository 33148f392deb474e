// SPDX-License-Identifier: BSD-3-Clause
#include "ros/nodes/mavros_node.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <ros/package.h>
#include <sensor_msgs/BatteryState.h>

#include "marsim/common/error.hpp"
#include "marsim/sim/time_of_effect.hpp"
#include "ros/common/params.hpp"
#include "ros/common/swarm_params.hpp"
#include "ros/messages/conversions.hpp"
#include "ros/messages/pose_messages.hpp"
#include "sim/command_input.hpp"

namespace marsim::ros_nodes {
namespace {

using control::Autopilot;
namespace offboard = control::offboard;

constexpr std::uint32_t kSetpointQueue = 100;
constexpr TimeNs kMotionPeriod = kNsPerSecond / 50;  // of local_position
constexpr TimeNs kStatePeriod = kNsPerSecond;

// MAV_STATE and MAV_RESULT of MAVLink.
constexpr std::uint8_t kStandby = 3, kActive = 4, kCritical = 5;
constexpr std::uint8_t kAccepted = 0, kRejected = 1;
// MAV_CMD of MAVLink.
constexpr std::uint16_t kReturn = 20, kLand = 21, kTakeOff = 22, kReboot = 246, kArm = 400;
constexpr int kCells = 4;          // of the battery
constexpr float kFullCell = 4.2F;  // [V]
constexpr std::size_t kMostChannels = 18;

Autopilot::State stateOf(const sim::VehicleReport& report) {
  const KinematicState& motion = report.motion;
  return {motion.stamp, motion.X_WB.p, motion.v_WB, report.on_ground, report.placements};
}

// Whether an installed package mavros_msgs defines State with constants for modes, as versions from
// 1.5 on do.
bool hasModeConstants() {
  const std::string folder = ros::package::getPath("mavros_msgs");
  std::ifstream file(folder + "/msg/State.msg");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return text.find("MODE_PX4_OFFBOARD") != std::string::npos;
}

}  // namespace

MavrosNode::MavrosNode(ros::NodeHandle handle, ros::NodeHandle private_handle) {
  Params params(private_handle);
  frames_ = readFrames(params, handle);
  const vehicle::VehicleConfig vehicle = readVehicle(params, handle).asControlled();
  const std::string prefix = params.text("prefix", "mavros");
  const std::string version = params.choice("mavros_msgs", {"auto", "1.4", "1.5"});
  has_mode_constants_ = version == "1.5" || (version == "auto" && hasModeConstants());
  velocity_in_heading_ =
      params.choice("mav_frame", "LOCAL_NED", {"LOCAL_NED", "BODY_NED"}) == "BODY_NED";
  const bool in_lockstep = params.flag("lockstep");
  params.finish();
  std::string reason;
  if (!ros::names::validate(prefix, reason)) {
    throw ConfigError(params.where(), "prefix", prefix, "a namespace of ROS");
  }

  battery_ = vehicle.battery;
  decoder_ = std::make_unique<offboard::Decoder>(offboard::Body{vehicle.mass, vehicle.maxThrust()});
  ros::NodeHandle mavros(handle, prefix);
  inputs_ = std::make_unique<Inputs>(handle);
  mavros_inputs_ = std::make_unique<Inputs>(mavros);
  openOutputs(handle, mavros);
  ticks_ = std::make_unique<CommandTicks>(handle, private_handle, in_lockstep, [this] {
    return outputs_.isConnected() && state_subscriber_.getNumPublishers() > 0;
  });
  openServices(mavros);
  state_subscriber_ = inputs_->subscribeToStream("state", in_lockstep ? 5000 : kSetpointQueue,
                                                 &MavrosNode::onState, this);
  subscribers_.push_back(inputs_->subscribe<sensor_msgs::Imu>(
      "imu/data", kSetpointQueue, [this](const sensor_msgs::ImuConstPtr& message) {
        if (imu_publisher_.wanted()) {
          imu_publisher_.publish(boost::make_shared<sensor_msgs::Imu>(*message));
        }
      }));
  openInputs();
}

// At its end the services' thread must get no new jobs and leave no service in its queue.
MavrosNode::~MavrosNode() {
  state_subscriber_.shutdown();
  services_.clear();
}

void MavrosNode::openOutputs(ros::NodeHandle& handle, ros::NodeHandle& mavros) {
  outputs_ = CommandOutputs(handle, frames_);
  flight_ = FlightClients(handle);
  estimate_publisher_ = handle.advertise<nav_msgs::Odometry>("estimate", kSetpointQueue);
  ros::AdvertiseOptions options =
      mavros_msgs::State::advertiseOptions("state", 10, has_mode_constants_);
  options.latch = true;
  state_publisher_ = mavros.advertise(options);
  landed_publisher_ = mavros.advertise<mavros_msgs::ExtendedState>("extended_state", 10, true);
  battery_publisher_ = mavros.advertise<sensor_msgs::BatteryState>("battery", 10, true);
  rc_publisher_ = mavros.advertise<mavros_msgs::RCIn>("rc/in", kSetpointQueue);
  pose_publisher_ = {mavros, "local_position/pose", kSetpointQueue};
  odom_publisher_ = {mavros, "local_position/odom", kSetpointQueue};
  velocity_publisher_ = {mavros, "local_position/velocity_local", kSetpointQueue};
  imu_publisher_ = {mavros, "imu/data", kSetpointQueue};
  publishState(0);
}

void MavrosNode::openInputs() {
  Inputs& mavros = *mavros_inputs_;
  subscribers_.push_back(mavros.subscribe<mavros_msgs::PositionTarget>(
      "setpoint_raw/local", kSetpointQueue,
      [this](const boost::shared_ptr<const mavros_msgs::PositionTarget>& message) {
        const offboard::PositionTarget target = mavros_msgs::fromMessage(*message);
        take("setpoint_raw/local", message->header.stamp,
             [this, target] { return decoder_->decode(target, motion_); });
      }));
  subscribers_.push_back(mavros.subscribe<mavros_msgs::AttitudeTarget>(
      "setpoint_raw/attitude", kSetpointQueue,
      [this](const boost::shared_ptr<const mavros_msgs::AttitudeTarget>& message) {
        const offboard::AttitudeTarget target = mavros_msgs::fromMessage(*message);
        take("setpoint_raw/attitude", message->header.stamp,
             [this, target] { return decoder_->decode(target); });
      }));
  subscribers_.push_back(
      mavros.subscribe("setpoint_position/local", kSetpointQueue, &MavrosNode::onPosition, this));
  subscribers_.push_back(mavros.subscribe<geometry_msgs::TwistStamped>(
      "setpoint_velocity/cmd_vel", kSetpointQueue,
      [this](const geometry_msgs::TwistStampedConstPtr& message) {
        onVelocity("setpoint_velocity/cmd_vel", message->header.stamp, message->twist);
      }));
  subscribers_.push_back(mavros.subscribe<geometry_msgs::Twist>(
      "setpoint_velocity/cmd_vel_unstamped", kSetpointQueue,
      [this](const geometry_msgs::TwistConstPtr& message) {
        onVelocity("setpoint_velocity/cmd_vel_unstamped", ros::Time(), *message);
      }));
  subscribers_.push_back(
      mavros.subscribe("vision_pose/pose", kSetpointQueue, &MavrosNode::onVisionPose, this));
  subscribers_.push_back(inputs_->subscribe("joy", kSetpointQueue, &MavrosNode::onJoy, this));
}

void MavrosNode::openServices(ros::NodeHandle& mavros) {
  ros::NodeHandle own(mavros);
  own.setCallbackQueue(&service_thread_.queue());
  const auto answer = [](const Autopilot::Outcome& outcome,
                         mavros_msgs::CommandResponse& response) {
    response.success = outcome.granted ? 1 : 0;
    response.result = outcome.granted ? kAccepted : kRejected;
    return true;
  };
  const boost::function<bool(mavros_msgs::CommandBool::Request&,
                             mavros_msgs::CommandBool::Response&)>
      arm = [=](mavros_msgs::CommandBool::Request& asked,
                mavros_msgs::CommandBool::Response& response) {
        const bool armed = asked.value != 0;
        return answer(request([&](Autopilot& autopilot) { return autopilot.arm(armed); }),
                      response);
      };
  const boost::function<bool(mavros_msgs::CommandTol::Request&, mavros_msgs::CommandTol::Response&)>
      take_off = [=](mavros_msgs::CommandTol::Request& asked,
                     mavros_msgs::CommandTol::Response& response) {
        const double height = asked.altitude;
        return answer(request([&](Autopilot& autopilot) { return autopilot.takeOff(height); }),
                      response);
      };
  const boost::function<bool(mavros_msgs::CommandTol::Request&, mavros_msgs::CommandTol::Response&)>
      land = [=](mavros_msgs::CommandTol::Request&, mavros_msgs::CommandTol::Response& response) {
        return answer(request([](Autopilot& autopilot) { return autopilot.land(); }), response);
      };
  const boost::function<bool(mavros_msgs::SetMode::Request&, mavros_msgs::SetMode::Response&)>
      set_mode = [=](mavros_msgs::SetMode::Request& asked,
                     mavros_msgs::SetMode::Response& response) {
        const std::string mode = asked.custom_mode;
        const auto outcome = request([&](Autopilot& autopilot) { return autopilot.setMode(mode); });
        response.mode_sent = outcome.granted ? 1 : 0;
        return true;
      };
  const boost::function<bool(mavros_msgs::CommandLong::Request&,
                             mavros_msgs::CommandLong::Response&)>
      any = [=](mavros_msgs::CommandLong::Request& asked,
                mavros_msgs::CommandLong::Response& response) {
        return answer(command(asked), response);
      };
  services_.push_back(own.advertiseService("cmd/arming", arm));
  services_.push_back(own.advertiseService("cmd/command", any));
  services_.push_back(own.advertiseService("cmd/takeoff", take_off));
  services_.push_back(own.advertiseService("cmd/land", land));
  services_.push_back(own.advertiseService("set_mode", set_mode));
}

void MavrosNode::onState(const marsim::VehicleStateConstPtr& message) {
  const sim::VehicleReport report = fromMessage(*message);
  const TimeNs now = report.motion.stamp;
  bool has_actions = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    motion_ = report.motion;
    has_state_ = true;
    if (!ticks_->isDue(now)) return;
    // Set points in the order of their stamps; those far ahead do not wait.
    while (!waiting_.empty() && waiting_.begin()->first <= now) {
      const auto setpoint = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      setpoint();
    }
    autopilot_.step(stateOf(report));
    has_actions = actAtOnce(now);
    publishMotion(now);
    publishState(now);
    publishLanded(now, report.on_ground);
    publishBattery(now);
    say();
  }
  if (has_actions) {
    service_thread_.post([this] {
      perform();
      const std::lock_guard<std::mutex> lock(mutex_);
      say();
    });
  }
  ticks_->handled(now);
}

void MavrosNode::take(const char* topic, const ros::Time& stamp,
                      const std::function<offboard::Command()>& decode) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!ticks_->inLockstep()) return follow(topic, decode);
  TimeNs at = fromRos(stamp);
  if (at > motion_.stamp + sim::kFarthestAhead) at = 0;
  waiting_.emplace(at, [this, topic, decode] { follow(topic, decode); });
}

// A set point must be valid even if it is not followed: it counts for OFFBOARD.
void MavrosNode::follow(const char* topic, const std::function<offboard::Command()>& decode) {
  if (!has_state_) return warn(topic, "no state of the vehicle received yet");
  try {
    const offboard::Command command = decode();
    for (const std::string& note : decoder_->notes()) warn(topic, note);
    if (autopilot_.setpoint()) outputs_.publish(command, ticks_->actsAt(motion_.stamp));
  } catch (const Error& error) {
    warn(topic, fmt::format("set point refused: {}", error.what()));
  }
}

void MavrosNode::onPosition(const geometry_msgs::PoseStampedConstPtr& message) {
  using Target = offboard::PositionTarget;
  Target target;
  target.mask = Target::kNoVelocity | Target::kNoAcceleration | Target::kNoYawRate;
  target.position = fromPoint(message->pose.position);
  const Eigen::Quaterniond q = fromQuaternion(message->pose.orientation);
  if (sim::isUnset(q)) {
    target.mask |= Target::kNoYaw;
  } else {
    target.yaw = sim::yawOrPresent(q, 0.0);
  }
  take("setpoint_position/local", message->header.stamp,
       [this, target] { return decoder_->decode(target, motion_); });
}

void MavrosNode::onVelocity(const char* topic, const ros::Time& stamp,
                            const geometry_msgs::Twist& twist) {
  using Target = offboard::PositionTarget;
  Target target;
  target.frame = velocity_in_heading_ ? Target::kHeading : Target::kLocal;
  target.mask = Target::kNoPosition | Target::kNoAcceleration | Target::kNoYaw;
  target.velocity = fromVector3(twist.linear);
  target.yaw_rate = twist.angular.z;
  take(topic, stamp, [this, target] { return decoder_->decode(target, motion_); });
}

void MavrosNode::onVisionPose(const geometry_msgs::PoseStampedConstPtr& message) {
  constexpr char kTopic[] = "vision_pose/pose";
  const std::lock_guard<std::mutex> lock(mutex_);
  const TimeNs stamp = fromRos(message->header.stamp);
  if (!isUsable(message->pose)) return warn(kTopic, "refused: a value is NaN or infinite");
  if (sim::isUnset(fromQuaternion(message->pose.orientation))) {
    return warn(kTopic, "refused: orientation is zero, allowed: a unit quaternion");
  }
  if (stamp <= vision_stamp_) {
    const bool is_new = stamp < vision_stamp_ - kNsPerSecond;  // the simulation started over
    if (!is_new) {
      return warn(kTopic, fmt::format("refused: the stamp {:.3f} s is not newer than the last",
                                      toSeconds(stamp)));
    }
  }
  vision_stamp_ = stamp;
  nav_msgs::Odometry odometry;
  odometry.header = toHeader(stamp, frames_.world);
  odometry.child_frame_id = frames_.base();
  odometry.pose.pose = message->pose;
  estimate_publisher_.publish(odometry);
}

void MavrosNode::publishMotion(TimeNs stamp) {
  if (stamp % kMotionPeriod != 0) return;
  if (pose_publisher_.wanted()) {
    pose_publisher_.publish(boost::make_shared<geometry_msgs::PoseStamped>(
        toPoseStamped(motion_.X_WB, frames_.world, stamp)));
  }
  if (odom_publisher_.wanted()) {
    const auto odometry = boost::make_shared<nav_msgs::Odometry>();
    toMessage(motion_, false, *odometry);
    odometry->header.frame_id = frames_.world;
    odometry->child_frame_id = frames_.base();
    odom_publisher_.publish(odometry);
  }
  if (velocity_publisher_.wanted()) {
    const auto velocity = boost::make_shared<geometry_msgs::TwistStamped>();
    velocity->header = toHeader(stamp, frames_.world);
    velocity->twist.linear = toVector3(motion_.v_WB);
    velocity->twist.angular = toVector3(motion_.X_WB.q * motion_.w_WB_B);
    velocity_publisher_.publish(velocity);
  }
}

// Once a second, and at every change.
void MavrosNode::publishState(TimeNs now) {
  mavros_msgs::State message;
  message.header.stamp = toRos(now);
  message.connected = autopilot_.connected() ? 1 : 0;
  message.armed = autopilot_.armed() ? 1 : 0;
  message.guided = autopilot_.connected() && autopilot_.guided() ? 1 : 0;
  message.manual_input = autopilot_.connected() && !autopilot_.guided() ? 1 : 0;
  if (autopilot_.connected()) {
    message.mode = Autopilot::name(autopilot_.mode());
    message.system_status = autopilot_.failsafe() ? kCritical : message.armed ? kActive : kStandby;
  }
  const std::string told = fmt::format("{}{}{}{}", message.connected, message.armed, message.mode,
                                       message.system_status);
  const bool is_due = told != told_ || now < told_at_ || now - told_at_ >= kStatePeriod;
  if (!is_due) return;
  told_ = told;
  told_at_ = now;
  state_publisher_.publish(message);
}

// Once a second, and at every change.
void MavrosNode::publishLanded(TimeNs now, bool on_ground) {
  const int landed = on_ground ? 1 : 0;
  const bool is_due =
      landed != landed_ || now < landed_told_at_ || now - landed_told_at_ >= kStatePeriod;
  if (!is_due) return;
  landed_ = landed;
  landed_told_at_ = now;
  mavros_msgs::ExtendedState message;
  message.header.stamp = toRos(now);
  message.landed_state =
      on_ground ? mavros_msgs::ExtendedState::kOnGround : mavros_msgs::ExtendedState::kInAir;
  landed_publisher_.publish(message);
}

// The motors' top speed is proportional to the voltage.
void MavrosNode::publishBattery(TimeNs now) {
  if (battery_told_at_ >= 0 && now >= battery_told_at_ && now - battery_told_at_ < kStatePeriod)
    return;
  battery_told_at_ = now;
  const double used = battery_.sag < 1.0 ? toSeconds(now) / battery_.duration : 0.0;
  sensor_msgs::BatteryState message;
  message.header.stamp = toRos(now);
  message.cell_voltage.assign(kCells,
                              kFullCell * static_cast<float>(battery_.shareAt(toSeconds(now))));
  message.voltage = kCells * message.cell_voltage.front();
  message.percentage = static_cast<float>(std::clamp(1.0 - used, 0.0, 1.0));
  const float unknown = std::numeric_limits<float>::quiet_NaN();
  message.current = message.charge = message.capacity = message.design_capacity = unknown;
  message.power_supply_status = sensor_msgs::BatteryState::POWER_SUPPLY_STATUS_DISCHARGING;
  message.power_supply_technology = sensor_msgs::BatteryState::POWER_SUPPLY_TECHNOLOGY_LIPO;
  message.present = 1;
  battery_publisher_.publish(message);
}

// Channels: the joystick's axes, then its buttons.
void MavrosNode::onJoy(const sensor_msgs::JoyConstPtr& message) {
  mavros_msgs::RCIn rc;
  rc.header.stamp = toRos(motion_.stamp);
  rc.rssi = 255;
  for (const float axis : message->axes) {
    const float in_range = std::isfinite(axis) ? std::clamp(axis, -1.0F, 1.0F) : 0.0F;
    rc.channels.push_back(static_cast<std::uint16_t>(std::lround(1500.0F + 500.0F * in_range)));
  }
  for (const int button : message->buttons) rc.channels.push_back(button != 0 ? 2000 : 1000);
  if (rc.channels.size() > kMostChannels) rc.channels.resize(kMostChannels);
  rc_publisher_.publish(rc);
}

Autopilot::Outcome MavrosNode::command(const mavros_msgs::CommandLong::Request& asked) {
  return request([&](Autopilot& autopilot) -> Autopilot::Outcome {
    switch (asked.command) {
      case kArm:
        return autopilot.arm(asked.param1 != 0.0F);
      case kTakeOff:
        return autopilot.takeOff(asked.param7);
      case kLand:
        return autopilot.land();
      case kReturn:
        return autopilot.setMode(Autopilot::name(Autopilot::Mode::kReturn));
      case kReboot:  // changes nothing
        if (!autopilot.armed()) return {true, ""};
        return {false, "cmd/command: reboot refused: it is armed, allowed: disarmed"};
      default:
        break;
    }
    const std::string text = fmt::format(
        "cmd/command: command is {}, allowed: 20 (return), 21 (land), 22 (take off), "
        "246 (reboot), 400 (arm)",
        asked.command);
    warn("cmd/command", text);
    return {false, text};
  });
}

void MavrosNode::warn(const char* topic, const std::string& reason) {
  if (warnings_.add(topic, reason, WarningTime::clock::now())) {
    ROS_WARN("%s: %s", topic, reason.c_str());
  }
}

void MavrosNode::say() {
  for (const std::string& line : autopilot_.takeLines()) ROS_WARN("%s", line.c_str());
}

// A request by a service, carried out by the controller's services.
Autopilot::Outcome MavrosNode::request(const std::function<Autopilot::Outcome(Autopilot&)>& ask) {
  Autopilot::Outcome outcome;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    outcome = ask(autopilot_);
  }
  if (outcome.granted) outcome.granted = perform();
  const std::lock_guard<std::mutex> lock(mutex_);
  say();
  publishState(motion_.stamp);
  return outcome;
}

// Performs actions without services, at their stamp; returns whether there are others.
bool MavrosNode::actAtOnce(TimeNs now) {
  for (const Autopilot::Action& action : autopilot_.takeActions()) {
    if (!publish(action, ticks_->actsAt(now))) jobs_.push_back(action);
  }
  return !jobs_.empty();
}

bool MavrosNode::publish(const Autopilot::Action& action, TimeNs stamp) const {
  using Kind = Autopilot::Action::Kind;
  if (action.kind == Kind::kHold) outputs_.stop(stamp);
  if (action.kind == Kind::kGoHome) outputs_.goTo(action.place, stamp);
  return action.kind == Kind::kHold || action.kind == Kind::kGoHome;
}

// Performs all actions; false if one failed.
bool MavrosNode::perform() {
  bool all_well = true;
  while (true) {
    std::vector<Autopilot::Action> actions;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      actAtOnce(motion_.stamp);
      actions = std::exchange(jobs_, {});
    }
    if (actions.empty()) return all_well;
    for (const Autopilot::Action& action : actions) {
      const std::string reason = call(action);
      if (!reason.empty()) ROS_WARN("%s", reason.c_str());
      all_well = all_well && reason.empty();
      const std::lock_guard<std::mutex> lock(mutex_);
      autopilot_.done(action, reason.empty());
    }
  }
}

// The controller's reason for a refusal; empty if it agreed.
std::string MavrosNode::call(const Autopilot::Action& action) {
  using Kind = Autopilot::Action::Kind;
  switch (action.kind) {
    case Kind::kArm:
      return flight_.arm(true);
    case Kind::kDisarm:
      return flight_.arm(false);
    case Kind::kTakeOff:
      return flight_.takeOff(action.height);
    case Kind::kLand:
      return flight_.land();
    default:
      return "";
  }
}

}  // namespace marsim::ros_nodes
