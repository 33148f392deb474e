#include "scenario/scenario.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "common/bounds.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "scenario/figure_eight.hpp"

namespace marsim::scenario {
namespace {

constexpr double kLargestEight = 10'000.0;  // [m]
constexpr double kFastestEight = 100.0;     // [m/s]
constexpr double kHardestEight = 100.0;     // [m/s^2]

void requireLimit(const Validator& check, const std::string& field, const Limit& limit) {
  if (limit.at_least) check.notNegative(field + ".at_least", *limit.at_least);
  if (limit.at_most) check.notNegative(field + ".at_most", *limit.at_most);
  if (!limit.at_least || !limit.at_most) return;
  check.require(*limit.at_least <= *limit.at_most, field + ".at_least",
                fmt::format("{:g}", *limit.at_least),
                fmt::format("at most at_most, {:g}", *limit.at_most));
}

void requireUav(const Validator& check, const Scenario& scenario, const std::string& field,
                const std::string& uav) {
  const std::vector<std::string> names = scenario.uavNames();
  if (std::find(names.begin(), names.end(), uav) != names.end()) return;
  const std::string nearest = nearestName(uav, names);
  const std::string hint = nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest);
  constexpr std::size_t kShown = 8;
  check.require(
      false, field, fmt::format("'{}'{}", uav, hint),
      names.size() > kShown ? fmt::format("{} to {}", names.front(), names.back()) : join(names));
}

void requireEight(const Validator& check, const std::string& field, const FigureEight& eight,
                  const std::string& where) {
  requirePlace(where, field + ".middle", eight.middle);
  requireAngle(where, field + ".yaw", eight.yaw);
  check.within(field + ".width", eight.width, 0.1, kLargestEight, "m");
  check.within(field + ".height", eight.height, 0.1, kLargestEight, "m");
  check.within(field + ".speed", eight.speed, 0.01, kFastestEight, "m/s");
  check.within(field + ".laps", eight.laps, 1, 1000);
  const double hardest = FigureEightPath(eight, 0.0).largestAcceleration();
  check.require(hardest <= kHardestEight, field + ".speed", fmt::format("{:g}", eight.speed),
                fmt::format("what takes at most {:g} m/s^2 in this size; it takes {:.1f}",
                            kHardestEight, hardest));
}

void requireFlights(const Validator& check, const Scenario& scenario) {
  for (const auto& [uav, flight] : scenario.flights) {
    requireUav(check, scenario, "fly", uav);
    const std::string field = "fly." + uav;
    const int ways = (flight.goals.empty() ? 0 : 1) + (flight.trajectory.empty() ? 0 : 1) +
                     (flight.figure_eight ? 1 : 0);
    check.require(ways <= 1, field, fmt::format("{} ways to fly", ways),
                  "one of goals, trajectory and figure_eight");
    for (const Way& way : flight.goals) {
      for (const Eigen::Vector3d& place : way) requirePlace(scenario.file, field + ".goals", place);
    }
    if (flight.figure_eight) {
      requireEight(check, field + ".figure_eight", *flight.figure_eight, scenario.file);
    }
  }
}

// Checks settings that only a single UAV, or only several, may have.
void requireOneOrSeveral(const Validator& check, const Scenario& scenario) {
  check.within("uavs", scenario.uavs, 1, kMostUavs);
  if (scenario.uavs == 1) {
    check.require(scenario.arguments.count("swarm") == 0, "swarm", "there",
                  "only with uavs more than 1");
    return;
  }
  check.require(!scenario.keep, "keep", "true", "false with uavs more than 1");
  check.require(scenario.client.empty(), "client", fmt::format("'{}'", scenario.client),
                "none with uavs more than 1");
  check.require(!scenario.start, "start", "there", "none with uavs more than 1: swarm says it");
  check.require(scenario.yaw == 0.0, "yaw", "there", "none with uavs more than 1: swarm says it");
}

void requireSeeds(const Validator& check, const std::vector<std::uint64_t>& seeds) {
  check.require(!seeds.empty(), "seeds", "empty", "a list of whole numbers");
  std::set<std::uint64_t> known;
  for (const std::uint64_t seed : seeds) {
    check.require(known.insert(seed).second, "seeds", fmt::format("{} twice", seed),
                  "every number once");
  }
}

void requireScalarChecks(const Validator& check, const Checks& checks) {
  if (checks.goals_within) check.positive("checks.goals.within", *checks.goals_within, "s");
  const std::pair<const char*, const std::optional<Limit>*> limits[] = {
      {"clearance", &checks.clearance},       {"contacts", &checks.contacts},
      {"tracking_rms", &checks.tracking_rms}, {"tracking_max", &checks.tracking_max},
      {"max_speed", &checks.max_speed},       {"real_time_factor", &checks.real_time_factor}};
  for (const auto& [name, limit] : limits) {
    if (*limit) requireLimit(check, fmt::format("checks.{}", name), **limit);
  }
}

// Requires a name that ROS accepts: letters, digits, '_' and '/'.
void requireTopic(const Validator& check, const std::string& field, const std::string& topic) {
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  const bool begins = !topic.empty() && (topic[0] == '/' || is_letter(topic[0]));
  const bool goes_on = std::all_of(topic.begin(), topic.end(), [&](unsigned char c) {
    return is_letter(c) || std::isdigit(c) != 0 || c == '_' || c == '/';
  });
  check.require(begins && goes_on, field, fmt::format("'{}'", clipped(topic)),
                "a topic: letters, digits, '_' and '/', not a digit or '_' first");
}

void requireEstimate(const Validator& check, const std::string& field,
                     const EstimateCheck& estimate) {
  requireLimit(check, field + ".ate", estimate.ate);
  requireLimit(check, field + ".rpe", estimate.rpe);
  requireLimit(check, field + ".rpe_angle", estimate.rpe_angle);
  requireLimit(check, field + ".completeness", estimate.completeness);
  check.positive(field + ".rpe_delta", toSeconds(estimate.rpe_delta), "s");
}

void requireCoverage(const Validator& check, const std::string& field,
                     const CoverageCheck& coverage) {
  check.within(field + ".voxel", coverage.voxel, 0.01, 100.0, "m");
  check.require((coverage.min.array() < coverage.max.array()).all(), field + ".region.min",
                pointText(coverage.min), "less than max along each axis");
  requireLimit(check, field, coverage.share);
  for (const auto& bound : {coverage.share.at_least, coverage.share.at_most}) {
    if (bound) check.within(field, *bound, 0.0, 1.0);
  }
}

void requireChecks(const Validator& check, const Scenario& scenario) {
  const Checks& checks = scenario.checks;
  check.require(!checks.empty(), "checks", "empty", "a check or more");
  requireScalarChecks(check, checks);
  const bool any_goals =
      std::any_of(scenario.flights.begin(), scenario.flights.end(),
                  [](const auto& flight) { return !flight.second.goals.empty(); });
  check.require(!checks.goals_within || any_goals, "checks.goals", "there",
                "only where a UAV of fly has goals");
  const auto controller = scenario.arguments.find("controller");
  const bool is_controlled = controller == scenario.arguments.end() || controller->second != "none";
  for (const auto& [name, limit] : {std::pair("tracking_rms", &checks.tracking_rms),
                                    std::pair("tracking_max", &checks.tracking_max)}) {
    check.require(!*limit || is_controlled, fmt::format("checks.{}", name), "there",
                  "not with controller: none, whose reference nobody knows");
  }
  for (const EndCheck& end : checks.end) {
    requireUav(check, scenario, "checks.end.uav", end.uav);
    requirePlace(scenario.file, "checks.end.position", end.position);
    check.positive("checks.end.within", end.within, "m");
    requireLimit(check, "checks.end.speed", end.speed);
  }
  for (const RateCheck& rate : checks.rates) {
    const std::string field = "checks.rates: " + rate.topic;
    requireTopic(check, "checks.rates.topic", rate.topic);
    check.positive(field + ": rate", rate.rate, "Hz");
    check.within(field + ": tolerance", rate.tolerance, 0.0, 1.0);
    check.within(field + ": worst_gap", rate.worst_gap, 1.0, 1e6);
  }
  for (const EstimateCheck& estimate : checks.estimates) {
    requireTopic(check, "checks.estimates.topic", estimate.topic);
    requireUav(check, scenario, "checks.estimates.uav", estimate.uav);
    requireEstimate(check, "checks.estimates: " + estimate.topic, estimate);
  }
  for (const CoverageCheck& coverage : checks.coverage) {
    requireUav(check, scenario, "checks.coverage.uav", coverage.uav);
    requireCoverage(check, "checks.coverage", coverage);
  }
}

}  // namespace

bool Checks::empty() const {
  return !goals_within && !clearance && !contacts && !tracking_rms && !tracking_max && !max_speed &&
         !real_time_factor && end.empty() && rates.empty() && estimates.empty() && coverage.empty();
}

void Scenario::validate() const {
  const Validator check(file);
  requireOneOrSeveral(check, *this);
  if (start) requirePlace(file, "start", *start);
  requireAngle(file, "yaw", yaw);
  requireSeeds(check, seeds);
  check.within("duration", toSeconds(duration), 0.1, kLongestDuration, "s");
  check.positive("goal_tolerance", goal_tolerance, "m");
  requireFlights(check, *this);
  for (const WaitRule& rule : wait_for) {
    requireTopic(check, "wait_for.input", rule.input);
    requireTopic(check, "wait_for.output", rule.output);
    const std::string field = fmt::format("wait_for: {}: ahead", rule.output);
    check.positive(field, toSeconds(rule.ahead), "s");
  }
  requireChecks(check, *this);
}

std::vector<std::string> Scenario::uavNames() const {
  std::vector<std::string> names;
  for (int i = 0; i < uavs; ++i) names.push_back(fmt::format("uav{}", i));
  return names;
}

std::string Scenario::launchFile() const {
  if (client.empty()) return uavs > 1 ? "swarm.launch" : "sim.launch";
  const bool is_slam = client == "fast_lio" || client == "lio_sam" || client == "kiss_icp";
  return is_slam ? "slam.launch" : "planner.launch";
}

}  // namespace marsim::scenario
