#include "marsim/vehicle/vehicle_config.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/QR>

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
  check.positive("motor.natural_frequency_up", motor.natural_frequency_up, "rad/s");
  check.positive("motor.natural_frequency_down", motor.natural_frequency_down, "rad/s");
  check.within("motor.damping", motor.damping, 0.1, 10.0);
  check.require(
      motor.fastestPole() <= kFastestPole, "motor",
      fmt::format("of a pole of {:.0f} rad/s (natural frequency and damping)", motor.fastestPole()),
      fmt::format("up to {} rad/s", kFastestPole));
  check.notNegative("motor.speed_min", motor.speed_min, "rad/s");
  check.positive("motor.speed_max", motor.speed_max, "rad/s");
  check.require(motor.speed_min < motor.speed_max, "motor.speed_min",
                fmt::format("{}", motor.speed_min),
                fmt::format("less than motor.speed_max ({} rad/s)", motor.speed_max));
}

void validateRotors(const std::vector<RotorConfig>& rotors, const Validator& check) {
  check.require(rotors.size() >= kLeastRotors && rotors.size() <= kMostRotors, "rotors",
                fmt::format("a list of {}", rotors.size()),
                fmt::format("a list of {} to {}", kLeastRotors, kMostRotors));
  for (std::size_t i = 0; i < rotors.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      check.finite(fmt::format("rotors[{}].position[{}]", i, axis), rotors[i].position[axis], "m");
    }
    const int spin = rotors[i].spin;
    check.require(spin == 1 || spin == -1, fmt::format("rotors[{}].spin", i),
                  fmt::format("{}", spin), "1 or -1");
  }
}

void validateMore(const VehicleConfig& config, const Validator& check) {
  for (int axis = 0; axis < 3; ++axis) {
    check.notNegative(fmt::format("parasitic_drag[{}]", axis), config.parasitic_drag[axis],
                      "N/(m/s)^2");
    check.within(fmt::format("payload.position[{}]", axis), config.payload.position[axis],
                 -kFarthestPayload, kFarthestPayload, "m");
  }
  check.notNegative("rotor_radius", config.rotor_radius, "m");
  check.require(!config.ground_effect || config.rotor_radius > 0.0, "rotor_radius",
                fmt::format("{}", config.rotor_radius), "more than 0 m with ground_effect");
  check.notNegative("payload.mass", config.payload.mass, "kg");
  check.within("battery.sag", config.battery.sag, kLeastSag, 1.0);
  check.positive("battery.duration", config.battery.duration, "s");
}

}  // namespace

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
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(kLeastAuthority);
  decomposition.compute(wrench);
  if (decomposition.rank() < 4) return none;
  // The root of a negative solution is NaN, as the header says.
  return decomposition.solve(weight).array().sqrt();
}

double VehicleConfig::maxThrust() const {
  return static_cast<double>(rotors.size()) * thrust_coefficient * motor.speed_max *
         motor.speed_max;
}

void VehicleConfig::validate(const std::string& where) const {
  const Validator check(where);
  check.positive("mass", mass, "kg");
  // Published inertias of real craft break the triangle inequality, so it is not required.
  for (int axis = 0; axis < 3; ++axis) {
    check.positive(fmt::format("inertia[{}]", axis), inertia[axis], "kg m^2");
  }
  validateRotors(rotors, check);
  check.positive("thrust_coefficient", thrust_coefficient, "N/(rad/s)^2");
  check.positive("torque_coefficient", torque_coefficient, "N m/(rad/s)^2");
  validateMotor(motor, check);
  check.notNegative("rotor_drag_coefficient", rotor_drag_coefficient, "N/(rad/s)/(m/s)");
  for (int axis = 0; axis < 3; ++axis) {
    check.notNegative(fmt::format("linear_drag[{}]", axis), linear_drag[axis], "N/(m/s)");
  }
  validateMore(*this, check);
  check.positive("radius", radius, "m");
  check.notNegative("ground_clearance", ground_clearance, "m");
  check.within("control_latency", control_latency, 0, 100, "states");

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
