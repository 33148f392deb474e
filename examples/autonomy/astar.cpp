// SPDX-License-Identifier: BSD-3-Clause
#include "astar.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <unordered_map>

namespace autonomy {
namespace {

using Eigen::Vector3d;

struct Visit {
  Cell cell = Cell::Zero();
  std::size_t before = 0;  // number of the cell's predecessor
  double way = 0.0;        // from the start, in cells
  bool is_final = false;
};

struct Candidate {
  double length;  // estimate of the whole way
  std::size_t visit;
  bool operator<(const Candidate& other) const { return length > other.length; }
};

// The length of the shortest way between two cells of an empty map.
double emptyWay(const Cell& from, const Cell& to) {
  std::array<int, 3> d{std::abs(to.x() - from.x()), std::abs(to.y() - from.y()),
                       std::abs(to.z() - from.z())};
  std::sort(d.begin(), d.end());
  return d[2] + (std::sqrt(2.0) - 1.0) * d[1] + (std::sqrt(3.0) - std::sqrt(2.0)) * d[0];
}

std::vector<Vector3d> pathTo(const LocalMap& map, const std::vector<Visit>& visits,
                             std::size_t last) {
  std::vector<Vector3d> path{map.centreOf(visits[last].cell)};
  for (; visits[last].before != last; last = visits[last].before) {
    path.push_back(map.centreOf(visits[visits[last].before].cell));
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

std::vector<Vector3d> findPath(const LocalMap& map, const Vector3d& from, const Vector3d& to,
                               std::size_t most) {
  const auto free_from = map.nearestFree(from, 1.0), free_to = map.nearestFree(to, 1.0);
  if (!free_from || !free_to) return {};
  const Cell first = map.cellOf(*free_from), goal = map.cellOf(*free_to);
  if (!map.contains(first) || !map.contains(goal)) return {};
  std::vector<Visit> visits{{first, 0, 0.0, false}};
  std::unordered_map<std::size_t, std::size_t> numbers{{map.indexOf(first), 0}};
  std::priority_queue<Candidate> open;
  open.push({emptyWay(first, goal), 0});
  while (!open.empty() && visits.size() < most) {
    const std::size_t at = open.top().visit;
    open.pop();
    if (visits[at].is_final) continue;
    visits[at].is_final = true;
    const Cell cell = visits[at].cell;
    if (cell == goal) return pathTo(map, visits, at);
    for (int i = 0; i < 27; ++i) {
      const Cell step(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1), next = cell + step;
      if (i == 13 || !map.contains(next) || map.isBlocked(next)) continue;
      const double way = visits[at].way + std::sqrt(step.squaredNorm());
      const auto [known, is_new] = numbers.try_emplace(map.indexOf(next), visits.size());
      const std::size_t visit = known->second;
      if (is_new) visits.push_back({next, at, way, false});
      if (!is_new && way >= visits[visit].way - 1e-9) continue;
      visits[visit].before = at;
      visits[visit].way = way;
      open.push({way + emptyWay(next, goal), visit});
    }
  }
  return {};
}

}  // namespace autonomy
