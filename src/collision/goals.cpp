// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/collision/goals.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <unordered_set>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/collision/route.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"

namespace marsim::collision {
namespace {

constexpr double kReach = 14.0;       // [m] goals lie within this of the start
constexpr double kHeightBand = 0.5;   // [m] and at most this above or below it
constexpr double kGoodLeg = 4.0;      // [m] shorter legs are worth less
constexpr double kLongLeg = 10.0;     // [m] longer legs are worth less
constexpr double kLeastLeg = 0.5;     // [m] shorter ones are no legs
constexpr std::size_t kPlaces = 120;  // candidate places
constexpr int kTries = 6000;          // draws to find them
constexpr int kUnreached = 1 << 20;

// Chooses goals among random free places that see one another.
class GoalChooser {
 public:
  GoalChooser(const ClearanceMap& map, const Eigen::Vector3d& start, double clearance,
              std::uint64_t seed, double lowest_z)
      : map_(map),
        clearance_(clearance),
        lowest_z_(lowest_z),
        random_(seed, "goals"),
        box_(map.bounds().cast<double>()) {
    places_.push_back(start);
    needs_floor_ = isOverFloor(map_, start);
  }

  std::vector<Eigen::Vector3d> choose(int count);

 private:
  void scatterPlaces();
  bool isPlace(const Eigen::Vector3d& p) const;
  bool isLeg(std::size_t a, std::size_t b) const;
  void findLegs();
  std::vector<std::uint32_t> cellsSeenFrom(const Eigen::Vector3d& p) const;
  double worth(std::size_t from, std::size_t to, const std::vector<std::size_t>& chosen) const;

  const ClearanceMap& map_;
  double clearance_, lowest_z_;
  RandomStream random_;
  Eigen::AlignedBox3d box_;
  bool needs_floor_ = false;
  std::vector<Eigen::Vector3d> places_;         // [0] is the start
  std::vector<std::vector<std::size_t>> legs_;  // of every place, to the others
  std::vector<int> legs_home_;                  // fewest legs from a place to the start
  std::vector<std::vector<std::uint32_t>> sees_;
  std::unordered_set<std::uint32_t> seen_;
};

bool GoalChooser::isPlace(const Eigen::Vector3d& p) const {
  const Eigen::Vector3d margin(clearance_, clearance_, 0.0);
  const bool inside = (p.array() >= (box_.min() + margin).array()).all() &&
                      (p.array() <= (box_.max() - margin).array()).all();
  // A little more than the legs need, so that goals are not wedged in.
  return inside && p.z() >= lowest_z_ && map_.at(p).distance >= 1.1 * clearance_ &&
         (!needs_floor_ || isOverFloor(map_, p));
}

void GoalChooser::scatterPlaces() {
  const Eigen::Vector3d start = places_.front();
  for (int i = 0; i < kTries && places_.size() < kPlaces; ++i) {
    // Uniform in the distance, not over the disc, so that narrow places get candidates too.
    const double distance = kReach * random_.uniform();
    const double azimuth = random_.uniform(0.0, 2.0 * kPi);
    const double rise = kHeightBand * random_.uniform(-1.0, 1.0);
    const Eigen::Vector3d p =
        start + Eigen::Vector3d(distance * std::cos(azimuth), distance * std::sin(azimuth), rise);
    if (isPlace(p)) places_.push_back(p);
  }
}

bool GoalChooser::isLeg(std::size_t a, std::size_t b) const {
  const Eigen::Vector3d step = places_[b] - places_[a];
  const double length = step.norm();
  if (length < kLeastLeg || firstBlocked(map_, places_[a], places_[b], clearance_)) return false;
  if (!needs_floor_) return true;
  const int samples = static_cast<int>(length);
  for (int i = 1; i <= samples; ++i) {
    if (!isOverFloor(map_, places_[a] + i / (samples + 1.0) * step)) return false;
  }
  return true;
}

void GoalChooser::findLegs() {
  legs_.resize(places_.size());
  for (std::size_t a = 0; a < places_.size(); ++a) {
    for (std::size_t b = a + 1; b < places_.size(); ++b) {
      if (!isLeg(a, b)) continue;
      legs_[a].push_back(b);
      legs_[b].push_back(a);
    }
  }
  // Breadth first from the start.
  legs_home_.assign(places_.size(), kUnreached);
  legs_home_[0] = 0;
  std::vector<std::size_t> queue{0};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const std::size_t next : legs_[queue[i]]) {
      if (legs_home_[next] != kUnreached) continue;
      legs_home_[next] = legs_home_[queue[i]] + 1;
      queue.push_back(next);
    }
  }
}

// Squares of 1 m crossed by level lines of sight of up to 12 m.
std::vector<std::uint32_t> GoalChooser::cellsSeenFrom(const Eigen::Vector3d& p) const {
  constexpr int kLines = 32;
  constexpr double kSight = 12.0;
  const double stop = std::max(0.15, map_.resolution());
  std::vector<std::uint32_t> cells;
  for (int i = 0; i < kLines; ++i) {
    const double azimuth = 2.0 * kPi * i / kLines;
    const Eigen::Vector3d direction(std::cos(azimuth), std::sin(azimuth), 0.0);
    for (double along = 0.0; along < kSight;) {
      const Eigen::Vector3d at = p + along * direction;
      const double distance = map_.at(at).distance;
      if (!box_.contains(at) || distance < stop) break;
      const auto column = static_cast<std::uint32_t>(at.x() - box_.min().x());
      const auto row = static_cast<std::uint32_t>(at.y() - box_.min().y());
      cells.push_back(row << 16 | (column & 0xffff));
      along += std::clamp(distance, 0.1, 0.7);
    }
  }
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  return cells;
}

// Square metres newly seen; less if the leg is short, long or ends near an earlier goal.
double GoalChooser::worth(std::size_t from, std::size_t to,
                          const std::vector<std::size_t>& chosen) const {
  const auto fresh = std::count_if(sees_[to].begin(), sees_[to].end(),
                                   [&](std::uint32_t cell) { return seen_.count(cell) == 0; });
  const double leg = (places_[to] - places_[from]).norm();
  double apart = (places_[to] - places_[0]).norm();
  for (const std::size_t earlier : chosen) {
    apart = std::min(apart, (places_[to] - places_[earlier]).norm());
  }
  const double fitting = std::min({1.0, leg / kGoodLeg, kLongLeg / leg});
  const double repeated = std::min(1.0, apart / kGoodLeg);
  return (static_cast<double>(fresh) + 10.0 * repeated) * fitting * (0.1 + 0.9 * repeated);
}

std::vector<Eigen::Vector3d> GoalChooser::choose(int count) {
  if (map_.at(places_.front()).distance < clearance_) return {};
  scatterPlaces();
  findLegs();
  for (const Eigen::Vector3d& place : places_) sees_.push_back(cellsSeenFrom(place));

  std::vector<std::size_t> chosen;
  std::size_t at = 0;
  seen_.insert(sees_[0].begin(), sees_[0].end());
  const int away = std::max(1, count - 1);  // the last one is the way back, unless it is the only
  for (int i = 0; i < away; ++i) {
    // Legs that are left for the way home from this goal.
    const int left = std::max(1, count - 1 - i);
    std::size_t best = 0;
    double best_worth = 0.0;
    for (const std::size_t next : legs_[at]) {
      const bool used = next == 0 || std::count(chosen.begin(), chosen.end(), next) > 0;
      if (used || legs_home_[next] > left) continue;
      const double value = worth(at, next, chosen);
      if (value > best_worth) {
        best = next;
        best_worth = value;
      }
    }
    if (best == 0) break;
    chosen.push_back(best);
    seen_.insert(sees_[best].begin(), sees_[best].end());
    at = best;
  }
  // If nothing new was left before the legs ran out: home by the shortest way.
  while (count > 1 && !chosen.empty() && legs_home_[at] > 1) {
    at = *std::min_element(legs_[at].begin(), legs_[at].end(), [&](std::size_t a, std::size_t b) {
      return legs_home_[a] < legs_home_[b];
    });
    chosen.push_back(at);
  }
  std::vector<Eigen::Vector3d> goals;
  for (const std::size_t index : chosen) goals.push_back(places_[index]);
  if (count > 1 && !chosen.empty()) goals.push_back(places_[0]);
  return goals;
}

}  // namespace

// Walks down in steps that are too short to miss a surface.
bool isOverFloor(const ClearanceMap& map, const Eigen::Vector3d& p) {
  const auto lowest = static_cast<double>(map.bounds().min().z());
  const double near = std::max(0.2, 2.0 * map.resolution());
  for (Eigen::Vector3d at = p; at.z() > lowest - near;) {
    const double distance = map.at(at).distance;
    if (distance < near) return true;
    at.z() -= std::max(0.5 * distance, 0.5 * near);
  }
  return false;
}

std::vector<Eigen::Vector3d> chooseGoals(const ClearanceMap& map, const Eigen::Vector3d& start,
                                         int count, double clearance, std::uint64_t seed,
                                         double lowest_z) {
  if (count < 1 || !start.allFinite() || map.bounds().isEmpty()) return {};
  return GoalChooser(map, start, clearance, seed, lowest_z).choose(count);
}

}  // namespace marsim::collision
