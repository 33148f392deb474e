// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/vehicle/quadrotor.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::vehicle {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;

constexpr TimeNs kStep = 1'000'000;

void advance(Quadrotor& quadrotor, double seconds, TimeNs step = kStep) {
  const TimeNs end = quadrotor.state().stamp + toNs(seconds);
  while (quadrotor.state().stamp < end) quadrotor.step(step);
}

// High above everything with the rotors at rest.
Quadrotor withStoppedRotors(VehicleConfig config) {
  config.motor.speed_min = 0.0;
  Quadrotor quadrotor(config);
  quadrotor.command(RotorArray::Zero(4));
  advance(quadrotor, 3.0);
  EXPECT_LT(quadrotor.motorSpeeds().maxCoeff(), 1e-12);
  return quadrotor;
}

TEST(Quadrotor, FallsFreely) {
  Quadrotor quadrotor = withStoppedRotors(hummingbird());
  const KinematicState start = quadrotor.state();
  advance(quadrotor, 2.0);
  const double t = 2.0;
  const Vector3d fall(0.0, 0.0, -0.5 * kGravity * t * t);
  EXPECT_LT((quadrotor.state().X_WB.p - (start.X_WB.p + start.v_WB * t + fall)).norm(), 1e-9);
  EXPECT_NEAR(quadrotor.state().a_WB.z(), -kGravity, 1e-12);
}

TEST(Quadrotor, HoversWithoutDriftForTenSeconds) {
  std::vector<VehicleConfig> vehicles = allVehicles();
  vehicles.push_back(iris());
  vehicles.back().rotors[0].position = {0.15, -0.24, 0.0};  // uneven: each rotor its own speed
  vehicles.push_back(firefly());
  vehicles.push_back(firefly());
  vehicles.back().rotors[1].position = {0.02, 0.24, 0.04};
  vehicles.push_back(firefly());
  vehicles.back().rotors.push_back({{0.0, 0.1, 0.0}, 1});
  vehicles.back().rotors.push_back({{0.0, -0.1, 0.0}, -1});
  for (const VehicleConfig& config : vehicles) {
    Quadrotor quadrotor(config);
    const Vector3d start(3.0, -4.0, 5.0);
    quadrotor.reset(start, 1.0);
    advance(quadrotor, 10.0);
    const KinematicState& state = quadrotor.state();
    EXPECT_LT((state.X_WB.p - start).norm(), 1e-9) << config.name;
    EXPECT_LT(logMap(state.X_WB.q.conjugate() * fromRollPitchYaw(0, 0, 1.0)).norm(), 1e-9);
    EXPECT_LT(state.a_WB.norm(), 1e-10);
    const double thrust = config.thrust_coefficient * quadrotor.motorSpeeds().square().sum();
    EXPECT_NEAR(thrust, config.mass * kGravity, 1e-9 * config.mass);
  }
}

TEST(Quadrotor, ThrustAndTorqueTurnTheRightWay) {
  const VehicleConfig config = iris();
  const auto angularAcceleration = [&](const Eigen::Array4d& change) {
    Quadrotor quadrotor(config);
    quadrotor.command(config.hoverSpeeds() + change);
    advance(quadrotor, 0.02);
    return quadrotor.state().dw_WB_B;
  };
  // Rotors 1 and 2 are on the left (+y): more thrust there rolls to the right (+x).
  EXPECT_GT(angularAcceleration({-20, 20, 20, -20}).x(), 1.0);
  // Rotors 0 and 2 are in front: more thrust there pitches the nose up (-y).
  EXPECT_LT(angularAcceleration({20, -20, 20, -20}).y(), -1.0);
  // Rotors 0 and 1 turn counter-clockwise: faster, they turn the body clockwise (-z).
  EXPECT_LT(angularAcceleration({20, 20, -20, -20}).z(), -0.1);
}

// Half of the six rotors faster, as in the rotors' moments added up by hand.
TEST(Quadrotor, AHexarotorTurnsByTheMomentsOfItsRotors) {
  VehicleConfig config = firefly();
  config.rotor_drag_coefficient = 0.0;
  Quadrotor quadrotor(config);
  EXPECT_EQ(quadrotor.motorSpeeds().size(), 6);
  RotorArray speeds = config.hoverSpeeds();
  for (const int left : {0, 1, 2}) speeds[left] += 10.0;
  quadrotor.command(speeds);
  for (int i = 0; i < 500; ++i) {
    const RotorArray turning = quadrotor.motorSpeeds();
    Vector3d torque = Vector3d::Zero();
    for (int rotor = 0; rotor < 6; ++rotor) {
      const RotorConfig& at = config.rotors[static_cast<std::size_t>(rotor)];
      const double square = turning[rotor] * turning[rotor];
      torque += at.position.cross(Vector3d(0.0, 0.0, config.thrust_coefficient * square));
      torque.z() -= at.spin * config.torque_coefficient * square;
    }
    const Vector3d& w = quadrotor.state().w_WB_B;
    const Vector3d expected =
        (torque - w.cross(config.inertia.cwiseProduct(w).eval())).cwiseQuotient(config.inertia);
    ASSERT_LT((quadrotor.state().dw_WB_B - expected).norm(), 1e-9);
    quadrotor.step(kStep);
  }
  EXPECT_GT(quadrotor.state().w_WB_B.x(), 0.5);
}

TEST(Quadrotor, TakesASpeedForEachRotorOnly) {
  Quadrotor quadrotor(firefly());
  try {
    quadrotor.command(RotorArray::Constant(4, 500.0));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "firefly: motor speeds is a list of 4, allowed: a list of 6, one for each motor");
  }
}

// A symmetric top free of torque: the body rate's transverse part turns about the symmetry axis at
// (I3 - I1)/I1 w3 in B, and the attitude is a precession about the angular momentum L at |L|/I1
// after a spin about the body's axis (Goldstein, Classical Mechanics, chapter 5).
TEST(Quadrotor, SymmetricTopPrecessesAsInClosedForm) {
  const VehicleConfig config = hummingbird();
  ASSERT_EQ(config.inertia.x(), config.inertia.y());
  Quadrotor quadrotor = withStoppedRotors(config);
  const Vector3d w(3.0, 1.0, 9.0);
  const Quaterniond q = fromRollPitchYaw(0.3, -0.5, 1.0);
  quadrotor.setMotion(q, Vector3d::Zero(), w);
  const Vector3d momentum_W = q * config.inertia.cwiseProduct(w);
  const double spin = -(config.inertia.z() - config.inertia.x()) / config.inertia.x() * w.z();
  for (int i = 1; i <= 20; ++i) {
    advance(quadrotor, 0.25);
    const double t = 0.25 * i;
    const Quaterniond precession = expMap(momentum_W * (t / config.inertia.x()));
    const Quaterniond expected = precession * q * expMap(Vector3d(0.0, 0.0, spin * t));
    EXPECT_LT(logMap(expected.conjugate() * quadrotor.state().X_WB.q).norm(), 1e-6) << t;
    const Vector3d w_expected = expMap(Vector3d(0.0, 0.0, -spin * t)) * w;
    EXPECT_LT((quadrotor.state().w_WB_B - w_expected).norm(), 1e-6) << t;
  }
}

TEST(Quadrotor, AsymmetricTopKeepsEnergyAndAngularMomentum) {
  VehicleConfig config = racer();
  config.linear_drag.setZero();
  Quadrotor quadrotor = withStoppedRotors(config);
  // About the middle axis: unstable, so that it tumbles over.
  quadrotor.setMotion(fromRollPitchYaw(0.1, 0.2, 0.3), Vector3d::Zero(), {8.0, 0.1, 0.2});
  const auto momentum = [&] {
    const KinematicState& state = quadrotor.state();
    return Vector3d(state.X_WB.q * config.inertia.cwiseProduct(state.w_WB_B));
  };
  const auto energy = [&] {
    const Vector3d& w = quadrotor.state().w_WB_B;
    return 0.5 * w.dot(config.inertia.cwiseProduct(w));
  };
  const Vector3d momentum_start = momentum();
  const double energy_start = energy();
  double least = 8.0;
  for (int i = 0; i < 1000; ++i) {
    advance(quadrotor, 0.01);
    least = std::min(least, quadrotor.state().w_WB_B.x());
    ASSERT_LT((momentum() - momentum_start).norm(), 1e-6 * momentum_start.norm());
    ASSERT_NEAR(energy(), energy_start, 1e-6 * energy_start);
  }
  EXPECT_LT(least, -7.0) << "it should have turned over";
}

// Step of a second-order lag in closed form.
double motorStep(double wn, double zeta, double from, double to, double t) {
  double share = 0.0;
  if (zeta < 1.0) {
    const double wd = wn * std::sqrt(1.0 - zeta * zeta);
    share = std::exp(-zeta * wn * t) * (std::cos(wd * t) + zeta * wn / wd * std::sin(wd * t));
  } else if (zeta == 1.0) {
    share = std::exp(-wn * t) * (1.0 + wn * t);
  } else {
    const double root = wn * std::sqrt(zeta * zeta - 1.0);
    const double s1 = -zeta * wn + root, s2 = -zeta * wn - root;
    share = (s1 * std::exp(s2 * t) - s2 * std::exp(s1 * t)) / (s1 - s2);
  }
  return to + (from - to) * share;
}

TEST(Motor, StepsAsInClosedForm) {
  for (const double zeta : {0.5, 1.0, 2.0}) {
    VehicleConfig config = hummingbird();
    config.motor.damping = zeta;
    // An underdamped motor crosses its command, where up and down would change places.
    config.motor.natural_frequency_down = zeta < 1.0 ? config.motor.natural_frequency_up : 80.0;
    Quadrotor quadrotor(config);
    const double hover = config.hoverSpeed();
    for (const double target : {hover + 100.0, hover - 100.0}) {
      quadrotor.reset(Vector3d::Zero(), 0.0);
      quadrotor.command(RotorArray::Constant(4, target));
      const double wn =
          target > hover ? config.motor.natural_frequency_up : config.motor.natural_frequency_down;
      for (int i = 1; i <= 100; ++i) {
        quadrotor.step(kStep);
        EXPECT_NEAR(quadrotor.motorSpeeds()[2], motorStep(wn, zeta, hover, target, 1e-3 * i), 0.01);
      }
    }
  }
}

TEST(Motor, CommandsAreClampedAndSpeedsNeverNegative) {
  VehicleConfig config = racer();
  config.motor.damping = 0.3;
  Quadrotor quadrotor(config);
  quadrotor.command(RotorArray::Constant(4, 1e9));
  EXPECT_EQ(quadrotor.motorCommands().maxCoeff(), config.motor.speed_max);
  quadrotor.command(RotorArray::Constant(4, -5.0));
  EXPECT_EQ(quadrotor.motorCommands().minCoeff(), config.motor.speed_min);
  config.motor.speed_min = 0.0;
  Quadrotor stopping(config);
  stopping.command(RotorArray::Zero(4));
  for (int i = 0; i < 2000; ++i) {
    stopping.step(kStep);
    ASSERT_GE(stopping.motorSpeeds().minCoeff(), 0.0);
  }
}

// An underdamped motor would overshoot. At its limit it stays, and leaves it as from rest there.
TEST(Motor, NeverPassesItsGreatestSpeed) {
  VehicleConfig config = racer();
  for (const double damping : {0.1, 0.4, 0.7, 1.0, 2.0}) {
    config.motor.damping = damping;
    const double most = config.motor.speed_max;
    Quadrotor quadrotor(config);
    quadrotor.command(Eigen::Array4d(most, 2.0 * most, 0.99 * most, 0.8 * most));
    double fastest = 0.0;
    for (int i = 0; i < 3000; ++i) {
      quadrotor.step(kStep);
      ASSERT_LE(quadrotor.motorSpeeds().maxCoeff(), most) << damping;
      fastest = std::max(fastest, quadrotor.motorSpeeds()[2]);
    }
    EXPECT_NEAR(quadrotor.motorSpeeds()[1], most, 1e-6 * most) << damping;
    EXPECT_EQ(fastest == most, damping < 1.0) << "a command just below it overshoots";
    const double lower = 0.5 * most, wn = config.motor.natural_frequency_down;
    quadrotor.command(RotorArray::Constant(4, lower));
    advance(quadrotor, 0.01);
    EXPECT_NEAR(quadrotor.motorSpeeds()[1], motorStep(wn, damping, most, lower, 0.01), 1e-3 * most);
  }
}

// Also at the instant at which it gets there: what it would still have gained is not kept, else it
// would leave later than from rest.
TEST(Motor, AtItsGreatestSpeedNothingPushesItOn) {
  VehicleConfig config = racer();
  const double most = config.motor.speed_max, lower = 0.5 * most;
  for (const double damping : {0.1, 0.4, 0.7}) {
    config.motor.damping = damping;
    Quadrotor quadrotor(config);
    quadrotor.command(RotorArray::Constant(4, most));
    int steps = 0;
    while (quadrotor.motorSpeeds()[0] < most && steps < 1000) {
      quadrotor.step(kStep);
      ++steps;
    }
    ASSERT_LT(steps, 1000) << "it overshoots";
    quadrotor.command(RotorArray::Constant(4, lower));
    for (int i = 1; i <= 10; ++i) {
      quadrotor.step(kStep);
      EXPECT_NEAR(quadrotor.motorSpeeds()[0],
                  motorStep(config.motor.natural_frequency_down, damping, most, lower, 1e-3 * i),
                  1e-3 * most)
          << damping << " after " << i << " ms";
    }
  }
}

TEST(Quadrotor, FallsNoFasterThanItsDragAllows) {
  const VehicleConfig config = racer();
  Quadrotor quadrotor = withStoppedRotors(config);
  quadrotor.setMotion(Quaterniond::Identity(), Vector3d::Zero(), Vector3d::Zero());
  const double rate = config.linear_drag.z() / config.mass;
  const double terminal = kGravity / rate;
  advance(quadrotor, 2.0);
  EXPECT_NEAR(quadrotor.state().v_WB.z(), -terminal * (1.0 - std::exp(-rate * 2.0)), 1e-9);
  advance(quadrotor, 60.0);
  EXPECT_NEAR(quadrotor.state().v_WB.z(), -terminal, 1e-6);
}

// Sideways at hover speed, held level by an external torque-free symmetric layout: the rotors'
// drag decelerates exponentially, rate 4 w C / m.
TEST(Quadrotor, RotorDragSlowsItDown) {
  const VehicleConfig config = hummingbird();
  Quadrotor quadrotor(config);
  quadrotor.setMotion(Quaterniond::Identity(), {2.0, 0.0, 0.0}, Vector3d::Zero());
  const double rate = 4.0 * config.hoverSpeed() * config.rotor_drag_coefficient / config.mass;
  advance(quadrotor, 3.0);
  EXPECT_NEAR(quadrotor.state().v_WB.x(), 2.0 * std::exp(-rate * 3.0), 1e-9);
}

TEST(Quadrotor, IntegratesWithFourthOrder) {
  const auto endOf = [](TimeNs step) {
    VehicleConfig config = racer();
    config.rotor_drag_coefficient = 1e-4;
    Quadrotor quadrotor(config);
    quadrotor.setMotion(fromRollPitchYaw(0.2, 0.1, 0.0), {3.0, -1.0, 0.5}, {2.0, -3.0, 5.0});
    quadrotor.command(Eigen::Array4d(1250.0, 1200.0, 1240.0, 1230.0));
    advance(quadrotor, 0.4, step);
    return quadrotor.state();
  };
  const KinematicState exact = endOf(250'000);
  const auto errorOf = [&](TimeNs step) {
    const KinematicState state = endOf(step);
    return (state.X_WB.p - exact.X_WB.p).norm() +
           logMap(state.X_WB.q.conjugate() * exact.X_WB.q).norm();
  };
  const double order = std::log2(errorOf(8'000'000) / errorOf(4'000'000));
  EXPECT_GT(order, 3.7);
  EXPECT_LT(order, 4.6);
}

// The reported accelerations are the derivatives of the reported velocities.
TEST(Quadrotor, AccelerationsAreTheDerivatives) {
  const VehicleConfig config = iris();
  Quadrotor quadrotor(config);
  quadrotor.setMotion(fromRollPitchYaw(0.3, -0.2, 0.5), {3.0, 1.0, -1.0}, {1.0, -2.0, 0.5});
  quadrotor.command(config.hoverSpeeds() + Eigen::Array4d(60.0, -40.0, 20.0, 10.0));
  const TimeNs step = 100'000;
  KinematicState states[3] = {quadrotor.state(), {}, {}};
  for (int i = 0; i < 500; ++i) {
    quadrotor.step(step);
    states[2] = quadrotor.state();
    if (i > 0) {
      const double span = 2.0 * toSeconds(step);
      EXPECT_LT((states[1].a_WB - (states[2].v_WB - states[0].v_WB) / span).norm(), 1e-4);
      EXPECT_LT((states[1].dw_WB_B - (states[2].w_WB_B - states[0].w_WB_B) / span).norm(), 1e-3);
      states[0] = states[1];
    }
    states[1] = states[2];
  }
}

TEST(Ground, CarriesARestingVehicleUntilItsThrustExceedsItsWeight) {
  const VehicleConfig config = hummingbird();
  Quadrotor quadrotor(config);
  quadrotor.setGround(1.5);
  quadrotor.reset({1.0, 2.0, 1.5 + config.ground_clearance}, 0.7);
  EXPECT_TRUE(quadrotor.onGround());
  EXPECT_EQ(quadrotor.motorSpeeds().maxCoeff(), 0.0);
  // Uneven thrust below the weight neither turns nor moves it.
  quadrotor.command(Eigen::Array4d(0.9, 0.99, 0.9, 0.95) * config.hoverSpeed());
  advance(quadrotor, 2.0);
  EXPECT_TRUE(quadrotor.onGround());
  EXPECT_EQ(quadrotor.state().X_WB.p, Vector3d(1.0, 2.0, 1.5 + config.ground_clearance));
  EXPECT_EQ(quadrotor.state().a_WB, Vector3d::Zero());
  EXPECT_NEAR(yawOf(quadrotor.state().X_WB.q), 0.7, 1e-12);
  quadrotor.command(RotorArray::Constant(4, 1.1 * config.hoverSpeed()));
  advance(quadrotor, 1.0);
  EXPECT_FALSE(quadrotor.onGround());
  EXPECT_GT(quadrotor.state().X_WB.p.z(), 1.7);
}

TEST(Ground, IsNotKnownToAVehicleThatMoves) {
  Quadrotor quadrotor = withStoppedRotors(hummingbird());
  const double height = quadrotor.state().X_WB.p.z();
  quadrotor.setGround(height - 1.0);
  advance(quadrotor, 3.0);
  EXPECT_FALSE(quadrotor.onGround());
  EXPECT_LT(quadrotor.state().X_WB.p.z(), height - 10.0);
  const Pose X_WB{fromRollPitchYaw(0.1, -0.2, 0.9), {1.0, 2.0, 3.0}};
  quadrotor.standAt(X_WB);
  advance(quadrotor, 1.0);
  EXPECT_TRUE(quadrotor.onGround());
  EXPECT_EQ(quadrotor.state().X_WB.p, X_WB.p);
  EXPECT_EQ(quadrotor.state().X_WB.q.coeffs(), X_WB.q.coeffs());
  EXPECT_EQ(quadrotor.state().v_WB, Vector3d::Zero());
  EXPECT_EQ(quadrotor.state().w_WB_B, Vector3d::Zero());
}

}  // namespace
}  // namespace marsim::vehicle
