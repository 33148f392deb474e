#include "marsim/control/motor_lead.hpp"

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
      natural_frequency_(natural_frequency) {}

void MotorLead::reset(const Eigen::Array4d& speeds) {
  speeds_ = speeds;
  commands_ = speeds;
  accelerations_.setZero();
}

void MotorLead::advance(TimeNs dt) {
  if (dt > kSettled) {
    reset(commands_);
    return;
  }
  const auto jerk = [&](const Eigen::Array4d& speed, const Eigen::Array4d& acceleration) {
    const Eigen::Array4d wn =
        (commands_ > speed).select(Eigen::Array4d::Constant(up_), Eigen::Array4d::Constant(down_));
    return Eigen::Array4d(wn.square() * (commands_ - speed) - 2.0 * damping_ * wn * acceleration);
  };
  for (TimeNs left = dt; left > 0; left -= kModelStep) {
    const double h = toSeconds(std::min(left, kModelStep));
    const Eigen::Array4d v1 = accelerations_, a1 = jerk(speeds_, v1);
    const Eigen::Array4d v2 = v1 + 0.5 * h * a1, a2 = jerk(speeds_ + 0.5 * h * v1, v2);
    const Eigen::Array4d v3 = v1 + 0.5 * h * a2, a3 = jerk(speeds_ + 0.5 * h * v2, v3);
    const Eigen::Array4d v4 = v1 + h * a3, a4 = jerk(speeds_ + h * v3, v4);
    speeds_ += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
    accelerations_ += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    const Eigen::Array4d stopped = accelerations_.max(0.0);
    accelerations_ = (speeds_ < 0.0).select(stopped, accelerations_);
    speeds_ = speeds_.max(0.0);
  }
}

Eigen::Array4d MotorLead::commandTowards(const Eigen::Array4d& wanted) {
  const double wf = natural_frequency_;
  for (int i = 0; i < 4; ++i) {
    const double speed = speeds_[i], rate = accelerations_[i];
    const double jerk = wf * wf * (wanted[i] - speed) - 2.0 * wf * rate;
    // The command above or below the speed that gives this jerk, whichever agrees with itself.
    const double above = (jerk + 2.0 * damping_ * up_ * rate) / (up_ * up_);
    const double below = (jerk + 2.0 * damping_ * down_ * rate) / (down_ * down_);
    const double offset = above > 0.0 ? above : std::min(below, 0.0);
    commands_[i] = std::min(std::max(speed + offset, speed_min_), speed_max_);
  }
  return commands_;
}

}  // namespace marsim::control
