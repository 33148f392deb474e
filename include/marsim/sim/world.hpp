// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "marsim/collision/clearance.hpp"
#include "marsim/scene/moving_object.hpp"
#include "marsim/scene/obstacle_driver.hpp"
#include "marsim/scene/vegetation.hpp"
#include "marsim/sim/body.hpp"
#include "marsim/sim/camera_rig.hpp"
#include "marsim/sim/collisions.hpp"
#include "marsim/sim/depth_sensor.hpp"
#include "marsim/sim/lidar_sensor.hpp"
#include "marsim/sim/pilot.hpp"
#include "marsim/sim/surroundings.hpp"
#include "marsim/sim/vehicle.hpp"

namespace marsim::sim {

/// A vehicle with its controller and sensors.
struct UavConfig : VehicleSetup {
  control::ControllerConfig controller;
  std::optional<lidar::LidarConfig> lidar;
  std::optional<lidar::DepthCameraConfig> depth;
  std::optional<lidar::CameraRigConfig> cameras;
  /// Estimates that the UAV flies on, from Uav::addEstimate() or a simulated SLAM. If it is not
  /// set, the UAV flies on the simulated SLAM of vehicle.estimate; if neither is set, on the truth.
  /// Replays ignore both.
  std::optional<EstimateConfig> estimate;
  Eigen::Vector3d start_p_WB = Eigen::Vector3d::Zero();  ///< [m] in W
  double start_yaw = 0.0;                                ///< [rad]
};

/// The renderers of a map for the sensors of UAVs.
struct Renderers {
  std::shared_ptr<const lidar::RayRenderer> rays = nullptr;      ///< of LiDARs
  std::shared_ptr<const lidar::ImageRenderer> images = nullptr;  ///< of depth cameras
  /// Settings of the renderers that a World makes: for plants, and in place of null `rays` or
  /// `images`. Its `threads` also count for a World's cameras.
  lidar::RendererConfig config = {};
  /// For cameras. If `cameras.map` is null, a World uses its map, `rays` and `images`, while a Uav
  /// without a World throws ConfigError if it has cameras.
  lidar::CameraRenderers cameras = {};
};

/// A complete UAV without ROS: its vehicle, pilot and sensors, connected as the nodes are.
class Uav {
 public:
  /// LiDAR, depth camera and cameras need renderers; `map`: its points to collide with,
  /// null: none; `id`: the UAV's. Throws ConfigError, also where VehicleSetup::validate() does.
  Uav(const UavConfig& config, const Renderers& renderers, double ground_z,
      std::shared_ptr<const collision::Neighbours> map = nullptr, std::uint32_t id = 0);

  void setGoal(const Eigen::Vector3d& p_WB, double yaw) {
    pilot_.commander().setGoal(p_WB, yaw, state().stamp);
  }
  void setReference(const control::Reference& reference) {
    pilot_.commander().setReference(reference, state().stamp);
  }
  /// The flight controller; Pilot::commandAt() takes commands with a stamp.
  Pilot& pilot() { return pilot_; }
  /// Adds a pose estimated by SLAM (see EstimateLoop), for a UAV whose UavConfig::estimate is set
  /// and has no simulated SLAM. Does nothing for other UAVs.
  void addEstimate(TimeNs stamp, const Pose& X_OE);
  /// Places it at once, at rest, and drops the command that it follows.
  void teleport(const Eigen::Vector3d& p_WB, double yaw);
  /// Places it at a stamp (see Vehicle::placeAt).
  bool teleport(const Eigen::Vector3d& p_WB, double yaw, TimeNs stamp) {
    return vehicle_.placeAt(p_WB, yaw, stamp);
  }
  /// Returns the moving objects during an interval.
  using ObjectsIn = std::function<std::vector<scene::MovingObject>(TimeNs begin, TimeNs end)>;
  /// Advances by one dynamics step. `objectsNear` gives the moving objects that it can hit,
  /// `rigidBodyOf` mass and motion of other UAVs, which impulses push. Both may be empty.
  void step(const Collisions::ObjectsNear& objectsNear = {},
            const Collisions::RigidBodyOf& rigidBodyOf = {});
  /// Applies the impact of another UAV that has run into this one (see Collisions).
  void takeImpact(const Impact& impact) { vehicle_.takeImpact(impact); }
  /// Makes the scans and images that are due; `objectsIn` gives the moving objects and may be
  /// empty. World calls it when all UAVs have stepped.
  void measure(const ObjectsIn& objectsIn = {});
  /// Renders each sensor's scans or images in a thread of its own from now on, while the UAV steps
  /// on. measure() waits for a scan or image only if the next one of its sensor is due. The results
  /// are the same; on_scan, on_image and on_camera_image are called in those threads.
  void measureInBackground() { measures_in_background_ = true; }
  /// Waits for the scans and images that are being rendered; rethrows errors of their callbacks.
  void finishMeasurements();
  /// Sets whether scans list the shots without a return.
  void keepMisses(bool keep);
  /// Sets the weather of all later scans and images; at first clear air. Throws ConfigError.
  void setWeather(const lidar::Weather& weather);

  const KinematicState& state() const { return vehicle_.state(); }
  /// The reference that is tracked, as of the last state step.
  const control::Reference& reference() const { return pilot_.reference(); }
  const vehicle::Platform& platform() const { return vehicle_.platform(); }
  /// Null where collisions are off.
  const Collisions* collisions() const {
    return config_.collision.on ? &vehicle_.collisions() : nullptr;
  }
  /// Null without cameras.
  const CameraRig* cameras() const { return cameras_ ? &*cameras_ : nullptr; }
  TimeNs dynamicsStep() const { return vehicle_.dynamicsStep(); }
  /// The bounding sphere of the body.
  scene::BoundingSphere ball() const { return vehicle_.ball(); }
  /// Removes and returns its announcements to the others.
  std::vector<Announcement> takeAnnouncements() { return std::exchange(announcements_, {}); }

  // Called from step(), measure() and teleport() when their data is ready (see
  // measureInBackground()); may be empty.
  std::function<void(const VehicleReport&)> on_report;
  std::function<void(const KinematicState&)> on_odometry;
  std::function<void(const vehicle::ImuSample&)> on_imu;
  /// Called with each estimate of a simulated SLAM but the first, which the constructor makes.
  std::function<void(const StampedPose&)> on_estimate;
  std::function<void(const lidar::Scan&)> on_scan;
  std::function<void(const lidar::DepthImage&)> on_image;
  /// Called with the number of the camera in its rig, its image, and the moving objects, whose
  /// times count from the image's time.
  std::function<void(std::size_t camera, const lidar::CameraImage&, View<scene::MovingObject>)>
      on_camera_image;
  std::function<void(const collision::ContactEvent&)> on_contact;

 private:
  void report();
  void announce(const std::vector<Impact>& impacts);
  void callOnContact(const std::vector<collision::ContactEvent>& contacts) const;
  template <class Measurement>
  void make(std::future<void>& earlier, Measurement measurement);

  UavConfig config_;
  Vehicle vehicle_;
  Pilot pilot_;
  std::optional<LidarSensor> lidar_;
  std::optional<DepthSensor> depth_camera_;
  std::optional<CameraRig> cameras_;
  std::vector<LidarSensor::Interval> due_scans_;
  std::vector<ImageClock::Instant> due_depth_images_, due_images_;
  Announcer announcer_;
  std::vector<Announcement> announcements_;
  bool measures_in_background_ = false;
  // Measurements under way. Last members, since their destructors wait for the rendering threads.
  std::future<void> scan_, depth_image_, images_;
};

/// A map, UAVs and other moving objects. UAVs see and hit each other where their announcements
/// place them; an announcement becomes known kPeerPeriod after its stamp. Deterministic from
/// configuration and seed.
class World {
 public:
  /// All sensors use `renderers`. Where `rays` or `images` is null, a renderer on the processor
  /// is made by `renderers.config`. Without ground_z [m] the ground plane is at the map's lowest
  /// point.
  World(std::shared_ptr<const map::SurfelMap> map, Renderers renderers = {},
        std::optional<double> ground_z = std::nullopt);

  /// Adds plants. Only UAVs that are added after this call see them, and hit those that are
  /// obstacles. Hits on plant i of `vegetation` have the identity scene::kFirstPlantIdentity + i,
  /// also in a second call. Throws ConfigError, which names `where`.
  void addVegetation(const scene::Vegetation& vegetation, const std::string& where);

  /// Adds a UAV, which lives as long as the world; its id is its place in uavs(). Throws as Uav
  /// does, ConfigError for another dynamics rate than the first UAV's, and Error after the first
  /// step.
  Uav& addUav(const UavConfig& config);
  /// Adds objects that all UAVs see and can hit.
  void addObjects(std::shared_ptr<const scene::ObjectSource> objects);
  /// Steps `driver` with the world. Its obstacles must be added by addObjects(), too. A call of
  /// ObstacleDriver::command() acts from the driver's next step on.
  void addDriver(std::shared_ptr<scene::ObstacleDriver> driver);
  /// Advances all UAVs by one dynamics step.
  void step();
  /// Advances all UAVs by a time [s], rounded up to whole steps; without UAVs no time passes.
  void runFor(double seconds);
  /// Simulated time of the last step.
  TimeNs time() const { return uavs_.empty() ? 0 : uavs_.front()->state().stamp; }
  /// In the order in which they were added.
  const std::vector<std::unique_ptr<Uav>>& uavs() const { return uavs_; }
  const map::SurfelMap& map() const { return *map_; }
  /// Distances to the map and to plants that are obstacles, for starts and routes.
  collision::ClearanceMap clearances() const { return {neighbours_, map_->bounds()}; }
  /// Height of the ground [m].
  double groundZ() const { return ground_z_; }

 private:
  void stepOne(std::uint32_t uav);
  void deliverAnnouncements(Uav& uav);

  std::shared_ptr<const map::SurfelMap> map_;
  Renderers renderers_;
  std::vector<Eigen::Vector3d> plant_points_;  // [m] in W, on plants that are obstacles
  std::shared_ptr<const collision::Neighbours> neighbours_;
  double ground_z_;
  std::vector<std::unique_ptr<Uav>> uavs_;  // by id
  Surroundings surroundings_{{}, kPeerPeriod};
  std::vector<Surroundings::Source> objects_;
  std::vector<std::shared_ptr<scene::ObstacleDriver>> drivers_;
};

}  // namespace marsim::sim
