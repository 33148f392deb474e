// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/settings.hpp"
#include "marsim/common/time.hpp"
#include "marsim/geometry/pose.hpp"

/// Scenarios: flights with a verdict, as `marsim suite` runs them.
namespace marsim::scenario {

constexpr double kLongestDuration = 24.0 * 3600.0;  ///< [s]
/// [m/s] on the way to a goal, unless a scenario says otherwise.
constexpr double kUsualSpeed = 1.5;

/// The values that pass a check.
struct Limit {
  std::optional<double> at_least;
  std::optional<double> at_most;

  void declare(Settings& settings, const Unit& unit, const Bounds& bounds = kNotNegative);
  bool holds(double value) const {
    return (!at_least || value >= *at_least) && (!at_most || value <= *at_most);
  }
};

/// A launch file of the user's, started with the simulation.
struct Program {
  std::string package;                           ///< required package; empty: none
  std::string file;                              ///< a path, or a name in the package
  std::map<std::string, std::string> arguments;  ///< by name
};

/// A figure-eight in a level plane: x = width/2 sin(s), y = height/2 sin(2 s), turned by yaw.
struct FigureEight {
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();  ///< [m] in W
  double width = 10.0;                               ///< [m] along its axis
  double height = 5.0;                               ///< [m] across
  double yaw = 0.0;                                  ///< [rad] of its axis
  double speed = 2.0;                                ///< [m/s] the largest
  int laps = 1;
  void declare(Settings& settings);
};

/// The way to a goal [m] in W: places that are passed without stopping, the goal last.
using Way = std::vector<Eigen::Vector3d>;

struct Goal {
  Way way;
  std::optional<double> yaw = {};  ///< [rad] on the way and at its end; none: towards its places
};

/// The flight of a UAV. Empty: it holds at its start, or another program flies it.
struct Flight {
  std::vector<Goal> goals;  ///< one after another
  std::string trajectory;   ///< file (TUM or CSV); empty: none
  std::optional<FigureEight> figure_eight;

  double rest = 0.0;        ///< [s] before the first motion
  double take_off = 0.0;    ///< [m] by which it climbs from its start; 0: it stays at that height
  double excitation = 0.0;  ///< [m] reach of control::Excitation before the first goal; 0: none
  bool land = false;        ///< sink to the height of the start after the last goal

  /// Goals and trajectory are lists and files, which the reader knows.
  void declare(Settings& settings);
  bool hasOwnMoves() const { return take_off > 0.0 || excitation > 0.0 || land; }
};

/// A topic that must have a rate, by its stamps. Silence of more than a second before the end of
/// the flight counts as a gap.
struct RateCheck {
  std::string topic;
  double rate = 0.0;        ///< [Hz]
  double tolerance = 0.01;  ///< share of the rate by which the mean may differ
  double worst_gap = 1.5;   ///< in periods
  void declare(Settings& settings);
};

/// An estimate that must follow the truth.
struct EstimateCheck {
  std::string topic;           ///< nav_msgs/Odometry, Path, PoseStamped, PoseWithCovarianceStamped
  std::string uav = "uav0";    ///< with the true motion
  std::string frame = "base";  ///< the estimated frame, as in record_frame:=
  Pose X_BF;                   ///< of that frame in the body, by the scenario's sensors
  TimeNs offset = 0;           ///< added to its stamps
  bool align = true;           ///< by a rigid motion (Umeyama, without scale)
  Limit ate;                   ///< [m] rms of the positions
  Limit rpe;                   ///< [m] rms of the translations of `rpe_delta`
  Limit rpe_angle;             ///< [rad] rms of their angles
  TimeNs rpe_delta = kNsPerSecond;
  Limit completeness;  ///< share of the flight's time with poses at most half a second apart
  void declare(Settings& settings);
};

struct CoverageCheck {
  std::string uav = "uav0";
  double voxel = 0.5;                     ///< [m]
  Eigen::Vector3d min{-1e4, -1e4, -1e4};  ///< [m] in W, of the counted volume
  Eigen::Vector3d max{1e4, 1e4, 1e4};
  Limit share;
  void declare(Settings& settings);
};

struct EndCheck {
  std::string uav = "uav0";
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< [m] in W
  double within = 0.1;                                 ///< [m]
  Limit speed;                                         ///< [m/s]
  void declare(Settings& settings);
};

/// The pass criteria; empty ones are not checked.
struct Checks {
  /// [s] of simulated time from the first goal's sending to the last one's reaching, of every UAV.
  std::optional<double> goals_within;
  std::optional<Limit> clearance;  ///< [m] least, of every UAV
  std::optional<Limit> contacts;
  std::optional<Limit> tracking_rms;  ///< [m] of every UAV
  std::optional<Limit> tracking_max;  ///< [m]
  std::optional<Limit> max_speed;     ///< [m/s]
  std::optional<Limit> energy;        ///< [J] drawn from the battery, of every UAV
  std::optional<Limit> real_time_factor;
  int repeats = 1;  ///< flights of a seed, whose motions must be the same to the bit
  std::vector<EndCheck> end;
  std::vector<RateCheck> rates;
  std::vector<EstimateCheck> estimates;
  std::vector<CoverageCheck> coverage;

  bool empty() const;
  void declare(Settings& settings);
};

/// Time waits until a program without lockstep has answered.
struct WaitRule {
  std::string input;                 ///< topic with stamps t
  std::string output;                ///< topic that shows t when the input was processed
  TimeNs ahead = kNsPerSecond / 10;  ///< how far time may go past t until then
  TimeNs start = 5 * kNsPerSecond;   ///< from the first input on; until then it may answer nothing
};

constexpr int kMostRepeats = 10;

/// A flight through a map, its pilot, and its pass criteria. Keys of the file that are arguments of
/// sim.launch have their names and meaning.
struct Scenario {
  std::string name;  ///< of the file, without its ending
  std::string file;  ///< path
  std::string description;
  bool has_verdict = true;        ///< false: a data set's, which needs no checks
  std::vector<std::string> tags;  ///< `marsim suite --tag`

  std::string client;  ///< of planner.launch or slam.launch; empty: sim.launch or swarm.launch
  int uavs = 1;        ///< above 1: swarm.launch
  /// Arguments of the launch file, map, lidar, vehicle and the like among them.
  std::map<std::string, std::string> arguments;
  std::optional<Eigen::Vector3d> start;  ///< [m] in W
  double yaw = 0.0;                      ///< [rad]
  std::vector<std::uint64_t> seeds{1};
  TimeNs duration = 60 * kNsPerSecond;  ///< longest; it ends earlier when the flight is complete
  bool lockstep = true;
  std::string pace = "max";

  std::map<std::string, Flight> flights;  ///< by UAV
  double goal_tolerance = 0.1;            ///< [m]
  bool keep = false;  ///< keep trajectory and cloud beside the result (writeFlight())
  std::vector<Program> programs;
  std::vector<WaitRule> wait_for;
  std::vector<std::string> wait_until_idle;  ///< nodes, processes or commands, in lockstep
  Checks checks;

  /// Throws ConfigError, which names the scenario's file.
  void validate() const;
  /// uav0, uav1, ...
  std::vector<std::string> uavNames() const;
  /// Name of the launch file that flies it.
  std::string launchFile() const;
  bool isSlam() const { return launchFile() == "slam.launch"; }
};

}  // namespace marsim::scenario
