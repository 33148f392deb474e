// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/vehicle.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/vehicle/differential_drive.hpp"
#include "marsim/vehicle/quadrotor.hpp"
#include "sim/ideal_motion.hpp"
#include "sim/wheel_ground.hpp"

namespace marsim::sim {
namespace {

template <class Config>
void requireWholeSteps(const std::optional<Config>& config, const char* sensor, TimeNs step) {
  if (!config) return;
  Validator(sensor).require(
      periodNs(config->rate) % step == 0, "rate", fmt::format("{} Hz", config->rate),
      fmt::format("rates whose period is a multiple of the dynamics step, {} s", toSeconds(step)));
}

void validateFailures(const std::vector<MotorFailure>& failures,
                      const vehicle::VehicleConfig& vehicle, const std::string& where) {
  const Validator check(where);
  const auto rotors = static_cast<double>(vehicle.motorCount());
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const std::string name = fmt::format("motor_failure[{}]", i);
    check.within(name + ".rotor", failures[i].rotor, 0.0, rotors - 1.0);
    check.notNegative(name + ".time", toSeconds(failures[i].at), "s");
    check.within(name + ".effectiveness", failures[i].effectiveness, 0.0, 1.0);
  }
}

VehicleSetup validated(const VehicleSetup& setup) {
  setup.validate("rates");
  return setup;
}

std::unique_ptr<vehicle::Platform> makePlatform(const vehicle::VehicleConfig& vehicle,
                                                std::shared_ptr<const collision::Neighbours> map,
                                                double ground_z) {
  if (const auto& drive = vehicle.differential_drive) {
    return std::make_unique<vehicle::DifferentialDrive>(
        vehicle, groundOf(std::move(map), ground_z, drive->wheel_radius));
  }
  auto quadrotor = std::make_unique<vehicle::Quadrotor>(vehicle);
  quadrotor->setGround(ground_z);
  return quadrotor;
}

template <class Sensor>
bool isDue(const std::optional<Sensor>& sensor, TimeNs stamp) {
  return sensor && stamp % periodNs(sensor->config().rate) == 0;
}

}  // namespace

KinematicState Replay::at(TimeNs stamp) const {
  KinematicState state = track->at(stamp - lead_in + track->begin());
  state.stamp = stamp;
  return state;
}

void VehicleSetup::validate(const std::string& where) const {
  vehicle.imu.validate("imu");
  validateRates(rates, vehicle, where);
  const TimeNs step = periodNs(rates.dynamics);
  requireWholeSteps(vehicle.magnetometer, "magnetometer", step);
  requireWholeSteps(vehicle.barometer, "barometer", step);
  requireWholeSteps(vehicle.gnss, "gnss", step);
  wind.validate(where);
  validateFailures(motor_failures, vehicle, where);
  Validator(where).require(!vehicle.differential_drive || dynamics == Dynamics::kRigidBody,
                           "dynamics", "ideal", "rigid_body for a vehicle on wheels");
  if (!replay && dynamics == Dynamics::kRigidBody) return;
  Validator(where).require(
      collision.response == CollisionResponse::kReport, "collision_response",
      nameOf(collision.response),
      replay ? "report, since its motion is replayed" : "report, since its dynamics are ideal");
}

Vehicle::Vehicle(const VehicleSetup& setup, double ground_z,
                 std::shared_ptr<const collision::Neighbours> map, std::uint32_t id)
    : setup_(validated(setup)),
      step_period_(periodNs(setup.rates.dynamics)),
      report_period_(periodNs(setup.rates.state)),
      odometry_period_(periodNs(setup.rates.odometry)),
      imu_period_(periodNs(setup.vehicle.imu.rate)),
      platform_(makePlatform(setup.vehicle, map, ground_z)),
      imu_(setup.vehicle.imu, setup.seed),
      ground_z_(ground_z),
      ideal_(std::make_shared<IdealMotion>()) {
  if (setup_.wind.isOn()) wind_.emplace(setup_.wind, setup_.seed, ground_z);
  collisions_ =
      std::make_unique<Collisions>(setup_.collision, setup_.vehicle, std::move(map), ground_z, id);
  if (setup_.vehicle.magnetometer) magnetometer_.emplace(*setup_.vehicle.magnetometer, setup_.seed);
  if (setup_.vehicle.barometer) barometer_.emplace(*setup_.vehicle.barometer, setup_.seed);
  if (setup_.vehicle.gnss) gnss_.emplace(*setup_.vehicle.gnss, setup_.seed);
}

std::vector<collision::ContactEvent> Vehicle::place(const Eigen::Vector3d& p_WB, double yaw,
                                                    TimeNs stamp) {
  stamp -= stamp % step_period_;
  std::vector<collision::ContactEvent> ended;
  collisions_->endContacts(ended);
  platform_->reset(p_WB, yaw, stamp);
  if (setup_.replay) platform_->follow(setup_.replay->at(stamp));
  awaits_command_ = !platform_->onGround();
  pending_.clear();
  ideal_->clear();
  // After a jump back waiting placements are stale.
  const auto is_void = [stamp](const Placement& placement) {
    return placement.stamp > stamp + kFarthestAhead;
  };
  placements_to_come_.erase(
      std::find_if(placements_to_come_.begin(), placements_to_come_.end(), is_void),
      placements_to_come_.end());
  placed_at_ = stamp;
  ++placements_;
  return ended;
}

bool Vehicle::placeAt(const Eigen::Vector3d& p_WB, double yaw, TimeNs stamp) {
  const TimeNs now = state().stamp;
  const bool is_near = stamp <= now + kFarthestAhead;
  const Placement placement{is_near ? stamp : now, p_WB, yaw};
  const auto after =
      std::upper_bound(placements_to_come_.begin(), placements_to_come_.end(), placement,
                       [](const Placement& a, const Placement& b) { return a.stamp < b.stamp; });
  placements_to_come_.insert(after, placement);
  return is_near;
}

// The last one of several due placements counts.
void Vehicle::placeDue() {
  const TimeNs now = state().stamp;
  const auto later =
      std::find_if(placements_to_come_.begin(), placements_to_come_.end(),
                   [now](const Placement& placement) { return placement.stamp > now; });
  if (later == placements_to_come_.begin()) return;
  const Placement placement = *std::prev(later);
  placements_to_come_.erase(placements_to_come_.begin(), later);
  for (const collision::ContactEvent& ended : place(placement.p_WB, placement.yaw, now)) {
    due_.contacts.push_back(ended);
  }
  due_.placed = true;
}

bool Vehicle::isAnswer(TimeNs computed_from, std::uint32_t placements) const {
  const bool is_old = placements != 0 ? placements != placements_ : computed_from <= placed_at_;
  return !is_old && computed_from <= state().stamp;
}

bool Vehicle::command(const MotorCommand& command) {
  if (!isAnswer(command.computed_from, command.placements)) return false;
  const TimeNs latency = setup_.vehicle.control_latency * report_period_;
  pending_.push_back({command.computed_from + latency, command.speeds});
  applyDueMotorSpeeds();
  return true;
}

bool Vehicle::track(const control::Reference& reference, TimeNs computed_from,
                    std::uint32_t placements) {
  if (!isAnswer(computed_from, placements)) return false;
  ideal_->add(reference, computed_from,
              computed_from + setup_.vehicle.control_latency * report_period_);
  return true;
}

void Vehicle::applyDueMotorSpeeds() {
  while (!pending_.empty() && pending_.front().acts_at <= state().stamp) {
    command(pending_.front().speeds);
    pending_.pop_front();
  }
}

void Vehicle::takeImpact(const Impact& impact) {
  if (impact.stamp <= placed_at_ || isIdeal()) return;
  collisions_->takeImpact(impact, *platform_);
  awaits_command_ = false;
}

const VehicleStep& Vehicle::step(const Collisions::ObjectsNear& objectsNear,
                                 const Collisions::RigidBodyOf& rigidBodyOf) {
  applyDueMotorSpeeds();
  due_ = VehicleStep();
  const KinematicState before = state();
  if (replays() || isIdeal()) {
    if (replays()) {
      platform_->follow(setup_.replay->at(before.stamp + step_period_));
    } else {
      moveIdeally();
    }
    collisions_->watch(before, *platform_, objectsNear, due_.contacts);
  } else {
    applyWindAndFailures();
    if (awaits_command_) {
      stayInPlace();
    } else {
      platform_->step(step_period_);
    }
    collisions_->act(before, *platform_, objectsNear, due_.contacts, rigidBodyOf);
    if (!state().v_WB.isZero(0.0) || platform_->motorsStopped()) awaits_command_ = false;
  }
  due_.report = reportsNow();
  due_.odometry = state().stamp % odometry_period_ == 0;
  sample();
  if (due_.report) placeDue();
  return due_;
}

// Stays where it was placed; its controller, which may start late, takes that place as its own.
void Vehicle::stayInPlace() {
  KinematicState next = state();
  next.stamp += step_period_;
  next.a_WB.setZero();
  next.dw_WB_B.setZero();
  platform_->follow(next);
}

// The ground plane carries it as always: it stands there unless it rises.
void Vehicle::moveIdeally() {
  KinematicState next = ideal_->after(state(), state().stamp + step_period_);
  const double lowest = ground_z_ + setup_.vehicle.ground_clearance;
  const bool is_below = next.X_WB.p.z() <= lowest;
  const bool stands = is_below && next.v_WB.z() <= 0.0;
  if (is_below) next.X_WB.p.z() = lowest;
  if (stands) {
    next.v_WB.z() = 0.0;
    next.a_WB.z() = 0.0;
  }
  platform_->follow(next, stands);
}

// Sets the air and the power of the motors for the next step.
void Vehicle::applyWindAndFailures() {
  if (wind_) platform_->setWind(wind_->advance(step_period_, state()));
  if (setup_.motor_failures.empty()) return;
  for (int rotor = 0; rotor < platform_->motorCount(); ++rotor) {
    TimeNs latest = -1;  // the latest of several failures of a rotor counts
    double effectiveness = 1.0;
    for (const MotorFailure& failure : setup_.motor_failures) {
      const bool has_come = failure.at <= state().stamp && failure.at >= latest;
      if (failure.rotor != rotor || !has_come) continue;
      latest = failure.at;
      effectiveness = failure.effectiveness;
    }
    platform_->setEffectiveness(rotor, effectiveness);
  }
}

// Sampled also without a listener, so that the noise does not depend on listeners.
void Vehicle::sample() {
  const TimeNs stamp = state().stamp;
  if (stamp % imu_period_ == 0) due_.imu = imu_.sample(state(), platform_->breaks());
  if (isDue(magnetometer_, stamp)) due_.magnetic_field = magnetometer_->sample(state());
  if (isDue(barometer_, stamp)) due_.pressure = barometer_->sample(state());
  if (isDue(gnss_, stamp)) due_.fix = gnss_->sample(state());
}

}  // namespace marsim::sim
