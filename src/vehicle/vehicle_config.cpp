// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/vehicle/vehicle_config.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "geometry/pseudoinverse.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::vehicle {
namespace {

constexpr std::size_t kLeastRotors = 4;   // for thrust and three torques
constexpr double kLeastAuthority = 1e-6;  // about the weakest axis, relative to the strongest

constexpr double kFarthestPayload = 10.0;  // [m]
constexpr double kLeastSag = 0.1;

// The dynamics run at 1 kHz by default; Runge-Kutta steps of 1 ms resolve poles up to here well.
constexpr double kFastestPole = 2000.0;  // [rad/s]

void validateMotor(const MotorConfig& motor, const Validator& check) {
  check.require(
      motor.fastestPole() <= kFastestPole, "motor",
      fmt::format("of a pole of {:.0f} rad/s (natural frequency and damping)", motor.fastestPole()),
      fmt::format("up to {} rad/s", kFastestPole));
  check.require(motor.speed_min < motor.speed_max, "motor.speed_min",
                fmt::format("{}", motor.speed_min),
                fmt::format("less than motor.speed_max ({} rad/s)", motor.speed_max));
}

void validateRotors(const std::vector<RotorConfig>& rotors, const Validator& check) {
  check.require(rotors.size() >= kLeastRotors && rotors.size() <= kMostRotors, "rotors",
                fmt::format("a list of {}", rotors.size()),
                fmt::format("a list of {} to {}", kLeastRotors, kMostRotors));
  for (std::size_t i = 0; i < rotors.size(); ++i) {
    const int spin = rotors[i].spin;
    check.require(spin == 1 || spin == -1, fmt::format("rotors[{}].spin", i),
                  fmt::format("{}", spin), "1 or -1");
  }
}

}  // namespace

void MotorConfig::declare(Settings& settings) {
  settings.required("natural_frequency_up", natural_frequency_up, "rad/s", kPositive);
  settings.required("natural_frequency_down", natural_frequency_down, "rad/s", kPositive);
  settings.optional("damping", damping, "", {0.1, 10.0});
  settings.optional("speed_min", speed_min, "rad/s", kNotNegative);
  settings.required("speed_max", speed_max, "rad/s", kPositive);
}

void RotorConfig::declare(Settings& settings) {
  settings.required("position", position, "m");
  settings.required<int>("spin", spin, {{"ccw", 1}, {"cw", -1}});
}

void PayloadConfig::declare(Settings& settings) {
  settings.required("mass", mass, "kg", kNotNegative);
  settings.required("position", position, "m", {-kFarthestPayload, kFarthestPayload});
  settings.optional("known", known);
}

void BatteryConfig::declare(Settings& settings) {
  settings.required("sag", sag, "", {kLeastSag, 1.0});
  settings.required("duration", duration, "s", kPositive);
}

void DifferentialDriveConfig::declare(Settings& settings) {
  settings.required("track", track, "m", kPositive);
  settings.required("wheelbase", wheelbase, "m", kPositive);
  settings.required("wheel_radius", wheel_radius, "m", kPositive);
  settings.required("speed_max", speed_max, "m/s", kPositive);
  settings.required("acceleration", acceleration, "m/s^2", kPositive);
  settings.optional("slope_max", slope_max, "rad", {0.0, radians(60.0)});
  settings.optional("step_max", step_max, "m", kPositive);
  settings.required("size", size, "m", kPositive);
}

void PowerConfig::declare(Settings& settings) {
  settings.optional("efficiency", efficiency, "", {0.1, 1.0});
  settings.optional("avionics", avionics, "W", kNotNegative);
}

double MotorConfig::fastestPole() const {
  const double fastest = std::max(natural_frequency_up, natural_frequency_down);
  return damping <= 1.0 ? fastest : fastest * (damping + std::sqrt(damping * damping - 1.0));
}

double BatteryConfig::shareAt(double seconds) const {
  return 1.0 - (1.0 - sag) * std::clamp(seconds / duration, 0.0, 1.0);
}

double VehicleConfig::totalMass() const { return mass + payload.mass; }

Eigen::Vector3d VehicleConfig::centreOfMass() const {
  return payload.mass / totalMass() * payload.position;
}

// Parallel axis theorem (Steiner): the vehicle about B's origin, its own centre, and a point mass.
Eigen::Matrix3d VehicleConfig::totalInertia() const {
  const auto ofPoint = [](double m, const Eigen::Vector3d& r) -> Eigen::Matrix3d {
    return m * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
  };
  const Eigen::Vector3d c = centreOfMass();
  Eigen::Matrix3d total = inertia.asDiagonal();
  return total + ofPoint(mass, c) + ofPoint(payload.mass, payload.position - c);
}

VehicleConfig VehicleConfig::asControlled() const {
  VehicleConfig known = *this;
  known.payload = {};
  if (!payload.known) return known;
  known.mass = totalMass();
  known.inertia = totalInertia().diagonal();
  for (RotorConfig& rotor : known.rotors) rotor.position -= centreOfMass();
  return known;
}

double VehicleConfig::hoverSpeed() const {
  return std::sqrt(totalMass() * kGravity /
                   (static_cast<double>(rotors.size()) * thrust_coefficient));
}

RotorArray VehicleConfig::hoverSpeeds() const {
  // Rows: thrust and the three torques per squared rotor speed, each in a unit that makes its
  // largest number 1.
  const auto count = static_cast<Eigen::Index>(rotors.size());
  Eigen::Matrix<double, 4, Eigen::Dynamic, Eigen::ColMajor, 4, kMostRotors> wrench(4, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const RotorConfig& rotor = rotors[static_cast<std::size_t>(i)];
    const Eigen::Vector3d lever = rotor.position - centreOfMass();
    wrench.col(i) << 1.0, lever.y(), -lever.x(), -rotor.spin;
  }
  RotorArray none = RotorArray::Constant(count, std::nan(""));
  for (int row = 1; row < 4; ++row) {
    const double largest = wrench.row(row).cwiseAbs().maxCoeff();
    if (!(largest > 0.0)) return none;
    wrench.row(row) /= largest;
  }
  const Eigen::Vector4d weight(totalMass() * kGravity / thrust_coefficient, 0.0, 0.0, 0.0);
  const auto inverse = pseudoinverse(wrench, kLeastAuthority);
  if (!inverse) return none;
  const RotorArray squares = (*inverse * weight).array();
  // A rotor that would have to stand still, up to rounding, or to pull down has no speed.
  return (squares > kLeastAuthority * squares.maxCoeff()).select(squares.sqrt(), none);
}

double VehicleConfig::powerAt(const RotorArray& speeds) const {
  return torque_coefficient * speeds.cube().sum() / power.efficiency + power.avionics;
}

double VehicleConfig::maxThrust() const {
  return static_cast<double>(rotors.size()) * thrust_coefficient * motor.speed_max *
         motor.speed_max;
}

void VehicleConfig::declare(Settings& settings) {
  settings.required("name", name);
  settings.required("mass", mass, "kg", kPositive);
  // Published inertias of real craft break the triangle inequality, so it is not required.
  settings.required("inertia", inertia, "kg m^2", kPositive);
  settings.required("radius", radius, "m", kPositive);
  settings.required("ground_clearance", ground_clearance, "m", kNotNegative);
  settings.optional("control_latency", control_latency, "states", {0, 100});
  declareEstimate(settings);
  settings.optional("differential_drive", differential_drive);
  if (!differential_drive) declareRotors(settings);
}

// A word, or a map of the SLAM's settings.
void VehicleConfig::declareEstimate(Settings& settings) {
  if (!settings.inFile("estimate") || settings.isMap("estimate")) {
    return settings.optional("estimate", estimate);
  }
  bool is_realistic = false;
  settings.required<bool>("estimate", is_realistic, {{"realistic", true}, {"none", false}});
  if (is_realistic) estimate.emplace();
}

// Keys of a multirotor, which are unknown in the file of a vehicle on wheels.
void VehicleConfig::declareRotors(Settings& settings) {
  settings.required("rotors", rotors);
  settings.required("thrust_coefficient", thrust_coefficient, "N/(rad/s)^2", kPositive);
  // Sources give either k_M itself or its ratio to k_F, a length.
  std::optional<double> ratio;
  settings.optional("moment_constant", ratio, "m");
  if (ratio && settings.inFile("torque_coefficient")) {
    settings.fail("moment_constant", "given beside torque_coefficient", "one of the two");
  }
  if (ratio) torque_coefficient = *ratio * thrust_coefficient;
  if (!ratio)
    settings.required("torque_coefficient", torque_coefficient, "N m/(rad/s)^2", kPositive);
  settings.optional("rotor_drag_coefficient", rotor_drag_coefficient, "N/(rad/s)/(m/s)",
                    kNotNegative);
  settings.required("motor", motor);
  settings.optional("linear_drag", linear_drag, "N/(m/s)", kNotNegative);
  settings.optional("parasitic_drag", parasitic_drag, "N/(m/s)^2", kNotNegative);
  settings.optional("rotor_radius", rotor_radius, "m", kNotNegative);
  settings.optional("ground_effect", ground_effect);
  settings.optional("payload", payload);
  settings.optional("battery", battery);
  settings.optional("power", power);
}

void VehicleConfig::validate(const std::string& where) const {
  checkSettings(where, *this);
  if (!differential_drive) validateFlight(where);
  imu.validate(where + ": imu");
  if (magnetometer) magnetometer->validate(where + ": magnetometer");
  if (barometer) barometer->validate(where + ": barometer");
  if (gnss) gnss->validate(where + ": gnss");
}

void VehicleConfig::validateFlight(const std::string& where) const {
  const Validator check(where);
  validateRotors(rotors, check);
  validateMotor(motor, check);
  check.require(!ground_effect || rotor_radius > 0.0, "rotor_radius",
                fmt::format("{}", rotor_radius), "more than 0 m with ground_effect");
  const double weight = totalMass() * kGravity;
  check.require(maxThrust() > weight, payload.mass > 0.0 ? "mass with payload" : "mass",
                fmt::format("{}", totalMass()),
                fmt::format("less than {:.4g} kg: the rotors' thrust at motor.speed_max is {:.4g} "
                            "N",
                            maxThrust() / kGravity, maxThrust()));
  const RotorArray hover = hoverSpeeds();
  check.require(hover.allFinite(), "rotors", "a layout without hover equilibrium",
                "positions and spins whose thrusts and torques about all three axes can balance");
  for (Eigen::Index i = 0; i < hover.size(); ++i) {
    check.require(hover[i] > motor.speed_min && hover[i] < motor.speed_max,
                  fmt::format("rotors[{}] hover speed", i), fmt::format("{:.1f}", hover[i]),
                  fmt::format("between motor.speed_min ({}) and motor.speed_max ({} rad/s)",
                              motor.speed_min, motor.speed_max));
  }
}

}  // namespace marsim::vehicle
