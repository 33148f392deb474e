// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "local_map.hpp"

namespace autonomy {

struct ExplorerConfig {
  Eigen::Vector3d low{-5.0, -5.0, 0.0};  ///< [m] corners of the region that is explored
  Eigen::Vector3d high{5.0, 5.0, 3.0};   ///< [m]
  double side = 0.2;                     ///< [m] of a cell
  double inflation = 0.35;               ///< [m] as LocalMapConfig::inflation
  double lowest = 0.4, highest = 2.6;    ///< [m] heights of the UAV's centre
  double steepest_down = -0.12;          ///< [rad] elevations at which the sensor sees
  double steepest_up = 0.9;              ///< [rad]
  double reach = 5.0;                    ///< [m] from a viewpoint to the cells it is chosen for
  std::size_t least = 20;                ///< frontier cells that a viewpoint must see
};

/// A place from which cells of the frontier can be seen, and the way there.
struct Viewpoint {
  std::vector<Eigen::Vector3d> way;  ///< [m] corners in W; the last is the viewpoint
  std::vector<Cell> cells;           ///< of the frontier
};

/// Explores a region by frontiers (Yamauchi 1997): the unknown cells beside free ones. The next
/// viewpoint is the nearest on free cells, clear of occupied ones, that sees enough of them. The
/// map covers the whole region, with coarser cells than the planner's.
class Explorer {
 public:
  explicit Explorer(const ExplorerConfig& config);

  /// Adds a scan, made at one place. A ray without a return ends outside of the region.
  void addScan(const Eigen::Vector3d& sensor_p_W, const std::vector<Eigen::Vector3d>& ends_W) {
    map_.addScan(sensor_p_W, ends_W);
  }
  /// Unknown cells of the region beside free ones, without those given up.
  std::vector<Cell> frontier() const;
  /// The next viewpoint from a place, or none: nothing more can be seen.
  std::optional<Viewpoint> next(const Eigen::Vector3d& from_W) const;
  /// Leaves cells that stayed unknown out of the frontier.
  void giveUp(const std::vector<Cell>& cells);

  bool isUnknown(const Cell& cell) const { return map_.logOdds(cell) == 0.0; }
  bool isFree(const Cell& cell) const { return map_.logOdds(cell) < 0.0; }
  const LocalMap& map() const { return map_; }

 private:
  bool isOpen(const Eigen::Vector3d& from, const Eigen::Vector3d& to) const;
  bool sees(const Eigen::Vector3d& p, const Cell& cell) const;
  std::vector<Cell> seenFrom(const Cell& place, const std::vector<Cell>& cells,
                             std::size_t most) const;
  std::vector<Eigen::Vector3d> cornersOf(const std::vector<Cell>& way,
                                         const Eigen::Vector3d& from) const;

  ExplorerConfig config_;
  LocalMap map_;
  Cell first_, last_;  ///< of the region
  std::vector<std::uint8_t> is_given_up_;
};

}  // namespace autonomy
