// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sensors/step_response.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <Eigen/Cholesky>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/sim/pilot.hpp"
#include "marsim/sim/vehicle.hpp"
#include "suite/svg_chart.hpp"

namespace marsim::tools {
namespace {

using control::LoopSpec;
using control::Reference;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
const std::vector<std::string> kAxisNames{"x", "y", "z", "yaw", "roll", "pitch"};
constexpr double kStart = 10.0;  // [m] above the origin

void validateStep(StepAxis axis, double step) {
  const Validator check("command line");
  const bool tilts = axis == StepAxis::kRoll || axis == StepAxis::kPitch;
  const double most = tilts ? radians(60.0) : isAngle(axis) ? radians(170.0) : 50.0;
  const char* unit = isAngle(axis) ? "rad" : "m";
  check.require(std::abs(step) >= 1e-3 && std::abs(step) <= most, "--step", fmt::format("{}", step),
                fmt::format("0.001 to {:.3g} {}, up or down", most, unit));
}

const LoopSpec& loopOf(const control::ControllerConfig& gains, StepAxis axis) {
  if (axis == StepAxis::kYaw) return gains.yaw;
  return isAngle(axis) ? gains.attitude : gains.position;
}

double valueOf(const KinematicState& state, StepAxis axis) {
  const Eigen::Vector3d angles = toRollPitchYaw(state.X_WB.q);
  switch (axis) {
    case StepAxis::kX:
      return state.X_WB.p.x();
    case StepAxis::kY:
      return state.X_WB.p.y();
    case StepAxis::kZ:
      return state.X_WB.p.z() - kStart;
    case StepAxis::kYaw:
      return angles.z();
    case StepAxis::kRoll:
      return angles.x();
    case StepAxis::kPitch:
      return angles.y();
  }
  return kNone;
}

RotorArray answer(control::Controller& controller, const KinematicState& state, StepAxis axis,
                  double step, double weight) {
  if (axis == StepAxis::kRoll || axis == StepAxis::kPitch) {
    const Eigen::Quaterniond wanted = axis == StepAxis::kRoll ? fromRollPitchYaw(step, 0.0, 0.0)
                                                              : fromRollPitchYaw(0.0, step, 0.0);
    return controller.trackAttitude(state, wanted, 0.0, weight);
  }
  Reference reference;
  reference.p_WB.z() = kStart;
  if (axis == StepAxis::kYaw) {
    reference.yaw = step;
  } else {
    reference.p_WB[static_cast<int>(axis)] += step;
  }
  return controller.update(state, reference);
}

/// Least-squares fit of a second-order system behind a delay (Levenberg and Marquardt). Two of its
/// three parameters are logarithms, so that they stay positive.
class Fit {
 public:
  Fit(const StepFlight& flight, const LoopSpec& start)
      : flight_(&flight),
        x_(std::log(start.natural_frequency), std::log(start.damping), 2.0 * flight.dt) {}

  void run() {
    double damping = 1e-3;
    error_ = errorOf(x_);
    for (int i = 0; i < 100 && damping < 1e9; ++i) {
      const Eigen::Vector3d next = x_ + stepFrom(damping);
      const double error = errorOf(next);
      if (error < error_) {
        x_ = next;
        error_ = error;
        damping *= 0.3;
      } else {
        damping *= 5.0;
      }
    }
  }

  /// Rms of the residuals.
  double misfit() const {
    const std::size_t count = (flight_->shares.size() - 1) / stride() + 1;
    return std::sqrt(error_ / static_cast<double>(count));
  }
  double delay() const { return x_[2]; }
  LoopSpec spec() const { return specOf(x_); }

 private:
  static LoopSpec specOf(const Eigen::Vector3d& x) { return {std::exp(x[0]), std::exp(x[1])}; }
  // Every instant of a short flight, some of a long one.
  std::size_t stride() const { return flight_->shares.size() / 600 + 1; }
  double residual(const Eigen::Vector3d& x, std::size_t i) const {
    const double t = static_cast<double>(i) * flight_->dt;
    return flight_->shares[i] - secondOrderStep(specOf(x), t - x[2]);
  }
  double errorOf(const Eigen::Vector3d& x) const {
    if (x[2] < 0.0 || std::abs(x[0]) > 10.0 || std::abs(x[1]) > 5.0) {
      return std::numeric_limits<double>::infinity();
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < flight_->shares.size(); i += stride()) {
      sum += residual(x, i) * residual(x, i);
    }
    return sum;
  }
  Eigen::Vector3d stepFrom(double damping) const {
    constexpr double h = 1e-6;
    Eigen::Matrix3d square = Eigen::Matrix3d::Zero();
    Eigen::Vector3d slope = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < flight_->shares.size(); i += stride()) {
      const double here = residual(x_, i);
      Eigen::Vector3d gradient;
      for (int k = 0; k < 3; ++k) {
        gradient[k] = (residual(x_ + h * Eigen::Vector3d::Unit(k), i) - here) / h;
      }
      square += gradient * gradient.transpose();
      slope += gradient * here;
    }
    square.diagonal() *= 1.0 + damping;
    square.diagonal().array() += 1e-12;
    return -square.ldlt().solve(slope);
  }

  const StepFlight* flight_;
  Eigen::Vector3d x_;
  double error_ = 0.0;
};

// Starts at the specification, and elsewhere if that finds no fit.
Fit bestFit(const StepFlight& flight) {
  constexpr double kGood = 0.02;
  Fit best(flight, flight.specified);
  best.run();
  for (const double factor : {0.5, 2.0}) {
    for (const double damping : {0.5, 1.0}) {
      if (best.misfit() < kGood) return best;
      Fit other(flight, {factor * flight.specified.natural_frequency, damping});
      other.run();
      if (other.misfit() < best.misfit()) best = other;
    }
  }
  return best;
}

double firstAbove(const StepFlight& flight, double share) {
  for (std::size_t i = 0; i < flight.shares.size(); ++i) {
    if (flight.shares[i] >= share) return static_cast<double>(i) * flight.dt;
  }
  return kNone;
}

StepFlight idealFlight(const StepFlight& flight) {
  StepFlight ideal{flight.specified, flight.dt, {}};
  for (std::size_t i = 0; i < flight.shares.size(); ++i) {
    ideal.shares.push_back(secondOrderStep(flight.specified, static_cast<double>(i) * flight.dt));
  }
  return ideal;
}

std::string secondsText(double value) {
  return std::isfinite(value) ? fmt::format("{:.3f} s", value) : "none";
}

suite::Curve curveOf(const StepFlight& flight, const std::string& name, const std::string& style) {
  suite::Curve curve{name, style, {}};
  for (std::size_t i = 0; i < flight.shares.size(); ++i) {
    curve.points.emplace_back(static_cast<double>(i) * flight.dt, flight.shares[i]);
  }
  curve.points = suite::thinnedCurve(curve.points, 400);
  return curve;
}

}  // namespace

StepAxis stepAxis(const std::string& name) {
  const auto found = std::find(kAxisNames.begin(), kAxisNames.end(), name);
  if (found == kAxisNames.end()) throw UnknownNameError("command line", "axis", name, kAxisNames);
  return static_cast<StepAxis>(found - kAxisNames.begin());
}

bool isAngle(StepAxis axis) {
  return axis != StepAxis::kX && axis != StepAxis::kY && axis != StepAxis::kZ;
}

StepFlight flyStep(const vehicle::VehicleConfig& vehicle, const control::ControllerConfig& gains,
                   StepAxis axis, double step) {
  validateStep(axis, step);
  sim::VehicleSetup setup;
  setup.vehicle = vehicle;
  setup.collision.on = false;
  sim::Vehicle flown(setup, -std::numeric_limits<double>::infinity(), nullptr, 0);
  flown.place({0.0, 0.0, kStart}, 0.0, 0);
  const auto controller = control::makeController(gains, sim::vehicleModel(vehicle));
  const double weight = vehicle.mass * kGravity;

  StepFlight flight{loopOf(gains, axis), toSeconds(flown.dynamicsStep()), {}};
  const double slowest =
      flight.specified.natural_frequency * std::min(1.0, flight.specified.damping);
  const auto count =
      static_cast<std::size_t>(std::min(std::max(12.0 / slowest, 0.5), 60.0) / flight.dt);
  while (flight.shares.size() < count) {
    const KinematicState& state = flown.state();
    flight.shares.push_back(valueOf(state, axis) / step);
    if (flown.reportsNow()) {
      flown.command(
          {answer(*controller, state, axis, step, weight), state.stamp, flown.placements()});
    }
    flown.step();
  }
  return flight;
}

double secondOrderStep(const control::LoopSpec& spec, double t) {
  if (t <= 0.0) return 0.0;
  const double w = spec.natural_frequency, z = spec.damping;
  if (std::abs(z - 1.0) < 1e-6) return 1.0 - std::exp(-w * t) * (1.0 + w * t);
  if (z < 1.0) {
    const double wd = w * std::sqrt(1.0 - z * z);
    return 1.0 - std::exp(-z * w * t) * (std::cos(wd * t) + z * w / wd * std::sin(wd * t));
  }
  const double root = w * std::sqrt(z * z - 1.0);
  const double s1 = -z * w + root, s2 = -z * w - root;
  return 1.0 + (s2 * std::exp(s1 * t) - s1 * std::exp(s2 * t)) / (s1 - s2);
}

StepFigures stepFigures(const StepFlight& flight) {
  const Fit fit = bestFit(flight);
  StepFigures figures;
  figures.fitted = fit.spec();
  figures.delay = fit.delay();
  figures.misfit = fit.misfit();
  figures.rise = firstAbove(flight, 0.9) - firstAbove(flight, 0.1);
  std::size_t settled = flight.shares.size();
  for (std::size_t i = flight.shares.size(); i > 0; --i) {
    figures.overshoot = std::max(figures.overshoot, flight.shares[i - 1] - 1.0);
    if (settled == i && std::abs(flight.shares[i - 1] - 1.0) <= 0.02) settled = i - 1;
  }
  const bool settles = settled < flight.shares.size();
  figures.settling = settles ? static_cast<double>(settled) * flight.dt : kNone;
  return figures;
}

std::string stepTable(const StepFlight& flight) {
  const StepFigures flown = stepFigures(flight), wanted = stepFigures(idealFlight(flight));
  const auto row = [](const char* name, const std::string& a, const std::string& b) {
    return fmt::format("{:<20}{:>14}{:>14}\n", name, a, b);
  };
  const auto frequency = [](const LoopSpec& spec) {
    return fmt::format("{:.3f} rad/s", spec.natural_frequency);
  };
  std::string text = row("", "specified", "flown");
  text += row("natural frequency", frequency(flight.specified), frequency(flown.fitted));
  text += row("damping", fmt::format("{:.3f}", flight.specified.damping),
              fmt::format("{:.3f}", flown.fitted.damping));
  text += row("delay", "0.000 s", secondsText(flown.delay));
  text += row("overshoot", fmt::format("{:.1f} %", 100.0 * wanted.overshoot),
              fmt::format("{:.1f} %", 100.0 * flown.overshoot));
  text += row("rise, 10 to 90 %", secondsText(wanted.rise), secondsText(flown.rise));
  text += row("settling, 2 %", secondsText(wanted.settling), secondsText(flown.settling));
  text += row("misfit, rms", "", fmt::format("{:.2f} %", 100.0 * flown.misfit));
  return text;
}

std::string stepPicture(const StepFlight& flight, const std::string& title) {
  suite::Chart chart;
  chart.title = title;
  chart.x_label = title + ": time [s]";
  chart.y_label = "share of the step";
  chart.from_zero = true;
  chart.levels = {{1.0, "reference"}};
  const StepFlight ideal = idealFlight(flight);
  chart.curves = {curveOf(ideal, "specified", "u1 d1"), curveOf(flight, "flown", "u0")};
  // The legend is where no curve is: below, late.
  const double late = 0.6 * flight.dt * static_cast<double>(flight.shares.size());
  chart.marks = {{{late, 0.3}, "specified", "u1"}, {{late, 0.15}, "flown", "u0"}};
  return suite::svgFile(chart);
}

}  // namespace marsim::tools
