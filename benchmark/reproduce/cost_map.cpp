// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/cost_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

namespace marsim::reproduce {
namespace {

using Eigen::Vector2d;

constexpr float kNone = std::numeric_limits<float>::infinity();
constexpr int kCells = CostMap::kSide * CostMap::kSide;
constexpr int kGroundReach = 2, kMargin = 2;  // cells
constexpr double kAroundStart = 1.0;          // [m]

template <class Visit>
void forCellsAround(int index, int reach, const Visit& visit) {
  const int x = index % CostMap::kSide, y = index / CostMap::kSide;
  for (int j = std::max(y - reach, 0); j <= std::min(y + reach, CostMap::kSide - 1); ++j) {
    for (int i = std::max(x - reach, 0); i <= std::min(x + reach, CostMap::kSide - 1); ++i) {
      visit(j * CostMap::kSide + i);
    }
  }
}

}  // namespace

CostMap::CostMap(const Vector2d& middle)
    : corner_(middle - Vector2d::Constant(0.5 * kSide * kCell)),
      low_(kCells, kNone),
      high_(kCells, -kNone),
      cost_(kCells, 0.0F),
      is_blocked_(kCells, false) {}

int CostMap::indexOf(const Vector2d& p) const {
  const Vector2d at = (p - corner_) / kCell;
  const bool is_inside = at.minCoeff() >= 0.0 && at.maxCoeff() < kSide;
  return is_inside ? static_cast<int>(at.y()) * kSide + static_cast<int>(at.x()) : -1;
}

Vector2d CostMap::middleOf(int index) const {
  return corner_ + kCell * Vector2d(index % kSide + 0.5, index / kSide + 0.5);
}

void CostMap::add(const lidar::Scan& scan) {
  for (const lidar::ScanPoint& point : scan.points) {
    const int index = indexOf(point.p_W.head<2>().cast<double>());
    if (index < 0) continue;
    const auto cell = static_cast<std::size_t>(index);
    low_[cell] = std::min(low_[cell], point.p_W.z());
    high_[cell] = std::max(high_[cell], point.p_W.z());
  }
}

void CostMap::update(double wheels_z) {
  std::fill(is_blocked_.begin(), is_blocked_.end(), false);
  for (int index = 0; index < kCells; ++index) {
    const auto cell = static_cast<std::size_t>(index);
    cost_[cell] = 0.0F;
    if (low_[cell] == kNone) continue;
    auto ground = static_cast<float>(wheels_z + kNegotiable);
    forCellsAround(index, kGroundReach, [&](int other) {
      ground = std::min(ground, low_[static_cast<std::size_t>(other)]);
    });
    cost_[cell] = (high_[cell] - ground) / static_cast<float>(kNegotiable);
    if (cost_[cell] <= 1.0F) continue;
    forCellsAround(index, kMargin,
                   [&](int other) { is_blocked_[static_cast<std::size_t>(other)] = true; });
  }
}

std::vector<Vector2d> CostMap::route(const Vector2d& from, const Vector2d& to) const {
  const int start = indexOf(from), goal = indexOf(to);
  if (start < 0 || goal < 0) return {};
  std::vector<double> lengths(kCells, std::numeric_limits<double>::infinity());
  std::vector<int> before(kCells, -1);
  using Candidate = std::pair<double, int>;  // estimate of the whole way, cell
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> open;
  const auto left = [&](int index) { return (middleOf(index) - middleOf(goal)).norm(); };
  lengths[static_cast<std::size_t>(start)] = 0.0;
  open.push({left(start), start});
  while (!open.empty()) {
    const auto [estimate, index] = open.top();
    open.pop();
    if (index == goal) break;
    const double length = lengths[static_cast<std::size_t>(index)];
    if (estimate > length + left(index) + 1e-9) continue;
    forCellsAround(index, 1, [&](int next) {
      const auto cell = static_cast<std::size_t>(next);
      const bool is_near = (middleOf(next) - from).norm() < kAroundStart || next == goal;
      if (next == index || (is_blocked_[cell] && !is_near)) return;
      const double way = (middleOf(next) - middleOf(index)).norm();
      const double there = length + way * (1.0 + kCostOfWay * std::min(cost_[cell], 1.0F));
      if (there >= lengths[cell] - 1e-9) return;
      lengths[cell] = there;
      before[cell] = index;
      open.push({there + left(next), next});
    });
  }
  if (start != goal && before[static_cast<std::size_t>(goal)] < 0) return {};
  std::vector<Vector2d> route{to};
  for (int index = goal; index != start;) {
    index = before[static_cast<std::size_t>(index)];
    route.push_back(middleOf(index));
  }
  route.back() = from;
  std::reverse(route.begin(), route.end());
  return route;
}

int CostMap::seen() const {
  return static_cast<int>(
      std::count_if(low_.begin(), low_.end(), [](float low) { return low < kNone; }));
}

int CostMap::blocking(const Vector2d& from, double nearest, double farthest) const {
  int count = 0;
  for (int index = 0; index < kCells; ++index) {
    const double distance = (middleOf(index) - from).norm();
    if (cost_[static_cast<std::size_t>(index)] > 1.0F && distance >= nearest &&
        distance < farthest) {
      ++count;
    }
  }
  return count;
}

std::vector<Vector2d> CostMap::rows(double from, double to) const {
  std::vector<Vector2d> ends;
  const auto isIn = [&](int index) {
    const float cost = cost_[static_cast<std::size_t>(index)];
    return cost > from && cost <= to;
  };
  const Vector2d half(0.5 * kCell, 0.0);
  for (int index = 0; index < kCells; ++index) {
    if (!isIn(index)) continue;
    ends.push_back(middleOf(index) - half);
    while ((index + 1) % kSide != 0 && isIn(index + 1)) ++index;
    ends.push_back(middleOf(index) + half);
    ends.push_back(Vector2d::Constant(std::nan("")));
  }
  return ends;
}

}  // namespace marsim::reproduce
