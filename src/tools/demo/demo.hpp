// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "marsim/common/bounds.hpp"
#include "marsim/map/point_cloud.hpp"
#include "tools/demo/flight_plan.hpp"
#include "tools/demo/flight_report.hpp"
#include "tools/process/command_line.hpp"

/// `marsim demo`: plans a flight through a map, flies it with the ROS nodes, judges and shows it.
namespace marsim::tools {

struct DemoOptions : ScannedWorld {
  static constexpr Bounds kSpeeds{0.0, 1000.0, true}, kGoalCounts{1, 1000};

  std::string start;                                   ///< "x,y,z", empty: chosen
  double yaw = 0.0;                                    ///< [rad]
  std::string vehicle = config::defaultOf("vehicle");  ///< name or file
  double resolution = config::defaultNumber("resolution", Quantity::kLength);  ///< [m]
  std::string surface = config::defaultOf("surface");                          ///< or "paper"
  std::string goals;                   ///< "x,y,z;x,y,z", empty: chosen
  int goal_count = 4;                  ///< number of goals to choose
  std::string output = "demo_output";  ///< folder
  double speed = config::defaultNumber("speed", Quantity::kSpeed);  ///< [m/s]
  std::uint64_t seed = 1;                                           ///< for the choice of goals
  std::string renderer = config::defaultOf("renderer");             ///< passed to the scenario
  bool nodelets = false;
  bool rviz = false;
  bool verbose = false;  ///< show all output of the nodes

  /// Throws ConfigError.
  void validate() const;
};

/// Margin to the map beyond the vehicle's radius [m].
constexpr double kSafetyMargin = 0.2;

/// A planned flight and the data for judging it.
struct Preparation {
  FlightPlan plan;
  map::PointCloud cloud;              ///< the source map's points
  collision::ClearanceMap clearance;  ///< to them and to plants that are obstacles
  double vehicle_radius;              ///< [m]
};

/// Checks everything that can be checked before the flight, and plans it. Throws Error.
Preparation prepareDemo(const DemoOptions& options);

/// The scenario that flies a plan and keeps the flight, as JSON, which is YAML.
std::string scenarioText(const DemoOptions& options, const FlightPlan& plan);

/// Reads the results in the plan's folder and compares them with the map.
FlightSummary assessFlight(const Preparation& preparation, bool interrupted);

/// Draws flight_top.png, flight_oblique.png and flight_side.png into the plan's folder; returns
/// their names.
std::vector<std::string> drawPictures(const DemoOptions& options, const Preparation& preparation,
                                      const suite::FlightRecord& record);

/// Runs the whole demo. Returns the program's exit code: 0 only if every goal was reached without a
/// contact.
int runDemo(const DemoOptions& options);

}  // namespace marsim::tools
