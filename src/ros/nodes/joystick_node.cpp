// SPDX-License-Identifier: BSD-3-Clause
#include "ros/nodes/joystick_node.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/common/error.hpp"
#include "ros/common/swarm_params.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

using Mode = control::StickFlight::Mode;

constexpr TimeNs kCommandPeriod = kNsPerSecond / 50;
constexpr TimeNs kLoss = kNsPerSecond / 2;

Mode modeOf(const std::string& name) {
  for (const Mode mode : {Mode::kAttitude, Mode::kAltitude}) {
    if (name == control::StickFlight::name(mode)) return mode;
  }
  return Mode::kPosition;
}

bool isMoved(const control::Sticks& sticks) {
  return sticks.roll != 0.0 || sticks.pitch != 0.0 || sticks.yaw != 0.0 || sticks.throttle != 0.0;
}

// Within the tremor of a hand that holds the sticks.
bool isNear(const control::Sticks& a, const control::Sticks& b) {
  constexpr double kStill = 0.1;
  return std::max({std::abs(a.roll - b.roll), std::abs(a.pitch - b.pitch), std::abs(a.yaw - b.yaw),
                   std::abs(a.throttle - b.throttle)}) <= kStill;
}

control::StickAxes readAxes(Params& params) {
  constexpr int kMost = 63;
  control::StickAxes axes;
  const auto number = [&](const char* name, int fallback) {
    return params.integer(name, fallback, -1, kMost);
  };
  axes.deadzone = params.number("deadzone", axes.deadzone, Quantity::kNumber);
  axes.roll = number("axes/roll", axes.roll);
  axes.pitch = number("axes/pitch", axes.pitch);
  axes.yaw = number("axes/yaw", axes.yaw);
  axes.throttle = number("axes/throttle", axes.throttle);
  axes.reverse_roll = params.flag("reverse/roll", axes.reverse_roll);
  axes.reverse_pitch = params.flag("reverse/pitch", axes.reverse_pitch);
  axes.reverse_yaw = params.flag("reverse/yaw", axes.reverse_yaw);
  axes.reverse_throttle = params.flag("reverse/throttle", axes.reverse_throttle);
  axes.take_off_button = number("buttons/take_off", axes.take_off_button);
  axes.land_button = number("buttons/land", axes.land_button);
  axes.mode_button = number("buttons/mode", axes.mode_button);
  for (const char* group : {"axes", "reverse", "buttons"}) params.tree(group);
  axes.validate(params.where());
  return axes;
}

control::StickLimits readLimits(Params& params) {
  control::StickLimits limits;
  limits.speed = params.number("speed", limits.speed, Quantity::kSpeed);
  limits.climb = params.number("climb", limits.climb, Quantity::kSpeed);
  limits.tilt = params.number("tilt", limits.tilt, Quantity::kAngle);
  limits.yaw_rate = params.number("yaw_rate", limits.yaw_rate, Quantity::kAngularSpeed);
  limits.validate(params.where());
  return limits;
}

}  // namespace

JoystickNode::JoystickNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : inputs_(handle) {
  Params params(private_handle);
  frames_ = readFrames(params, handle);
  const vehicle::VehicleConfig vehicle = readVehicle(params, handle).asControlled();
  mode_ = modeOf(
      params.choice("mode", config::defaultOf("stick_mode"), {"position", "altitude", "attitude"}));
  axes_ = readAxes(params);
  flight_ = std::make_unique<control::StickFlight>(
      readLimits(params), control::offboard::Body{vehicle.mass, vehicle.maxThrust()});
  params.finish();

  outputs_ = CommandOutputs(handle, frames_);
  clients_ = FlightClients(handle);
  joy_subscriber_ = inputs_.subscribe("joy", 10, &JoystickNode::onJoy, this);
  state_subscriber_ = inputs_.subscribeToStream("state", 100, &JoystickNode::onState, this);
}

void JoystickNode::onJoy(const sensor_msgs::JoyConstPtr& message) {
  try {
    sticks_ = axes_.read(message->axes);
  } catch (const Error& error) {
    inputs_.refuse("joy", error.what());
    return;
  }
  joy_stamp_ = now_;
  const bool interrupts = !quiet_ || !isNear(sticks_, sticks_at_press_);
  if (isMoved(sticks_) && interrupts) {
    if (!in_control_) ROS_INFO("the joystick flies, mode %s", control::StickFlight::name(mode_));
    in_control_ = true;
    quiet_ = false;
  }
  press(*message);
  buttons_.assign(message->buttons.begin(), message->buttons.end());
}

// Whether a button is pressed with this message; buttons that are down at first do not count.
bool JoystickNode::pressed(const sensor_msgs::Joy& message, int button) const {
  if (button < 0) return false;
  const auto number = static_cast<std::size_t>(button);
  return number < message.buttons.size() && number < buttons_.size() &&
         message.buttons[number] != 0 && buttons_[number] == 0;
}

void JoystickNode::press(const sensor_msgs::Joy& message) {
  if (pressed(message, axes_.mode_button)) {
    mode_ = control::StickFlight::next(mode_);
    flight_->reset();
    ROS_INFO("mode %s", control::StickFlight::name(mode_));
  }
  const bool takes_off = pressed(message, axes_.take_off_button);
  const bool lands = pressed(message, axes_.land_button);
  if (!takes_off && !lands) return;
  in_control_ = quiet_ = true;
  sticks_at_press_ = sticks_;
  if (lands) {
    post([](FlightClients& clients) { return clients.land(); });
  } else {
    post([](FlightClients& clients) {
      const std::string reason = clients.arm(true);
      return reason.empty() ? clients.takeOff(0.0) : reason;
    });
  }
}

void JoystickNode::post(std::string (*what)(FlightClients&)) {
  thread_.post([this, what] {
    const std::string reason = what(clients_);
    if (!reason.empty()) ROS_WARN("%s", reason.c_str());
  });
}

void JoystickNode::onState(const marsim::VehicleStateConstPtr& message) {
  const sim::VehicleReport report = fromMessage(*message);
  const TimeNs step = report.motion.stamp - now_;
  now_ = report.motion.stamp;
  if (step < 0) {  // the simulation started over
    joy_stamp_.reset();
    commanded_at_ = -1;
    in_control_ = false;
  }
  if (!in_control_) return;
  if (!joy_stamp_ || now_ - *joy_stamp_ > kLoss) {
    in_control_ = false;
    flight_->reset();
    if (quiet_) return;
    ROS_WARN("no joy for %.1f s: the vehicle stops and holds", toSeconds(kLoss));
    outputs_.stop(0);
    return;
  }
  const bool stands = report.on_ground && sticks_.throttle <= 0.0;
  if (quiet_ || stands || (commanded_at_ >= 0 && now_ - commanded_at_ < kCommandPeriod)) return;
  commanded_at_ = now_;
  outputs_.publish(flight_->command(mode_, sticks_, report.motion), 0);
}

}  // namespace marsim::ros_nodes
