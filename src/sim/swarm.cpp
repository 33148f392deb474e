// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/swarm.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "common/bounds.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::sim {
namespace {

using Eigen::Vector2d;

// Places relative to the middle of the formation, x forward and y to the left [m].

std::vector<Vector2d> line(int n, double spacing) {
  std::vector<Vector2d> places;
  for (int i = 0; i < n; ++i) places.emplace_back(0.0, (0.5 * (n - 1) - i) * spacing);
  return places;
}

std::vector<Vector2d> grid(int n, double spacing) {
  const int columns = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(n))));
  const int rows = (n + columns - 1) / columns;
  std::vector<Vector2d> places;
  for (int row = 0; row < rows; ++row) {
    const double x = (0.5 * (rows - 1) - row) * spacing;
    for (const Vector2d& place : line(std::min(columns, n - row * columns), spacing)) {
      places.emplace_back(x, place.y());
    }
  }
  return places;
}

std::vector<Vector2d> circle(int n, double radius) {
  std::vector<Vector2d> places;
  for (int i = 0; i < n; ++i) {
    const double angle = 2.0 * kPi * i / n;
    places.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
  }
  return places;
}

// Radius of the smallest circle on which n have `spacing` between neighbours.
double circleRadius(int n, double spacing) {
  return n > 1 ? 0.5 * spacing / std::sin(kPi / n) : 0.0;
}

// A ring of radius k spacing has room for 6 k UAVs, at least the spacing apart.
std::vector<Vector2d> rings(int n, double spacing) {
  std::vector<Vector2d> places{Vector2d::Zero()};
  for (int ring = 1; static_cast<int>(places.size()) < n; ++ring) {
    const int left = n - static_cast<int>(places.size());
    const std::vector<Vector2d> on_ring = circle(std::min(left, 6 * ring), ring * spacing);
    places.insert(places.end(), on_ring.begin(), on_ring.end());
  }
  return places;
}

std::vector<Vector2d> placesOf(const SwarmConfig& config, int n) {
  switch (config.formation) {
    case Formation::kLine:
      return line(n, config.spacing);
    case Formation::kGrid:
      return grid(n, config.spacing);
    case Formation::kCircle:
      return circle(n, std::max(config.radius, circleRadius(n, config.spacing)));
    case Formation::kRings:
      return rings(n, config.spacing);
    case Formation::kPoses:
      break;
  }
  return std::vector<Vector2d>(static_cast<std::size_t>(n), Vector2d::Zero());
}

double headingOf(Facing facing, const Vector2d& place) {
  constexpr double kMiddle = 1e-9;  // [m] nearer to the middle there is no outward direction
  if (facing == Facing::kAlong || place.norm() < kMiddle) return 0.0;
  const Vector2d ahead = facing == Facing::kOutward ? place : Vector2d(-place);
  return std::atan2(ahead.y(), ahead.x());
}

}  // namespace

void SwarmMember::declare(Settings& settings) {
  settings.required("id", id);
  settings.optional("position", position, "m");
  settings.optional("yaw", yaw, "rad");
  settings.optional("vehicle", vehicle);
  settings.optional("lidar", lidar);
}

void SwarmConfig::declare(Settings& settings) {
  settings.required("formation", formation,
                    {{"line", Formation::kLine},
                     {"grid", Formation::kGrid},
                     {"circle", Formation::kCircle},
                     {"rings", Formation::kRings},
                     {"poses", Formation::kPoses}});
  if (formation != Formation::kPoses) {
    settings.optional("origin", origin, "m");
    settings.optional("spacing", spacing, "m", kPositive);
    settings.optional(
        "facing", facing,
        {{"along", Facing::kAlong}, {"outward", Facing::kOutward}, {"inward", Facing::kInward}});
  }
  settings.optional("yaw", yaw, "rad");
  if (formation == Formation::kCircle) settings.optional("radius", radius, "m", kNotNegative);
  if (formation == Formation::kPoses) return settings.required("uavs", members);
  settings.optional("uavs", members);
}

void SwarmConfig::validate(const std::string& where) const {
  checkSettings(where, *this);
  const Validator check(where);
  std::set<int> ids;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const SwarmMember& member = members[i];
    const std::string field = fmt::format("uavs[{}]", i);
    check.require(member.id >= 0 && member.id < kMostUavs, field + ".id",
                  fmt::format("{}", member.id),
                  fmt::format("a whole number from 0 to {}", kMostUavs - 1));
    check.require(ids.insert(member.id).second, field + ".id", fmt::format("{}", member.id),
                  "each id once");
  }
}

const SwarmMember* SwarmConfig::member(int id) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [id](const SwarmMember& member) { return member.id == id; });
  return found == members.end() ? nullptr : &*found;
}

std::vector<Start> swarmStarts(const SwarmConfig& config, int n, const std::string& where) {
  const Validator check(where);
  check.require(n >= 1 && n <= kMostUavs, "number of UAVs", fmt::format("{}", n),
                fmt::format("1 to {}", kMostUavs));
  const std::vector<Vector2d> places = placesOf(config, n);
  std::vector<Start> starts;
  for (int id = 0; id < n; ++id) {
    const Vector2d& place = places[static_cast<std::size_t>(id)];
    const Vector2d turned = Eigen::Rotation2Dd(config.yaw) * place;
    Start start;
    start.p_WB = config.origin + Eigen::Vector3d(turned.x(), turned.y(), 0.0);
    start.yaw = config.yaw + headingOf(config.facing, place);
    const SwarmMember* given = config.member(id);
    if (given != nullptr && given->yaw) start.yaw = *given->yaw;
    if (given != nullptr && given->position) {
      start.p_WB = *given->position;
    } else {
      check.require(config.formation != Formation::kPoses, "uavs",
                    fmt::format("without a position of id {}", id),
                    fmt::format("a position for each id from 0 to {}", n - 1));
    }
    starts.push_back(start);
  }
  return starts;
}

void requireApart(const std::vector<StartingUav>& uavs, const std::string& where) {
  for (std::size_t j = 1; j < uavs.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const StartingUav &a = uavs[i], &b = uavs[j];
      const double apart = (a.p_WB - b.p_WB).norm();
      const double needed = a.radius + b.radius;
      Validator(where).require(apart >= needed,
                               fmt::format("distance of uav{} at {} and uav{} at {}", a.id,
                                           pointText(a.p_WB), b.id, pointText(b.p_WB)),
                               fmt::format("{:.2f} m", apart),
                               fmt::format("{:.2f} m or more, the sum of their radii", needed));
    }
  }
}

}  // namespace marsim::sim
