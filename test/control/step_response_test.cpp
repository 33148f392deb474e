// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "control/loops/cascaded_pid.hpp"
#include "marsim/common/units.hpp"
#include "marsim/sim/world.hpp"
#include "marsim/vehicle/quadrotor.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::control {
namespace {

using vehicle::Quadrotor;
using vehicle::VehicleConfig;

constexpr TimeNs kDynamicsStep = 1'000'000;
constexpr int kStateEvery = 2;

// The unit step response of wn^2 / (s^2 + 2 zeta wn s + wn^2) in closed form.
double specified(const LoopSpec& spec, double t) {
  const double w = spec.natural_frequency, z = spec.damping;
  if (z < 1.0) {
    const double wd = w * std::sqrt(1.0 - z * z);
    return 1.0 - std::exp(-z * w * t) * (std::cos(wd * t) + z * w / wd * std::sin(wd * t));
  }
  if (z == 1.0) return 1.0 - std::exp(-w * t) * (1.0 + w * t);
  const double root = w * std::sqrt(z * z - 1.0);
  const double s1 = -z * w + root, s2 = -z * w - root;
  return 1.0 + (s2 * std::exp(s1 * t) - s1 * std::exp(s2 * t)) / (s1 - s2);
}

struct StepFigures {
  double overshoot;      // share of the step
  double settling_time;  // [s] to stay within 2 %
};

StepFigures figuresOf(const std::vector<double>& response, double dt) {
  StepFigures figures{0.0, 0.0};
  for (std::size_t i = 0; i < response.size(); ++i) {
    figures.overshoot = std::max(figures.overshoot, response[i] - 1.0);
    if (std::abs(response[i] - 1.0) > 0.02) {
      figures.settling_time = static_cast<double>(i + 1) * dt;
    }
  }
  return figures;
}

// Flies `duration` seconds; every state the controller's answer takes effect one state later, as
// over a link that takes its time. `measure` gives the response, as a share of the step.
std::vector<double> fly(Quadrotor& quadrotor, double duration,
                        const std::function<Eigen::Array4d(const KinematicState&)>& control,
                        const std::function<double(const KinematicState&)>& measure) {
  std::vector<double> response;
  Eigen::Array4d waiting = quadrotor.motorCommands();
  const int steps = static_cast<int>(std::lround(duration * 1000.0));
  for (int i = 0; i < steps; ++i) {
    if (i % kStateEvery == 0) {
      quadrotor.command(waiting);
      waiting = control(quadrotor.state());
    }
    response.push_back(measure(quadrotor.state()));
    quadrotor.step(kDynamicsStep);
  }
  return response;
}

void expectLikeSpecification(const std::vector<double>& response, const LoopSpec& spec,
                             const std::string& what) {
  std::vector<double> ideal;
  for (std::size_t i = 0; i < response.size(); ++i) {
    ideal.push_back(specified(spec, 1e-3 * static_cast<double>(i)));
  }
  const StepFigures wanted = figuresOf(ideal, 1e-3), got = figuresOf(response, 1e-3);
  EXPECT_NEAR(got.overshoot, wanted.overshoot, 0.05) << what;
  EXPECT_NEAR(got.settling_time, wanted.settling_time, 0.15 * wanted.settling_time) << what;
}

Quadrotor hovering(const VehicleConfig& config) {
  Quadrotor quadrotor(config);
  quadrotor.reset({1.0, -2.0, 10.0}, 0.4);
  return quadrotor;
}

void expectAttitudeAsSpecified(const VehicleConfig& config, const LoopSpec& spec, int axis) {
  ControllerConfig gains;
  gains.attitude = spec;
  CascadedPid controller(gains, sim::vehicleModel(config));
  Quadrotor quadrotor = hovering(config);
  const double step = radians(3.0);
  const Eigen::Quaterniond wanted =
      fromRollPitchYaw(axis == 0 ? step : 0.0, axis == 1 ? step : 0.0, 0.4);
  const auto response = fly(
      quadrotor, 1.0,
      [&](const KinematicState& state) {
        return controller.trackAttitude(state, wanted, 0.0, config.mass * kGravity);
      },
      [&](const KinematicState& state) { return toRollPitchYaw(state.X_WB.q)[axis] / step; });
  expectLikeSpecification(response, spec, config.name + (axis == 0 ? " roll" : " pitch"));
}

void expectPositionAsSpecified(const VehicleConfig& config, const LoopSpec& spec, int axis) {
  ControllerConfig gains;
  gains.position = spec;
  CascadedPid controller(gains, sim::vehicleModel(config));
  Quadrotor quadrotor = hovering(config);
  const double step = 0.2, start = quadrotor.state().X_WB.p[axis];
  Reference reference;
  reference.p_WB = quadrotor.state().X_WB.p + step * Eigen::Vector3d::Unit(axis);
  reference.yaw = 0.4;
  const auto response = fly(
      quadrotor, 8.0,
      [&](const KinematicState& state) { return controller.update(state, reference); },
      [&](const KinematicState& state) { return (state.X_WB.p[axis] - start) / step; });
  expectLikeSpecification(response, spec, config.name + " " + std::string(1, "xyz"[axis]));
}

// The default and the highest that is allowed.
TEST(StepResponse, RollAndPitchFollowTheirSpecification) {
  for (const VehicleConfig& config : vehicle::allVehicles()) {
    const double highest = Actuation::maxAttitudeFrequency(sim::vehicleModel(config), {});
    for (const double frequency : {ControllerConfig{}.attitude.natural_frequency, highest}) {
      for (const double damping : {0.7, 0.9, 1.0}) {
        for (const int axis : {0, 1}) expectAttitudeAsSpecified(config, {frequency, damping}, axis);
      }
    }
  }
}

TEST(StepResponse, PositionFollowsItsSpecification) {
  const ControllerConfig defaults;
  const double highest = defaults.attitude.natural_frequency / 4.0;
  for (const VehicleConfig& config : vehicle::allVehicles()) {
    for (const double frequency : {defaults.position.natural_frequency, highest}) {
      for (const double damping : {0.7, 0.9, 1.0}) {
        for (const int axis : {0, 1, 2}) {
          expectPositionAsSpecified(config, {frequency, damping}, axis);
        }
      }
    }
  }
}

TEST(StepResponse, YawFollowsItsSpecification) {
  for (const VehicleConfig& config : vehicle::allVehicles()) {
    const ControllerConfig gains;
    CascadedPid controller(gains, sim::vehicleModel(config));
    Quadrotor quadrotor = hovering(config);
    Reference reference;
    reference.p_WB = quadrotor.state().X_WB.p;
    reference.yaw = 0.6;
    const auto response = fly(
        quadrotor, 4.0,
        [&](const KinematicState& state) { return controller.update(state, reference); },
        [&](const KinematicState& state) { return (yawOf(state.X_WB.q) - 0.4) / 0.2; });
    expectLikeSpecification(response, gains.yaw, config.name + " yaw");
  }
}

}  // namespace
}  // namespace marsim::control
