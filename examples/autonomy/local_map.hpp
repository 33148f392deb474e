// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <Eigen/Core>

namespace autonomy {

using Cell = Eigen::Vector3i;  ///< numbers of a cell in W, floor(p / side)

struct LocalMapConfig {
  Eigen::Vector3d half_size{5.5, 5.5, 4.5};  ///< [m] of the box around the UAV
  double side = 0.1;                         ///< [m] of a cell
  double inflation = 0.25;                   ///< [m] radius of the UAV, with a margin
  double p_hit = 0.85, p_miss = 0.4;         ///< p(occupied) of a cell with and without a return
  double p_occupied = 0.8;                   ///< a cell is occupied above it
  double p_min = 0.1, p_max = 0.97;          ///< bounds, so that a cell can change its state
  double lowest = -std::numeric_limits<double>::infinity();  ///< [m] heights of the UAV's centre
  double highest = std::numeric_limits<double>::infinity();  ///< [m]
};

/// A grid of log odds in a box that moves with the UAV. A cell that a scan observes changes by
/// l += log(p(z|occupied) / p(z|free)), others keep their l (Zhong 2023, section 4.2, eq. 3-32 and
/// algorithm 3). Cells near an occupied one are blocked, so the UAV counts as a point.
/// Unknown cells are free.
class LocalMap {
 public:
  explicit LocalMap(const LocalMapConfig& config);

  /// Centres the box on a place; cells that leave it are forgotten.
  void moveTo(const Eigen::Vector3d& p_W);
  /// Adds the returns of a scan, made at one place.
  void addScan(const Eigen::Vector3d& sensor_p_W, const std::vector<Eigen::Vector3d>& points_W);
  /// Makes the cells of a ball unknown.
  void forget(const Eigen::Vector3d& p_W, double radius);

  const LocalMapConfig& config() const { return config_; }
  Cell cellOf(const Eigen::Vector3d& p_W) const {
    return (p_W / config_.side).array().floor().cast<int>();
  }
  Eigen::Vector3d centreOf(const Cell& cell) const {
    return (cell.cast<double>().array() + 0.5) * config_.side;
  }
  bool contains(const Cell& cell) const {
    return (cell.array() >= min_.array()).all() && (cell.array() < (min_ + size_).array()).all();
  }
  double logOdds(const Cell& cell) const { return contains(cell) ? log_odds_[indexOf(cell)] : 0.0; }
  bool isOccupied(const Cell& cell) const {
    return contains(cell) && is_occupied_[indexOf(cell)] != 0;
  }
  /// Whether the UAV's centre may not be there.
  bool isBlocked(const Cell& cell) const;
  bool isBlocked(const Eigen::Vector3d& p_W) const { return isBlocked(cellOf(p_W)); }
  /// [m] How much nearer than the inflation a blocked place is to an occupied cell; positive.
  double depthAt(const Eigen::Vector3d& p_W) const;
  /// The nearest place in the box within `reach` [m] that is not blocked.
  std::optional<Eigen::Vector3d> nearestFree(const Eigen::Vector3d& p_W, double reach) const;

  /// Number of a cell of the box in arrays of `cells()` elements.
  std::size_t indexOf(const Cell& cell) const;
  std::size_t cells() const { return log_odds_.size(); }

 private:
  void add(const Cell& cell, float change);
  void setOccupied(const Cell& cell, std::size_t index, bool occupied);
  void forget(const Cell& cell);
  void clearRay(const Eigen::Vector3d& from, const Eigen::Vector3d& to);

  LocalMapConfig config_;
  float hit_, miss_, occupied_, least_, most_;  ///< log odds
  int margin_;                                  ///< cells around the box that inflation reaches
  Cell size_, stored_;                          ///< of the box, and of the arrays
  Cell min_ = Cell::Zero();                     ///< first cell of the box
  Cell base_ = Cell::Zero();                    ///< cell of the arrays' first element
  std::vector<Cell> ball_;                      ///< cells that an occupied one blocks
  std::vector<float> log_odds_;
  std::vector<std::uint8_t> is_occupied_;
  std::vector<std::uint16_t> blocked_by_;   ///< number of occupied cells
  std::vector<std::uint32_t> observed_in_;  ///< number of the last scan
  std::uint32_t scan_ = 0;
};

}  // namespace autonomy
