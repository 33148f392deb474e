#include "tools/demo/flight_plan.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/bounds.hpp"
#include "common/output_file.hpp"
#include "marsim/collision/goals.hpp"
#include "marsim/collision/route.hpp"
#include "marsim/collision/start.hpp"
#include "marsim/common/error.hpp"

namespace marsim::tools {
namespace {

nlohmann::json toJson(const Eigen::Vector3d& point) { return {point.x(), point.y(), point.z()}; }

// A goal must itself keep the clearance, and lie where there is map round it.
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
  for (const Leg& leg : legs) goals.push_back(leg.goal());
  return goals;
}

std::vector<double> FlightPlan::segments() const {
  std::vector<double> lengths;
  Eigen::Vector3d from = start;
  for (const Leg& leg : legs) {
    for (const Eigen::Vector3d& to : leg.waypoints) {
      lengths.push_back((to - from).norm());
      from = to;
    }
  }
  return lengths;
}

double FlightPlan::length() const {
  const std::vector<double> lengths = segments();
  return std::accumulate(lengths.begin(), lengths.end(), 0.0);
}

double FlightPlan::longestSegment() const {
  const std::vector<double> lengths = segments();
  return lengths.empty() ? 0.0 : *std::max_element(lengths.begin(), lengths.end());
}

void writePlan(const FlightPlan& plan, const std::filesystem::path& path) {
  nlohmann::json legs = nlohmann::json::array();
  for (const Leg& leg : plan.legs) {
    nlohmann::json waypoints = nlohmann::json::array();
    for (const Eigen::Vector3d& waypoint : leg.waypoints) waypoints.push_back(toJson(waypoint));
    legs.push_back({{"waypoints", waypoints}});
  }
  const nlohmann::json json = {{"map", plan.map},
                               {"resolution", plan.resolution},
                               {"lidar", plan.lidar},
                               {"vehicle", plan.vehicle},
                               {"start", toJson(plan.start)},
                               {"yaw", plan.yaw},
                               {"speed", plan.speed},
                               {"goal_tolerance", plan.goal_tolerance},
                               {"goal_timeout", plan.goal_timeout},
                               {"output", plan.output.string()},
                               {"legs", legs}};
  writeFile(path, json.dump(2) + '\n');
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
  if (usual_is_free) return usual;  // a place whose floor was not scanned
  const auto free = map.nearestFree(box.center(), clearance, box.diagonal().norm());
  if (!free) {
    throw Error(
        fmt::format("no place of the map keeps {:.2f} m from its points; give --start", clearance));
  }
  requireAboveGround("the free place in the middle of the map", *free, lowest_z);
  return *free;
}

std::vector<Leg> chooseLegs(const collision::ClearanceMap& map, const Eigen::Vector3d& start,
                            int count, double clearance, std::uint64_t seed, double lowest_z) {
  std::vector<Leg> legs;
  for (const Eigen::Vector3d& goal :
       collision::chooseGoals(map, start, count, clearance, seed, lowest_z)) {
    legs.push_back({{goal}});
  }
  if (legs.empty()) {
    throw Error(
        fmt::format("no goal can be reached from the start {} in a straight line that "
                    "keeps {:.2f} m from the map; give --goals or another --start",
                    pointText(start), clearance));
  }
  return legs;
}

std::vector<Leg> routeLegs(const collision::ClearanceMap& map, const Eigen::Vector3d& start,
                           const std::vector<Eigen::Vector3d>& goals, double clearance,
                           double lowest_z) {
  collision::RouteConfig config;
  config.clearance = clearance;
  config.lowest_z = lowest_z;
  std::vector<Leg> legs;
  Eigen::Vector3d from = start;
  for (const Eigen::Vector3d& goal : goals) {
    const int number = static_cast<int>(legs.size()) + 1;
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
    route->erase(route->begin());  // where it begins
    if (route->empty()) route->push_back(goal);
    legs.push_back({std::move(*route)});
    from = goal;
  }
  return legs;
}

}  // namespace marsim::tools
