#include <utility>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/sim/world.hpp"

namespace marsim::sim {
namespace {

UavConfig validated(UavConfig config) {
  for (int axis = 0; axis < 3; ++axis) {
    Validator("start").finite(fmt::format("position[{}]", axis), config.start_p_WB[axis], "m");
  }
  Validator("start").finite("yaw", config.start_yaw, "rad");
  return config;
}

}  // namespace

Uav::Uav(const UavConfig& config, std::shared_ptr<const lidar::Renderer> renderer, double ground_z,
         std::shared_ptr<const collision::Neighbours> neighbours, std::uint32_t number)
    : config_(validated(config)),
      vehicle_(config, ground_z, std::move(neighbours), number),
      pilot_(config.controller, vehicleModel(config.vehicle)) {
  if (config_.lidar) lidar_.emplace(*config_.lidar, renderer, config_.seed);
  if (config_.depth) camera_.emplace(*config_.depth, std::move(renderer));
  vehicle_.place(config_.start_p_WB, config_.start_yaw, 0);
  report();
}

void Uav::teleport(const Eigen::Vector3d& p_WB, double yaw) {
  tell(vehicle_.place(p_WB, yaw, state().stamp));
  pilot_.notice(vehicle_.report());
  history_.clear();
  history_.push(state());
}

void Uav::step(const ThingsIn& thingsIn, const Collisions::BodyIn& bodyIn) {
  const VehicleStep& due = vehicle_.step(thingsIn, bodyIn);
  tell(due.contacts);
  if (due.report) report();
  if (due.imu && on_imu) on_imu(*due.imu);
}

void Uav::tell(const std::vector<collision::ContactEvent>& contacts) const {
  if (!on_contact) return;
  for (const collision::ContactEvent& event : contacts) on_contact(event);
}

// Of the vehicle to its sensors and its pilot, who answers.
void Uav::report() {
  const VehicleReport report = vehicle_.report();
  history_.push(report.motion);
  if (lidar_) due_scans_ = lidar_->take(report);
  if (camera_) due_images_ = camera_->take(report);
  if (const auto speeds = pilot_.answer(report)) {
    vehicle_.command({*speeds, report.motion.stamp, report.placements});
  }
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
