// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/control/setpoint.hpp"
#include "marsim/geometry/kinematic_state.hpp"

/// MAVLink's set points for a vehicle flown from outside, in MAVROS' conventions: ENU and FLU,
/// although the frames' names say NED.
namespace marsim::control::offboard {

/// mavros_msgs/PositionTarget. A set bit of the mask means that the field is not used.
struct PositionTarget {
  static constexpr std::uint8_t kLocal = 1;          ///< in W
  static constexpr std::uint8_t kLocalOffset = 7;    ///< along W, positions from the vehicle
  static constexpr std::uint8_t kHeading = 8;        ///< turned by the vehicle's yaw
  static constexpr std::uint8_t kHeadingOffset = 9;  ///< the same, positions from the vehicle
  static constexpr std::uint16_t kNoPosition = 1 | 2 | 4;
  static constexpr std::uint16_t kNoVelocity = 8 | 16 | 32;
  static constexpr std::uint16_t kNoAcceleration = 64 | 128 | 256;
  static constexpr std::uint16_t kForce = 512;
  static constexpr std::uint16_t kNoYaw = 1024;
  static constexpr std::uint16_t kNoYawRate = 2048;

  std::uint8_t frame = kLocal;
  std::uint16_t mask = 0;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();      ///< [m]
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();      ///< [m/s]
  Eigen::Vector3d acceleration = Eigen::Vector3d::Zero();  ///< [m/s^2]
  double yaw = 0.0;                                        ///< [rad]
  double yaw_rate = 0.0;                                   ///< [rad/s]
};

/// mavros_msgs/AttitudeTarget, with a mask of the same kind.
struct AttitudeTarget {
  static constexpr std::uint8_t kNoRollRate = 1;
  static constexpr std::uint8_t kNoPitchRate = 2;
  static constexpr std::uint8_t kNoYawRate = 4;
  static constexpr std::uint8_t kNoThrust = 64;
  static constexpr std::uint8_t kNoAttitude = 128;

  std::uint8_t mask = 0;
  Eigen::Quaterniond q_WB = Eigen::Quaterniond::Identity();
  Eigen::Vector3d body_rate = Eigen::Vector3d::Zero();  ///< [rad/s] in B
  double thrust = 0.0;                                  ///< 0 to 1 of the vehicle's largest thrust
};

/// A place to go to.
struct PoseCommand {
  Eigen::Vector3d p_WB;       ///< [m]
  std::optional<double> yaw;  ///< [rad]; none: kept
};

/// A velocity to hold.
struct VelocitySetpoint {
  Eigen::Vector3d v_WB;   ///< [m/s] in W
  double yaw_rate = 0.0;  ///< [rad/s]
};

/// A set point in the flight controller's terms.
using Command =
    std::variant<PoseCommand, Reference, VelocitySetpoint, AttitudeSetpoint, RateSetpoint>;

/// Properties of the vehicle, for accelerations and thrusts.
struct Body {
  double mass = 1.0;        ///< [kg]
  double thrust_max = 0.0;  ///< [N] of all rotors
};

/// Turns set points into commands. Each axis follows the first of position, velocity and
/// acceleration that the mask leaves it; x and y follow the same quantity:
/// - positions: a place to go to; with a velocity a full reference, with acceleration as
///   feed-forward;
/// - velocities: a velocity; positions of other axes become velocities towards them;
/// - accelerations: attitude and thrust, for still air.
/// If neither yaw nor yaw rate is used, the yaw is kept.
class Decoder {
 public:
  static constexpr double kPositionGain = 1.0;    ///< [1/s] for positions beside velocities
  static constexpr double kApproachSpeed = 2.0;   ///< [m/s] largest of these
  static constexpr double kYawGain = 2.0;         ///< [1/s] for a yaw beside velocities
  static constexpr double kYawRate = 1.0;         ///< [rad/s] largest of that
  static constexpr TimeNs kMemory = 500'000'000;  ///< for which a turning yaw is remembered

  explicit Decoder(const Body& body) : body_(body) {}

  /// The command for a set point at the vehicle's present state. Throws Error naming the field, its
  /// value and the allowed values.
  Command decode(const PositionTarget& target, const KinematicState& state);
  Command decode(const AttitudeTarget& target);
  /// Parts of the last set point that are not followed, one line each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Heading {
    double yaw;   ///< [rad]
    double rate;  ///< [rad/s]
  };
  Heading heading(const PositionTarget& target, const KinematicState& state);
  double yawRate(const PositionTarget& target, const KinematicState& state) const;
  Command attitudeOf(const Eigen::Vector3d& a_WB, const Heading& heading);

  Body body_;
  std::vector<std::string> notes_;
  std::optional<double> yaw_;  ///< the last commanded yaw
  TimeNs yaw_stamp_ = 0;
};

}  // namespace marsim::control::offboard
