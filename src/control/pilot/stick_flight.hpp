// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/pilot/offboard.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/kinematic_state.hpp"

namespace marsim::control {

/// Positions of the sticks, -1 to 1.
struct Sticks {
  double roll = 0.0;      ///< > 0: to the right
  double pitch = 0.0;     ///< > 0: forward
  double yaw = 0.0;       ///< > 0: to the left
  double throttle = 0.0;  ///< > 0: up
};

/// Axes of a joystick's sticks (sensor_msgs/Joy: left and up are positive), in the order of Mode 2:
/// throttle and yaw on the left one. Numbers count from 0; -1: absent.
struct StickAxes {
  int roll = 3;
  int pitch = 4;
  int yaw = 0;
  int throttle = 1;
  bool reverse_roll = false;
  bool reverse_pitch = false;
  bool reverse_yaw = false;
  bool reverse_throttle = false;
  double deadzone = 0.05;  ///< share of the way from the centre
  int take_off_button = 0;
  int land_button = 1;
  int mode_button = 3;

  /// Throws ConfigError.
  void validate(const std::string& where) const;
  /// Throws Error if an axis is missing or not finite.
  Sticks read(const std::vector<float>& axes) const;
};

/// Values at full deflection.
struct StickLimits {
  double speed = 3.0;               ///< [m/s] in position mode
  double climb = 1.0;               ///< [m/s] in position and altitude mode
  double tilt = radians(25.0);      ///< [rad] of each axis in altitude and attitude mode
  double yaw_rate = radians(60.0);  ///< [rad/s]

  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// Flies by the sticks of a transmitter or joystick.
class StickFlight {
 public:
  enum class Mode {
    kAttitude,  ///< roll and pitch angle, yaw rate, thrust; about hovers with the throttle centred
    kAltitude,  ///< likewise, with a climb rate; holds the height with the throttle centred
    kPosition,  ///< velocities; holds the place with the sticks centred
  };
  static const char* name(Mode mode);  ///< "attitude", "altitude", "position"
  static Mode next(Mode mode);

  static constexpr double kHeightGain = 1.0;  ///< [1/s] of a height that is held
  static constexpr double kClimbGain = 3.0;   ///< [1/s] of the climb rate

  StickFlight(const StickLimits& limits, const offboard::Body& body)
      : limits_(limits), body_(body) {}

  /// The command for the vehicle's present state; call it once per state.
  offboard::Command command(Mode mode, const Sticks& sticks, const KinematicState& state);
  /// Forgets the held height and yaw.
  void reset();

 private:
  double climbThrust(double climb, double tilt_cosine, const KinematicState& state);

  StickLimits limits_;
  offboard::Body body_;
  std::optional<double> height_;  ///< [m] held
  std::optional<double> yaw_;     ///< [rad] held
  TimeNs stamp_ = 0;
};

}  // namespace marsim::control
