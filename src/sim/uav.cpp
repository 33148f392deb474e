#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/sim/world.hpp"

namespace marsim::sim {
namespace {

// Runge-Kutta of fourth order is stable up to 2.78 for a real pole.
constexpr double kStablePoleTimesStep = 2.5;

bool divides(double rate, double dynamics) {
  const double ratio = dynamics / rate;
  return ratio > 0.5 && std::abs(ratio - std::round(ratio)) < 1e-9 * ratio;
}

void requireDivides(const Validator& check, const std::string& field, double rate,
                    double dynamics) {
  check.positive(field, rate, "Hz");
  check.require(divides(rate, dynamics), field, fmt::format("{}", rate),
                fmt::format("the dynamics rate ({} Hz) divided by a whole number", dynamics));
}

UavConfig validated(UavConfig config) {
  config.imu.validate("imu");
  validateRates(config.rates, config.vehicle, config.imu, "rates");
  for (int axis = 0; axis < 3; ++axis) {
    Validator("start").finite(fmt::format("position[{}]", axis), config.start_p_WB[axis], "m");
  }
  Validator("start").finite("yaw", config.start_yaw, "rad");
  return config;
}

std::int64_t stepsPer(double rate, const RateConfig& rates) {
  return std::llround(rates.dynamics / rate);
}

}  // namespace

control::VehicleModel vehicleModel(const vehicle::VehicleConfig& config) {
  control::VehicleModel model;
  model.mass = config.mass;
  model.inertia = config.inertia;
  model.thrust_coefficient = config.thrust_coefficient;
  model.torque_coefficient = config.torque_coefficient;
  model.motor_speed_min = config.motor.speed_min;
  model.motor_speed_max = config.motor.speed_max;
  model.motor_natural_frequency_up = config.motor.natural_frequency_up;
  model.motor_natural_frequency_down = config.motor.natural_frequency_down;
  model.motor_damping = config.motor.damping;
  model.rotor_drag_coefficient = config.rotor_drag_coefficient;
  model.linear_drag = config.linear_drag;
  for (std::size_t i = 0; i < model.rotors.size(); ++i) {
    model.rotors[i] = {config.rotors.at(i).position, config.rotors.at(i).spin};
  }
  return model;
}

void RateConfig::validate(const std::string& where) const {
  const Validator check(where);
  check.within("dynamics", dynamics, 10.0, 1e6, "Hz");
  const double microseconds = 1e6 / dynamics;
  check.require(std::abs(microseconds - std::round(microseconds)) < 1e-6, "dynamics",
                fmt::format("{}", dynamics), "1,000,000 Hz divided by a whole number");
  requireDivides(check, "state", state, dynamics);
  requireDivides(check, "odometry", odometry, dynamics);
}

void validateRates(const RateConfig& rates, const vehicle::VehicleConfig& vehicle,
                   const vehicle::ImuConfig& imu, const std::string& where) {
  rates.validate(where);
  const Validator check(where);
  requireDivides(Validator("imu"), "rate", imu.rate, rates.dynamics);
  const double pole = vehicle.motor.fastestPole();
  check.require(pole <= kStablePoleTimesStep * rates.dynamics, "dynamics",
                fmt::format("{}", rates.dynamics),
                fmt::format("{:.0f} Hz or more for motors as fast as {:.0f} rad/s",
                            pole / kStablePoleTimesStep, pole));
}

Uav::Uav(const UavConfig& config, std::shared_ptr<const lidar::Renderer> renderer, double ground_z,
         std::shared_ptr<const collision::Neighbours> neighbours, std::uint32_t number)
    : config_(validated(config)),
      dynamics_step_(periodNs(config.rates.dynamics)),
      state_every_(stepsPer(config.rates.state, config.rates)),
      imu_every_(stepsPer(config.imu.rate, config.rates)),
      quadrotor_(config.vehicle),
      controller_(config.controller, vehicleModel(config.vehicle)),
      commander_(config.controller.goal),
      imu_(config.imu, config.seed) {
  if (config_.lidar) lidar_.emplace(*config_.lidar, renderer, config_.seed);
  if (config_.depth) camera_.emplace(*config_.depth, std::move(renderer));
  collisions_ = std::make_unique<Collisions>(config_.collision, config_.vehicle,
                                             std::move(neighbours), ground_z, number);
  quadrotor_.setGround(ground_z);
  quadrotor_.reset(config_.start_p_WB, config_.start_yaw);
  control();
}

void Uav::step(const ThingsIn& thingsIn, const Collisions::BodyIn& bodyIn) {
  move(thingsIn, bodyIn);
  ++steps_;
  if (steps_ % state_every_ == 0) control();
  if (steps_ % imu_every_ == 0) {
    // Drawn also where nobody listens, so that the noise does not depend on it.
    const vehicle::ImuSample sample = imu_.sample(state(), quadrotor_.breaks());
    if (on_imu) on_imu(sample);
  }
}

void Uav::takeStrike(const Strike& strike) { collisions_->takeStrike(strike, quadrotor_); }

void Uav::move(const ThingsIn& thingsIn, const Collisions::BodyIn& bodyIn) {
  contact_events_.clear();
  collisions_->step(quadrotor_, dynamics_step_, thingsIn, contact_events_, bodyIn);
  if (!on_contact) return;
  for (const collision::ContactEvent& event : contact_events_) on_contact(event);
}

// Of the state to its sensors.
void Uav::report() {
  const VehicleReport report{state(), quadrotor_.onGround(), 0};
  if (lidar_) due_scans_ = lidar_->take(report);
  if (camera_) due_images_ = camera_->take(report);
}

void Uav::control() {
  history_.push(state());
  report();
  reference_ = commander_.reference(state());
  if (quadrotor_.onGround() && !commander_.commanded()) return;
  if (quadrotor_.onGround()) controller_.rest();
  quadrotor_.command(controller_.update(state(), reference_));
}

std::optional<TimeNs> Uav::nextScan() const {
  if (!lidar_) return std::nullopt;
  return lidar_->nextBegin();
}

void Uav::measure(const ThingsIn& thingsIn) {
  const auto things = [&](TimeNs begin, TimeNs end) {
    return thingsIn ? thingsIn(begin, end) : std::vector<scene::MovingThing>();
  };
  for (const RangeSensor::Interval& due : std::exchange(due_scans_, {})) {
    if (on_scan) on_scan(lidar_->scan(due, things(due.begin, due.end)));
  }
  for (const ImageSensor::Instant& due : std::exchange(due_images_, {})) {
    if (on_image) on_image(camera_->image(due, things(due.stamp, due.stamp)));
  }
}

}  // namespace marsim::sim
