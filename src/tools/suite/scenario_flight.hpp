#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "marsim/map/load_map.hpp"
#include "marsim/sim/world.hpp"
#include "scenario/flight_guide.hpp"
#include "scenario/scenario.hpp"
#include "tools/dataset/airsim_settings.hpp"

namespace marsim::tools {

/// Arguments that take the place of a scenario's, by name, and who gives them, for errors.
struct GivenArguments {
  std::string where;
  std::map<std::string, std::string> values;
};

/// The flight of a scenario by one UAV in this process, without ROS: to the last bit what the
/// launch file of the scenario flies in lockstep.
class ScenarioFlight {
 public:
  /// Loads vehicle and sensors. Throws what loaders throw, and ConfigError for what a scenario asks
  /// for that needs ROS.
  ScenarioFlight(const scenario::Scenario& scenario, std::uint64_t seed,
                 const GivenArguments& given = {});
  ~ScenarioFlight();

  const sim::UavConfig& config() const { return config_; }
  /// Sensors in place of the scenario's, where there are any; before enter().
  void carry(const AirsimSensors& sensors);
  /// An argument of the launch file, as the scenario or a default gives it; all of their names.
  std::string argument(const std::string& name) const;
  static std::vector<std::string> argumentNames();

  /// Loads the map and puts the UAV into it. `threads` are those of renderers, 0: all cores;
  /// without effect on what is measured. What follows needs it.
  void enter(int threads);
  const map::LoadedMap& map() const { return map_; }
  /// Its callbacks but on_report and on_contact are for the caller.
  sim::Uav& uav() { return *uav_; }
  /// Advances by one dynamics step.
  void step();

  TimeNs now() const;
  /// When nothing is left to be flown: a stamp that may lie ahead; none: not known yet, or it holds
  /// its place all the time.
  std::optional<TimeNs> flownAt() const;
  const scenario::FlightGuide& guide() const { return guide_; }
  int contacts() const { return contacts_; }  ///< that have begun

 private:
  class Arguments;
  void makeConfig(const scenario::Scenario& scenario);
  void addSurfaces();
  sim::Renderers makeRenderers(int threads) const;
  void addObstacles(const std::string& name);
  void fly(const sim::VehicleReport& report);

  std::unique_ptr<const Arguments> arguments_;
  sim::UavConfig config_;
  lidar::Weather weather_;
  scenario::FlightGuide guide_;
  map::LoadedMap map_;
  std::unique_ptr<sim::World> world_;
  sim::Uav* uav_ = nullptr;
  int contacts_ = 0;
};

}  // namespace marsim::tools
