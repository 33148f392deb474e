// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "marsim/vehicle/platform.hpp"

namespace marsim::vehicle {

/// Search for ground under a place, between two heights [m] over the plane through p_W with a
/// gradient (slopes along W's x and y). Returns the mean height [m in W] of the surface there, at
/// p_W's x and y; NaN where there is none.
using GroundIn = std::function<double(const Eigen::Vector3d& p_W, const Eigen::Vector2d& gradient,
                                      double from, double to)>;

/// A vehicle on four wheels that steers by the speeds of its left and right wheels (motors 0 and
/// 1). The wheels roll without slipping at their mean forward speed and turn it about the vertical
/// at the difference of their speeds over the track; their rims change speed at up to
/// `acceleration`. The body follows the plane of the ground under its wheels like a critically
/// damped spring of kSuspension, so its motion stays smooth on rough ground. Where a wheel would
/// come on a slope, step or drop beyond the limits the wheels stop. Ground that is unknown goes on
/// in the plane of the other wheels.
class DifferentialDrive final : public Platform {
 public:
  static constexpr double kSuspension = 30.0;  ///< [rad/s]

  /// Throws ConfigError.
  DifferentialDrive(VehicleConfig config, GroundIn ground);

  /// Places it on the uppermost ground below p_WB.
  void reset(const Eigen::Vector3d& p_WB, double yaw, TimeNs stamp = 0) override;
  void standAt(const Pose& X_WB) override;
  /// Too fast speeds are lowered in proportion: the curvature of the way stays.
  void command(const RotorArray& speeds) override;
  void setEffectiveness(int motor, double share) override;
  void stopMotors() override;
  void step(TimeNs dt) override;
  void follow(const KinematicState& state, bool on_ground = false) override;
  /// The wheels leave it the motion along its heading and about the vertical.
  void leaveContact(const Pose& X_WB, const Eigen::Vector3d& v_WB,
                    const Eigen::Vector3d& w_WB_B) override;
  void setSupported(const Eigen::Vector3d&, const Eigen::Vector3d&) override {}
  bool liftsOff() const override { return false; }
  RotorArray motorSpeeds() const override { return rims_ / drive_.wheel_radius; }
  RotorArray motorCommands() const override { return commands_ / drive_.wheel_radius; }
  /// Whether ground that it cannot pass held it in the last step.
  bool isBlocked() const { return is_blocked_; }

 private:
  using Pair = Eigen::Array2d;
  /// A place in plan view.
  struct Place {
    Eigen::Vector2d p = Eigen::Vector2d::Zero();  ///< [m in W] middle of the wheels
    double yaw = 0.0;                             ///< [rad]
  };
  /// Plane of the ground under the wheels.
  struct Footing {
    double z = 0.0;                                      ///< [m] under the middle
    Eigen::Vector2d gradient = Eigen::Vector2d::Zero();  ///< slopes along W's x and y
  };
  /// Height or a component of the gradient, with its derivatives in time.
  struct Sprung {
    double value = 0.0, rate = 0.0, acceleration = 0.0;
    void follow(double target, double target_rate, double target_acceleration, double dt);
    bool isAtRest() const { return rate == 0.0 && acceleration == 0.0; }
  };
  /// Motion of the middle of the wheels in plan view.
  struct PlanMotion {
    Eigen::Vector2d velocity, acceleration;  ///< [m/s], [m/s^2] in W
  };

  double speed() const { return 0.5 * rims_.sum(); }                    // [m/s] forward
  double turn() const { return (rims_[1] - rims_[0]) / drive_.track; }  // [rad/s] of the yaw
  std::array<Eigen::Vector3d, 4> wheelsAt(const Place& place) const;
  Footing planeOf(const Place& place, const std::array<double, 4>& z) const;
  std::optional<double> heightUnder(const Eigen::Vector3d& wheel_W) const;
  std::optional<Footing> footingAt(const Place& place) const;
  Footing footingBelow(const Place& place, double z_B);
  PlanMotion planMotion() const;
  void spring(double dt, const Pair& rims_before);
  void setPlace(const Pose& X_WB);
  void setRest();
  void updateState();

  DifferentialDriveConfig drive_;
  GroundIn ground_;
  Place place_;
  Footing footing_;
  Pair commands_ = Pair::Zero(), rims_ = Pair::Zero();  // [m/s] left and right
  Pair rim_accelerations_ = Pair::Zero();               // [m/s^2]
  Pair shares_ = Pair::Ones();
  Sprung z_, slope_x_, slope_y_;
  bool is_blocked_ = false;
};

}  // namespace marsim::vehicle
