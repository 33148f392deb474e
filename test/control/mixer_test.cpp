// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/control/mixer.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "control/loops/motor_lead.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/control/controller.hpp"
#include "marsim/sim/world.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::control {
namespace {

using Eigen::Array4d;
using Eigen::Vector3d;
using Eigen::Vector4d;

/// Firefly of RotorS (Furrer et al., 2016): six rotors on arms of 0.215 m, 60 degrees apart, spins
/// in turn.
VehicleModel firefly() {
  VehicleModel model = sim::vehicleModel(vehicle::hummingbird());
  model.mass = 1.53;
  model.inertia = {0.0347563, 0.0458929, 0.0977};
  model.rotors.clear();
  for (int i = 0; i < 6; ++i) {
    const double angle = radians(30.0 + 60.0 * i);
    model.rotors.push_back(
        {0.215 * Vector3d(std::cos(angle), std::sin(angle), 0.0), i % 2 == 0 ? -1 : 1});
  }
  return model;
}

std::vector<VehicleModel> models() {
  std::vector<VehicleModel> models{firefly()};
  for (const auto& config : vehicle::allVehicles()) models.push_back(sim::vehicleModel(config));
  return models;
}

double weightOf(const VehicleModel& model) { return model.mass * 9.80665; }

TEST(Mixer, InvertsTheWrenchOfTheRotors) {
  RandomStream random(3);
  for (const VehicleModel& model : models()) {
    const Mixer mixer(model);
    const double arm = model.rotors[0].position.norm();
    for (int i = 0; i < 100; ++i) {
      const double thrust = weightOf(model) * random.uniform(0.9, 1.3);
      const double t = 0.05 * weightOf(model) * arm;
      const Vector3d torque(random.uniform(-t, t), random.uniform(-t, t),
                            random.uniform(-0.02, 0.02) * weightOf(model) *
                                model.torque_coefficient / model.thrust_coefficient);
      const Vector4d wrench = mixer.wrench(mixer.speeds(thrust, torque));
      EXPECT_NEAR(wrench[0], thrust, 1e-9);
      EXPECT_LT((wrench.tail<3>() - torque).norm(), 1e-9);
    }
  }
}

RotorArray fullSpeed(const VehicleModel& model) {
  return RotorArray::Constant(static_cast<Eigen::Index>(model.rotors.size()),
                              model.motor_speed_max);
}

void expectYawThenThrustThenTilt(const VehicleModel& model) {
  RandomStream random(4);
  const Mixer mixer(model);
  const double most = mixer.wrench(fullSpeed(model))[0];
  int yaw_cut = 0, thrust_cut = 0, tilt_cut = 0;
  for (int i = 0; i < 2000; ++i) {
    const double thrust = random.uniform(0.0, 1.2 * most);
    const double t = 0.0625 * most;
    const Vector3d torque(random.uniform(-t, t), random.uniform(-t, t),
                          random.uniform(-0.2 * t, 0.2 * t));
    const RotorArray speeds = mixer.speeds(thrust, torque);
    ASSERT_GE(speeds.minCoeff(), model.motor_speed_min);
    ASSERT_LE(speeds.maxCoeff(), model.motor_speed_max);
    const Vector4d got = mixer.wrench(speeds);
    const bool thrust_kept = std::abs(got[0] - thrust) < 1e-6 * most;
    const bool tilt_kept = (got.segment<2>(1) - torque.head<2>()).norm() < 1e-6;
    const bool yaw_kept = std::abs(got[3] - torque.z()) < 1e-6;
    if (!yaw_kept) ++yaw_cut;
    if (!thrust_kept) {
      ++thrust_cut;
      // Moved by no more than what tilt needs: a rotor is at its bound without any yaw.
      const Vector4d without_yaw = mixer.wrench(mixer.speeds(thrust, {torque.x(), torque.y(), 0}));
      EXPECT_NEAR(got[0], without_yaw[0], 1e-6 * most);
    }
    if (!tilt_kept) {
      ++tilt_cut;
      // Rotors of one spin are opposite each other with four, of either spin with six: there yaw
      // can take both back into their range.
      const double yaw_left = model.rotors.size() == 4 ? 0.0 : std::abs(torque.z());
      EXPECT_NEAR(got[3], 0.0, 1e-2 + yaw_left) << "yaw should have given way";
      const double sine = got[1] * torque.y() - got[2] * torque.x();
      EXPECT_NEAR(sine, 0.0, 1e-6) << "the direction of tilt is kept";
    }
  }
  EXPECT_GT(yaw_cut, 100);
  EXPECT_GT(thrust_cut, 100);
  EXPECT_GT(tilt_cut, 100);
}

TEST(Mixer, YawGivesWayBeforeThrustAndThrustBeforeTilt) {
  expectYawThenThrustThenTilt(sim::vehicleModel(vehicle::hummingbird()));
  expectYawThenThrustThenTilt(firefly());
}

TEST(Mixer, ControllersHoverOnSixRotors) {
  const VehicleModel model = firefly();
  for (const ControllerType type : {ControllerType::kCascadedPid, ControllerType::kGeometric}) {
    ControllerConfig config;
    config.type = type;
    const RotorArray speeds = makeController(config, model)->update(KinematicState{}, Reference{});
    ASSERT_EQ(speeds.size(), 6);
    const Vector4d wrench = Mixer(model).wrench(speeds);
    EXPECT_NEAR(wrench[0], weightOf(model), 1e-6);
    EXPECT_LT(wrench.tail<3>().norm(), 1e-9);
  }
}

// The mixer's squared speeds are the shortest ones with a wrench: orthogonal to every change that
// leaves the wrench unchanged.
TEST(Mixer, SixRotorsShareTheLoadWithTheLeastNorm) {
  const VehicleModel model = firefly();
  const Mixer mixer(model);
  const RotorArray speeds = mixer.speeds(1.1 * weightOf(model), {0.1, -0.2, 0.03});
  RandomStream random(5);
  for (int i = 0; i < 100; ++i) {
    RotorArray change(6);
    for (double& part : change) part = random.uniform(-1e4, 1e4);
    // Less the change's own wrench, it changes none.
    const Vector4d wrench = mixer.wrench((speeds.square() + change).sqrt()) - mixer.wrench(speeds);
    const double weight = weightOf(model);
    const RotorArray taken = mixer.speeds(weight + wrench[0], wrench.tail<3>()).square() -
                             mixer.speeds(weight, Vector3d::Zero()).square();
    const RotorArray idle = change - taken;
    EXPECT_LT((mixer.wrench((speeds.square() + idle).sqrt()) - mixer.wrench(speeds)).norm(), 1e-9);
    EXPECT_LT(std::abs((idle * speeds.square()).sum()), 1e-6 * speeds.square().square().sum());
  }
}

TEST(Mixer, ThreeRotorsHoldTheirTiltAndLeaveYaw) {
  VehicleModel model = firefly();
  model.rotors = {model.rotors[0], model.rotors[2], model.rotors[4]};
  model.mass = 0.7;
  const Mixer mixer(model);
  const Vector4d got = mixer.wrench(mixer.speeds(weightOf(model), {0.05, -0.04, 0.02}));
  EXPECT_NEAR(got[0], weightOf(model), 1e-9);
  EXPECT_NEAR(got[1], 0.05, 1e-9);
  EXPECT_NEAR(got[2], -0.04, 1e-9);
}

TEST(Mixer, RefusesRotorsThatCannotHoldAVehicle) {
  const auto complaint = [](const VehicleModel& model) -> std::string {
    try {
      Mixer{model};
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  VehicleModel model = firefly();
  model.rotors.resize(2);
  EXPECT_EQ(complaint(model),
            "controller: the vehicle's rotors is a list of 2, allowed: a list of 3 to 8");
  model.rotors.resize(9);
  EXPECT_EQ(complaint(model),
            "controller: the vehicle's rotors is a list of 9, allowed: a list of 3 to 8");
  model = firefly();
  for (auto& rotor : model.rotors) rotor.position.y() = 0.0;
  EXPECT_EQ(complaint(model),
            "controller: the vehicle's rotors is a list of rotors in one line, allowed: rotors all "
            "round");
  model = firefly();
  for (auto& rotor : model.rotors) rotor.position.x() += 0.5;
  EXPECT_EQ(complaint(model),
            "controller: the vehicle's rotors is a list of rotors of which one would have to pull "
            "down, allowed: rotors all round the centre of mass");
}

TEST(Mixer, RateOfTheWrenchIsItsDerivative) {
  const Mixer mixer(sim::vehicleModel(vehicle::iris()));
  const Array4d speeds(600.0, 610.0, 590.0, 620.0), accelerations(100.0, -50.0, 30.0, 0.0);
  const double dt = 1e-5;
  const Vector4d difference =
      (mixer.wrench(speeds + dt * accelerations) - mixer.wrench(speeds - dt * accelerations)) /
      (2.0 * dt);
  EXPECT_LT((difference - mixer.wrenchRate(speeds, accelerations)).norm(), 1e-6);
}

// A slow motor under lead answers like one of the asked natural frequency, critically damped, in
// its own dynamics (the vehicle's, not the lead's model).
TEST(MotorLead, MakesSlowMotorsFollowLikeFastOnes) {
  const vehicle::VehicleConfig config = vehicle::crazyflie();
  const double wf = 90.0;
  MotorLead lead(sim::vehicleModel(config), wf);
  vehicle::Quadrotor quadrotor(config);
  const double hover = config.hoverSpeed(), step = 20.0;
  lead.reset(Array4d::Constant(hover));
  for (int i = 0; i < 200; ++i) {
    quadrotor.command(lead.commandTowards(Array4d::Constant(hover + step)));
    quadrotor.step(1'000'000);
    lead.advance(1'000'000);
    const double t = 1e-3 * (i + 1);
    const double expected = step * (1.0 - std::exp(-wf * t) * (1.0 + wf * t));
    EXPECT_NEAR(quadrotor.motorSpeeds()[0] - hover, expected, 0.03 * step) << t;
    EXPECT_NEAR(quadrotor.motorSpeeds()[0], lead.speeds()[0], 1e-6);
  }
}

// Rotors are led each for itself, however many there are.
TEST(MotorLead, SixMotorsAreLedAsFour) {
  MotorLead six(firefly(), 90.0);
  MotorLead four(sim::vehicleModel(vehicle::hummingbird()), 90.0);
  six.reset(RotorArray::Constant(6, 400.0));
  four.reset(RotorArray::Constant(4, 400.0));
  RotorArray wanted(6);
  wanted << 420.0, 390.0, 500.0, 380.0, 400.0, 200.0;
  for (int i = 0; i < 100; ++i) {
    const RotorArray got = six.commandTowards(wanted);
    EXPECT_LT((got.head<4>() - four.commandTowards(wanted.head<4>())).abs().maxCoeff(), 1e-9);
    six.advance(2'000'000);
    four.advance(2'000'000);
  }
  EXPECT_NEAR(six.speeds()[5], 200.0, 1.0);
}

TEST(MotorLead, LeavesMotorsAloneThatAreFastEnough) {
  vehicle::VehicleConfig config = vehicle::hummingbird();
  config.motor.natural_frequency_down = config.motor.natural_frequency_up;
  MotorLead lead(sim::vehicleModel(config), config.motor.natural_frequency_up);
  lead.reset(Array4d::Constant(400.0));
  const Array4d wanted(450.0, 380.0, 400.0, 500.0);
  for (int i = 0; i < 20; ++i) {
    EXPECT_LT((lead.commandTowards(wanted) - wanted).abs().maxCoeff(), 1e-9);
    lead.advance(2'000'000);
  }
}

}  // namespace
}  // namespace marsim::control
