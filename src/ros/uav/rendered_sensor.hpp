#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <diagnostic_updater/diagnostic_updater.h>
#include <ros/ros.h>

#include "common/warning_log.hpp"
#include "marsim/SetWeather.h"
#include "marsim/lidar/camera.hpp"
#include "marsim/lidar/plants.hpp"
#include "marsim/lidar/weather.hpp"
#include "ros/common/clock_grants.hpp"
#include "ros/common/map_params.hpp"
#include "ros/common/render_thread.hpp"
#include "ros/common/renderer_params.hpp"
#include "ros/common/world_input.hpp"

namespace marsim::ros_nodes {

/// The common part of the nodes of sensors that render: the map, the renderer, moving objects, a
/// thread that measures, and lockstep. A measurement that falls due while too many wait is dropped
/// and counted; in lockstep simulated time waits instead, and a measurement until all that moves in
/// it is known.
///
/// In: what WorldInput names; the service `~set_weather` (marsim/SetWeather). Parameters: map,
/// vegetation and weather (name or file; none), those of readMapConfig, RendererParams and
/// WorldInput.
class RenderedSensor {
 public:
  using Objects = std::vector<scene::MovingObject>;
  /// Asks for the objects of a measurement when it is made.
  using ObjectsOf = std::function<Objects()>;

  /// Reads the parameters. Throws ConfigError.
  RenderedSensor(ros::NodeHandle& handle, Params& params);

  /// Loads the map, telling progress under `name`, plants the vegetation on it, and gives who
  /// renders both. Throws as map::shareSurfelMap does, ConfigError, GlError.
  std::unique_ptr<lidar::RayRenderer> makeRayRenderer(const std::string& name);
  std::unique_ptr<lidar::ImageRenderer> makeImageRenderer(const std::string& name);
  /// The same for cameras.
  lidar::CameraRenderers makeCameraRenderers(const std::string& name);
  /// What a measurement that falls due now is made in.
  std::shared_ptr<const lidar::Weather> weather() const { return weather_; }
  /// Offers the service, and takes part in lockstep where the parameter says so; `period` [s] of
  /// measurements.
  void start(ros::NodeHandle& handle, ros::NodeHandle& private_handle, double period);
  /// Has a measurement of [begin, end] made in the thread, which may be one that nobody wants;
  /// false where it is dropped.
  bool push(TimeNs begin, TimeNs end, std::function<void(const ObjectsOf&)> measure);
  /// Call when all that falls due at a state has been pushed.
  void onState(TimeNs stamp);
  /// Lets the measurement at work end and makes no more.
  void stop() {
    is_started_ = false;
    thread_.stop();
  }

  /// Idle, seeing, or too slow; what is measured ("images") and how many of them so far.
  void summarise(bool wanted, const std::string& what, std::uint64_t count,
                 diagnostic_updater::DiagnosticStatusWrapper& status) const;

  const WorldInput& world() const { return world_; }
  const RecentCount& dropped() const { return dropped_; }

 private:
  struct Waiting {
    TimeNs begin, end;
    std::function<void(const ObjectsOf&)> measure;
  };

  std::shared_ptr<const map::SurfelMap> loadMap(const std::string& name);
  /// Null without vegetation. Shared by all who render the map in this process.
  std::shared_ptr<const lidar::Plants> plantOn(
      const std::shared_ptr<const map::SurfelMap>& map) const;
  template <class Interface>
  std::unique_ptr<Interface> withPlants(std::unique_ptr<Interface> renderer,
                                        const std::shared_ptr<const map::SurfelMap>& map) const;
  bool onSetWeather(marsim::SetWeather::Request& request, marsim::SetWeather::Response& response);
  void release();
  bool pushNow(const Waiting& measurement);

  MapParams map_;
  std::string vegetation_;  ///< "none": none
  std::optional<scene::VegetationConfig> vegetation_config_;
  std::shared_ptr<const lidar::Weather> weather_;  ///< of callbacks
  ros::ServiceServer weather_service_;
  RendererParams renderer_;
  std::atomic<bool> is_started_{false};  ///< callbacks of what follows may act
  WorldInput world_;
  std::deque<Waiting> waiting_;                ///< until what moves in them is known
  TimeNs first_state_ = -1, last_state_ = -1;  ///< stamps, in lockstep; < 0: none
  RecentCount dropped_;                        ///< touched in callbacks only
  RenderThread thread_;
  std::unique_ptr<RenderLockstep> lockstep_;  ///< null: none
};

}  // namespace marsim::ros_nodes
