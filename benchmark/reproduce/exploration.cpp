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
const Vector3d kStart(0.0, 0.0, 1.2);  // [m]

/// A place that is explored.
struct Exploration {
  std::string name;
  std::shared_ptr<const map::SurfelMap> map;
  Eigen::AlignedBox3d rooms;  ///< [m]
  double side;                ///< [m] of the explorer's cells
  double longest;             ///< [s]
  std::uint64_t seed;         ///< of the sensor's noise
  const char* style;          ///< of its curve
};

// Two rooms and a door; the seed decides on the furniture as well.
Exploration building(std::uint64_t seed, double room_length, double room_width, double spacing) {
  scene::BuildingConfig config;
  config.seed = seed;
  config.room_length = room_length;
  config.room_width = room_width;
  config.spacing = spacing;
  const double x = room_length / 2.0, y = room_width / 2.0;
  return {fmt::format("building {}", seed),
          std::make_shared<const map::SurfelMap>(
              map::SurfelMap::build(scene::makeBuilding(config), {})),
          {Vector3d(-x, -y, 0.0), Vector3d(3.0 * x + config.wall_thickness, y, config.height)},
          0.2,
          120.0,
          seed,
          "u1"};
}

// The workshop made after Indoor-2 of the paper's Table I.
Exploration workshop(std::shared_ptr<const map::SurfelMap> map, std::uint64_t seed) {
  return {fmt::format("indoor_2, noise {}", seed),
          std::move(map),
          {Vector3d(-13.3, -2.8, 0.0), Vector3d(13.3, 36.8, 7.0)},
          0.3,
          300.0,
          seed,
          "u0"};
}

/// Reachable volume [m^3] that no ray to a return has crossed, by what the explorer takes it for.
struct Unseen {
  double free = 0.0;      ///< crossed by rays without a return, or part of a cell that was crossed
  double occupied = 0.0;  ///< part of a cell that holds a return, too
  double unknown = 0.0;
};

/// Result of a flight.
struct Explored {
  std::vector<Vector2d> share;  ///< over time [s]: of the reachable volume
  std::vector<Vector3d> path;   ///< [m] every kPeriod
  double length = 0.0;          ///< [m]
  double clearance = std::numeric_limits<double>::infinity();  ///< [m] of the vehicle's sphere
  int contacts = 0, viewpoints = 0, given_up = 0, plans = 0, failed_plans = 0;
  bool is_complete = false;  ///< no viewpoint was left
  double reachable = 0.0;    ///< [m^3]
  Unseen unseen;
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

// The rooms without the voxels in windows and walls that begin at their ends.
Eigen::AlignedBox3d insideOf(const Eigen::AlignedBox3d& rooms) {
  const Vector3d margin = Vector3d::Constant(0.01);  // [m]
  return {rooms.min() + margin, rooms.max() - margin};
}

/// One flight: the explorer chooses viewpoints, the navigator flies to them.
class Flight {
 public:
  explicit Flight(const Exploration& setting)
      : setting_(setting),
        config_(uavConfig()),
        coverage_(*setting.map, {kVoxel, insideOf(setting.rooms)}, kStart, config_.vehicle.radius),
        world_(setting.map),
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
      result_.share.emplace_back(now_, coverage_.share());
      result_.clearance =
          std::min(result_.clearance, clearances.at(p).distance - config_.vehicle.radius);
    }
    result_.reachable = kVoxelVolume * static_cast<double>(coverage_.reachable());
    result_.unseen = unseen();
    return std::move(result_);
  }

 private:
  sim::UavConfig uavConfig() const {
    sim::UavConfig config = autonomy::onboardConfig(kStart, 0.0);
    config.seed = setting_.seed;
    return config;
  }

  double highest() const { return setting_.rooms.max().z() - kOfCeiling; }

  autonomy::ExplorerConfig explorerConfig() const {
    autonomy::ExplorerConfig config;
    config.low = setting_.rooms.min();
    config.high = setting_.rooms.max();
    config.side = setting_.side;
    config.lowest = kLowest;
    config.highest = highest();
    return config;
  }

  autonomy::NavigatorConfig navigatorConfig() const {
    autonomy::NavigatorConfig config;
    config.map.inflation = config_.vehicle.radius + 0.08;
    config.map.lowest = kLowest - 0.1;
    config.map.highest = highest() + 0.1;
    config.planner.limits.speed = 1.5;
    config.planner.limits.acceleration = 3.0;
    return config;
  }

  Vector3d place() const { return uav_.state().X_WB.p; }

  Unseen unseen() const {
    Unseen unseen;
    for (const Vector3d& p : coverage_.unseen()) {
      const autonomy::Cell cell = explorer_.map().cellOf(p);
      (explorer_.isFree(cell)      ? unseen.free
       : explorer_.isUnknown(cell) ? unseen.unknown
                                   : unseen.occupied) += kVoxelVolume;
    }
    return unseen;
  }

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
  constexpr double kCell = 0.1, kBottom = 1.0, kTop = 1.4;
  std::set<std::pair<int, int>> cells;
  for (const map::Surfel& surfel : map.surfels()) {
    if (surfel.position.z() < kBottom || surfel.position.z() > kTop) continue;
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

suite::Chart pathFromAbove(const Exploration& setting, const Explored& flight) {
  suite::Chart chart;
  chart.title = fmt::format("path in {} from above, with the time", setting.name);
  chart.x_label = "x [m]";
  chart.y_label = "y [m]";
  chart.equal_scale = true;
  chart.height = 420.0;
  chart.curves = {planOf(*setting.map), {"path", "u0", {}}};
  for (std::size_t i = 0; i < flight.path.size(); ++i) {
    const Vector2d p = flight.path[i].head<2>();
    chart.curves.back().points.push_back(p);
    if (i % 50 == 0) {
      chart.marks.push_back({p, fmt::format("{:.0f} s", kPeriod * static_cast<double>(i)), "u1"});
    }
  }
  return chart;
}

}  // namespace

Reproduction reproduceExploration(Extent extent, Progress& progress) {
  std::vector<Exploration> settings;
  Reproduction result;
  if (extent == Extent::kTest) {
    settings = {building(1, 5.0, 5.0, 0.06)};
  } else {
    const auto map = map::loadSurfelMap(config::resolveMap("indoor_2"), {}, progress).map;
    const std::uint64_t seeds = extent == Extent::kFull ? 3 : 1;
    for (std::uint64_t i = 1; i <= seeds; ++i) settings.push_back(workshop(map, i));
    for (std::uint64_t i = 1; i <= seeds; ++i) settings.push_back(building(i, 10.0, 8.0, 0.04));
  }
  if (extent == Extent::kQuick) {
    settings[0].longest = 40.0;
    result.skipped.push_back("indoor_2 after 40 s and with noise 2 and 3; buildings 2 and 3");
  }
  suite::Chart shares;
  shares.title = "explored share of the reachable volume: indoor_2 blue, buildings orange";
  shares.x_label = "time [s]";
  shares.y_label = "share";
  shares.from_zero = true;
  FigureTable table{"Flights",
                    {"place", "ended", "time [s]", "length [m]", "seen [m^3]", "of [m^3]", "share",
                     "to the map [m]", "contacts", "viewpoints", "given up", "failed plans"},
                    {}};
  FigureTable unseen{"Reachable volume [m^3] that no ray to a return has crossed",
                     {"place", "free to the explorer", "in its occupied cells", "unknown to it"},
                     {}};
  for (const Exploration& setting : settings) {
    progress.phase(setting.name);
    const Explored flight = Flight(setting).fly();
    const double share = flight.share.back().y();
    table.rows.push_back({setting.name, flight.is_complete ? "no viewpoint left" : "time over",
                          fmt::format("{:.1f}", flight.share.back().x()),
                          fmt::format("{:.1f}", flight.length),
                          fmt::format("{:.1f}", share * flight.reachable),
                          fmt::format("{:.1f}", flight.reachable), fmt::format("{:.3f}", share),
                          fmt::format("{:.2f}", flight.clearance), std::to_string(flight.contacts),
                          std::to_string(flight.viewpoints), std::to_string(flight.given_up),
                          fmt::format("{} of {}", flight.failed_plans, flight.plans)});
    unseen.rows.push_back({setting.name, fmt::format("{:.2f}", flight.unseen.free),
                           fmt::format("{:.2f}", flight.unseen.occupied),
                           fmt::format("{:.2f}", flight.unseen.unknown)});
    result.criteria.push_back(
        {setting.name + ": contacts", static_cast<double>(flight.contacts), 0.0, 0.0});
    result.criteria.push_back({setting.name + ": share of the reachable volume", share, 0.95, 1.0});
    result.criteria.push_back({setting.name + ": unknown share of it",
                               flight.unseen.unknown / flight.reachable, 0.0, 0.002});
    shares.curves.push_back({setting.name, setting.style, flight.share});
    result.charts.push_back(pathFromAbove(setting, flight));
  }
  result.charts.insert(result.charts.begin(), std::move(shares));
  result.tables = {std::move(table), std::move(unseen)};
  return result;
}

}  // namespace marsim::reproduce
