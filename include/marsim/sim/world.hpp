#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "marsim/control/commander.hpp"
#include "marsim/control/controller.hpp"
#include "marsim/scene/moving_thing.hpp"
#include "marsim/scene/vehicle_body.hpp"
#include "marsim/sim/collisions.hpp"
#include "marsim/sim/image_sensor.hpp"
#include "marsim/sim/range_sensor.hpp"
#include "marsim/vehicle/imu.hpp"
#include "marsim/vehicle/quadrotor.hpp"

namespace marsim::sim {

/// The controller's view of a vehicle, derived from its description.
control::VehicleModel vehicleModel(const vehicle::VehicleConfig& config);

/// The body that others see, derived from the vehicle's description.
scene::BodyConfig bodyOf(const vehicle::VehicleConfig& config);
/// That body's surfels. Throws as scene::bodyShape does.
std::shared_ptr<const map::SurfelMap> bodyShapeOf(const vehicle::VehicleConfig& config);

/// Steps of the simulation, each a whole multiple of the dynamics step.
struct RateConfig {
  double dynamics = 1000.0;  ///< [Hz]
  double state = 500.0;      ///< [Hz] states handed to controller and lidar
  double odometry = 200.0;   ///< [Hz]

  /// Throws ConfigError where a rate does not divide the dynamics rate, or the dynamics step is not
  /// a whole number of microseconds.
  void validate(const std::string& where) const;
};

/// Whether a vehicle and its IMU can be stepped at these rates. Throws ConfigError where the IMU's
/// rate does not divide the dynamics rate or the motors are too fast for the step.
void validateRates(const RateConfig& rates, const vehicle::VehicleConfig& vehicle,
                   const vehicle::ImuConfig& imu, const std::string& where);

struct UavConfig {
  vehicle::VehicleConfig vehicle;
  control::ControllerConfig controller;
  vehicle::ImuConfig imu;
  std::optional<lidar::LidarConfig> lidar;
  std::optional<lidar::DepthCameraConfig> depth;
  RateConfig rates;
  CollisionConfig collision;
  Eigen::Vector3d start_p_WB = Eigen::Vector3d::Zero();  ///< [m] in W
  double start_yaw = 0.0;                                ///< [rad]
  std::uint64_t seed = 1;
};

/// One UAV, all of it, without ROS: the same components as the nodes.
class Uav {
 public:
  /// The renderer is needed only by a lidar or depth camera; `neighbours` are those of the map to
  /// collide with, null: none; `number` is the identity that others know it by. Throws ConfigError,
  /// also where the motors are too fast for the dynamics step or the IMU's rate does not divide its
  /// rate.
  Uav(const UavConfig& config, std::shared_ptr<const lidar::Renderer> renderer, double ground_z,
      std::shared_ptr<const collision::Neighbours> neighbours = nullptr, std::uint32_t number = 0);

  void setGoal(const Eigen::Vector3d& p_WB, double yaw) {
    commander_.setGoal(p_WB, yaw, state().stamp);
  }
  void setReference(const control::Reference& reference) {
    commander_.setReference(reference, state().stamp);
  }
  using ThingsIn = std::function<std::vector<scene::MovingThing>(TimeNs begin, TimeNs end)>;
  /// Advances by one dynamics step. Its states are kept until discardBefore(). `thingsIn` says what
  /// else moves and can be hit during it, `bodyIn` what of it gives way; both may be empty.
  void step(const ThingsIn& thingsIn = {}, const Collisions::BodyIn& bodyIn = {});
  /// Another UAV has run into it (see Collisions).
  void takeStrike(const Strike& strike);
  /// Makes the scans and images that are due; `thingsIn` says what else moves, and may be empty.
  /// World calls it when all UAVs have stepped.
  void measure(const ThingsIn& thingsIn = {});

  const KinematicState& state() const { return quadrotor_.state(); }
  /// What is tracked, as of the last state step.
  const control::Reference& reference() const { return reference_; }
  const vehicle::Quadrotor& quadrotor() const { return quadrotor_; }
  /// Null where collisions are off.
  const Collisions* collisions() const {
    return config_.collision.on ? collisions_.get() : nullptr;
  }
  /// The states that scans, its own and others', may still need.
  const StateHistory& history() const { return history_; }
  /// Where its next scan begins; none without a lidar.
  std::optional<TimeNs> nextScan() const;
  /// Forgets the motion that scans from `stamp` on do not need.
  void discardBefore(TimeNs stamp) { history_.discardBefore(stamp); }

  // Called from step() when their data is ready; may be empty.
  std::function<void(const vehicle::ImuSample&)> on_imu;
  std::function<void(const lidar::Scan&)> on_scan;
  std::function<void(const lidar::DepthImage&)> on_image;
  std::function<void(const collision::ContactEvent&)> on_contact;

 private:
  void control();
  void report();
  void move(const ThingsIn& thingsIn, const Collisions::BodyIn& bodyIn);

  UavConfig config_;
  TimeNs dynamics_step_;
  std::int64_t state_every_, imu_every_;  // dynamics steps
  std::int64_t steps_ = 0;
  vehicle::Quadrotor quadrotor_;
  std::unique_ptr<Collisions> collisions_;
  std::vector<collision::ContactEvent> contact_events_;  // of a step
  control::Controller controller_;
  control::Commander commander_;
  vehicle::Imu imu_;
  std::optional<RangeSensor> lidar_;
  std::optional<ImageSensor> camera_;
  std::vector<RangeSensor::Interval> due_scans_;
  std::vector<ImageSensor::Instant> due_images_;
  StateHistory history_;
  control::Reference reference_;
};

/// A map, the UAVs in it, which see and hit each other, and what else moves; deterministic from
/// configuration and seed.
class World {
 public:
  /// The renderer is that of all LiDARs, of the map; null: the ray caster on one thread. Without
  /// ground_z [m] the ground is a plane at the map's lowest point.
  World(std::shared_ptr<const map::SurfelMap> map, std::shared_ptr<const lidar::Renderer> renderer,
        std::optional<double> ground_z = std::nullopt);

  /// The UAV lives as long as the world.
  Uav& addUav(const UavConfig& config);
  /// Things that all UAVs see and can hit.
  void addThings(std::shared_ptr<const scene::ThingSource> things);
  /// Advances all UAVs by one dynamics step.
  void step();
  const map::SurfelMap& map() const { return *map_; }
  /// Height of the ground [m].
  double groundZ() const { return ground_z_; }

 private:
  void passStrikes(std::size_t from);
  std::vector<scene::MovingThing> obstaclesIn(std::size_t uav, TimeNs begin, TimeNs end,
                                              const std::vector<KinematicState>& uavs) const;
  std::vector<scene::MovingThing> thingsAround(std::size_t uav, TimeNs begin, TimeNs end) const;

  std::shared_ptr<const map::SurfelMap> map_;
  std::shared_ptr<const lidar::Renderer> renderer_;
  std::shared_ptr<const collision::Neighbours> neighbours_;
  double ground_z_;
  std::vector<std::unique_ptr<Uav>> uavs_;  // by their numbers
  std::vector<std::shared_ptr<const map::SurfelMap>> bodies_;
  std::vector<std::shared_ptr<const scene::ThingSource>> things_;
};

}  // namespace marsim::sim
