// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Core>

#include "marsim/lidar/scan.hpp"

namespace marsim::reproduce {

/// A ground robot's cost map from the heights of returns, and routes on it.
///
/// A cell's ground is the lowest return in the 5 x 5 cells around it, but at most kNegotiable above
/// the robot's wheels. Its cost is the height of its highest return over that ground by
/// kNegotiable, from 0 (also where nothing was seen) to 1. Cells above 1 and two more around them
/// are blocked.
class CostMap {
 public:
  static constexpr int kSide = 400;           ///< cells
  static constexpr double kCell = 0.5;        ///< [m]
  static constexpr double kNegotiable = 0.5;  ///< [m]
  static constexpr double kCostOfWay = 4.0;   ///< a metre at cost 1 counts as 1 + this many

  explicit CostMap(const Eigen::Vector2d& middle);  ///< [m in W]
  void add(const lidar::Scan& scan);
  /// Computes the costs for a robot whose wheels stand at a height [m].
  void update(double wheels_z);

  /// Way of least cost over the middles of neighbouring cells (8 of a cell) by A* (Hart, Nilsson
  /// and Raphael, 1968), both ends included; empty: none.
  /// Blocked cells up to a metre from its start are passed.
  std::vector<Eigen::Vector2d> route(const Eigen::Vector2d& from, const Eigen::Vector2d& to) const;
  /// Numbers of cells with a return; with cost above 1; these by their distance [m] from a place.
  int seen() const;
  int blocking(const Eigen::Vector2d& from, double nearest, double farthest) const;
  /// Rows of neighbouring cells whose costs lie between two, as ends of lines, NaN after each.
  std::vector<Eigen::Vector2d> rows(double from, double to) const;

 private:
  int indexOf(const Eigen::Vector2d& p) const;  // -1: outside
  Eigen::Vector2d middleOf(int index) const;

  Eigen::Vector2d corner_;
  std::vector<float> low_, high_, cost_;
  std::vector<bool> is_blocked_;
};

}  // namespace marsim::reproduce
