// SPDX-License-Identifier: BSD-3-Clause
#include "control/loops/cascaded_pid.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/sim/world.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;
using vehicle::Quadrotor;
using vehicle::VehicleConfig;

void fly(
    Quadrotor& quadrotor, CascadedPid& controller, const Reference& reference, double seconds,
    const std::function<void()>& watch = [] {}) {
  for (int i = 0; i < static_cast<int>(seconds * 500.0); ++i) {
    quadrotor.command(controller.update(quadrotor.state(), reference));
    quadrotor.step(1'000'000);
    quadrotor.step(1'000'000);
    watch();
  }
}

double tiltOf(const Quadrotor& quadrotor) {
  return std::acos(std::min(1.0, (quadrotor.state().X_WB.q * Vector3d::UnitZ()).z()));
}

// The four poles of the cascade are those of the specification and of the inner loop: the
// polynomial of the closed loop vanishes there.
TEST(CascadeGains, PlaceThePolesAsSpecified) {
  const LoopSpec outer{2.5, 0.8}, inner{18.0, 0.9};
  const CascadeGains gains = cascadeGains(outer, inner);
  const double wi = inner.natural_frequency, zi = inner.damping;
  const auto closedLoop = [&](std::complex<double> s) {
    const std::complex<double> command =
        -gains.rate * (gains.outer + s) - gains.acceleration * s * s - gains.jerk * s * s * s;
    return s * s * (s * s + 2.0 * zi * wi * s + wi * wi) - wi * wi * command;
  };
  for (const LoopSpec& spec : {outer, inner}) {
    const double w = spec.natural_frequency, z = spec.damping;
    const std::complex<double> pole(-z * w, w * std::sqrt(1.0 - z * z));
    EXPECT_LT(std::abs(closedLoop(pole)), 1e-9 * std::pow(wi, 4));
  }
}

// Without feedback of acceleration two of the four poles are the specification's, and the others
// are damped.
TEST(CascadeGains, PlainOnesPlaceTwoPolesAsSpecified) {
  const LoopSpec inner{54.0, 1.0};
  const double wi = inner.natural_frequency, zi = inner.damping;
  for (const double z : {0.7, 0.9}) {
    const LoopSpec outer{wi / kPlainRatio, z};
    const CascadeGains gains = plainCascadeGains(outer, inner);
    const auto closedLoop = [&](std::complex<double> s) {
      return s * s * (s * s + 2.0 * zi * wi * s + wi * wi) +
             wi * wi * gains.rate * (gains.outer + s);
    };
    const double w = outer.natural_frequency;
    const std::complex<double> pole(-z * w, w * std::sqrt(1.0 - z * z));
    EXPECT_LT(std::abs(closedLoop(pole)), 1e-9 * std::pow(wi, 4));
    // The other two: s^2 + a s + b.
    const double a = 2.0 * zi * wi - 2.0 * z * w;
    const double b = gains.rate * gains.outer * wi * wi / (w * w);
    EXPECT_GT(a / (2.0 * std::sqrt(b)), 0.9);
    EXPECT_GT(std::sqrt(b), 2.0 * w);
  }
}

TEST(Controller, AtRestCommandsHover) {
  for (const VehicleConfig& config : vehicle::allVehicles()) {
    CascadedPid controller(ControllerConfig{}, sim::vehicleModel(config));
    const Eigen::Array4d speeds = controller.update(KinematicState{}, Reference{});
    EXPECT_LT((speeds - config.hoverSpeeds()).abs().maxCoeff(), 1e-6 * config.hoverSpeed());
  }
}

TEST(Controller, IntegralTakesUpASteadyForce) {
  for (const VehicleConfig& config : vehicle::allVehicles()) {
    CascadedPid controller(ControllerConfig{}, sim::vehicleModel(config));
    Quadrotor quadrotor(config);
    quadrotor.setExternalWrench(config.mass * Vector3d(0.8, -0.3, -1.0), Vector3d::Zero());
    const Reference reference;
    fly(quadrotor, controller, reference, 3.0);
    EXPECT_GT(quadrotor.state().X_WB.p.norm(), 0.02);
    fly(quadrotor, controller, reference, 30.0);
    EXPECT_LT(quadrotor.state().X_WB.p.norm(), 0.001) << config.name;
  }
}

TEST(Controller, DoesNotWindUpBehindItsLimits) {
  for (const VehicleConfig& config : vehicle::allVehicles()) {
    ControllerConfig gains;
    gains.position_integral = 1.0;
    CascadedPid controller(gains, sim::vehicleModel(config));
    Quadrotor quadrotor(config);
    Reference reference;
    reference.p_WB = {40.0, 0.0, 15.0};  // far: speed, tilt and thrust run into their limits
    double farthest = 0.0, highest = 0.0, fastest = 0.0, steepest = 0.0;
    fly(quadrotor, controller, reference, 25.0, [&] {
      farthest = std::max(farthest, quadrotor.state().X_WB.p.x());
      highest = std::max(highest, quadrotor.state().X_WB.p.z());
      fastest = std::max(fastest, quadrotor.state().v_WB.norm());
      steepest = std::max(steepest, tiltOf(quadrotor));
    });
    EXPECT_LT(farthest, 40.0 + 0.4) << config.name;
    EXPECT_LT(highest, 15.0 + 0.4) << config.name;
    EXPECT_LT(fastest, 1.05 * gains.speed_max) << config.name;
    EXPECT_LT(steepest, gains.tilt_max + 0.05) << config.name;
    EXPECT_LT((quadrotor.state().X_WB.p - reference.p_WB).norm(), 0.01) << config.name;
  }
}

TEST(Controller, KeepsItsHeightWhileItDashesSideways) {
  for (const VehicleConfig& config : vehicle::allVehicles()) {
    CascadedPid controller(ControllerConfig{}, sim::vehicleModel(config));
    Quadrotor quadrotor(config);
    Reference reference;
    reference.p_WB = {5.0, 0.0, 0.0};
    double worst = 0.0;
    fly(quadrotor, controller, reference, 6.0,
        [&] { worst = std::max(worst, std::abs(quadrotor.state().X_WB.p.z())); });
    EXPECT_LT(worst, 0.1) << config.name;
  }
}

TEST(Controller, LargeTurnOfHeadingLeavesTheTiltAlone) {
  for (const VehicleConfig& config : vehicle::allVehicles()) {
    CascadedPid controller(ControllerConfig{}, sim::vehicleModel(config));
    Quadrotor quadrotor(config);
    Reference reference;
    reference.yaw = 3.0;
    double steepest = 0.0, farthest = 0.0;
    fly(quadrotor, controller, reference, 8.0, [&] {
      steepest = std::max(steepest, tiltOf(quadrotor));
      farthest = std::max(farthest, quadrotor.state().X_WB.p.norm());
    });
    EXPECT_LT(steepest, radians(1.0)) << config.name;
    EXPECT_LT(farthest, 0.02) << config.name;
    EXPECT_NEAR(yawOf(quadrotor.state().X_WB.q), 3.0, 0.01) << config.name;
  }
}

TEST(Controller, RecoversFromUpsideDown) {
  for (const VehicleConfig& config : vehicle::allVehicles()) {
    for (const double roll : {3.0, kPi}) {
      CascadedPid controller(ControllerConfig{}, sim::vehicleModel(config));
      Quadrotor quadrotor(config);
      quadrotor.setMotion(fromRollPitchYaw(roll, 0.0, 0.0), Vector3d::Zero(), {0.3, -0.2, 0.1});
      fly(quadrotor, controller, Reference{}, 15.0);
      EXPECT_LT(tiltOf(quadrotor), 0.01) << config.name;
      EXPECT_LT(quadrotor.state().X_WB.p.norm(), 0.1) << config.name;
    }
  }
}

std::string messageOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Controller, RefusesWhatTheMotorsCannotFollow) {
  ControllerConfig gains;
  gains.attitude.natural_frequency = 30.0;
  const VehicleModel slow = sim::vehicleModel(vehicle::crazyflie());
  EXPECT_EQ(messageOf([&] { CascadedPid(gains, slow); }),
            "controller: attitude.natural_frequency is 30, allowed: up to 22.2 rad/s, all that "
            "this vehicle can follow");
  gains = ControllerConfig{};
  gains.feedback = {false, false};
  EXPECT_EQ(messageOf([&] { CascadedPid(gains, slow); }),
            "controller: attitude.natural_frequency is 18, allowed: up to 6.2 rad/s, all that "
            "this vehicle can follow with feedback.motor_model off");
  gains.type = ControllerType::kGeometric;
  EXPECT_EQ(messageOf([&] { makeController(gains, slow); }),
            "controller: attitude.natural_frequency is 18, allowed: up to 6.2 rad/s, all that "
            "this vehicle can follow with feedback.motor_model off");
  gains = ControllerConfig{};
  gains.thrust_max_ratio = 0.4;
  EXPECT_EQ(messageOf([&] { CascadedPid(gains, slow); }),
            "controller: thrust_max_ratio is 0.4, allowed: more than 0.512, which carries this "
            "vehicle's weight");
}

TEST(ControllerConfig, MessagesNameFileFieldValueAndBound) {
  const auto afterChange = [](const std::function<void(ControllerConfig&)>& change) {
    ControllerConfig config;
    change(config);
    return messageOf([&] { config.validate("c.yaml"); });
  };
  EXPECT_EQ(afterChange([](auto&) {}), "");
  EXPECT_EQ(afterChange([](auto& c) { c.position.natural_frequency = 6.0; }),
            "c.yaml: position.natural_frequency is 6, allowed: up to 4.5 rad/s (a quarter of "
            "attitude.natural_frequency)");
  EXPECT_EQ(afterChange([](auto& c) { c.attitude.damping = 0.1; }),
            "c.yaml: attitude.damping is 0.1, allowed: 0.3 to 3");
  EXPECT_EQ(afterChange([](auto& c) { c.tilt_max = 2.0; }),
            "c.yaml: tilt_max is 2, allowed: 0.01 to 1.4 rad");
  EXPECT_EQ(afterChange([](auto& c) { c.goal.speed = 0.0; }),
            "c.yaml: goal.speed is 0, allowed: more than 0 m/s");
  EXPECT_EQ(afterChange([](auto& c) { c.goal.speed = 9.0; }),
            "c.yaml: goal.speed is 9, allowed: up to speed_max (8 m/s)");
}

}  // namespace
}  // namespace marsim::control
