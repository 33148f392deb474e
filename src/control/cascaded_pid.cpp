#include "marsim/control/cascaded_pid.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "control/clamped_norm.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;

// Inner loops this much faster than the outer ones leave the specified response its shape: their
// delay is then below a tenth of the settling time.
constexpr double kMotorsToAttitude = 5.0;
// Above this the 2 ms between states and the motors' range bend small steps out of shape [rad/s].
constexpr double kHighestAttitude = 40.0;
// A longer gap between states (a pause, a lost link) counts as this much for the integrals [s].
constexpr double kLongestStep = 0.1;

// Natural frequency of the slower direction; an overdamped motor is as slow as its lag 2 zeta/wn.
double motorFrequency(const VehicleModel& vehicle) {
  const double slower =
      std::min(vehicle.motor_natural_frequency_up, vehicle.motor_natural_frequency_down);
  return slower / std::max(vehicle.motor_damping, 1.0);
}

// Thrust dynamics asked of the motors [rad/s]: their own where that is enough, else led.
double thrustFrequency(const ControllerConfig& config, const VehicleModel& vehicle) {
  return std::max(kMotorsToAttitude * config.attitude.natural_frequency, motorFrequency(vehicle));
}

LoopSpec thrustSpec(const ControllerConfig& config, const VehicleModel& vehicle) {
  return {thrustFrequency(config, vehicle), 1.0};
}

double fullThrust(const VehicleModel& vehicle) {
  return 4.0 * vehicle.thrust_coefficient * vehicle.motor_speed_max * vehicle.motor_speed_max;
}

void validateAgainstVehicle(const ControllerConfig& config, const VehicleModel& vehicle) {
  const Validator check("controller");
  const double highest = CascadedPid::maxAttitudeFrequency(vehicle);
  check.require(config.attitude.natural_frequency <= highest, "attitude.natural_frequency",
                fmt::format("{}", config.attitude.natural_frequency),
                fmt::format("up to {:.1f} rad/s, all that this vehicle can follow", highest));
  const double hover = vehicle.mass * kGravity / fullThrust(vehicle);
  check.require(config.thrust_max_ratio > hover, "thrust_max_ratio",
                fmt::format("{}", config.thrust_max_ratio),
                fmt::format("more than {:.3f}, which carries this vehicle's weight", hover));
}

// Level heading x turned up or down so that it is at right angles to z: the attitude with that
// thrust direction and exactly that heading.
Eigen::Quaterniond attitudeOf(const Vector3d& z_W, double yaw) {
  const Vector3d heading(std::cos(yaw), std::sin(yaw), 0.0);
  Eigen::Matrix3d R;
  R.col(2) = z_W;
  R.col(0) = (heading * z_W.z() - Vector3d::UnitZ() * heading.dot(z_W)).normalized();
  R.col(1) = R.col(2).cross(R.col(0));
  return Eigen::Quaterniond(R);
}

// Rotation vector in B [rad] from an attitude to the wanted one, in two parts: the shortest turn
// that brings the thrust axis home (x, y), then the heading (z). A large error of heading so leaves
// the tilt alone (Brescianini, Hehn, D'Andrea, ETH Zurich 2013).
Vector3d attitudeError(const Eigen::Quaterniond& q_WB, const Eigen::Quaterniond& q_WB_wanted) {
  const Vector3d z_B = q_WB.conjugate() * (q_WB_wanted * Vector3d::UnitZ());
  const double sine = std::hypot(z_B.x(), z_B.y());
  const double angle = std::atan2(sine, z_B.z());
  Vector3d tilt = Vector3d::Zero();
  if (sine > 1e-12) {
    tilt = Vector3d(-z_B.y(), z_B.x(), 0.0) * (angle / sine);
  } else if (z_B.z() < 0.0) {
    tilt.x() = kPi;  // upside down: any horizontal axis is as short
  }
  const Vector3d heading = logMap((q_WB * expMap(tilt)).conjugate() * q_WB_wanted);
  return {tilt.x(), tilt.y(), heading.z()};
}

// Takes the integral towards what the acceleration misses of its command.
void integrate(Vector3d& integral, double rate, double dt, const Vector3d& commanded,
               const Vector3d& actual) {
  integral += std::min(rate * dt, 1.0) * (commanded - integral - actual);
}

}  // namespace

// The wanted polynomial (s^2 + 2 z w s + w^2)(s^2 + 2 zi wi s + wi^2) against the inner loop
// a'' = wi^2 (a_cmd - a) - 2 zi wi a', coefficient by coefficient.
CascadeGains cascadeGains(const LoopSpec& outer, const LoopSpec& inner) {
  const double w = outer.natural_frequency, z = outer.damping;
  const double wi = inner.natural_frequency, zi = inner.damping;
  CascadeGains gains;
  gains.rate = 2.0 * z * w + 2.0 * zi * w * w / wi;
  gains.outer = w * w / gains.rate;
  gains.acceleration = (4.0 * z * w * zi * wi + w * w) / (wi * wi);
  gains.jerk = 2.0 * z * w / (wi * wi);
  return gains;
}

CascadedPid::CascadedPid(const ControllerConfig& config, const VehicleModel& vehicle)
    : config_(config),
      vehicle_(vehicle),
      mixer_(vehicle),
      motors_(vehicle, thrustFrequency(config, vehicle)),
      horizontal_(cascadeGains(config.position, config.attitude)),
      vertical_(cascadeGains(config.position, thrustSpec(config, vehicle))),
      tilt_(cascadeGains(config.attitude, thrustSpec(config, vehicle))),
      yaw_(cascadeGains(config.yaw, thrustSpec(config, vehicle))) {
  config_.validate("controller");
  validateAgainstVehicle(config, vehicle);
  tan_tilt_max_ = std::tan(config.tilt_max);
  cos_tilt_max_ = std::cos(config.tilt_max);
  vertical_lag_ = 2.0 / motors_.naturalFrequency();
  horizontal_lag_ =
      2.0 * config.attitude.damping / config.attitude.natural_frequency + vertical_lag_;
  reset();
}

double CascadedPid::maxAttitudeFrequency(const VehicleModel& vehicle) {
  return std::min(kHighestAttitude,
                  MotorLead::kMaxRatio / kMotorsToAttitude * motorFrequency(vehicle));
}

void CascadedPid::rest() {
  position_integral_.setZero();
  attitude_integral_.setZero();
}

void CascadedPid::reset() {
  rest();
  last_stamp_ = -1;
  motors_.reset(mixer_.speeds(vehicle_.mass * kGravity, Vector3d::Zero()));
}

RotorArray CascadedPid::update(const KinematicState& state, const Reference& reference) {
  advanceTo(state.stamp);
  const Drag drag = dragOf(state);
  const Vector3d drag_W = drag.force_W / vehicle_.mass;
  const Vector3d wanted = accelerationCommand(state, reference) + position_integral_ - drag_W;
  const Vector3d force_W = limitedForce(wanted);

  const Vector3d commanded = force_W / vehicle_.mass + drag_W - Vector3d(0.0, 0.0, kGravity);
  integrate(position_integral_, config_.position_integral, dt_, commanded, state.a_WB);
  position_integral_ = clampedNorm(position_integral_, config_.integral_limit);

  const Vector3d z_B = state.X_WB.q * Vector3d::UnitZ();
  return attitudeLoop(state, attitudeOf(force_W.normalized(), reference.yaw), reference.yaw_rate,
                      collectiveThrust(force_W, z_B), drag.torque_B);
}

RotorArray CascadedPid::trackAttitude(const KinematicState& state,
                                      const Eigen::Quaterniond& q_WB_wanted, double yaw_rate,
                                      double thrust) {
  advanceTo(state.stamp);
  return attitudeLoop(state, q_WB_wanted, yaw_rate, thrust, dragOf(state).torque_B);
}

RotorArray CascadedPid::trackRates(const KinematicState& state, const Vector3d& w_WB_B_wanted,
                                   double thrust) {
  advanceTo(state.stamp);
  return rateLoop(state, w_WB_B_wanted, thrust, dragOf(state).torque_B);
}

void CascadedPid::advanceTo(TimeNs stamp) {
  const TimeNs step = last_stamp_ < 0 ? 0 : std::max<TimeNs>(0, stamp - last_stamp_);
  motors_.advance(step);
  dt_ = std::min(toSeconds(step), kLongestStep);
  last_stamp_ = stamp;
}

// Drag in still air at the modelled rotor speeds.
CascadedPid::Drag CascadedPid::dragOf(const KinematicState& state) const {
  const Vector3d v_B = state.X_WB.q.conjugate() * state.v_WB;
  Vector3d force_B = -vehicle_.linear_drag.cwiseProduct(v_B);
  Vector3d torque_B = Vector3d::Zero();
  for (int i = 0; i < 4; ++i) {
    const Vector3d& position = vehicle_.rotors[static_cast<std::size_t>(i)].position;
    const Vector3d air = v_B + state.w_WB_B.cross(position);
    const double factor = -vehicle_.rotor_drag_coefficient * motors_.speeds()[i];
    const Vector3d force = factor * Vector3d(air.x(), air.y(), 0.0);
    force_B += force;
    torque_B += position.cross(force);
  }
  return {state.X_WB.q * force_B, torque_B};
}

// Position and velocity loop [m/s^2] in W, without integral and limits.
Vector3d CascadedPid::accelerationCommand(const KinematicState& state, const Reference& reference) {
  // Jerk of the thrust vector: from the attitude's turning and from the motors' spinning up.
  const double thrust = mixer_.wrench(motors_.speeds())[0];
  const double thrust_rate = mixer_.wrenchRate(motors_.speeds(), motors_.accelerations())[0];
  const Vector3d turning = state.w_WB_B.cross(Vector3d::UnitZ()) * thrust;
  const Vector3d jerk = state.X_WB.q * (turning + Vector3d::UnitZ() * thrust_rate) / vehicle_.mass;

  const Vector3d outer(horizontal_.outer, horizontal_.outer, vertical_.outer);
  const Vector3d rate(horizontal_.rate, horizontal_.rate, vertical_.rate);
  const Vector3d acceleration(horizontal_.acceleration, horizontal_.acceleration,
                              vertical_.acceleration);
  const Vector3d jerk_gain(horizontal_.jerk, horizontal_.jerk, vertical_.jerk);
  const Vector3d lag(horizontal_lag_, horizontal_lag_, vertical_lag_);

  const Vector3d position_error = reference.p_WB - state.X_WB.p;
  const Vector3d velocity_command =
      clampedNorm(reference.v_WB + outer.cwiseProduct(position_error), config_.speed_max);
  return reference.a_WB + lag.cwiseProduct(reference.j_WB) +
         rate.cwiseProduct(velocity_command - state.v_WB) +
         acceleration.cwiseProduct(reference.a_WB - state.a_WB) +
         jerk_gain.cwiseProduct(reference.j_WB - jerk);
}

// The force [N] in W for an acceleration within the limits; what carries the weight comes first.
Vector3d CascadedPid::limitedForce(const Vector3d& acceleration) const {
  const double weight = vehicle_.mass * kGravity;
  const double highest = config_.thrust_max_ratio * fullThrust(vehicle_);
  const double lowest = std::min(config_.thrust_min_ratio * weight, highest);
  const double up = vehicle_.mass * acceleration.z() + weight;

  Vector3d force;
  force.z() = std::min(std::max(up, lowest), highest);
  const double across =
      std::min({vehicle_.mass * config_.acceleration_max, force.z() * tan_tilt_max_,
                std::sqrt(highest * highest - force.z() * force.z())});
  force.head<2>() = vehicle_.mass * acceleration.head<2>();
  const double norm = force.head<2>().norm();
  if (norm > across) force.head<2>() *= across / norm;
  return force;
}

// Thrust along the present body z [N] whose vertical part is the wanted one, so that a tilt that is
// still on its way costs no height.
double CascadedPid::collectiveThrust(const Vector3d& force_W, const Vector3d& z_B) const {
  const double highest = config_.thrust_max_ratio * fullThrust(vehicle_);
  const double lowest = std::min(config_.thrust_min_ratio * vehicle_.mass * kGravity, highest);
  const double thrust =
      z_B.z() >= cos_tilt_max_ ? force_W.z() / z_B.z() : std::max(0.0, force_W.dot(z_B));
  return std::min(std::max(thrust, lowest), highest);
}

RotorArray CascadedPid::attitudeLoop(const KinematicState& state,
                                     const Eigen::Quaterniond& q_WB_wanted, double yaw_rate,
                                     double thrust, const Vector3d& drag_torque_B) {
  const Vector3d outer(tilt_.outer, tilt_.outer, yaw_.outer);
  Vector3d w_command = outer.cwiseProduct(attitudeError(state.X_WB.q, q_WB_wanted));
  w_command += state.X_WB.q.conjugate() * Vector3d(0.0, 0.0, yaw_rate);
  w_command.z() = std::min(std::max(w_command.z(), -config_.yaw_rate_max), config_.yaw_rate_max);
  return rateLoop(state, w_command, thrust, drag_torque_B);
}

RotorArray CascadedPid::rateLoop(const KinematicState& state, const Vector3d& w_command,
                                 double thrust, const Vector3d& drag_torque_B) {
  const Vector3d& w = state.w_WB_B;
  const Eigen::Vector4d wrench_rate = mixer_.wrenchRate(motors_.speeds(), motors_.accelerations());
  const Vector3d jerk = wrench_rate.tail<3>().cwiseQuotient(vehicle_.inertia);

  const Vector3d rate(tilt_.rate, tilt_.rate, yaw_.rate);
  const Vector3d acceleration(tilt_.acceleration, tilt_.acceleration, yaw_.acceleration);
  const Vector3d jerk_gain(tilt_.jerk, tilt_.jerk, yaw_.jerk);
  const Vector3d wanted = rate.cwiseProduct(w_command - w) -
                          acceleration.cwiseProduct(state.dw_WB_B) - jerk_gain.cwiseProduct(jerk) +
                          attitude_integral_;
  // The torque that the rotors must give beyond the angular acceleration.
  const Vector3d opposing = w.cross(vehicle_.inertia.cwiseProduct(w)) - drag_torque_B;
  const Vector3d torque_B = vehicle_.inertia.cwiseProduct(wanted) + opposing;
  const Eigen::Array4d speeds = mixer_.speeds(thrust, torque_B);

  // The integral sees the torque that the mixer could give, not the one that was asked for.
  const Vector3d given =
      (mixer_.wrench(speeds).tail<3>() - opposing).cwiseQuotient(vehicle_.inertia);
  integrate(attitude_integral_, config_.attitude_integral, dt_, given, state.dw_WB_B);
  return motors_.commandTowards(speeds);
}

}  // namespace marsim::control
