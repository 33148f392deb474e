// SPDX-License-Identifier: BSD-3-Clause
#include "scene/movers/obstacle_places.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;

constexpr int kPlaces = 512;  // in a group
constexpr int kTriesAPlace = 64;
constexpr int kGroundPlaces = 64;
constexpr std::size_t kWays = 4;                       // per place on the ground
constexpr double kLeastWay = 2.0, kLongestWay = 15.0;  // [m]
constexpr double kStride = 0.4;                        // [m] between corners of a way
constexpr double kFoot = 0.2;   // [m] radius of the ball that rolls over the ground
constexpr double kClimb = 0.3;  // [m] largest step up or down; walkers step over lower objects

Vector3d randomIn(const Eigen::AlignedBox3d& box, RandomStream& random) {
  Vector3d p;
  for (int axis = 0; axis < 3; ++axis) p[axis] = random.uniform(box.min()[axis], box.max()[axis]);
  return p;
}

std::string shown(const Eigen::AlignedBox3d& box) {
  return fmt::format("[{}, {}, {}] to [{}, {}, {}] m", box.min().x(), box.min().y(), box.min().z(),
                     box.max().x(), box.max().y(), box.max().z());
}

// The ground for a walker.
class WalkableGround {
 public:
  WalkableGround(const MapDistance& clearance, const Eigen::AlignedBox3d& region, const Room& room)
      : clearance_(clearance), region_(region), room_(room) {}

  /// The lowest ground of the region at (x, y) with room above it.
  std::optional<Vector3d> at(double x, double y) const {
    if (!clearance_) return Vector3d(x, y, region_.min().z());
    const double bottom = region_.min().z() - kFoot, top = region_.max().z() + kFoot;
    double z = bottom;
    for (bool inside = false; z < top;) {
      const double distance = clearance_({x, y, z}, 1.0);
      if (distance < kFoot) {
        inside = true;
        z += 0.02;
      } else if (inside) {  // above a surface met from below
        const Vector3d place(x, y, z - kFoot);
        return hasRoom(place) ? std::optional(place) : std::nullopt;
      } else {
        z += std::max(std::min(distance, 1.0) - kFoot, 0.02);
      }
    }
    return std::nullopt;
  }

  /// Ground at (x, y) near the height of a neighbouring place.
  std::optional<Vector3d> near(const Vector3d& beside, double x, double y) const {
    if (!clearance_) return Vector3d(x, y, beside.z());
    double z = beside.z() + kFoot + kClimb;
    while (true) {
      const double distance = clearance_({x, y, z}, 1.0);
      if (distance <= kFoot) break;
      z -= std::max(std::min(distance, 1.0) - kFoot, 0.01);
      if (z < beside.z() + kFoot - kClimb) return std::nullopt;
    }
    const Vector3d place(x, y, z - kFoot);
    return hasRoom(place) ? std::optional(place) : std::nullopt;
  }

 private:
  bool hasRoom(const Vector3d& place) const {
    const double top = std::max(room_.height - room_.radius, kClimb + room_.radius);
    for (double z = kClimb + room_.radius;; z = std::min(z + room_.radius, top)) {
      if (clearance_(place + Vector3d(0.0, 0.0, z), room_.radius) < room_.radius) return false;
      if (z >= top) return true;
    }
  }

  const MapDistance& clearance_;
  const Eigen::AlignedBox3d& region_;
  const Room& room_;
};

std::optional<std::vector<Vector3d>> wayBetween(const WalkableGround& ground, const Vector3d& from,
                                                const Vector3d& to) {
  const int strides = static_cast<int>(std::ceil((to - from).head<2>().norm() / kStride));
  std::vector<Vector3d> corners = {from};
  for (int i = 1; i < strides; ++i) {
    const double part = static_cast<double>(i) / strides;
    const auto next = ground.near(corners.back(), from.x() + part * (to.x() - from.x()),
                                  from.y() + part * (to.y() - from.y()));
    if (!next) return std::nullopt;
    corners.push_back(*next);
  }
  if (std::abs(to.z() - corners.back().z()) > kClimb) return std::nullopt;
  corners.push_back(to);
  return corners;
}

// Joins places with the nearest others in sight that are not too near, both ways.
std::vector<std::vector<ObstaclePlaces::Way>> waysBetween(const WalkableGround& ground,
                                                          const std::vector<Vector3d>& places) {
  std::vector<std::vector<ObstaclePlaces::Way>> ways(places.size());
  const auto known = [&](std::size_t i, std::size_t k) {
    return std::any_of(ways[i].begin(), ways[i].end(),
                       [&](const auto& way) { return way.to == k; });
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::vector<std::pair<double, std::size_t>> others;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const double distance = (places[k] - places[i]).head<2>().norm();
      if (distance >= kLeastWay && distance <= kLongestWay) others.emplace_back(distance, k);
    }
    std::sort(others.begin(), others.end());
    if (others.size() > 3 * kWays) others.resize(3 * kWays);
    for (const auto& [distance, k] : others) {
      if (ways[i].size() >= kWays) break;
      if (known(i, k)) continue;
      auto corners = wayBetween(ground, places[i], places[k]);
      if (!corners) continue;
      ways[k].push_back({static_cast<std::uint32_t>(i), {corners->rbegin(), corners->rend()}});
      ways[i].push_back({static_cast<std::uint32_t>(k), std::move(*corners)});
    }
  }
  return ways;
}

// Removes the places without a way.
void dropLonely(ObstaclePlaces& places) {
  std::vector<std::uint32_t> number(places.free.size(), 0);
  ObstaclePlaces kept;
  for (std::size_t i = 0; i < places.free.size(); ++i) {
    if (places.ways[i].empty()) continue;
    number[i] = static_cast<std::uint32_t>(kept.free.size());
    kept.free.push_back(places.free[i]);
    kept.ways.push_back(std::move(places.ways[i]));
  }
  for (auto& ways : kept.ways) {
    for (ObstaclePlaces::Way& way : ways) way.to = number[way.to];
  }
  places = std::move(kept);
}

ObstaclePlaces findGround(const ObstacleGroup& group, const Room& room, RandomStream& random,
                          const MapDistance& clearance, const std::string& where) {
  const WalkableGround ground(clearance, group.region, room);
  ObstaclePlaces places;
  for (int i = 0; i < kGroundPlaces * kTriesAPlace; ++i) {
    const Vector3d p = randomIn(group.region, random);
    if (const auto place = ground.at(p.x(), p.y())) places.free.push_back(*place);
    if (places.free.size() == kGroundPlaces) break;
    if (i >= 10 * kTriesAPlace && places.free.empty()) break;
  }
  places.ways = waysBetween(ground, places.free);
  dropLonely(places);
  if (!places.free.empty()) return places;
  throw ConfigError(where, "region", shown(group.region),
                    fmt::format("a region that holds ground on which a walker of {:.3g} m height "
                                "can walk from one free place to another",
                                room.height));
}

}  // namespace

ObstaclePlaces findPlaces(const ObstacleGroup& group, const Room& room, std::uint64_t seed,
                          const MapDistance& clearance, const std::string& where) {
  RandomStream random(seed, "places");
  if (group.kind == ObstacleKind::kWalker) return findGround(group, room, random, clearance, where);
  ObstaclePlaces places;
  constexpr int kTries = kPlaces * kTriesAPlace;
  for (int i = 0; i < kTries && places.free.size() < kPlaces; ++i) {
    const Vector3d p = randomIn(group.region, random);
    if (!clearance || clearance(p, room.radius) >= room.radius) places.free.push_back(p);
  }
  if (!places.free.empty()) return places;
  throw ConfigError(where, "region", shown(group.region),
                    fmt::format("a region with a free place: {} random ones in it are all nearer "
                                "than {:.3g} m to the map",
                                kTries, room.radius));
}

}  // namespace marsim::scene
