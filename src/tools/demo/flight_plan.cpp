// SPDX-License-Identifier: BSD-3-Clause
#include "tools/demo/flight_plan.hpp"

#include <utility>

#include <fmt/format.h>

#include "common/bounds.hpp"
#include "marsim/collision/goals.hpp"
#include "marsim/collision/route.hpp"
#include "marsim/collision/start.hpp"
#include "marsim/common/error.hpp"

namespace marsim::tools {
namespace {

// Throws unless a goal itself keeps the clearance and lies inside the map.
void requireFreeGoal(const collision::ClearanceMap& map, const Eigen::Vector3d& goal, int number,
                     double clearance) {
  const Eigen::AlignedBox3d box = map.bounds().cast<double>();
  if (!box.contains(goal)) {
    throw Error(fmt::format("goal {} at {} lies outside the map, allowed: {} to {}", number,
                            pointText(goal), pointText(box.min()), pointText(box.max())));
  }
  const collision::ClearanceMap::NearestPoint at = map.at(goal);
  if (at.distance >= clearance) return;
  const auto free = map.nearestFree(goal, clearance, 5.0);
  throw Error(
      fmt::format("goal {} at {} is {:.2f} m from the map's point {}, allowed: at least "
                  "{:.2f} m{}",
                  number, pointText(goal), at.distance, pointText(at.nearest), clearance,
                  free ? "; the nearest free place is " + pointText(*free) : ""));
}

}  // namespace

std::vector<Eigen::Vector3d> FlightPlan::goals() const {
  std::vector<Eigen::Vector3d> goals;
  for (const scenario::Way& way : ways) goals.push_back(way.back());
  return goals;
}

double FlightPlan::length() const {
  double length = 0.0;
  Eigen::Vector3d from = start;
  for (const scenario::Way& way : ways) {
    for (const Eigen::Vector3d& to : way) {
      length += (to - from).norm();
      from = to;
    }
  }
  return length;
}

void requireAboveGround(const std::string& what, const Eigen::Vector3d& p_W, double lowest_z) {
  if (p_W.z() >= lowest_z) return;
  throw Error(
      fmt::format("{} at {} is lower than the centre of a vehicle that stands on the ground, "
                  "allowed: z of {:.2f} m or more",
                  what, pointText(p_W), lowest_z));
}

Eigen::Vector3d chooseStart(const collision::ClearanceMap& map, const Eigen::Vector3d& usual,
                            double clearance, double lowest_z) {
  const Eigen::AlignedBox3d box = map.bounds().cast<double>();
  const bool usual_is_free =
      usual.z() >= lowest_z && box.contains(usual) && map.at(usual).distance >= clearance;
  if (usual_is_free && collision::isOverFloor(map, usual)) return usual;
  const bool is_near = box.contains(Eigen::Vector3d(usual.x(), usual.y(), box.center().z()));
  const Eigen::Vector3d middle = is_near ? usual : box.center();
  if (const auto place = collision::placeOverGround(map, middle, clearance, 0.0, lowest_z)) {
    return *place;
  }
  if (usual_is_free) return usual;  // a place without a scanned floor
  const auto free = map.nearestFree(box.center(), clearance, box.diagonal().norm());
  if (!free) {
    throw Error(
        fmt::format("no place of the map keeps {:.2f} m from its points; give --start", clearance));
  }
  requireAboveGround("the free place in the middle of the map", *free, lowest_z);
  return *free;
}

std::vector<scenario::Way> chooseWays(const collision::ClearanceMap& map,
                                      const Eigen::Vector3d& start, int count, double clearance,
                                      std::uint64_t seed, double lowest_z) {
  std::vector<scenario::Way> ways;
  for (const Eigen::Vector3d& goal :
       collision::chooseGoals(map, start, count, clearance, seed, lowest_z)) {
    ways.push_back({goal});
  }
  if (ways.empty()) {
    throw Error(
        fmt::format("no goal can be reached from the start {} in a straight line that "
                    "keeps {:.2f} m from the map; give --goals or another --start",
                    pointText(start), clearance));
  }
  return ways;
}

std::vector<scenario::Way> findWays(const collision::ClearanceMap& map,
                                    const Eigen::Vector3d& start,
                                    const std::vector<Eigen::Vector3d>& goals, double clearance,
                                    double lowest_z) {
  collision::RouteConfig config;
  config.clearance = clearance;
  config.lowest_z = lowest_z;
  std::vector<scenario::Way> ways;
  Eigen::Vector3d from = start;
  for (const Eigen::Vector3d& goal : goals) {
    const int number = static_cast<int>(ways.size()) + 1;
    requireAboveGround(fmt::format("goal {}", number), goal, lowest_z);
    requireFreeGoal(map, goal, number, clearance);
    auto route = collision::findRoute(map, from, goal, config);
    if (!route) {
      const auto blocked = collision::firstBlocked(map, from, goal, clearance);
      throw Error(fmt::format(
          "goal {} at {} cannot be reached from {} keeping {:.2f} m from the "
          "map: the straight way is blocked at {} and there is no way round",
          number, pointText(goal), pointText(from), clearance, pointText(blocked.value_or(goal))));
    }
    route->erase(route->begin());  // the start of the way
    if (route->empty()) route->push_back(goal);
    ways.push_back(std::move(*route));
    from = goal;
  }
  return ways;
}

}  // namespace marsim::tools
