#include "marsim/control/mixer.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "marsim/common/random.hpp"
#include "marsim/control/motor_lead.hpp"
#include "marsim/sim/world.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::control {
namespace {

using Eigen::Array4d;
using Eigen::Vector3d;
using Eigen::Vector4d;

double weightOf(const VehicleModel& model) { return model.mass * 9.80665; }

TEST(Mixer, InvertsTheWrenchOfTheRotors) {
  RandomStream random(3);
  for (const auto& config : vehicle::allVehicles()) {
    const VehicleModel model = sim::vehicleModel(config);
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

TEST(Mixer, YawGivesWayBeforeThrustAndThrustBeforeTilt) {
  RandomStream random(4);
  const VehicleModel model = sim::vehicleModel(vehicle::hummingbird());
  const Mixer mixer(model);
  const double most = mixer.wrench(Array4d::Constant(model.motor_speed_max))[0];
  int yaw_cut = 0, thrust_cut = 0, tilt_cut = 0;
  for (int i = 0; i < 2000; ++i) {
    const double thrust = random.uniform(0.0, 1.2 * most);
    const Vector3d torque(random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5),
                          random.uniform(-0.3, 0.3));
    const Array4d speeds = mixer.speeds(thrust, torque);
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
      EXPECT_NEAR(got[3], 0.0, 1e-2) << "yaw should have given way";
      const double sine = got[1] * torque.y() - got[2] * torque.x();
      EXPECT_NEAR(sine, 0.0, 1e-6) << "the direction of tilt is kept";
    }
  }
  EXPECT_GT(yaw_cut, 100);
  EXPECT_GT(thrust_cut, 100);
  EXPECT_GT(tilt_cut, 100);
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
