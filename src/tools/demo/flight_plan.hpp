#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/collision/clearance.hpp"

namespace marsim::tools {

/// The way to one goal: free straight segments from the place before.
struct Leg {
  std::vector<Eigen::Vector3d> waypoints;  ///< [m] in W; the last one is the goal

  const Eigen::Vector3d& goal() const { return waypoints.back(); }
};

/// The flight that `marsim demo` asks of the flight recorder, handed over as plan.json.
struct FlightPlan {
  std::string map;          ///< absolute path of the map file
  std::string map_name;     ///< for people: the bundled place, or the file without its folder
  double resolution = 0.1;  ///< [m]
  std::string lidar;        ///< name or path
  std::string vehicle;      ///< name or path
  Eigen::Vector3d start = Eigen::Vector3d::Zero();  ///< [m] in W
  double yaw = 0.0;                                 ///< [rad]
  double speed = 2.0;                               ///< [m/s] between way points
  double goal_tolerance = 0.1;                      ///< [m] within which a goal counts as reached
  double goal_timeout = 120.0;                      ///< [s] for a way point, then it is given up
  std::vector<Leg> legs;
  std::filesystem::path output;  ///< absolute folder

  std::vector<Eigen::Vector3d> goals() const;
  /// Lengths of the straight ways between way points, from the start on [m]; their sum, the
  /// longest.
  std::vector<double> segments() const;
  double length() const;
  double longestSegment() const;
};

/// Writes a plan as JSON. Throws FileError.
void writePlan(const FlightPlan& plan, const std::filesystem::path& path);

/// No lower bound of z.
constexpr double kAnyHeight = -std::numeric_limits<double>::infinity();

/// Throws Error where a place, called `what`, lies below `lowest_z` [m], the centre of a vehicle
/// that stands on the ground: nothing gets there.
void requireAboveGround(const std::string& what, const Eigen::Vector3d& p_W, double lowest_z);

/// A place to start from where none was given: `usual` if it is free and over ground, else the free
/// place 1.5 m above the lowest surface nearest to it (to the middle of the map where it lies
/// beside the map), else, where no ground was scanned, the free place nearest to the middle. Throws
/// Error where there is none, or it lies below lowest_z [m].
Eigen::Vector3d chooseStart(const collision::ClearanceMap& map, const Eigen::Vector3d& usual,
                            double clearance, double lowest_z = kAnyHeight);

/// Legs to goals chosen by collision::chooseGoals, none below lowest_z [m]. Throws Error where
/// there are none.
std::vector<Leg> chooseLegs(const collision::ClearanceMap& map, const Eigen::Vector3d& start,
                            int count, double clearance, std::uint64_t seed,
                            double lowest_z = kAnyHeight);

/// Legs to given goals, round what stands in the way. Throws Error naming the goal and the blocking
/// place where a goal is too near to the map, lies below lowest_z [m] or cannot be reached.
std::vector<Leg> routeLegs(const collision::ClearanceMap& map, const Eigen::Vector3d& start,
                           const std::vector<Eigen::Vector3d>& goals, double clearance,
                           double lowest_z = kAnyHeight);

}  // namespace marsim::tools
