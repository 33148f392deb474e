// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ros/ros.h>

#include "common/warning_log.hpp"
#include "marsim/SetWeather.h"
#include "marsim/VehicleState.h"
#include "marsim/lidar/camera.hpp"
#include "marsim/lidar/plants.hpp"
#include "marsim/lidar/weather.hpp"
#include "ros/common/clock_grants.hpp"
#include "ros/common/diagnostics.hpp"
#include "ros/common/inputs.hpp"
#include "ros/common/map_params.hpp"
#include "ros/common/render_thread.hpp"
#include "ros/common/renderer_params.hpp"
#include "ros/common/world_input.hpp"

namespace marsim::ros_nodes {

/// The common part of the nodes of sensors that render: the vehicle's states, the map, the
/// renderer, moving objects, a thread that measures, diagnostics, and lockstep. Owned by a node as
/// its last member: the thread uses the others. A measurement that falls due while too many wait is
/// dropped and counted; in lockstep simulated time waits instead, and a measurement until all that
/// moves in it is known.
///
/// In: `state` (marsim/VehicleState), what WorldInput names; the service `~set_weather`
/// (marsim/SetWeather). Parameters: map, vegetation and weather (name or file; none),
/// peers_in_scans (false: without other UAVs), those of readMapConfig, RendererParams and
/// WorldInput.
class RenderedSensor {
 public:
  using Objects = std::vector<scene::MovingObject>;
  /// Returns a measurement's objects; called when it is made.
  using ObjectsOf = std::function<Objects()>;

  /// Functions of a node.
  struct Node {
    std::function<void(const sim::VehicleReport&)> take;     ///< pushes what is due at a state
    std::function<void(const lidar::Weather&)> set_weather;  ///< in the thread, at each change
    std::function<void(diagnostic_updater::DiagnosticStatusWrapper&)> diagnose;
  };

  /// Reads the parameters. Throws ConfigError.
  RenderedSensor(ros::NodeHandle& handle, ros::NodeHandle& private_handle, Params& params);
  /// Finishes the present measurement and makes no more.
  ~RenderedSensor();

  /// Loads the map, with progress under `name`, plants the vegetation on it, and returns a renderer
  /// of both. Throws as map::shareSurfelMap does, ConfigError, GlError.
  std::unique_ptr<lidar::RayRenderer> makeRayRenderer(const std::string& name);
  std::unique_ptr<lidar::ImageRenderer> makeImageRenderer(const std::string& name);
  /// Returns renderers for cameras, likewise, of the map at a resolution [m]; 0: see
  /// map::imageResolution.
  lidar::CameraRenderers makeCameraRenderers(const std::string& name, double resolution);
  /// Offers the service, takes part in lockstep if the parameter says so, and reads states. `rate`
  /// [Hz] of measurements; `name` of the diagnostics and `hardware` that they are of.
  void start(ros::NodeHandle& handle, ros::NodeHandle& private_handle, double rate,
             const std::string& name, const std::string& hardware, Node node);
  /// Queues a measurement of [begin, end] for the thread, wanted or not; false if it is dropped.
  bool push(TimeNs begin, TimeNs end, std::function<void(const ObjectsOf&)> measure);

  /// Reports idle, working or too slow; `what` is measured ("images") and how many so far.
  void summarise(bool wanted, const std::string& what, std::uint64_t count,
                 diagnostic_updater::DiagnosticStatusWrapper& status) const;

  const WorldInput& world() const { return world_; }
  Diagnostics& diagnostics() { return diagnostics_; }

 private:
  struct Waiting {
    TimeNs begin, end;
    std::function<void(const ObjectsOf&)> measure;
    std::shared_ptr<const lidar::Weather> weather;
  };

  map::LoadedMap load(const std::string& name);
  /// Null without vegetation. All renderers of the map in this process share it.
  std::shared_ptr<const lidar::Plants> plantOn(
      const std::shared_ptr<const map::SurfelMap>& map) const;
  template <class Interface>
  std::unique_ptr<Interface> withPlants(std::unique_ptr<Interface> renderer,
                                        const std::shared_ptr<const map::SurfelMap>& map) const;
  bool onSetWeather(marsim::SetWeather::Request& request, marsim::SetWeather::Response& response);
  void onState(const marsim::VehicleStateConstPtr& message);
  void advanceTo(TimeNs stamp);
  void release();
  bool pushNow(const Waiting& measurement);
  /// The moving objects that the sensor sees.
  Objects visible(TimeNs begin, TimeNs end) const;

  MapParams map_;
  std::string vegetation_;  ///< "none": none
  std::optional<scene::VegetationConfig> vegetation_config_;
  std::shared_ptr<const lidar::Weather> weather_;       ///< for callbacks
  std::shared_ptr<const lidar::Weather> used_weather_;  ///< by the thread
  ros::ServiceServer weather_service_;
  bool sees_peers_;
  RendererParams renderer_;
  std::atomic<bool> is_started_{false};  ///< callbacks may use the members below
  WorldInput world_;
  std::deque<Waiting> waiting_;                ///< until all their moving objects are known
  TimeNs first_state_ = -1, last_state_ = -1;  ///< stamps, in lockstep; < 0: none
  RecentCount dropped_;                        ///< used in callbacks only
  RenderThread thread_;
  std::unique_ptr<RenderLockstep> lockstep_;  ///< null: none
  Node node_;
  Inputs inputs_;
  ros::Subscriber state_subscriber_;
  Diagnostics diagnostics_;
};

}  // namespace marsim::ros_nodes
