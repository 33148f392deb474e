// SPDX-License-Identifier: BSD-3-Clause
// Flies references as quick as SUPER's configurations let its planner be (its files
// click_smooth_ros1.yaml, static_dense.yaml and static_high_speed.yaml), commanded at 100 Hz, with
// the controller and the vehicle that planner.launch takes for it. No nodes: every state's answer
// takes effect one state later.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "control/loops/cascaded_pid.hpp"
#include "control/pilot/envelope.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/control/commander.hpp"
#include "marsim/sim/world.hpp"
#include "marsim/vehicle/quadrotor.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;

// Position and its derivatives by a parameter, up to the third.
struct Jet {
  Vector3d d[4];
};
using Curve = std::function<Jet(double)>;

// A planner's own bounds [m/s, m/s^2, m/s^3, rad/s]; of the thrust by mass [m/s^2].
struct Bounds {
  double speed, acceleration, jerk, body_rate, thrust_min, thrust_max;
};
constexpr Bounds kClick{5, 5, 120, 2.5, 6, 20};
constexpr Bounds kDense{8, 15, 120, 2.5, 6, 17};
constexpr Bounds kHighSpeed{25, 20, 120, 5, 6, 25};

struct Flight {
  std::string name;
  Bounds bounds;
  std::function<Reference(double)> at;
  double duration;  // [s]
};

Jet lemniscate(double a, double b, double w, double t) {
  const double s = std::sin(w * t), c = std::cos(w * t);
  const double s2 = std::sin(2.0 * w * t), c2 = std::cos(2.0 * w * t);
  return {{{a * s, b * s2, 0.0},
           {a * w * c, 2.0 * b * w * c2, 0.0},
           {-a * w * w * s, -4.0 * b * w * w * s2, 0.0},
           {-a * w * w * w * c, -8.0 * b * w * w * w * c2, 0.0}}};
}

Jet slalom(double speed, double b, double w, double t) {
  const double s = std::sin(w * t), c = std::cos(w * t);
  return {{{speed * t, b * (1.0 - c), 0.0},
           {speed, b * w * s, 0.0},
           {0.0, b * w * w * c, 0.0},
           {0.0, -b * w * w * w * s, 0.0}}};
}

// Along a curve from rest: within `ramp` seconds its parameter comes to run as fast as time, as
// 10 s^3 - 15 s^4 + 6 s^5. The nose points along the curve.
std::function<Reference(double)> along(const Curve& curve, double ramp) {
  return [curve, ramp](double t) {
    const double s = std::min(t / ramp, 1.0), s2 = s * s, s3 = s2 * s;
    const double parameter = t < ramp ? ramp * (2.5 * s - 3.0 * s2 + s3) * s3 : t - 0.5 * ramp;
    const double rate = (10.0 - 15.0 * s + 6.0 * s2) * s3;
    const double rate2 = 30.0 * s2 * (1.0 - s) * (1.0 - s) / ramp;
    const double rate3 = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (ramp * ramp);
    const Jet c = curve(parameter);
    Reference r;
    r.p_WB = c.d[0] + Vector3d(0.0, 0.0, 10.0);
    r.v_WB = rate * c.d[1];
    r.a_WB = rate * rate * c.d[2] + rate2 * c.d[1];
    r.j_WB = std::pow(rate, 3) * c.d[3] + 3.0 * rate * rate2 * c.d[2] + rate3 * c.d[1];
    r.yaw = std::atan2(c.d[1].y(), c.d[1].x());
    r.yaw_rate =
        rate * (c.d[1].x() * c.d[2].y() - c.d[1].y() * c.d[2].x()) / c.d[1].head<2>().squaredNorm();
    return r;
  };
}

// Straight: an acceleration of (1 - cos)/2 up to the speed, a second of it, and back to rest.
std::function<Reference(double)> sprint(double speed, double acceleration) {
  return [=](double t) {
    const double up = 2.0 * speed / acceleration, k = 2.0 * kPi / up, half = 0.5 * acceleration;
    const double end = 2.0 * up + 1.0, length = speed * up + speed;
    const bool brakes = t > up + 1.0;
    const double u = brakes ? std::max(end - t, 0.0) : std::min(t, up);
    Reference r;
    r.p_WB = {half * (0.5 * u * u - (1.0 - std::cos(k * u)) / (k * k)), 0.0, 10.0};
    r.v_WB.x() = half * (u - std::sin(k * u) / k);
    r.a_WB.x() = half * (1.0 - std::cos(k * u));
    r.j_WB.x() = half * k * std::sin(k * u);
    if (brakes) {
      r.p_WB.x() = length - r.p_WB.x();
      r.a_WB = -r.a_WB;
    } else {
      r.p_WB.x() += speed * std::max(t - up, 0.0);
    }
    return r;
  };
}

const std::vector<Flight>& flights() {
  const auto figure = [](double a, double b, double w, double ramp) {
    return along([=](double t) { return lemniscate(a, b, w, t); }, ramp);
  };
  const auto gates = [](double speed, double b, double w, double ramp) {
    return along([=](double t) { return slalom(speed, b, w, t); }, ramp);
  };
  static const std::vector<Flight> all{
      {"click, lemniscate", kClick, figure(5.0, 1.6, 0.82, 4.0), 16},
      {"click, sprint", kClick, sprint(5, 5), 6},
      {"dense, lemniscate", kDense, figure(6.5, 2.2, 1.01, 4.0), 14},
      {"dense, sprint", kDense, sprint(8, 12), 5},
      {"high speed, lemniscate", kHighSpeed, figure(40, 12, 0.53, 4.0), 20},
      {"high speed, slalom", kHighSpeed, gates(23, 3.2, 2.4, 4.0), 12},
      {"high speed, sprint", kHighSpeed, sprint(25, 20), 7},
  };
  return all;
}

// RMS of the distance to the reference [m].
double rmsError(const Flight& flight, const std::string& vehicle, const std::string& controller) {
  const vehicle::VehicleConfig craft = config::loadVehicle(vehicle);
  const ControllerConfig gains = config::loadController(controller);
  vehicle::Quadrotor quadrotor(craft);
  const Reference start = flight.at(0.0);
  quadrotor.reset(start.p_WB, start.yaw);
  CascadedPid loop(gains, sim::vehicleModel(craft));
  Commander commander(gains.goal);
  Eigen::Array4d waiting = quadrotor.motorCommands();
  double sum = 0.0;
  const int steps = static_cast<int>(1000.0 * flight.duration);
  for (int i = 0; i < steps; ++i) {
    const Reference truth = flight.at(1e-3 * i);
    if (i % 10 == 0) commander.setReference(truth, quadrotor.state().stamp);
    if (i % 2 == 0) {
      quadrotor.command(waiting);
      waiting = loop.update(quadrotor.state(), commander.reference(quadrotor.state()));
    }
    sum += (truth.p_WB - quadrotor.state().X_WB.p).squaredNorm();
    quadrotor.step(1'000'000);
  }
  return std::sqrt(sum / steps);
}

const Flight& named(const std::string& name) {
  return *std::find_if(flights().begin(), flights().end(),
                       [&](const Flight& flight) { return flight.name == name; });
}

TEST(PlannerEnvelopes, ReferencesUseTheirEnvelopesAndKeepThem) {
  for (const Flight& flight : flights()) {
    Bounds used{0, 0, 0, 0, 100, 0};
    Reference last = flight.at(0.0);
    for (double t = 1e-3; t < flight.duration; t += 1e-3) {
      const Reference r = flight.at(t);
      ASSERT_LT(((r.p_WB - last.p_WB) / 1e-3 - 0.5 * (r.v_WB + last.v_WB)).norm(), 1e-4) << t;
      ASSERT_LT(((r.v_WB - last.v_WB) / 1e-3 - 0.5 * (r.a_WB + last.a_WB)).norm(), 1e-3) << t;
      ASSERT_LT(((r.a_WB - last.a_WB) / 1e-3 - 0.5 * (r.j_WB + last.j_WB)).norm(), 0.1) << t;
      last = r;
      const Vector3d thrust = r.a_WB + Vector3d(0.0, 0.0, kGravity);
      const Vector3d along = thrust.normalized();
      const double turning = (r.j_WB - along.dot(r.j_WB) * along).norm() / thrust.norm();
      used.speed = std::max(used.speed, r.v_WB.norm());
      used.acceleration = std::max(used.acceleration, r.a_WB.norm());
      used.jerk = std::max(used.jerk, r.j_WB.norm());
      used.body_rate = std::max(used.body_rate, turning);
      used.thrust_min = std::min(used.thrust_min, thrust.norm());
      used.thrust_max = std::max(used.thrust_max, thrust.norm());
    }
    EXPECT_LE(used.speed, 1.001 * flight.bounds.speed) << flight.name;
    EXPECT_GE(used.speed, 0.95 * flight.bounds.speed) << flight.name;
    EXPECT_LE(used.acceleration, 1.001 * flight.bounds.acceleration) << flight.name;
    EXPECT_GE(used.acceleration, 0.6 * flight.bounds.acceleration) << flight.name;
    EXPECT_LE(used.jerk, flight.bounds.jerk) << flight.name;
    EXPECT_LE(used.body_rate, flight.bounds.body_rate) << flight.name;
    EXPECT_GE(used.thrust_min, flight.bounds.thrust_min) << flight.name;
    EXPECT_LE(used.thrust_max, flight.bounds.thrust_max) << flight.name;
  }
}

// 0.3 m are asked for.
TEST(PlannerEnvelopes, AreFlownByTheAgileController) {
  for (const Flight& flight : flights()) {
    EXPECT_LT(rmsError(flight, "uzh_5inch", "agile"), 0.05) << flight.name;
    EXPECT_LT(rmsError(flight, "hummingbird", "agile"), 0.05) << flight.name;
  }
  for (const char* name :
       {"click, lemniscate", "click, sprint", "dense, lemniscate", "dense, sprint"}) {
    EXPECT_LT(rmsError(named(name), "iris", "agile"), 0.05) << name;
  }
}

// Which combinations cannot, and that a warning says so.
TEST(PlannerEnvelopes, OtherCombinationsAreTooSlowAndSayIt) {
  const auto isWithin = [](const Flight& flight, const char* vehicle, const char* controller) {
    const Envelope envelope(config::loadController(controller),
                            sim::vehicleModel(config::loadVehicle(vehicle)));
    for (double t = 0.0; t < flight.duration; t += 0.01) {
      if (!envelope.exceededBy(flight.at(t)).empty()) return false;
    }
    return true;
  };
  for (const Flight& flight : flights()) {
    EXPECT_TRUE(isWithin(flight, "uzh_5inch", "agile")) << flight.name;
  }
  const Flight& click = named("click, lemniscate");
  for (const char* vehicle : {"crazyflie", "hummingbird", "iris", "uzh_5inch"}) {
    EXPECT_LT(rmsError(click, vehicle, "default"), 0.1) << vehicle;
    EXPECT_TRUE(isWithin(click, vehicle, "default")) << vehicle;
    for (const char* name : {"dense, sprint", "high speed, sprint", "high speed, slalom"}) {
      EXPECT_FALSE(isWithin(named(name), vehicle, "default")) << vehicle << ", " << name;
    }
  }
  EXPECT_GT(rmsError(named("high speed, sprint"), "uzh_5inch", "default"), 10.0);
  EXPECT_GT(rmsError(named("dense, sprint"), "uzh_5inch", "default"), 0.3);
  for (const char* name : {"high speed, sprint", "high speed, slalom"}) {
    EXPECT_GT(rmsError(named(name), "iris", "agile"), 0.3) << name;
    EXPECT_FALSE(isWithin(named(name), "iris", "agile")) << name;
  }
}

}  // namespace
}  // namespace marsim::control
