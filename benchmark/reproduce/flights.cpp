// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "reproduce/experiment.hpp"
#include "tools/suite/flight_comparison.hpp"
#include "tools/suite/scenario_flight.hpp"

namespace marsim::reproduce {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();

using Poses = std::vector<StampedPose>;

/// Flies between the trees from a start through a place to a goal; `arguments` differ by flight.
/// Throws Error if it does not arrive.
Poses flown(const std::map<std::string, std::string>& arguments, std::uint64_t seed) {
  scenario::Scenario scenario;
  scenario.name = "flights";
  scenario.file = "marsim reproduce flights";
  scenario.has_verdict = false;
  scenario.arguments = {
      {"map", "forest"}, {"lidar", "none"}, {"vehicle", "uzh_5inch"}, {"speed", "3m/s"}};
  for (const auto& [name, value] : arguments) scenario.arguments[name] = value;
  scenario.start = Eigen::Vector3d(0.0, 0.0, 1.5);
  scenario.duration = 60 * kNsPerSecond;
  scenario.flights["uav0"].goals = {{{{8.67, 3.94, 1.23}, {13.6, -3.28, 1.39}}}};
  scenario.validate();

  tools::ScenarioFlight flight(scenario, seed);
  flight.enter(1);
  Poses poses{{flight.now(), flight.uav().state().X_WB}};
  flight.uav().on_odometry = [&](const KinematicState& state) {
    if (state.stamp > poses.back().stamp) poses.push_back({state.stamp, state.X_WB});
  };
  while (!flight.flownAt()) {
    if (flight.now() > scenario.duration) throw Error(scenario.file + ": the goal was not reached");
    flight.step();
  }
  if (flight.contacts() > 0) throw Error(scenario.file + ": the UAV touched a tree");
  return poses;
}

/// A flight beside the one with defaults.
struct Variant {
  std::string name;
  std::map<std::string, std::string> arguments;
  double most;  ///< allowed rmse to the path [m]
};

}  // namespace

Reproduction reproduceFlights(Extent extent, Progress& progress) {
  const double most = 0.1;  // [m]
  // Truth is controlled in calm air, so that a seed changes nothing.
  std::vector<Variant> variants = {
      {"other seed", {}, 1e-9},
      {"wind of 2 m/s, light gusts", {{"wind", "0,2,0"}, {"gusts", "light"}}, most},
      {"wind of 4 m/s, moderate gusts", {{"wind", "0,4,0"}, {"gusts", "moderate"}}, kNoBound},
      {"the same wind, agile controller",
       {{"wind", "0,4,0"}, {"gusts", "moderate"}, {"controller", "agile"}},
       most},
      {"the same wind, geometric controller",
       {{"wind", "0,4,0"}, {"gusts", "moderate"}, {"controller", "geometric"}},
       most},
      {"agile controller", {{"controller", "agile"}}, most},
      {"geometric controller", {{"controller", "geometric"}}, most}};
  if (extent == Extent::kTest) variants.resize(2);
  progress.phase("default");
  const Poses recorded = flown({}, 1);

  Reproduction result;
  FigureTable table{"Distances from the flight in calm air with the default controller [m]",
                    {"flight", "length [m]", "time [s]", "to its path: mean", "largest", "rmse",
                     "at the same time: mean", "largest", "rmse"},
                    {}};
  const auto text = [](double value) { return fmt::format("{:.4f}", value); };
  for (const Variant& variant : variants) {
    progress.phase(variant.name);
    const Poses poses = flown(variant.arguments, 2);
    const tools::FlightComparison found = tools::compareFlights(poses, recorded);
    table.rows.push_back({variant.name, fmt::format("{:.2f}", found.a.length),
                          fmt::format("{:.2f}", found.a.duration), text(found.to_path.mean),
                          text(found.to_path.largest), text(found.to_path.rmse),
                          text(found.to_time.mean), text(found.to_time.largest),
                          text(found.to_time.rmse)});
    if (variant.most < kNoBound) {
      result.criteria.push_back(
          {variant.name + ": rmse to the path [m]", found.to_path.rmse, -kNoBound, variant.most});
    }
    if (variant.arguments.empty()) continue;
    for (suite::Chart& chart :
         tools::comparisonCharts(poses, recorded, found, {variant.name, "default"})) {
      result.charts.push_back(std::move(chart));
    }
  }
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace marsim::reproduce
