// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "explorer.hpp"
#include "marsim/marsim.hpp"
#include "onboard.hpp"
#include "reproduce/experiment.hpp"
#include "suite/coverage.hpp"

namespace marsim::reproduce {
namespace {

using autonomy::Explorer;
using autonomy::Navigator;
using autonomy::Viewpoint;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kPeriod = 0.1;                    // [s] between decisions
constexpr double kFirstScans = 1.0;                // [s]
constexpr double kNear = 0.5, kThere = 0.15;       // [m] from a corner and from a viewpoint
constexpr double kLongestWay = 20.0;               // [s] to a viewpoint
constexpr double kUntilGivenUp = 0.5;              // [s] at a viewpoint
constexpr double kLowest = 0.4, kOfCeiling = 0.6;  // [m] of the UAV's centre
constexpr double kVoxel = 0.25;                    // [m] of the coverage
constexpr double kVoxelVolume = kVoxel * kVoxel * kVoxel;
const Vector3d kStart(0.0, 0.0, 1.2);

/// A building that is explored.
struct Exploration {
  scene::BuildingConfig building;
  double longest = 180.0;  ///< [s] of the flight
};

Eigen::AlignedBox3d roomsOf(const scene::BuildingConfig& building) {
  const double x = building.room_length / 2.0, y = building.room_width / 2.0;
  return {Vector3d(-x, -y, 0.0),
          Vector3d(3.0 * x + building.wall_thickness, y, building.height)};
}

/// Result of a flight.
struct Explored {
  std::vector<Vector2d> seen;  ///< [m^3] over time [s], of the reachable volume
  std::vector<Vector3d> path;  ///< [m] every kPeriod
  double length = 0.0;         ///< [m]
  double clearance = std::numeric_limits<double>::infinity();  ///< [m] of the vehicle's sphere
  int contacts = 0, viewpoints = 0, given_up = 0, plans = 0, failed_plans = 0;
  bool is_complete = false;      ///< no viewpoint was left
  double reachable = 0.0;        ///< [m^3]
  std::vector<Vector3d> unseen;  ///< [m] middles of reachable voxels
};

// Ends of a scan's rays [m] in W. Those without a return end far outside; the sensor turned evenly
// from its pose at the stamp to the one at the end.
std::vector<Vector3d> endsOf(const lidar::Scan& scan, const Pose& X_WS_end) {
  constexpr double kFar = 1000.0;  // [m]
  std::vector<Vector3d> ends = autonomy::pointsOf(scan);
  for (const lidar::ScanMiss& miss : scan.misses) {
    if (miss.too_near) continue;
    const double passed = miss.time / toSeconds(scan.end - scan.stamp);
    const Vector3d direction =
        scan.X_WS.q.slerp(passed, X_WS_end.q) * miss.direction.cast<double>();
    ends.push_back(scan.X_WS.p + kFar * direction);
  }
  return ends;
}

/// One flight: the explorer chooses viewpoints, the navigator flies to them.
class Flight {
 public:
  Flight(const Exploration& setting, std::shared_ptr<const map::SurfelMap> map)
      : setting_(setting),
        config_(uavConfig()),
        coverage_(*map, {kVoxel, roomsOf(setting.building)}, kStart, config_.vehicle.radius),
        world_(std::move(map)),
        uav_(world_.addUav(config_)),
        explorer_(explorerConfig()),
        navigator_(navigatorConfig()) {
    autonomy::connect(uav_, navigator_);
    uav_.keepMisses(true);
    uav_.on_scan = [&, navigate = uav_.on_scan](const lidar::Scan& scan) {
      navigate(scan);
      explorer_.addScan(scan.X_WS.p, endsOf(scan, uav_.state().X_WB * config_.lidar->X_BS));
      std::vector<Eigen::Vector3f> returns;
      for (const lidar::ScanPoint& point : scan.points) returns.push_back(point.p_W);
      coverage_.add(scan.X_WS.p, returns);
    };
    uav_.on_contact = [&](const collision::ContactEvent& event) {
      result_.contacts += event.begins ? 1 : 0;
    };
    navigator_.on_planned = [&](bool found, double) {
      ++result_.plans;
      result_.failed_plans += found ? 0 : 1;
    };
  }

  Explored fly() {
    world_.runFor(kFirstScans);
    const collision::ClearanceMap clearances = world_.clearances();
    for (now_ = 0.0; now_ < setting_.longest && !result_.is_complete; now_ += kPeriod) {
      guide();
      world_.runFor(kPeriod);
      const Vector3d p = place();
      if (!result_.path.empty()) result_.length += (p - result_.path.back()).norm();
      result_.path.push_back(p);
      result_.seen.emplace_back(now_, kVoxelVolume * static_cast<double>(coverage_.seen()));
      result_.clearance =
          std::min(result_.clearance, clearances.at(p).distance - config_.vehicle.radius);
    }
    result_.reachable = kVoxelVolume * static_cast<double>(coverage_.reachable());
    result_.unseen = coverage_.unseen();
    return std::move(result_);
  }

 private:
  sim::UavConfig uavConfig() const {
    sim::UavConfig config = autonomy::onboardConfig(kStart, 0.0);
    config.seed = setting_.building.seed;
    return config;
  }

  autonomy::ExplorerConfig explorerConfig() const {
    autonomy::ExplorerConfig config;
    config.low = roomsOf(setting_.building).min();
    config.high = roomsOf(setting_.building).max();
    config.lowest = kLowest;
    config.highest = setting_.building.height - kOfCeiling;
    return config;
  }

  autonomy::NavigatorConfig navigatorConfig() const {
    autonomy::NavigatorConfig config;
    config.map.inflation = config_.vehicle.radius + 0.08;
    config.map.lowest = kLowest - 0.1;
    config.map.highest = setting_.building.height - kOfCeiling + 0.1;
    config.planner.limits.speed = 1.5;
    config.planner.limits.acceleration = 3.0;
    return config;
  }

  Vector3d place() const { return uav_.state().X_WB.p; }

  // Leads to the next corner of the way, or chooses another viewpoint.
  void guide() {
    if (!viewpoint_ || isSeen()) return choose();
    auto& way = viewpoint_->way;
    const double distance = (way.front() - place()).norm();
    if (way.size() > 1 && distance < kNear) {
      way.erase(way.begin());
      return fly(way.front());
    }
    if (way.size() > 1 || distance > kThere) waiting_since_ = now_;
    if (now_ - waiting_since_ < kUntilGivenUp && now_ - chosen_ < kLongestWay &&
        navigator_.hasGoal()) {
      return;
    }
    giveUp();
    choose();
  }

  // Whether most of the cells that the UAV goes for are known by now.
  bool isSeen() const {
    const auto& cells = viewpoint_->cells;
    const auto unknown = std::count_if(cells.begin(), cells.end(),
                                       [&](const auto& cell) { return explorer_.isUnknown(cell); });
    return 2 * static_cast<std::size_t>(unknown) < cells.size();
  }

  void giveUp() {
    explorer_.giveUp(viewpoint_->cells);
    ++result_.given_up;
  }

  void choose() {
    viewpoint_ = explorer_.next(place());
    result_.is_complete = !viewpoint_;
    if (!viewpoint_) return;
    ++result_.viewpoints;
    chosen_ = waiting_since_ = now_;
    fly(viewpoint_->way.front());
  }

  void fly(const Vector3d& goal) {
    const auto refusal = navigator_.setGoal(goal);
    if (refusal && refusal->nearest_free) navigator_.setGoal(*refusal->nearest_free);
  }

  const Exploration& setting_;
  const sim::UavConfig config_;
  suite::Coverage coverage_;
  sim::World world_;
  sim::Uav& uav_;
  Explorer explorer_;
  Navigator navigator_;
  std::optional<Viewpoint> viewpoint_;
  double now_ = 0.0, chosen_ = 0.0, waiting_since_ = 0.0;  // [s] since the start
  Explored result_;
};

// Cells of 0.1 m with surfels between 1 m and 1.4 m, as lines for a chart.
suite::Curve planOf(const map::SurfelMap& map) {
  constexpr double kCell = 0.1, kLow = 1.0, kHigh = 1.4;
  std::set<std::pair<int, int>> cells;
  for (const map::Surfel& surfel : map.surfels()) {
    if (surfel.position.z() < kLow || surfel.position.z() > kHigh) continue;
    const Eigen::Array2i cell =
        (surfel.position.head<2>().cast<double>() / kCell).array().floor().cast<int>();
    cells.emplace(cell.y(), cell.x());
  }
  suite::Curve plan{"walls and things 1 to 1.4 m high", "axis", {}};
  for (const auto& [y, x] : cells) {
    plan.points.emplace_back(kCell * x, kCell * (y + 0.5));
    plan.points.emplace_back(kCell * (x + 1), kCell * (y + 0.5));
    plan.points.emplace_back(Vector2d::Constant(std::nan("")));
  }
  return plan;
}

suite::Chart chartOf(const Exploration& setting, const map::SurfelMap& map,
                     const Explored& flight) {
  suite::Chart chart;
  chart.title = fmt::format("path in building {} from above, with the time", setting.building.seed);
  chart.x_label = "x [m]";
  chart.y_label = "y [m]";
  chart.equal_scale = true;
  chart.height = 420.0;
  chart.curves = {planOf(map), {"path", "u0", {}}};
  for (std::size_t i = 0; i < flight.path.size(); ++i) {
    const Vector2d p = flight.path[i].head<2>();
    chart.curves.back().points.push_back(p);
    const auto interval = static_cast<std::size_t>(std::lround(10.0 / kPeriod));
    if (i % interval == 0) {
      chart.marks.push_back({p, fmt::format("{:.0f} s", kPeriod * static_cast<double>(i)), "u1"});
    }
  }
  return chart;
}

// Unseen volume by height, and the part of it near the walls of the rooms.
FigureTable unseenTable(const Exploration& setting, const Explored& flight) {
  FigureTable table{fmt::format("Building {}: reachable voxels never crossed by a ray to a return",
                                setting.building.seed),
                    {"height [m]", "unseen [m^3]", "share of all unseen"},
                    {}};
  const double high = setting.building.height;
  const std::vector<double> bounds{-0.25, 0.25, 0.75, 1.5, high - 0.5, high + 0.5};
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const auto count = std::count_if(
        flight.unseen.begin(), flight.unseen.end(),
        [&](const Vector3d& p) { return p.z() >= bounds[i] && p.z() < bounds[i + 1]; });
    const auto unseen = static_cast<double>(count);
    table.rows.push_back(
        {fmt::format("{:.2f} to {:.2f}", bounds[i], bounds[i + 1]),
         fmt::format("{:.2f}", kVoxelVolume * unseen),
         fmt::format("{:.2f}", unseen / std::max<double>(1.0, static_cast<double>(
                                                                  flight.unseen.size())))});
  }
  return table;
}

}  // namespace

Reproduction reproduceExploration(Extent extent, Progress& progress) {
  std::vector<Exploration> settings(extent == Extent::kFull ? 3 : 1);
  for (std::size_t i = 0; i < settings.size(); ++i) settings[i].building.seed = i + 1;
  if (extent == Extent::kTest) {
    scene::BuildingConfig& building = settings[0].building;
    building.room_length = building.room_width = 5.0;
    building.spacing = 0.06;
    settings[0].longest = 12.0;
  }
  Reproduction result;
  if (extent == Extent::kQuick) result.skipped.push_back("buildings 2 and 3");
  suite::Chart volumes;
  volumes.title = "explored volume over time";
  volumes.x_label = "time [s]";
  volumes.y_label = "volume [m^3]";
  volumes.from_zero = true;
  FigureTable table{"Flights",
                    {"building", "time [s]", "ended", "length [m]", "seen [m^3]", "of [m^3]",
                     "share", "to the map [m]", "contacts", "viewpoints", "given up",
                     "failed plans"},
                    {}};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const Exploration& setting = settings[i];
    const std::string name = fmt::format("building {}", setting.building.seed);
    progress.phase(name);
    const auto map = std::make_shared<const map::SurfelMap>(
        map::SurfelMap::build(scene::makeBuilding(setting.building), {}));
    const Explored flight = Flight(setting, map).fly();
    const auto [end, seen] = std::pair(flight.seen.back().x(), flight.seen.back().y());
    const double share = seen / flight.reachable;
    table.rows.push_back(
        {std::to_string(setting.building.seed), fmt::format("{:.1f}", end),
         flight.is_complete ? "no viewpoint left" : "time over",
         fmt::format("{:.1f}", flight.length), fmt::format("{:.1f}", seen),
         fmt::format("{:.1f}", flight.reachable), fmt::format("{:.3f}", share),
         fmt::format("{:.2f}", flight.clearance), std::to_string(flight.contacts),
         std::to_string(flight.viewpoints), std::to_string(flight.given_up),
         fmt::format("{} of {}", flight.failed_plans, flight.plans)});
    result.criteria.push_back(
        {name + ": contacts", static_cast<double>(flight.contacts), 0.0, 0.0});
    result.criteria.push_back({name + ": share of the reachable volume", share, 0.9, 1.0});
    volumes.curves.push_back({name, i == 0 ? "u0" : i == 1 ? "u1" : "u0 d1", flight.seen});
    volumes.levels.push_back({flight.reachable, name + ", reachable"});
    result.charts.push_back(chartOf(setting, *map, flight));
    result.tables.push_back(unseenTable(setting, flight));
  }
  result.charts.insert(result.charts.begin(), std::move(volumes));
  result.tables.insert(result.tables.begin(), std::move(table));
  return result;
}

}  // namespace marsim::reproduce
