// SPDX-License-Identifier: BSD-3-Clause
#include "local_map.hpp"

#include <algorithm>
#include <cmath>

namespace autonomy {
namespace {

using Eigen::Vector3d;

float logOddsOf(double p) { return static_cast<float>(std::log(p / (1.0 - p))); }

std::vector<Cell> ballOf(double radius, double side) {
  const int reach = static_cast<int>(std::ceil(radius / side));
  std::vector<Cell> ball;
  for (int x = -reach; x <= reach; ++x) {
    for (int y = -reach; y <= reach; ++y) {
      for (int z = -reach; z <= reach; ++z) {
        if (side * Cell(x, y, z).cast<double>().norm() <= radius) ball.emplace_back(x, y, z);
      }
    }
  }
  return ball;
}

template <class Visit>
void forEachCell(const Cell& min, const Cell& end, const Visit& visit) {
  for (int x = min.x(); x < end.x(); ++x) {
    for (int y = min.y(); y < end.y(); ++y) {
      for (int z = min.z(); z < end.z(); ++z) visit(Cell(x, y, z));
    }
  }
}

}  // namespace

LocalMap::LocalMap(const LocalMapConfig& config)
    : config_(config),
      hit_(logOddsOf(config.p_hit)),
      miss_(logOddsOf(config.p_miss)),
      occupied_(logOddsOf(config.p_occupied)),
      least_(logOddsOf(config.p_min)),
      most_(logOddsOf(config.p_max)),
      margin_(static_cast<int>(std::ceil(config.inflation / config.side))),
      size_((2.0 * config.half_size / config.side).array().round().cast<int>()),
      stored_(size_.array() + 2 * margin_),
      ball_(ballOf(config.inflation, config.side)) {
  const std::size_t cells = static_cast<std::size_t>(stored_.x()) *
                            static_cast<std::size_t>(stored_.y()) *
                            static_cast<std::size_t>(stored_.z());
  log_odds_.assign(cells, 0.0F);
  is_occupied_.assign(cells, 0);
  blocked_by_.assign(cells, 0);
  observed_in_.assign(cells, 0);
  moveTo(Vector3d::Zero());
}

// The arrays are a torus: a cell keeps its element while the box moves.
std::size_t LocalMap::indexOf(const Cell& cell) const {
  Cell at = cell - base_;
  for (int axis = 0; axis < 3; ++axis) {
    if (at[axis] >= stored_[axis]) at[axis] -= stored_[axis];
  }
  return static_cast<std::size_t>((at.x() * stored_.y() + at.y()) * stored_.z() + at.z());
}

void LocalMap::moveTo(const Vector3d& p_W) {
  const Cell min = cellOf(p_W) - size_ / 2;
  for (int axis = 0; axis < 3; ++axis) {
    Cell first = min_, end = min_ + size_;  // of the slab that leaves the box
    if (min[axis] > min_[axis]) {
      end[axis] = std::min(end[axis], min[axis]);
    } else {
      first[axis] = std::max(first[axis], min[axis] + size_[axis]);
    }
    forEachCell(first, end, [&](const Cell& cell) { forget(cell); });
  }
  min_ = min;
  for (int axis = 0; axis < 3; ++axis) {
    const double first = min_[axis] - margin_;
    base_[axis] = static_cast<int>(std::floor(first / stored_[axis])) * stored_[axis];
  }
}

void LocalMap::forget(const Vector3d& p_W, double radius) {
  const Vector3d reach = Vector3d::Constant(radius);
  const Cell first = cellOf(p_W - reach).cwiseMax(min_);
  const Cell end = (cellOf(p_W + reach) + Cell::Ones()).cwiseMin(min_ + size_);
  forEachCell(first, end, [&](const Cell& cell) {
    if ((centreOf(cell) - p_W).norm() < radius) forget(cell);
  });
}

void LocalMap::forget(const Cell& cell) {
  const std::size_t index = indexOf(cell);
  if (is_occupied_[index] != 0) setOccupied(cell, index, false);
  log_odds_[index] = 0.0F;
}

void LocalMap::add(const Cell& cell, float change) {
  const std::size_t index = indexOf(cell);
  if (observed_in_[index] == scan_) return;
  observed_in_[index] = scan_;
  log_odds_[index] = std::clamp(log_odds_[index] + change, least_, most_);
  const bool occupied = log_odds_[index] > occupied_;
  if (occupied != (is_occupied_[index] != 0)) setOccupied(cell, index, occupied);
}

void LocalMap::setOccupied(const Cell& cell, std::size_t index, bool occupied) {
  is_occupied_[index] = occupied ? 1 : 0;
  for (const Cell& step : ball_) {
    std::uint16_t& count = blocked_by_[indexOf(cell + step)];
    occupied ? ++count : --count;
  }
}

bool LocalMap::isBlocked(const Cell& cell) const {
  const double z = (cell.z() + 0.5) * config_.side;
  if (z < config_.lowest || z > config_.highest) return true;
  return contains(cell) && blocked_by_[indexOf(cell)] != 0;
}

double LocalMap::depthAt(const Vector3d& p_W) const {
  const double least = 0.1 * config_.side;  // cells count as blocked by their centres
  const Cell cell = cellOf(p_W);
  double depth = std::max({least, config_.lowest - p_W.z(), p_W.z() - config_.highest});
  for (const Cell& step : ball_) {
    if (!isOccupied(cell + step)) continue;
    depth = std::max(depth, config_.inflation - (centreOf(cell + step) - p_W).norm());
  }
  return depth;
}

void LocalMap::addScan(const Vector3d& sensor_p_W, const std::vector<Vector3d>& points_W) {
  ++scan_;
  const Vector3d low = centreOf(min_), high = centreOf(min_ + size_ - Cell::Ones());
  // Returns first: a cell with a return is not free, whichever rays pass through it.
  for (const Vector3d& point : points_W) {
    const Cell cell = cellOf(point);
    if (contains(cell)) add(cell, hit_);
  }
  if (!contains(cellOf(sensor_p_W))) return;
  for (const Vector3d& point : points_W) {
    double inside = 1.0;  // share of the ray that lies in the box
    const Vector3d ray = point - sensor_p_W;
    for (int axis = 0; axis < 3; ++axis) {
      const double room = (ray[axis] > 0.0 ? high : low)[axis] - sensor_p_W[axis];
      if (std::abs(ray[axis]) > std::abs(room)) inside = std::min(inside, room / ray[axis]);
    }
    clearRay(sensor_p_W, sensor_p_W + std::max(0.0, inside) * ray);
  }
}

// Steps from cell to cell, always over the nearest face (Amanatides and Woo 1987), backwards from
// the return. It ends at a cell that was observed next to the last one: another ray of this scan
// has been there, and their ways to the sensor are nearly the same.
void LocalMap::clearRay(const Vector3d& from, const Vector3d& to) {
  Cell cell = cellOf(to);
  const Cell last = cellOf(from);
  const Vector3d ray = from - to;
  Cell step;
  Vector3d next, across;  // shares of the ray at which it crosses the next face, and between faces
  for (int axis = 0; axis < 3; ++axis) {
    step[axis] = ray[axis] > 0.0 ? 1 : -1;
    const double face = (cell[axis] + (ray[axis] > 0.0 ? 1 : 0)) * config_.side;
    next[axis] = ray[axis] != 0.0 ? (face - to[axis]) / ray[axis] : 2.0;
    across[axis] = ray[axis] != 0.0 ? config_.side / std::abs(ray[axis]) : 2.0;
  }
  add(cell, miss_);  // without effect on the return's own cell
  int known = 0;
  while (cell != last && next.minCoeff() <= 1.0) {
    int axis = 0;
    next.minCoeff(&axis);
    cell[axis] += step[axis];
    next[axis] += across[axis];
    known = observed_in_[indexOf(cell)] == scan_ ? known + 1 : 0;
    if (known > 3) return;
    add(cell, miss_);
  }
}

std::optional<Vector3d> LocalMap::nearestFree(const Vector3d& p_W, double reach) const {
  const Cell middle = cellOf(p_W);
  if (!isBlocked(middle)) return p_W;
  const int cells = static_cast<int>(std::ceil(reach / config_.side));
  std::optional<Vector3d> nearest;
  double least = reach;
  forEachCell(middle.array() - cells, middle.array() + cells + 1, [&](const Cell& cell) {
    const double distance = (centreOf(cell) - p_W).norm();
    if (distance > least || isBlocked(cell)) return;
    least = distance;
    nearest = centreOf(cell);
  });
  return nearest;
}

}  // namespace autonomy
