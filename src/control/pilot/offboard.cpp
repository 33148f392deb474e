// SPDX-License-Identifier: BSD-3-Clause
#include "control/pilot/offboard.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::control::offboard {
namespace {

using Eigen::Vector3d;

constexpr std::uint16_t kKnownBits = 4095;
constexpr std::uint8_t kKnownAttitudeBits = 1 | 2 | 4 | 64 | 128;
constexpr double kLeastSpecificForce = 0.1 * kGravity;  // [m/s^2] below: no direction

/// The quantity that is commanded on an axis.
enum class Hold { kNothing, kAcceleration, kVelocity, kPosition };

bool uses(const PositionTarget& target, unsigned bit) { return (target.mask & bit) == 0; }

Hold holdOf(const PositionTarget& target, unsigned axis) {
  if (uses(target, 1U << axis)) return Hold::kPosition;
  if (uses(target, 8U << axis)) return Hold::kVelocity;
  if (uses(target, 64U << axis)) return Hold::kAcceleration;
  return Hold::kNothing;
}

Error wrongMask(unsigned mask, const char* why, const char* allowed) {
  return Error(fmt::format("type_mask is {} ({}), allowed: {}", mask, why, allowed));
}

void requireFinite(const char* field, double value) {
  if (std::isfinite(value)) return;
  throw Error(fmt::format("{} is {}, allowed: a finite number", field, value));
}

void requireFinite(const PositionTarget& target) {
  constexpr std::array<const char*, 9> kFields{"position.x",
                                               "position.y",
                                               "position.z",
                                               "velocity.x",
                                               "velocity.y",
                                               "velocity.z",
                                               "acceleration_or_force.x",
                                               "acceleration_or_force.y",
                                               "acceleration_or_force.z"};
  const std::array<const Vector3d*, 3> vectors{&target.position, &target.velocity,
                                               &target.acceleration};
  for (unsigned i = 0; i < kFields.size(); ++i) {
    if (uses(target, 1U << i)) requireFinite(kFields[i], (*vectors[i / 3])[i % 3]);
  }
  if (uses(target, PositionTarget::kNoYaw)) requireFinite("yaw", target.yaw);
  if (uses(target, PositionTarget::kNoYawRate)) requireFinite("yaw_rate", target.yaw_rate);
}

void requireFrame(const PositionTarget& target) {
  using P = PositionTarget;
  const bool is_known = target.frame == P::kLocal || target.frame == P::kLocalOffset ||
                        target.frame == P::kHeading || target.frame == P::kHeadingOffset;
  if (!is_known) {
    throw Error(
        fmt::format("coordinate_frame is {}, allowed: 1 (LOCAL_NED), 7 (LOCAL_OFFSET_NED), "
                    "8 (BODY_NED), 9 (BODY_OFFSET_NED)",
                    target.frame));
  }
  const bool has_position = (target.mask & P::kNoPosition) != P::kNoPosition;
  if (target.frame == P::kHeading && has_position) {
    throw Error(
        "coordinate_frame is 8 (BODY_NED) with a position, allowed: velocity and acceleration; "
        "positions in 1 (LOCAL_NED) or 9 (BODY_OFFSET_NED)");
  }
}

std::array<Hold, 3> holds(const PositionTarget& target) {
  const unsigned mask = target.mask;
  if (mask > kKnownBits) throw wrongMask(mask, "unknown bits", "bits up to 2048");
  if ((mask & PositionTarget::kForce) != 0) {
    throw wrongMask(mask, "a force", "accelerations, without the bit FORCE (512)");
  }
  const std::array<Hold, 3> held{holdOf(target, 0), holdOf(target, 1), holdOf(target, 2)};
  if (held[0] == Hold::kNothing && held[1] == Hold::kNothing && held[2] == Hold::kNothing) {
    throw wrongMask(mask, "nothing is left to fly to", "a position, velocity or acceleration");
  }
  const bool velocity_of_x = uses(target, 8), velocity_of_y = uses(target, 16);
  if (held[0] != held[1] || velocity_of_x != velocity_of_y) {
    throw wrongMask(mask, "x and y differ", "the same fields for x and y");
  }
  for (const Hold hold : held) {
    if (hold != Hold::kNothing) continue;
    throw wrongMask(mask, "an axis is left without a set point",
                    "position, velocity or acceleration for every axis");
  }
  if ((held[0] == Hold::kAcceleration) != (held[2] == Hold::kAcceleration)) {
    throw wrongMask(mask, "acceleration of some axes only",
                    "accelerations of all axes, or position or velocity for each");
  }
  return held;
}

/// The set point in W, without the fields that the mask leaves out.
PositionTarget inWorld(PositionTarget target, const KinematicState& state) {
  using P = PositionTarget;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (!uses(target, 1U << axis)) target.position[axis] = 0.0;
    if (!uses(target, 8U << axis)) target.velocity[axis] = 0.0;
    if (!uses(target, 64U << axis)) target.acceleration[axis] = 0.0;
  }
  const double yaw = yawOf(state.X_WB.q);
  if (target.frame == P::kHeading || target.frame == P::kHeadingOffset) {
    const Eigen::AngleAxisd turn(yaw, Vector3d::UnitZ());
    target.position = turn * target.position;
    target.velocity = turn * target.velocity;
    target.acceleration = turn * target.acceleration;
    target.yaw = wrapAngle(target.yaw + yaw);
  }
  if (target.frame != P::kLocal) target.position += state.X_WB.p;
  return target;
}

/// Velocity towards a position, for axes with positions beside velocities.
double approach(double error) {
  return std::clamp(Decoder::kPositionGain * error, -Decoder::kApproachSpeed,
                    Decoder::kApproachSpeed);
}

}  // namespace

// A turning yaw goes on from the last one, since the vehicle's own lags behind it.
Decoder::Heading Decoder::heading(const PositionTarget& target, const KinematicState& state) {
  const bool has_rate = uses(target, PositionTarget::kNoYawRate);
  const double rate = has_rate ? target.yaw_rate : 0.0;
  const bool remembers = yaw_ && state.stamp >= yaw_stamp_ && state.stamp - yaw_stamp_ <= kMemory;
  double yaw = target.yaw;
  if (!uses(target, PositionTarget::kNoYaw)) {
    yaw = remembers ? *yaw_ + rate * toSeconds(state.stamp - yaw_stamp_) : yawOf(state.X_WB.q);
  }
  yaw_ = wrapAngle(yaw);
  yaw_stamp_ = state.stamp;
  return {*yaw_, rate};
}

double Decoder::yawRate(const PositionTarget& target, const KinematicState& state) const {
  const double rate = uses(target, PositionTarget::kNoYawRate) ? target.yaw_rate : 0.0;
  if (!uses(target, PositionTarget::kNoYaw)) return rate;
  const double error = wrapAngle(target.yaw - yawOf(state.X_WB.q));
  return rate + std::clamp(kYawGain * error, -kYawRate, kYawRate);
}

Command Decoder::decode(const PositionTarget& given, const KinematicState& state) {
  using P = PositionTarget;
  notes_.clear();
  const std::array<Hold, 3> held = holds(given);
  requireFrame(given);
  requireFinite(given);
  const P target = inWorld(given, state);
  const bool has_acceleration = (target.mask & P::kNoAcceleration) != P::kNoAcceleration;
  const bool has_velocity = (target.mask & P::kNoVelocity) != P::kNoVelocity;
  if (held[0] == Hold::kAcceleration) {
    return attitudeOf(target.acceleration, heading(target, state));
  }
  const bool holds_place = held[0] == Hold::kPosition && held[2] == Hold::kPosition;
  if (holds_place && has_velocity) {
    const Heading at = heading(target, state);
    Reference reference;
    reference.p_WB = target.position;
    reference.v_WB = target.velocity;
    reference.a_WB = target.acceleration;
    reference.yaw = at.yaw;
    reference.yaw_rate = at.rate;
    return reference;
  }
  if (has_acceleration)
    notes_.emplace_back("acceleration counts beside position and velocity only");
  if (holds_place) {
    const bool keeps_yaw = !uses(target, P::kNoYaw) && !uses(target, P::kNoYawRate);
    const Heading at = heading(target, state);
    return PoseCommand{target.position, keeps_yaw ? std::nullopt : std::optional(at.yaw)};
  }
  VelocitySetpoint command{target.velocity, yawRate(target, state)};
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (held[axis] != Hold::kPosition) continue;
    command.v_WB[axis] += approach(target.position[axis] - state.X_WB.p[axis]);
  }
  return command;
}

Command Decoder::attitudeOf(const Vector3d& a_WB, const Heading& heading) {
  const Vector3d force = a_WB + Vector3d(0.0, 0.0, kGravity);
  if (force.norm() < kLeastSpecificForce) {
    throw Error(
        fmt::format("acceleration_or_force is ({}, {}, {}), a free fall, which leaves no "
                    "attitude, allowed: specific forces of {:.2f} m/s^2 and more",
                    a_WB.x(), a_WB.y(), a_WB.z(), kLeastSpecificForce));
  }
  const Vector3d z = force.normalized();
  // Turned by the yaw, then tilted by the shortest rotation: defined at every attitude.
  const Eigen::Quaterniond tilt = Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), z);
  AttitudeSetpoint setpoint;
  setpoint.q_WB = tilt * Eigen::AngleAxisd(heading.yaw, Vector3d::UnitZ());
  setpoint.yaw_rate = heading.rate;
  setpoint.thrust = body_.mass * force.norm();
  if (setpoint.thrust > body_.thrust_max) {
    notes_.push_back("an acceleration asks for more than the largest thrust");
    setpoint.thrust = body_.thrust_max;
  }
  return setpoint;
}

Command Decoder::decode(const AttitudeTarget& target) {
  using A = AttitudeTarget;
  notes_.clear();
  const unsigned mask = target.mask;
  if ((mask & ~unsigned{kKnownAttitudeBits}) != 0) {
    throw wrongMask(mask, "unknown bits", "1, 2, 4, 64, 128");
  }
  if ((mask & A::kNoThrust) != 0) throw wrongMask(mask, "no thrust", "masks with a thrust");
  const unsigned no_rate = A::kNoRollRate | A::kNoPitchRate | A::kNoYawRate;
  const bool has_attitude = (mask & A::kNoAttitude) == 0;
  if (!has_attitude && (mask & no_rate) == no_rate) {
    throw wrongMask(mask, "nothing is left but the thrust", "an attitude or body rates");
  }
  requireFinite("thrust", target.thrust);
  const double thrust = std::clamp(target.thrust, 0.0, 1.0) * body_.thrust_max;
  if (target.thrust < 0.0 || target.thrust > 1.0) {
    notes_.push_back("thrust is beyond 0 to 1 and is cut off there");
  }
  constexpr std::array<const char*, 3> kRates{"body_rate.x", "body_rate.y", "body_rate.z"};
  Vector3d rates = Vector3d::Zero();
  for (unsigned axis = 0; axis < 3; ++axis) {
    const bool counts = !has_attitude || axis == 2;
    if ((mask & (1U << axis)) != 0 || !counts) continue;
    requireFinite(kRates[axis], target.body_rate[axis]);
    rates[axis] = target.body_rate[axis];
  }
  if (!has_attitude) return RateSetpoint{rates, thrust};
  const double norm = target.q_WB.norm();
  if (!(norm > 0.1) || !std::isfinite(norm)) {
    throw Error(fmt::format("orientation has the length {}, allowed: 1", norm));
  }
  return AttitudeSetpoint{target.q_WB.normalized(), rates.z(), thrust};
}

}  // namespace marsim::control::offboard
