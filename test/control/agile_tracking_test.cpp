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
  static_cast<vehicle::EquippedVehicle&>(setup) = config::loadVehicle("uzh_5inch");
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

double trackingError(const std::string& name, bool drag_model, const Round& round) {
  ControllerConfig gains = config::loadController(name);
  gains.drag_model = drag_model;
  const double error = trackingError(gains, round);
  fmt::print("{}, drag model {}: {:.4f} m\n", name, drag_model ? "on" : "off", error);
  return error;
}

TEST(AgileTracking, LoopA) {
  for (const char* name : {"geometric", "agile"}) {
    const double with = trackingError(name, true, loopA());
    const double without = trackingError(name, false, loopA());
    EXPECT_GT(without, 2.0 * with);
    EXPECT_LT(with, 0.42);
  }
}

TEST(AgileTracking, LemniscateA) {
  for (const char* name : {"geometric", "agile"}) {
    const double with = trackingError(name, true, lemniscateA());
    const double without = trackingError(name, false, lemniscateA());
    EXPECT_GT(without, 2.0 * with);
    EXPECT_LT(with, 0.42);
  }
}

}  // namespace
}  // namespace marsim::control
