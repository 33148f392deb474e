// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/control/commander.hpp"
#include "marsim/control/controller.hpp"
#include "marsim/sim/pilot.hpp"
#include "marsim/sim/vehicle.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;

/// Noise of a standard deviation that loses its memory within a time constant (Gauss-Markov).
class Wander {
 public:
  Wander(double deviation, double time_constant, double dt)
      : keep_(std::exp(-dt / time_constant)), fresh_(deviation * std::sqrt(1.0 - keep_ * keep_)) {}
  const Vector3d& next(RandomStream& random) {
    value_ = keep_ * value_ + fresh_ * Vector3d(random.normal(), random.normal(), random.normal());
    return value_;
  }

 private:
  double keep_, fresh_;
  Vector3d value_ = Vector3d::Zero();
};

/// A vehicle flown on states as an estimator would give them: body rates of its own IMU, attitude
/// wrong by 0.2 degrees, position by 1.5 cm, velocity by 4 cm/s (standard deviations an axis), all
/// of it 4 ms late, accelerations unknown.
class EstimatedFlight {
 public:
  EstimatedFlight(const std::string& vehicle, const std::string& controller, const std::string& imu)
      : vehicle_(setupOf(vehicle, imu), -100.0, nullptr, 0),
        gains_(config::loadController(controller)),
        controller_(makeController(gains_, sim::vehicleModel(vehicle_.setup().vehicle))),
        commander_(gains_.goal) {
    vehicle_.place(Vector3d::Zero(), 0.0, 0);
  }

  Commander& commander() { return commander_; }
  const KinematicState& truth() const { return vehicle_.state(); }
  const ControllerConfig& gains() const { return gains_; }

  /// Flies for a time; by the commander's reference or a place held.
  template <class Watch>
  void fly(double seconds, const Watch& watch, const Reference* held = nullptr) {
    const double end = toSeconds(truth().stamp) + seconds;
    while (toSeconds(truth().stamp) < end - 1e-9) {
      if (vehicle_.reportsNow()) answer(held, watch);
      const sim::VehicleStep& due = vehicle_.step();
      if (due.imu) rate_ = due.imu->angular_velocity;
    }
  }

 private:
  static sim::VehicleSetup setupOf(const std::string& vehicle, const std::string& imu) {
    sim::VehicleSetup setup;
    setup.vehicle = config::loadVehicle(vehicle);
    if (!imu.empty()) setup.vehicle.imu = config::loadImu(imu);
    setup.collision.on = false;
    return setup;
  }

  template <class Watch>
  void answer(const Reference* held, const Watch& watch) {
    KinematicState state = truth();
    state.X_WB.q = state.X_WB.q * expMap(attitude_.next(random_));
    state.X_WB.p += position_.next(random_);
    state.v_WB += velocity_.next(random_);
    state.w_WB_B = rate_;
    state.a_WB.setConstant(std::numeric_limits<double>::quiet_NaN());
    state.dw_WB_B.setConstant(std::numeric_limits<double>::quiet_NaN());
    late_.push_back(state);
    if (late_.size() > 3) late_.pop_front();
    const Reference reference = held != nullptr ? *held : commander_.reference(late_.front());
    vehicle_.command(sim::MotorCommand{controller_->update(late_.front(), reference), truth().stamp,
                                       vehicle_.placements()});
    watch(reference);
  }

  sim::Vehicle vehicle_;
  ControllerConfig gains_;
  std::unique_ptr<Controller> controller_;
  Commander commander_;
  RandomStream random_{7};
  Wander attitude_{radians(0.2), 2.0, 0.002}, position_{0.015, 0.5, 0.002},
      velocity_{0.04, 0.3, 0.002};
  Vector3d rate_ = Vector3d::Zero();
  std::deque<KinematicState> late_;
};

struct Case {
  const char* vehicle;
  const char* controller;
};
constexpr Case kCases[] = {{"hummingbird", "onboard"},
                           {"iris", "onboard"},
                           {"uzh_5inch", "onboard"},
                           {"crazyflie", "onboard_slow"}};

TEST(Onboard, HoversOnAnEstimate) {
  for (const Case& c : kCases) {
    for (const char* imu : {"px4_iim42653", "euroc_adis16448"}) {
      EstimatedFlight flight(c.vehicle, c.controller, imu);
      const Reference here;
      flight.fly(
          10.0, [](const Reference&) {}, &here);
      double farthest = 0.0, squares = 0.0;
      int count = 0;
      flight.fly(
          60.0,
          [&](const Reference&) {
            farthest = std::max(farthest, flight.truth().X_WB.p.norm());
            squares += flight.truth().X_WB.p.squaredNorm();
            ++count;
          },
          &here);
      fmt::print("{} on {}: {:.3f} m rms, {:.3f} m at most\n", c.vehicle, imu,
                 std::sqrt(squares / count), farthest);
      EXPECT_LT(farthest, 0.1) << c.vehicle << " " << imu;
    }
  }
}

TEST(Onboard, TakesStepsCalmly) {
  for (const Case& c : kCases) {
    for (const int axis : {0, 2}) {
      EstimatedFlight flight(c.vehicle, c.controller, "");
      Reference reference;
      flight.fly(
          10.0, [](const Reference&) {}, &reference);
      reference.p_WB[axis] = 1.0;
      double farthest = 0.0;
      const auto watch = [&](const Reference&) {
        farthest = std::max(farthest, flight.truth().X_WB.p[axis]);
      };
      flight.fly(10.0, watch, &reference);
      fmt::print("{} {}: overshoot {:.3f}\n", c.vehicle, "xyz"[axis], farthest - 1.0);
      EXPECT_LT(farthest, 1.25) << c.vehicle;
      EXPECT_LT((flight.truth().X_WB.p - reference.p_WB).norm(), 0.1) << c.vehicle;
    }
  }
}

TEST(Onboard, FliesToAGoal) {
  for (const Case& c : kCases) {
    EstimatedFlight flight(c.vehicle, c.controller, "");
    flight.fly(5.0, [](const Reference&) {});
    const Vector3d goal(6.0, -3.0, 2.0);
    flight.commander().setGoal(goal, 1.5, flight.truth().stamp);
    double worst = 0.0;
    flight.fly(20.0, [&](const Reference& reference) {
      worst = std::max(worst, (flight.truth().X_WB.p - reference.p_WB).norm());
    });
    fmt::print("{}: {:.3f} m off its reference at most\n", c.vehicle, worst);
    EXPECT_LT(worst, 0.3) << c.vehicle;
    EXPECT_LT((flight.truth().X_WB.p - goal).norm(), 0.1) << c.vehicle;
    EXPECT_NEAR(yawOf(flight.truth().X_WB.q), 1.5, 0.03) << c.vehicle;
  }
}

// Without true accelerations as with them, what pushes or turns steadily is made up for.
TEST(Onboard, IntegralsTakeUpASteadyForceAndTorque) {
  for (const Case& c : kCases) {
    const vehicle::VehicleConfig config = config::loadVehicle(c.vehicle);
    const auto controller =
        makeController(config::loadController(c.controller), sim::vehicleModel(config));
    vehicle::Quadrotor quadrotor(config);
    quadrotor.setExternalWrench(config.mass * Vector3d(0.8, -0.3, -1.0),
                                config.inertia.cwiseProduct(Vector3d(0.3, -0.3, 0.1)));
    for (int i = 0; i < 30000; ++i) {
      quadrotor.command(controller->update(quadrotor.state(), Reference{}));
      quadrotor.step(1'000'000);
      quadrotor.step(1'000'000);
    }
    EXPECT_LT(quadrotor.state().X_WB.p.norm(), 0.005) << c.vehicle;
    EXPECT_NEAR(yawOf(quadrotor.state().X_WB.q), 0.0, 0.005) << c.vehicle;
  }
}

TEST(Onboard, DoesNotWindUpBehindItsLimits) {
  for (const Case& c : kCases) {
    const vehicle::VehicleConfig config = config::loadVehicle(c.vehicle);
    const auto controller =
        makeController(config::loadController(c.controller), sim::vehicleModel(config));
    vehicle::Quadrotor quadrotor(config);
    Reference reference;
    reference.p_WB = {40.0, 0.0, 15.0};
    double farthest = 0.0, highest = 0.0;
    for (int i = 0; i < 30000; ++i) {
      quadrotor.command(controller->update(quadrotor.state(), reference));
      quadrotor.step(1'000'000);
      quadrotor.step(1'000'000);
      farthest = std::max(farthest, quadrotor.state().X_WB.p.x());
      highest = std::max(highest, quadrotor.state().X_WB.p.z());
    }
    fmt::print("{}: {:.2f} m and {:.2f} m too far\n", c.vehicle, farthest - 40.0, highest - 15.0);
    EXPECT_LT(farthest, 42.0) << c.vehicle;
    EXPECT_LT(highest, 16.0) << c.vehicle;
    EXPECT_LT((quadrotor.state().X_WB.p - reference.p_WB).norm(), 0.02) << c.vehicle;
  }
}

}  // namespace
}  // namespace marsim::control
