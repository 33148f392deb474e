// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/collision/route.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <unordered_map>
#include <utility>

#include <Eigen/Geometry>

#include "marsim/common/error.hpp"

namespace marsim::collision {
namespace {

// Least step along a segment [m]: a shorter incursion may be missed, which is at most (kMinStep /
// 2)^2 / (2 clearance) deep.
constexpr double kMinStep = 1e-3;

using Cell = Eigen::Vector3i;

// A* over the cells of a grid whose cell (0, 0, 0) has its centre at the route's start. Cells and
// edges are checked only when the search reaches them.
class GridSearch {
 public:
  GridSearch(const ClearanceMap& map, const Eigen::Vector3d& from, const Eigen::Vector3d& to,
             const RouteConfig& config)
      : map_(map), from_(from), to_(to), config_(config), box_(map.bounds().cast<double>()) {
    box_.min().z() = std::max(box_.min().z(), config.lowest_z);
    box_.extend(from);
    box_.extend(to);
  }

  std::optional<std::vector<Eigen::Vector3d>> run();

 private:
  struct Node {
    double cost = std::numeric_limits<double>::infinity();  // [m] from the start
    std::uint64_t parent = 0;
    double clearance = 0.0;  // [m] at the centre
    bool closed = false;
  };
  struct Open {
    double estimate;  // [m] of the whole path through this cell
    std::uint64_t key;
    bool operator<(const Open& other) const {
      return estimate != other.estimate ? estimate > other.estimate : key > other.key;
    }
  };

  static constexpr int kOffset = 1 << 20;
  // Stands for `to` itself, which lies between the cells' centres.
  static constexpr std::uint64_t kGoal = ~std::uint64_t{0};

  static std::uint64_t key(const Cell& cell) {
    const auto part = [&](int axis) { return static_cast<std::uint64_t>(cell[axis] + kOffset); };
    return part(0) << 42 | part(1) << 21 | part(2);
  }
  static Cell cellOf(std::uint64_t key) {
    const auto part = [&](int shift) {
      return static_cast<int>(key >> shift & 0x1fffff) - kOffset;
    };
    return {part(42), part(21), part(0)};
  }
  Eigen::Vector3d centre(const Cell& cell) const {
    return from_ + config_.cell * cell.cast<double>();
  }
  // Length of the shortest path over the grid's 26 directions.
  double estimate(const Eigen::Vector3d& p) const {
    Eigen::Vector3d d = (to_ - p).cwiseAbs();
    std::sort(d.data(), d.data() + 3);
    return std::sqrt(3.0) * d[0] + std::sqrt(2.0) * (d[1] - d[0]) + (d[2] - d[1]);
  }
  // A point that is nearer than c to a segment of length l, but not nearer than D to either end,
  // satisfies D^2 < c^2 + (l/2)^2: so most edges need no walk along them.
  bool freeEdge(const Eigen::Vector3d& a, const Eigen::Vector3d& b, double least_clearance) const {
    const double c = config_.clearance;
    if (least_clearance * least_clearance >= c * c + 0.25 * (a - b).squaredNorm()) return true;
    return !firstBlocked(map_, a, b, c);
  }
  void relax(std::uint64_t from, std::uint64_t to, double cost, double rest);
  void expand(std::uint64_t from);
  std::vector<Eigen::Vector3d> wayTo(std::uint64_t last) const;

  const ClearanceMap& map_;
  Eigen::Vector3d from_, to_;
  const RouteConfig& config_;
  Eigen::AlignedBox3d box_;  // the search does not leave it
  std::unordered_map<std::uint64_t, Node> nodes_;
  std::priority_queue<Open> open_;
};

void GridSearch::relax(std::uint64_t from, std::uint64_t to, double cost, double rest) {
  Node& node = nodes_[to];
  if (cost >= node.cost) return;
  node.cost = cost;
  node.parent = from;
  open_.push({cost + rest, to});
}

void GridSearch::expand(std::uint64_t from) {
  const Cell cell = cellOf(from);
  const Eigen::Vector3d here = centre(cell);
  const double cost = nodes_[from].cost;
  const double clearance = nodes_[from].clearance;
  const double to_goal = (to_ - here).norm();
  if (to_goal <= std::sqrt(3.0) * config_.cell && freeEdge(here, to_, 0.0)) {
    relax(from, kGoal, cost + to_goal, 0.0);
  }
  for (int i = 0; i < 27; ++i) {
    if (i == 13) continue;
    const Cell next = cell + Cell(i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1);
    if (next.cwiseAbs().maxCoeff() >= kOffset) continue;
    const Eigen::Vector3d there = centre(next);
    if (!box_.contains(there)) continue;
    const auto [entry, is_new] = nodes_.try_emplace(key(next));
    Node& node = entry->second;
    if (is_new) node.clearance = map_.at(there).distance;
    const double next_cost = cost + (there - here).norm();
    if (node.closed || next_cost >= node.cost || node.clearance < config_.clearance) continue;
    if (!freeEdge(here, there, std::min(clearance, node.clearance))) continue;
    relax(from, entry->first, next_cost, estimate(there));
  }
}

std::optional<std::vector<Eigen::Vector3d>> GridSearch::run() {
  const std::uint64_t start = key(Cell::Zero());
  nodes_[start].clearance = map_.at(from_).distance;
  relax(start, start, 0.0, estimate(from_));
  std::size_t visited = 0;
  while (!open_.empty() && visited < config_.max_cells) {
    const std::uint64_t next = open_.top().key;
    open_.pop();
    if (next == kGoal) return wayTo(next);
    Node& node = nodes_[next];
    if (node.closed) continue;
    node.closed = true;
    ++visited;
    expand(next);
  }
  return std::nullopt;
}

std::vector<Eigen::Vector3d> GridSearch::wayTo(std::uint64_t last) const {
  std::vector<Eigen::Vector3d> way;
  const std::uint64_t start = key(Cell::Zero());
  for (std::uint64_t at = last; at != start; at = nodes_.at(at).parent) {
    way.push_back(at == kGoal ? to_ : centre(cellOf(at)));
  }
  way.push_back(from_);
  std::reverse(way.begin(), way.end());
  return way;
}

// Drops way points that a free straight segment can skip: from each one to the farthest that is
// found by doubling the number skipped, then by halving it.
std::vector<Eigen::Vector3d> shortened(const ClearanceMap& map,
                                       const std::vector<Eigen::Vector3d>& way, double clearance) {
  std::vector<Eigen::Vector3d> result{way.front()};
  for (std::size_t at = 0; at + 1 < way.size();) {
    std::size_t reached = at + 1;
    for (std::size_t step = 2; reached + 1 < way.size(); step *= 2) {
      const std::size_t next = std::min(at + step, way.size() - 1);
      if (firstBlocked(map, way[at], way[next], clearance)) break;
      reached = next;
    }
    for (std::size_t step = reached - at; step > 0; step /= 2) {
      const std::size_t next = std::min(reached + step, way.size() - 1);
      if (next > reached && !firstBlocked(map, way[at], way[next], clearance)) reached = next;
    }
    result.push_back(way[reached]);
    at = reached;
  }
  return result;
}

// Splits every segment in the middle: finer places to cut corners at.
std::vector<Eigen::Vector3d> halved(const std::vector<Eigen::Vector3d>& way, double least) {
  std::vector<Eigen::Vector3d> result{way.front()};
  for (std::size_t i = 1; i < way.size(); ++i) {
    const double length = (way[i] - way[i - 1]).norm();
    const int parts = std::clamp(static_cast<int>(length / least), 1, 16);
    for (int part = 1; part <= parts; ++part) {
      const double share = static_cast<double>(part) / parts;
      result.emplace_back(way[i - 1] + share * (way[i] - way[i - 1]));
    }
  }
  result.back() = way.back();
  return result;
}

double lengthOf(const std::vector<Eigen::Vector3d>& way) {
  double length = 0.0;
  for (std::size_t i = 1; i < way.size(); ++i) length += (way[i] - way[i - 1]).norm();
  return length;
}

}  // namespace

std::optional<Eigen::Vector3d> firstBlocked(const ClearanceMap& map, const Eigen::Vector3d& from,
                                            const Eigen::Vector3d& to, double clearance) {
  const double length = (to - from).norm();
  double along = 0.0;
  while (true) {
    const Eigen::Vector3d p = length > 0.0 ? from + along / length * (to - from) : from;
    const double distance = map.at(p).distance;
    if (distance < clearance) return p;
    if (along >= length) return std::nullopt;
    along = std::min(length, along + std::max(kMinStep, distance - clearance));
  }
}

std::optional<std::vector<Eigen::Vector3d>> findRoute(const ClearanceMap& map,
                                                      const Eigen::Vector3d& from,
                                                      const Eigen::Vector3d& to,
                                                      const RouteConfig& config) {
  const Validator check("route");
  check.notNegative("clearance", config.clearance, "m");
  check.positive("cell", config.cell, "m");
  check.require(from.allFinite() && to.allFinite(), "from or to", "not finite", "finite places");
  // No search can help if an end is blocked.
  if (map.at(from).distance < config.clearance || map.at(to).distance < config.clearance) {
    return std::nullopt;
  }
  if (!firstBlocked(map, from, to, config.clearance)) {
    return std::vector<Eigen::Vector3d>{from, to};
  }
  std::optional<std::vector<Eigen::Vector3d>> way = GridSearch(map, from, to, config).run();
  if (!way) return std::nullopt;
  std::vector<Eigen::Vector3d> best = shortened(map, *way, config.clearance);
  for (int pass = 0; pass < 4; ++pass) {
    std::vector<Eigen::Vector3d> next = shortened(map, halved(best, config.cell), config.clearance);
    if (lengthOf(next) > lengthOf(best) - 0.01) break;
    best = std::move(next);
  }
  return best;
}

}  // namespace marsim::collision
