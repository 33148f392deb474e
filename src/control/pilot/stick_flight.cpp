// SPDX-License-Identifier: BSD-3-Clause
#include "control/pilot/stick_flight.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "marsim/common/error.hpp"

namespace marsim::control {
namespace {

constexpr TimeNs kLongestSilence = kNsPerSecond / 2;  // longer: yaw starts over

/// Zero in the deadzone, linear outside of it, up to 1.
double withDeadzone(double value, double deadzone) {
  const double past = (std::abs(value) - deadzone) / (1.0 - deadzone);
  return past <= 0.0 ? 0.0 : std::copysign(std::min(past, 1.0), value);
}

}  // namespace

void StickAxes::validate(const std::string& where) const {
  constexpr int kMost = 63;
  const Validator valid(where);
  valid.within("axes/roll", roll, 0, kMost);
  valid.within("axes/pitch", pitch, 0, kMost);
  valid.within("axes/yaw", yaw, 0, kMost);
  valid.within("axes/throttle", throttle, 0, kMost);
  valid.within("deadzone", deadzone, 0.0, 0.9);
  valid.within("buttons/take_off", take_off_button, -1, kMost);
  valid.within("buttons/land", land_button, -1, kMost);
  valid.within("buttons/mode", mode_button, -1, kMost);
}

Sticks StickAxes::read(const std::vector<float>& axes) const {
  const auto value = [&](const char* name, int number, bool reverse) {
    if (static_cast<std::size_t>(number) >= axes.size()) {
      throw Error(fmt::format("has {} axes and no axis {} ({}), allowed: numbers below {}",
                              axes.size(), number, name, axes.size()));
    }
    const double given = axes[static_cast<std::size_t>(number)];
    if (!std::isfinite(given)) {
      throw Error(fmt::format("axis {} ({}) is {}, allowed: -1 to 1", number, name, given));
    }
    return withDeadzone(reverse ? -given : given, deadzone);
  };
  Sticks sticks;
  sticks.roll = -value("roll", roll, reverse_roll);  // left is positive in the message
  sticks.pitch = value("pitch", pitch, reverse_pitch);
  sticks.yaw = value("yaw", yaw, reverse_yaw);
  sticks.throttle = value("throttle", throttle, reverse_throttle);
  return sticks;
}

void StickLimits::validate(const std::string& where) const {
  const Validator valid(where);
  valid.within("speed", speed, 0.0, 30.0, "m/s");
  valid.within("climb", climb, 0.0, 10.0, "m/s");
  valid.within("tilt", tilt, 0.0, 1.0, "rad");
  valid.within("yaw_rate", yaw_rate, 0.0, 2.0 * kPi, "rad/s");
}

const char* StickFlight::name(Mode mode) {
  switch (mode) {
    case Mode::kAttitude:
      return "attitude";
    case Mode::kAltitude:
      return "altitude";
    case Mode::kPosition:
      return "position";
  }
  return "";
}

StickFlight::Mode StickFlight::next(Mode mode) {
  return mode == Mode::kPosition   ? Mode::kAltitude
         : mode == Mode::kAltitude ? Mode::kAttitude
                                   : Mode::kPosition;
}

void StickFlight::reset() {
  height_.reset();
  yaw_.reset();
}

offboard::Command StickFlight::command(Mode mode, const Sticks& sticks,
                                       const KinematicState& state) {
  const double yaw = yawOf(state.X_WB.q);
  const double yaw_rate = limits_.yaw_rate * sticks.yaw;
  if (mode == Mode::kPosition) {
    reset();
    const Eigen::Vector3d v_level(limits_.speed * sticks.pitch, -limits_.speed * sticks.roll,
                                  limits_.climb * sticks.throttle);
    return offboard::VelocitySetpoint{Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ()) * v_level,
                                      yaw_rate};
  }
  const TimeNs step = state.stamp - stamp_;
  if (!yaw_ || step < 0 || step > kLongestSilence) {
    yaw_ = yaw;
  } else {
    yaw_ = wrapAngle(*yaw_ + yaw_rate * toSeconds(step));
  }
  stamp_ = state.stamp;
  AttitudeSetpoint setpoint;
  setpoint.q_WB = fromRollPitchYaw(limits_.tilt * sticks.roll, limits_.tilt * sticks.pitch, *yaw_);
  setpoint.yaw_rate = yaw_rate;
  const double hover = body_.mass * kGravity;
  if (mode == Mode::kAltitude) {
    const double tilt_cosine = (setpoint.q_WB * Eigen::Vector3d::UnitZ()).z();
    setpoint.thrust = climbThrust(sticks.throttle, tilt_cosine, state);
  } else {
    height_.reset();
    const double past = sticks.throttle > 0.0 ? body_.thrust_max - hover : hover;
    setpoint.thrust = hover + sticks.throttle * past;
  }
  return setpoint;
}

double StickFlight::climbThrust(double throttle, double tilt_cosine, const KinematicState& state) {
  double climb = limits_.climb * throttle;
  if (throttle != 0.0) {
    height_.reset();
  } else {
    if (!height_) height_ = state.X_WB.p.z() + state.v_WB.z() / kClimbGain;  // height of its stop
    climb = std::clamp(kHeightGain * (*height_ - state.X_WB.p.z()), -limits_.climb, limits_.climb);
  }
  const double acceleration = kClimbGain * (climb - state.v_WB.z());
  const double thrust = body_.mass * (kGravity + acceleration) / tilt_cosine;
  return std::clamp(thrust, 0.0, body_.thrust_max);
}

}  // namespace marsim::control
