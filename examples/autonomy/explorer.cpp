// SPDX-License-Identifier: BSD-3-Clause
#include "explorer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

namespace autonomy {
namespace {

using Eigen::Vector3d;

LocalMapConfig mapConfigOf(const ExplorerConfig& config) {
  LocalMapConfig map;
  map.half_size = ((config.high - config.low) / 2.0).array() + 2.0 * config.side;
  map.side = config.side;
  map.inflation = config.inflation;
  map.lowest = config.lowest;
  map.highest = config.highest;
  return map;
}

// Calls `visit` with every cell of a box.
template <class Visit>
void forEachCell(const Cell& first, const Cell& last, const Visit& visit) {
  for (int x = first.x(); x <= last.x(); ++x) {
    for (int y = first.y(); y <= last.y(); ++y) {
      for (int z = first.z(); z <= last.z(); ++z) visit(Cell(x, y, z));
    }
  }
}

/// A cell that Dijkstra's algorithm has reached.
struct Reached {
  double way = std::numeric_limits<double>::infinity();  ///< in cells, from the start
  Cell before = Cell::Zero();
};

struct Open {
  double way;
  Cell cell;
  bool operator<(const Open& other) const { return way > other.way; }
};

}  // namespace

Explorer::Explorer(const ExplorerConfig& config)
    : config_(config),
      map_(mapConfigOf(config)),
      first_(map_.cellOf(config.low.array() + 0.5 * config.side)),
      last_(map_.cellOf(config.high.array() - 0.5 * config.side)),
      is_given_up_(map_.cells(), 0) {
  map_.moveTo((config.low + config.high) / 2.0);
}

std::vector<Cell> Explorer::frontier() const {
  std::vector<Cell> cells;
  forEachCell(first_, last_, [&](const Cell& cell) {
    if (!isUnknown(cell) || is_given_up_[map_.indexOf(cell)] != 0) return;
    for (int axis = 0; axis < 3; ++axis) {
      const Cell step = Cell::Unit(axis);
      if (!isFree(cell + step) && !isFree(cell - step)) continue;
      cells.push_back(cell);
      return;
    }
  });
  return cells;
}

std::optional<Viewpoint> Explorer::next(const Vector3d& from_W) const {
  const std::vector<Cell> cells = frontier();
  const auto start = map_.nearestFree(from_W, 1.0);
  if (cells.size() < config_.least || !start || !map_.contains(map_.cellOf(*start))) return {};
  std::vector<Reached> reached(map_.cells());
  std::priority_queue<Open> open;
  const Cell first = map_.cellOf(*start);
  reached[map_.indexOf(first)] = {0.0, first};
  open.push({0.0, first});
  while (!open.empty()) {
    const auto [way, cell] = open.top();
    open.pop();
    if (way > reached[map_.indexOf(cell)].way) continue;
    const Cell apart = cell - first;
    // Every second cell of each axis is tried, since neighbours see the same.
    if (((apart.x() | apart.y() | apart.z()) & 1) == 0 &&
        seenFrom(cell, cells, config_.least).size() == config_.least) {
      std::vector<Cell> back{cell};
      while (back.back() != first) back.push_back(reached[map_.indexOf(back.back())].before);
      std::reverse(back.begin(), back.end());
      return Viewpoint{cornersOf(back, from_W), seenFrom(cell, cells, cells.size())};
    }
    for (int i = 0; i < 27; ++i) {
      const Cell step(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1), next = cell + step;
      if (!isFree(next) || map_.isBlocked(next)) continue;
      Reached& known = reached[map_.indexOf(next)];
      const double longer = way + std::sqrt(step.squaredNorm());
      if (longer >= known.way - 1e-9) continue;
      known = {longer, cell};
      open.push({longer, next});
    }
  }
  return {};
}

void Explorer::giveUp(const std::vector<Cell>& cells) {
  for (const Cell& cell : cells) {
    if (isUnknown(cell)) is_given_up_[map_.indexOf(cell)] = 1;
  }
}

// Whether the UAV can fly straight.
bool Explorer::isOpen(const Vector3d& from, const Vector3d& to) const {
  const int steps = static_cast<int>(std::ceil((to - from).norm() / (0.5 * config_.side)));
  for (int i = 1; i <= steps; ++i) {
    const Cell cell = map_.cellOf(from + i / static_cast<double>(steps) * (to - from));
    if (!isFree(cell) || map_.isBlocked(cell)) return false;
  }
  return true;
}

// Whether only free cells lie between a place and a cell, in the sensor's field of view.
bool Explorer::sees(const Vector3d& p, const Cell& cell) const {
  const Vector3d ray = map_.centreOf(cell) - p;
  const double range = ray.norm(), across = std::hypot(ray.x(), ray.y());
  if (range > config_.reach || ray.z() < std::tan(config_.steepest_down) * across ||
      ray.z() > std::tan(config_.steepest_up) * across) {
    return false;
  }
  const int steps = static_cast<int>(std::ceil(range / (0.5 * config_.side)));
  for (int i = 1; i < steps; ++i) {
    const Cell at = map_.cellOf(p + i / static_cast<double>(steps) * ray);
    if (at != cell && !isFree(at)) return false;
  }
  return true;
}

// At most so many of the cells that a place sees.
std::vector<Cell> Explorer::seenFrom(const Cell& place, const std::vector<Cell>& cells,
                                     std::size_t most) const {
  std::vector<Cell> seen;
  for (std::size_t i = 0; i < cells.size() && seen.size() < most; ++i) {
    if (sees(map_.centreOf(place), cells[i])) seen.push_back(cells[i]);
  }
  return seen;
}

// Leaves out all places of a way between which the UAV can fly straight.
std::vector<Vector3d> Explorer::cornersOf(const std::vector<Cell>& way,
                                          const Vector3d& from) const {
  std::vector<Vector3d> corners;
  Vector3d corner = from;
  for (std::size_t i = 0; i < way.size(); ++i) {
    const bool is_last = i + 1 == way.size();
    if (!is_last && isOpen(corner, map_.centreOf(way[i + 1]))) continue;
    corner = map_.centreOf(way[i]);
    corners.push_back(corner);
  }
  return corners;
}

}  // namespace autonomy
