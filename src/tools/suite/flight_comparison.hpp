// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "marsim/geometry/pose_track.hpp"
#include "suite/svg_chart.hpp"

/// Comparison of two flights from the same start.
namespace marsim::tools {

/// Distances of poses of flight A from flight B.
struct FlightDistances {
  std::vector<Eigen::Vector2d> points;  ///< [s] since the start of A, [m]
  double mean = 0.0;                    ///< [m] over the poses
  double largest = 0.0;                 ///< [m]
  double rmse = 0.0;                    ///< [m]
};

/// The extent of a flight.
struct FlightExtent {
  double length = 0.0;    ///< [m] of the straight lines between its poses
  double duration = 0.0;  ///< [s]
};

struct FlightComparison {
  FlightExtent a, b;
  FlightDistances to_path;  ///< from each pose of A to the nearest point of B's path
  /// From A to B at the same time since each one's first pose, at the poses of A while B flies.
  FlightDistances to_time;
};

/// Compares two flights of at least two poses with rising stamps. Straight lines join the poses.
FlightComparison compareFlights(const std::vector<StampedPose>& a,
                                const std::vector<StampedPose>& b);

/// Names of two flights, for texts.
struct FlightNames {
  std::string a = "A", b = "B";
};

/// Lines for a terminal.
std::string comparisonTable(const FlightComparison& comparison, const FlightNames& names);

/// Both paths from above, and the distances over time.
std::vector<suite::Chart> comparisonCharts(const std::vector<StampedPose>& a,
                                           const std::vector<StampedPose>& b,
                                           const FlightComparison& comparison,
                                           const FlightNames& names = {});

}  // namespace marsim::tools
