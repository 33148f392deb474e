// SPDX-License-Identifier: BSD-3-Clause
#include "control/loops/geometric.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "marsim/common/units.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/sim/world.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::control {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using vehicle::Quadrotor;
using vehicle::VehicleConfig;

// A force that swings, at a time, and its derivatives.
ForceMotion swinging(double t) {
  const Vector3d swing(3.0, 2.0, 1.0), rates(2.0, 3.0, 1.5);
  ForceMotion force;
  force.force = {0.0, 1.0, 8.0};
  for (int i = 0; i < 3; ++i) {
    const double w = rates[i];
    force.force[i] += swing[i] * std::sin(w * t);
    force.rate[i] = swing[i] * w * std::cos(w * t);
    force.acceleration[i] = -swing[i] * w * w * std::sin(w * t);
  }
  return force;
}

TEST(AttitudeMotion, IsTheDerivativeOfTheAttitude) {
  const double yaw_rate = 0.7, h = 1e-5;
  for (const double t : {0.0, 0.3, 0.8, 1.7, 2.9}) {
    const auto at = [&](double time) {
      return attitudeMotion(swinging(time), 0.4 + yaw_rate * time, yaw_rate);
    };
    const AttitudeMotion now = at(t), before = at(t - h), after = at(t + h);
    const Eigen::Quaterniond turn(before.R_WD.transpose() * after.R_WD);
    EXPECT_LT((logMap(turn) / (2.0 * h) - now.w_WD_D).norm(), 1e-6) << t;
    EXPECT_LT(((after.w_WD_D - before.w_WD_D) / (2.0 * h) - now.dw_WD_D).norm(), 1e-6) << t;
    EXPECT_LT((now.R_WD.col(2) - swinging(t).force.normalized()).norm(), 1e-12);
    EXPECT_NEAR(yawOf(Eigen::Quaterniond(now.R_WD)), wrapAngle(0.4 + yaw_rate * t), 1e-12);
  }
}

/// A rigid body under thrust and torque without delay, as in the paper, flown by the control law
/// alone and integrated here (Runge-Kutta, 1 ms).
struct PaperFlight {
  // Lee, Leok, McClamroch (2010), section V.
  double mass = 4.34;
  Vector3d inertia{0.0820, 0.0845, 0.1377};
  double k_x = 16.0 * 4.34, k_v = 5.6 * 4.34;
  TorqueGains gains{Vector3d::Constant(8.81), Vector3d::Constant(2.54)};

  struct Motion {
    Vector3d p, v;
    Matrix3d R;
    Vector3d w;
  };

  /// The controls of a state: collective thrust, torque and the wanted attitude.
  struct Controls {
    double thrust;
    Vector3d torque;
    Matrix3d wanted;
  };
  Controls controls(const Motion& x) const {
    const Vector3d up = x.R.col(2), gravity(0.0, 0.0, kGravity);
    const Vector3d up_rate = x.R * x.w.cross(Vector3d::UnitZ());
    ForceMotion force;
    force.force = -k_x * x.p - k_v * x.v + mass * gravity;
    const double thrust = force.force.dot(up);
    const Vector3d a = thrust / mass * up - gravity;
    force.rate = -k_x * x.v - k_v * a;
    const double thrust_rate = force.rate.dot(up) + force.force.dot(up_rate);
    const Vector3d j = (thrust_rate * up + thrust * up_rate) / mass;
    force.acceleration = -k_x * a - k_v * j;
    const AttitudeMotion wanted = attitudeMotion(force, 0.0, 0.0);
    return {thrust, geometricTorque(gains, inertia, x.R, x.w, wanted), wanted.R_WD};
  }

  Motion derivative(const Motion& x) const {
    const Controls u = controls(x);
    Matrix3d hat;
    hat << 0.0, -x.w.z(), x.w.y(), x.w.z(), 0.0, -x.w.x(), -x.w.y(), x.w.x(), 0.0;
    return {x.v, u.thrust / mass * x.R.col(2) - Vector3d(0.0, 0.0, kGravity), x.R * hat,
            (u.torque - x.w.cross(inertia.cwiseProduct(x.w))).cwiseQuotient(inertia)};
  }

  static Motion moved(const Motion& x, const Motion& rate, double h) {
    return {x.p + h * rate.p, x.v + h * rate.v, x.R + h * rate.R, x.w + h * rate.w};
  }

  Motion step(const Motion& x, double h) const {
    const Motion k1 = derivative(x), k2 = derivative(moved(x, k1, 0.5 * h));
    const Motion k3 = derivative(moved(x, k2, 0.5 * h)), k4 = derivative(moved(x, k3, h));
    Motion next = moved(moved(x, k1, h / 6.0), k2, h / 3.0);
    next = moved(moved(next, k3, h / 3.0), k4, h / 6.0);
    next.R = Eigen::Quaterniond(next.R).normalized().toRotationMatrix();
    return next;
  }
};

// Case II of the paper's section V begins nearly upside down; printed there are Psi(0) = 1.995 and
// Psi < 1 from 0.88 s on. The time depends on the start by its logarithm: from the 178 degrees that
// are printed, too (Psi = 1.9994), it is 1.25 s.
TEST(Geometric, RecoversFromUpsideDownAsInThePaper) {
  const PaperFlight flight;
  PaperFlight::Motion x{Vector3d::Zero(), Vector3d::Zero(),
                        fromRollPitchYaw(std::acos(-0.995), 0.0, 0.0).toRotationMatrix(),
                        Vector3d::Zero()};
  // The attitude error function tr(I - R_WD^T R_WB) / 2 of Lee, Leok and McClamroch (2010, eq. 8):
  // 0 at the wanted attitude, 2 where it is half a turn away.
  const auto psi = [&] {
    return 0.5 * (3.0 - (flight.controls(x).wanted.transpose() * x.R).trace());
  };
  EXPECT_NEAR(psi(), 1.995, 1e-9);
  double below_one = -1.0;
  for (int i = 0; i < 6000; ++i) {
    if (below_one < 0.0 && psi() < 1.0) below_one = 1e-3 * i;
    x = flight.step(x, 1e-3);
  }
  EXPECT_NEAR(below_one, 0.88, 0.05);
  EXPECT_LT(psi(), 1e-4);
  EXPECT_LT(x.p.norm(), 0.01);
}

ControllerConfig geometric() {
  ControllerConfig config;
  config.type = ControllerType::kGeometric;
  return config;
}

void fly(Quadrotor& quadrotor, Controller& controller, const Reference& reference, double seconds) {
  for (int i = 0; i < static_cast<int>(seconds * 500.0); ++i) {
    quadrotor.command(controller.update(quadrotor.state(), reference));
    quadrotor.step(1'000'000);
    quadrotor.step(1'000'000);
  }
}

TEST(Geometric, AtRestCommandsHover) {
  for (const VehicleConfig& config : vehicle::allVehicles()) {
    const auto controller = makeController(geometric(), sim::vehicleModel(config));
    const RotorArray speeds = controller->update(KinematicState{}, Reference{});
    EXPECT_LT((speeds - config.hoverSpeeds()).abs().maxCoeff(), 1e-6 * config.hoverSpeed());
  }
}

TEST(Geometric, VehiclesRecoverFromUpsideDown) {
  for (const VehicleConfig& config : vehicle::allVehicles()) {
    const auto controller = makeController(geometric(), sim::vehicleModel(config));
    Quadrotor quadrotor(config);
    quadrotor.setMotion(fromRollPitchYaw(3.0, 0.0, 0.0), Vector3d::Zero(), {0.3, -0.2, 0.1});
    fly(quadrotor, *controller, Reference{}, 15.0);
    EXPECT_LT(quadrotor.state().X_WB.p.norm(), 0.1) << config.name;
  }
}

TEST(Geometric, IntegralTakesUpASteadyForce) {
  for (const VehicleConfig& config : vehicle::allVehicles()) {
    const auto controller = makeController(geometric(), sim::vehicleModel(config));
    Quadrotor quadrotor(config);
    quadrotor.setExternalWrench(config.mass * Vector3d(0.8, -0.3, -1.0), Vector3d::Zero());
    fly(quadrotor, *controller, Reference{}, 30.0);
    EXPECT_LT(quadrotor.state().X_WB.p.norm(), 0.005) << config.name;
  }
}

TEST(Geometric, FliesToAFarPlaceWithinItsLimits) {
  for (const VehicleConfig& config : vehicle::allVehicles()) {
    const ControllerConfig gains = geometric();
    const auto controller = makeController(gains, sim::vehicleModel(config));
    Quadrotor quadrotor(config);
    Reference reference;
    reference.p_WB = {40.0, 0.0, 15.0};
    double fastest = 0.0, farthest = 0.0;
    for (int i = 0; i < 12500; ++i) {
      fly(quadrotor, *controller, reference, 0.002);
      fastest = std::max(fastest, quadrotor.state().v_WB.norm());
      farthest = std::max(farthest, quadrotor.state().X_WB.p.x());
    }
    EXPECT_LT(fastest, 1.1 * gains.speed_max) << config.name;
    EXPECT_LT(farthest, 41.0) << config.name;
    EXPECT_LT((quadrotor.state().X_WB.p - reference.p_WB).norm(), 0.02) << config.name;
  }
}

TEST(Geometric, HoldsBodyRates) {
  for (const VehicleConfig& config : vehicle::allVehicles()) {
    const auto controller = makeController(geometric(), sim::vehicleModel(config));
    Quadrotor quadrotor(config);
    const Vector3d wanted(0.5, -0.3, 0.4);
    for (int i = 0; i < 500; ++i) {
      quadrotor.command(controller->trackRates(quadrotor.state(), wanted, config.mass * kGravity));
      quadrotor.step(1'000'000);
      quadrotor.step(1'000'000);
    }
    EXPECT_LT((quadrotor.state().w_WB_B - wanted).norm(), 0.05) << config.name;
  }
}

// Rates are in B: one that is reached while the vehicle turns about another axis pulls at no third.
TEST(Geometric, ABodyRateDoesNotPullAtOthers) {
  const VehicleConfig config = vehicle::hummingbird();
  const auto controller = makeController(geometric(), sim::vehicleModel(config));
  Quadrotor quadrotor(config);
  quadrotor.setMotion(Eigen::Quaterniond::Identity(), Vector3d::Zero(), {0.0, 0.0, 3.0});
  double farthest = 0.0;
  for (int i = 0; i < 250; ++i) {
    const RotorArray speeds =
        controller->trackRates(quadrotor.state(), {2.0, 0.0, 3.0}, config.mass * kGravity);
    quadrotor.command(speeds);
    quadrotor.step(1'000'000);
    quadrotor.step(1'000'000);
    farthest = std::max(farthest, std::abs(quadrotor.state().w_WB_B.y()));
  }
  EXPECT_LT(farthest, 0.05);
}

}  // namespace
}  // namespace marsim::control
