// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/control/controller.hpp"
#include "marsim/sim/pilot.hpp"
#include "marsim/sim/vehicle.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;
using Path = std::function<Vector3d(double phase)>;

/// A path gone round at a rate that rises from rest to `rate` [rad/s] within kRise.
class Round {
 public:
  static constexpr double kRise = 6.0;  ///< [s]

  Round(Path path, double rate) : path_(std::move(path)), rate_(rate) {}

  Reference at(double t) const {
    constexpr double h = 2e-3;
    const Vector3d p0 = place(t), p1 = place(t + h), p2 = place(t + 2.0 * h);
    const Vector3d m1 = place(t - h), m2 = place(t - 2.0 * h);
    Reference reference;
    reference.p_WB = p0;
    reference.v_WB = (p1 - m1) / (2.0 * h);
    reference.a_WB = (p1 - 2.0 * p0 + m1) / (h * h);
    reference.j_WB = (p2 - 2.0 * p1 + 2.0 * m1 - m2) / (2.0 * h * h * h);
    return reference;
  }

 private:
  // The integral of rate (10 s^3 - 15 s^4 + 6 s^5), s = t / kRise.
  Vector3d place(double t) const {
    const double s = std::min(std::max(t / kRise, 0.0), 1.0);
    const double risen = kRise * (2.5 * std::pow(s, 4) - 3.0 * std::pow(s, 5) + std::pow(s, 6));
    return path_(rate_ * (risen + std::max(t - kRise, 0.0)));
  }

  Path path_;
  double rate_;
};

// Loop A and Lemniscate A of Sun et al. (arXiv:2109.01365), by their speeds and accelerations.
Round loopA() {
  const double radius = 5.03;
  return {[=](double phase) {
            return Vector3d(radius * std::sin(phase), radius * (1.0 - std::cos(phase)), 0.0);
          },
          10.2 / radius};
}

Round lemniscateA() {
  const double size = 7.05;
  return {[=](double phase) {
            return Vector3d(size * std::sin(phase), 0.5 * size * std::sin(2.0 * phase), 0.0);
          },
          0.953};
}

/// Root mean square of the position error [m] over ten seconds at full speed.
double trackingError(const ControllerConfig& gains, const Round& round) {
  sim::VehicleSetup setup;
  setup.vehicle = config::loadVehicle("uzh_5inch");
  setup.collision.on = false;
  sim::Vehicle vehicle(setup, -100.0, nullptr, 0);
  vehicle.place(Vector3d::Zero(), 0.0, 0);
  const auto controller = makeController(gains, sim::vehicleModel(setup.vehicle));
  double sum = 0.0;
  int count = 0;
  while (toSeconds(vehicle.state().stamp) < Round::kRise + 12.0) {
    const KinematicState& state = vehicle.state();
    const double t = toSeconds(state.stamp);
    const Reference reference = round.at(t);
    if (t > Round::kRise + 2.0) {
      sum += (state.X_WB.p - reference.p_WB).squaredNorm();
      ++count;
    }
    if (vehicle.reportsNow()) {
      vehicle.command(sim::MotorCommand{controller->update(state, reference), state.stamp, 0});
    }
    vehicle.step();
  }
  return std::sqrt(sum / count);
}

// With the drag model on and off.
void expectDragModelHelps(const std::string& name, ControllerConfig gains, const Round& round) {
  gains.drag_model = true;
  const double with = trackingError(gains, round);
  gains.drag_model = false;
  const double without = trackingError(gains, round);
  fmt::print("{}: {:.4f} m, without drag model {:.4f} m\n", name, with, without);
  EXPECT_GT(without, 2.0 * with) << name;
  // No real vehicle of Sun et al. is off by more with their drag model.
  EXPECT_LT(with, 0.42) << name;
}

// Without a model of the motors: as fast as that allows.
ControllerConfig withoutMotorModel() {
  ControllerConfig gains = config::loadController("geometric");
  gains.feedback.motor_model = false;
  gains.attitude.natural_frequency = 13.0;
  gains.position.natural_frequency = 3.25;
  return gains;
}

TEST(AgileTracking, LoopA) {
  expectDragModelHelps("geometric", config::loadController("geometric"), loopA());
  expectDragModelHelps("geometric without motor model", withoutMotorModel(), loopA());
  expectDragModelHelps("agile", config::loadController("agile"), loopA());
}

TEST(AgileTracking, LemniscateA) {
  expectDragModelHelps("geometric", config::loadController("geometric"), lemniscateA());
  expectDragModelHelps("geometric without motor model", withoutMotorModel(), lemniscateA());
  expectDragModelHelps("agile", config::loadController("agile"), lemniscateA());
}

}  // namespace
}  // namespace marsim::control
