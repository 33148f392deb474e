// SPDX-License-Identifier: BSD-3-Clause
#include "tools/suite/suite_maps.hpp"

#include <cmath>
#include <set>
#include <utility>

#include "marsim/common/error.hpp"
#include "marsim/common/progress.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/cloud_io.hpp"

namespace marsim::tools {
namespace {

constexpr float kMargin = 8.0F;        // [m] least margin of map around the paths
constexpr float kHeightMargin = 0.5F;  // [m] below and above them
constexpr std::size_t kMostSquares = 4000;
constexpr double kSides[] = {0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0};

using Squares = std::set<std::pair<int, int>>;

Squares squaresOf(const std::vector<Eigen::Vector2f>& points, double side) {
  Squares squares;
  for (const Eigen::Vector2f& p : points) {
    squares.insert({static_cast<int>(std::floor(static_cast<double>(p.x()) / side)),
                    static_cast<int>(std::floor(static_cast<double>(p.y()) / side))});
    if (squares.size() > 64 * kMostSquares) break;
  }
  return squares;
}

}  // namespace

MapBox flownBox(const std::vector<suite::RunResult>& runs, const std::string& map) {
  MapBox box;
  for (const suite::RunResult& run : runs) {
    if (run.map != map) continue;
    for (const suite::UavSeries& uav : run.uavs) {
      for (const Eigen::Vector3f& p : uav.p_WB) {
        if (p.allFinite()) box.extend(p);
      }
    }
  }
  if (box.isEmpty()) return box;
  const float sideways = std::max(kMargin, 0.5F * box.sizes().head<2>().maxCoeff());
  const Eigen::Vector3f space(sideways, sideways, kHeightMargin);
  return {box.min() - space, box.max() + space};
}

suite::MapPlan planOfCloud(const map::PointCloud& cloud, const MapBox& box, std::size_t most) {
  std::vector<Eigen::Vector2f> points;
  for (const Eigen::Vector3f& p : cloud.points) {
    if (box.contains(p)) points.emplace_back(p.head<2>());
  }
  suite::MapPlan plan;
  Squares squares;
  for (const double side : kSides) {
    plan.side = side;
    squares = squaresOf(points, side);
    if (squares.size() <= most) break;
  }
  if (squares.size() > most) return {};  // too many to be recognisable
  for (const auto& [i, k] : squares) {
    plan.squares.emplace_back(static_cast<float>((i + 0.5) * plan.side),
                              static_cast<float>((k + 0.5) * plan.side));
  }
  return plan;
}

std::map<std::string, suite::MapPlan> plansOfMaps(const std::vector<suite::RunResult>& runs) {
  std::map<std::string, suite::MapPlan> plans;
  for (const suite::RunResult& run : runs) {
    if (run.map.empty() || plans.count(run.map) > 0) continue;
    const MapBox box = flownBox(runs, run.map);
    if (box.isEmpty()) continue;
    try {
      Progress progress("reading " + run.map + " for the report");
      const map::LoadedCloud loaded = map::loadCloud(config::resolveMap(run.map), progress);
      progress.finish();
      plans[run.map] = planOfCloud(loaded.cloud, box, kMostSquares);
    } catch (const Error&) {
      // The flight itself has reported the error.
    }
  }
  return plans;
}

}  // namespace marsim::tools
