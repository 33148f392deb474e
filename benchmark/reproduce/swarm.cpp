// SPDX-License-Identifier: BSD-3-Clause
#include "swarm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "forest.hpp"
#include "marsim/common/units.hpp"
#include "reproduce/experiment.hpp"

namespace marsim::reproduce {
namespace {

using autonomy::Announcement;
using autonomy::SwarmMember;

/// A row of UAVs before a square of posts; their ways to the other side cross in the middle.
struct Crossing {
  int uavs = 5;
  double side = 20.0;  ///< [m] of the square
  double speed = 2.0;  ///< [m/s]
  std::uint32_t seed = 1;
};

autonomy::ForestConfig forestOf(const Crossing& crossing) {
  autonomy::ForestConfig config;
  config.size = crossing.side;
  config.shortest = config.tallest;  // nothing to fly over
  config.seed = crossing.seed;
  return config;
}

std::vector<SwarmMember> cross(const Crossing& crossing, Announcement announcement) {
  autonomy::SwarmConfig config;
  config.announcement = announcement;
  config.navigator.map.lowest = 0.4;
  config.navigator.map.highest = 2.6;
  config.navigator.planner.limits.speed = crossing.speed;
  config.navigator.planner.limits.acceleration = 3.0;
  const double x = crossing.side / 2.0 + 1.5;
  for (int i = 0; i < crossing.uavs; ++i) {
    const double y = 2.0 * i - (crossing.uavs - 1.0);
    config.courses.push_back({{-x, y, 1.0}, {x, -y, 1.0}});
  }
  const autonomy::ForestConfig forest = forestOf(crossing);
  return autonomy::flySwarm(config, autonomy::mapOf(forest, autonomy::plantForest(forest)));
}

/// Figures of all UAVs of a flight.
struct Totals {
  std::size_t arrived = 0;
  double slowest = 0.0;  // [s]
  double to_map = 1e3, to_uavs = 1e3;
  int contacts = 0, failed_plans = 0, plans = 0;
};

Totals totalsOf(const std::vector<SwarmMember>& members) {
  Totals totals;
  for (const SwarmMember& member : members) {
    if (std::isfinite(member.arrived)) ++totals.arrived;
    totals.slowest = std::max(totals.slowest, member.arrived);
    totals.to_map = std::min(totals.to_map, member.to_map);
    totals.to_uavs = std::min(totals.to_uavs, member.to_uavs);
    totals.contacts += member.map_contacts + member.uav_contacts;
    totals.plans += member.plans;
    totals.failed_plans += member.failed_plans;
  }
  return totals;
}

suite::Curve outlineOf(const autonomy::Post& post) {
  suite::Curve curve{"post", "axis", {}};  // the grey of the axes
  for (int i = 0; i <= 12; ++i) {
    const double angle = 2.0 * kPi * i / 12.0;
    curve.points.emplace_back(post.p +
                              post.radius * Eigen::Vector2d(std::cos(angle), std::sin(angle)));
  }
  return curve;
}

suite::Chart pathsFromAbove(const Crossing& crossing, const std::vector<SwarmMember>& members) {
  suite::Chart chart;
  chart.title = fmt::format("paths of {} UAVs at {:g} m/s from above, seed {}", crossing.uavs,
                            crossing.speed, crossing.seed);
  chart.x_label = "x [m]";
  chart.y_label = "y [m]";
  chart.equal_scale = true;
  chart.height = 520.0;
  for (const autonomy::Post& post : autonomy::plantForest(forestOf(crossing)).posts) {
    chart.curves.push_back(outlineOf(post));
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::string name = fmt::format("UAV {}", i), style = i % 2 == 0 ? "u0" : "u1";
    suite::Curve curve{name, i % 4 < 2 ? style : style + " d1", {}};
    for (const Eigen::Vector3d& p : members[i].path) curve.points.emplace_back(p.head<2>());
    chart.marks.push_back({curve.points.front(), name, style});
    chart.curves.push_back(std::move(curve));
  }
  return chart;
}

FigureTable tableOf(const std::vector<SwarmMember>& members) {
  FigureTable table{"UAVs of the flight in the picture",
                    {"UAV", "time [s]", "length [m]", "to the map [m]", "to other UAVs [m]",
                     "contacts", "failed plans"},
                    {}};
  for (std::size_t i = 0; i < members.size(); ++i) {
    const SwarmMember& member = members[i];
    table.rows.push_back({std::to_string(i), fmt::format("{:.1f}", member.arrived),
                          fmt::format("{:.1f}", member.length),
                          fmt::format("{:.2f}", member.to_map),
                          fmt::format("{:.2f}", member.to_uavs),
                          std::to_string(member.map_contacts + member.uav_contacts),
                          fmt::format("{} of {}", member.failed_plans, member.plans)});
  }
  return table;
}

}  // namespace

Reproduction reproduceSwarm(Extent extent, Progress& progress) {
  std::vector<Crossing> crossings;
  if (extent == Extent::kTest) crossings = {{3, 10.0, 3.0, 1}};
  if (extent == Extent::kQuick) crossings = {{5, 20.0, 2.0, 1}, {5, 20.0, 2.0, 2}};
  if (extent == Extent::kFull) {
    for (const double speed : {2.0, 3.0, 4.0}) {
      for (std::uint32_t seed = 1; seed <= 5; ++seed) crossings.push_back({5, 20.0, speed, seed});
    }
  }
  Reproduction result;
  if (extent == Extent::kQuick) result.skipped.push_back("seeds 3 to 5; 3 and 4 m/s");
  FigureTable table{"Flights; distances are those of the vehicles' spheres",
                    {"speed [m/s]", "seed", "UAVs announce", "arrived", "last after [s]",
                     "to the map [m]", "between UAVs [m]", "contacts", "failed plans"},
                    {}};
  struct Row {
    const char* name;
    Announcement announcement;
  };
  for (const Crossing& crossing : crossings) {
    for (const Row& row :
         {Row{"paths", Announcement::kPaths}, Row{"velocities", Announcement::kVelocities},
          Row{"nothing", Announcement::kNothing}}) {
      const bool is_judged = row.announcement == Announcement::kPaths;
      if (extent == Extent::kTest && !is_judged) continue;
      const std::string name = fmt::format("{:g} m/s, seed {}", crossing.speed, crossing.seed);
      progress.phase(fmt::format("{}, {}", name, row.name));
      const std::vector<SwarmMember> members = cross(crossing, row.announcement);
      const Totals totals = totalsOf(members);
      table.rows.push_back({fmt::format("{:g}", crossing.speed), std::to_string(crossing.seed),
                            row.name, fmt::format("{} of {}", totals.arrived, members.size()),
                            fmt::format("{:.1f}", totals.slowest),
                            fmt::format("{:.2f}", totals.to_map),
                            fmt::format("{:.2f}", totals.to_uavs), std::to_string(totals.contacts),
                            fmt::format("{} of {}", totals.failed_plans, totals.plans)});
      if (!is_judged) continue;
      const auto most = static_cast<double>(members.size());
      result.criteria.push_back(
          {name + ": contacts", static_cast<double>(totals.contacts), 0.0, 0.0});
      result.criteria.push_back(
          {name + ": UAVs at their goals", static_cast<double>(totals.arrived), most, most});
      if (!result.charts.empty()) continue;
      result.charts.push_back(pathsFromAbove(crossing, members));
      result.tables.push_back(tableOf(members));
    }
  }
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace marsim::reproduce
