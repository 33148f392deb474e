// SPDX-License-Identifier: BSD-3-Clause
#include "control/loops/motor_lead.hpp"

#include <algorithm>

namespace marsim::control {
namespace {

// Runge-Kutta steps of the model, as the design's dynamics step.
constexpr TimeNs kModelStep = 1'000'000;
// After a pause longer than this the motors have settled on the last command.
constexpr TimeNs kSettled = 2 * kNsPerSecond;

}  // namespace

MotorLead::MotorLead(const VehicleModel& vehicle, double natural_frequency)
    : up_(vehicle.motor_natural_frequency_up),
      down_(vehicle.motor_natural_frequency_down),
      damping_(vehicle.motor_damping),
      speed_min_(vehicle.motor_speed_min),
      speed_max_(vehicle.motor_speed_max),
      natural_frequency_(natural_frequency) {
  reset(RotorArray::Zero(static_cast<Eigen::Index>(vehicle.rotors.size())));
}

void MotorLead::reset(const RotorArray& speeds) {
  speeds_ = speeds;
  commands_ = speeds;
  accelerations_.setZero(speeds.size());
}

void MotorLead::advance(TimeNs dt) {
  if (dt > kSettled) {
    reset(commands_);
  } else if (speeds_.size() == 4) {
    advanceAs<Eigen::Array4d>(dt);
  } else {
    advanceAs<RotorArray>(dt);
  }
}

// `Rotors`: a type of fixed size for the four rotors of most vehicles.
template <class Rotors>
void MotorLead::advanceAs(TimeNs dt) {
  const Rotors commands = commands_;
  Rotors speeds = speeds_, accelerations = accelerations_;
  const Rotors up = Rotors::Constant(commands.size(), up_);
  const auto jerk = [&](const Rotors& speed, const Rotors& acceleration) {
    const Rotors wn = (commands > speed).select(up, down_);
    return Rotors(wn.square() * (commands - speed) - 2.0 * damping_ * wn * acceleration);
  };
  for (TimeNs left = dt; left > 0; left -= kModelStep) {
    const double h = toSeconds(std::min(left, kModelStep));
    const Rotors v1 = accelerations, a1 = jerk(speeds, v1);
    const Rotors v2 = v1 + 0.5 * h * a1, a2 = jerk(speeds + 0.5 * h * v1, v2);
    const Rotors v3 = v1 + 0.5 * h * a2, a3 = jerk(speeds + 0.5 * h * v2, v3);
    const Rotors v4 = v1 + h * a3, a4 = jerk(speeds + h * v3, v4);
    speeds += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
    accelerations += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    const Rotors stopped = accelerations.max(0.0);
    accelerations = (speeds < 0.0).select(stopped, accelerations);
    speeds = speeds.max(0.0);
  }
  speeds_ = speeds;
  accelerations_ = accelerations;
}

RotorArray MotorLead::commandTowards(const RotorArray& wanted) {
  const double wf = natural_frequency_;
  for (Eigen::Index i = 0; i < wanted.size(); ++i) {
    const double speed = speeds_[i], rate = accelerations_[i];
    const double jerk = wf * wf * (wanted[i] - speed) - 2.0 * wf * rate;
    // The command above or below the speed that gives this jerk, whichever is consistent.
    const double above = (jerk + 2.0 * damping_ * up_ * rate) / (up_ * up_);
    const double below = (jerk + 2.0 * damping_ * down_ * rate) / (down_ * down_);
    const double offset = above > 0.0 ? above : std::min(below, 0.0);
    commands_[i] = std::min(std::max(speed + offset, speed_min_), speed_max_);
  }
  return commands_;
}

}  // namespace marsim::control
