// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataset/axes.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/sim/world.hpp"
#include "scenario/flight_guide.hpp"
#include "scenario/scenario.hpp"
#include "tools/dataset/airsim_settings.hpp"

namespace marsim::tools {

/// Arguments in place of a scenario's, by name, and their source, for errors.
struct GivenArguments {
  std::string where;
  std::map<std::string, std::string> values;
  dataset::Axes replay_axes = dataset::Axes::kEnu;  ///< of the file of `replay`
  std::string uav = "uav0";                         ///< name from which the UAV's seed is drawn
};

/// A scenario's flight by one UAV in this process, without ROS: identical to the last bit with the
/// flight of the scenario's launch file in lockstep.
class ScenarioFlight {
 public:
  /// Loads vehicle and sensors. Throws the errors of loaders, and ConfigError for features of a
  /// scenario that need ROS.
  ScenarioFlight(const scenario::Scenario& scenario, std::uint64_t seed,
                 const GivenArguments& given = {});
  ~ScenarioFlight();

  const sim::UavConfig& config() const { return config_; }
  /// Replaces the scenario's sensors by the given ones; call it before enter().
  void carry(const AirsimSensors& sensors);
  /// Sets the IMU's rate [Hz], a divisor of the dynamics rate; call it before enter().
  void setImuRate(double rate) { config_.vehicle.imu.rate = rate; }
  /// Has odometry called at every dynamics step; call it before enter().
  void tellEveryStep() { config_.rates.odometry = config_.rates.dynamics; }
  /// The arguments of the launch file by name, each as it was given or by default.
  const std::map<std::string, std::string>& arguments() const;
  /// Throws UnknownNameError for a name that is not among them and those of the caller.
  static void requireArgument(const std::string& where, const std::string& name,
                              const std::vector<std::string>& more = {});

  /// Loads the map and puts the UAV into it. `threads` of the renderers, 0: all cores, do not
  /// affect results. The functions below need it.
  void enter(int threads);
  const map::LoadedMap& map() const { return map_; }
  double groundZ() const { return world_->groundZ(); }  ///< [m]
  /// The caller may set its callbacks, except on_report and on_contact.
  sim::Uav& uav() { return *uav_; }
  /// Adds another UAV with the flight's weather to its world, which keeps it. Throws Error where it
  /// may not start.
  sim::Uav& addUav(const sim::UavConfig& config);
  /// Advances all UAVs by one dynamics step.
  void step();

  TimeNs now() const;
  TimeNs epoch() const { return epoch_; }  ///< stamp of simulated time 0
  /// When the flight is complete: a stamp that may lie ahead; none: not known yet, or it holds its
  /// place all the time.
  std::optional<TimeNs> flownAt() const;
  const scenario::FlightGuide& guide() const { return guide_; }
  int contacts() const { return contacts_; }  ///< number of contacts begun

 private:
  class Arguments;
  void makeConfig(const scenario::Scenario& scenario, dataset::Axes replay_axes);
  void chooseController();
  void addSurfaces();
  /// [m] Of the map that cameras see, beside one of this resolution.
  double imageResolution(double resolution) const;
  sim::Renderers makeRenderers(const std::shared_ptr<const map::SurfelMap>& map, int threads) const;
  void addObstacles(const std::string& name);
  void fly(const sim::VehicleReport& report);

  std::unique_ptr<Arguments> arguments_;
  sim::UavConfig config_;
  lidar::Weather weather_;
  TimeNs epoch_ = 0;
  scenario::FlightGuide guide_;
  map::LoadedMap map_;
  std::unique_ptr<sim::World> world_;
  sim::Uav* uav_ = nullptr;
  int contacts_ = 0;
};

}  // namespace marsim::tools
