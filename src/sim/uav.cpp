// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
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
  if (config.replay) {
    config.estimate.reset();  // it has no use for a pilot
  } else if (!config.estimate && config.vehicle.estimate) {
    config.estimate = EstimateConfig::simulated(*config.vehicle.estimate);
  }
  if (config.estimate) config.controller.requireFitForEstimates("estimate");
  return config;
}

template <class Due>
void append(std::vector<Due>&& more, std::vector<Due>& due) {
  std::move(more.begin(), more.end(), std::back_inserter(due));
}

}  // namespace

Uav::Uav(const UavConfig& config, const Renderers& renderers, double ground_z,
         std::shared_ptr<const collision::Neighbours> map, std::uint32_t id)
    : config_(validated(config)),
      vehicle_(config, ground_z, std::move(map), id),
      pilot_(config.controller, vehicleModel(config.vehicle)),
      announcer_(id, 0, kPeerPeriod) {
  if (config_.lidar) lidar_.emplace(*config_.lidar, renderers.rays, config_.seed);
  if (config_.depth) depth_camera_.emplace(*config_.depth, renderers.images);
  if (config_.cameras) cameras_.emplace(*config_.cameras, renderers.cameras);
  if (config_.estimate) {
    pilot_.flyOn(EstimateLoop(*config_.estimate, config_.controller.estimator, config_.vehicle.imu,
                              config_.seed));
  }
  vehicle_.place(config_.start_p_WB, config_.start_yaw, 0);
  report();
  announce({});
}

void Uav::addEstimate(TimeNs stamp, const Pose& X_OE) {
  if (config_.estimate && !config_.estimate->slam) pilot_.estimates()->addEstimate(stamp, X_OE);
}

void Uav::teleport(const Eigen::Vector3d& p_WB, double yaw) {
  callOnContact(vehicle_.place(p_WB, yaw, state().stamp));
  if (vehicle_.reportsNow()) report();
  announce({});
}

void Uav::keepMisses(bool keep) {
  finishMeasurements();
  if (lidar_) lidar_->lidar().keepMisses(keep);
}

void Uav::setWeather(const lidar::Weather& weather) {
  finishMeasurements();
  if (lidar_) lidar_->lidar().setWeather(weather);
  if (depth_camera_) depth_camera_->setWeather(weather);
  if (cameras_) cameras_->setWeather(weather);
}

void Uav::step(const Collisions::ObjectsNear& objectsNear,
               const Collisions::RigidBodyOf& rigidBodyOf) {
  const VehicleStep& due = vehicle_.step(objectsNear, rigidBodyOf);
  callOnContact(due.contacts);
  if (EstimateLoop* loop = pilot_.estimates(); loop && due.imu) loop->addImu(*due.imu);
  if (due.report) report();
  announce(vehicle_.collisions().impacts());
  if (due.odometry && on_odometry) on_odometry(state());
  if (due.imu && on_imu) on_imu(*due.imu);
}

void Uav::announce(const std::vector<Impact>& impacts) {
  if (auto told = announcer_.announce(state(), vehicle_.placements(), impacts)) {
    announcements_.push_back(std::move(*told));
  }
}

void Uav::callOnContact(const std::vector<collision::ContactEvent>& contacts) const {
  if (!on_contact) return;
  for (const collision::ContactEvent& event : contacts) on_contact(event);
}

// Passes the vehicle's report to its sensors and its pilot, whose answer it gets.
void Uav::report() {
  const VehicleReport report = vehicle_.report();
  if (on_report) on_report(report);
  if (lidar_) append(lidar_->take(report), due_scans_);
  if (depth_camera_) append(depth_camera_->take(report), due_depth_images_);
  if (cameras_) append(cameras_->take(report), due_images_);
  if (vehicle_.replays()) return;
  const auto speeds = pilot_.answer(report);
  if (const EstimateLoop* loop = pilot_.estimates(); loop && loop->simulated() && on_estimate) {
    on_estimate(*loop->simulated());
  }
  if (!speeds) return;
  if (vehicle_.isIdeal()) {
    vehicle_.track(pilot_.reference(), report.motion.stamp, report.placements);
  } else {
    vehicle_.command({*speeds, report.motion.stamp, report.placements});
  }
}

void Uav::measure(const ObjectsIn& objectsIn) {
  const auto objects = [&](TimeNs begin, TimeNs end) {
    return objectsIn ? objectsIn(begin, end) : std::vector<scene::MovingObject>();
  };
  for (LidarSensor::Interval& due : std::exchange(due_scans_, {})) {
    if (!on_scan) continue;
    make(scan_, [this, on = on_scan, present = objects(due.begin, due.end), due = std::move(due)] {
      on(lidar_->scan(due, present));
    });
  }
  for (ImageClock::Instant& due : std::exchange(due_depth_images_, {})) {
    if (!on_image) continue;
    auto present = objects(due.time, due.time);
    make(depth_image_, [this, on = on_image, present = std::move(present), due = std::move(due)] {
      on(depth_camera_->image(due, present));
    });
  }
  for (ImageClock::Instant& due : std::exchange(due_images_, {})) {
    if (!on_camera_image) continue;
    const TimeNs begin = cameras_->beginOf(due);
    auto present =
        scene::countedFrom(toSeconds(due.time - begin), objects(begin, cameras_->endOf(due)));
    make(images_, [this, on = on_camera_image, present = std::move(present), due = std::move(due)] {
      std::vector<std::size_t> all(cameras_->cameras().size());
      std::iota(all.begin(), all.end(), std::size_t{0});
      const std::vector<lidar::CameraImage> images = cameras_->images(all, due, present);
      for (const std::size_t i : all) on(i, images[i], present);
    });
  }
}

template <class Measurement>
void Uav::make(std::future<void>& earlier, Measurement measurement) {
  if (!measures_in_background_) return measurement();
  if (earlier.valid()) earlier.get();
  earlier = std::async(std::launch::async, std::move(measurement));
}

void Uav::finishMeasurements() {
  const std::array<std::future<void>*, 3> all = {&scan_, &depth_image_, &images_};
  for (const std::future<void>* each : all) {  // before one throws
    if (each->valid()) each->wait();
  }
  for (std::future<void>* each : all) {
    if (each->valid()) each->get();
  }
}

}  // namespace marsim::sim
