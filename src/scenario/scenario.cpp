// SPDX-License-Identifier: BSD-3-Clause
#include "scenario/scenario.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "common/bounds.hpp"
#include "common/text.hpp"
#include "control/paths/excitation.hpp"
#include "marsim/common/error.hpp"
#include "scenario/figure_eight.hpp"

namespace marsim::scenario {
namespace {

const Bounds kRepeats{1.0, kMostRepeats};
constexpr double kLargestEight = 10'000.0;  // [m]
constexpr double kFastestEight = 100.0;     // [m/s]
constexpr double kHardestEight = 100.0;     // [m/s^2]
constexpr double kLongestRest = 3600.0;     // [s]
constexpr double kHighestTakeOff = 1000.0;  // [m]

void declareLimit(Settings& settings, const std::string& key, Limit& limit, const Unit& unit) {
  settings.optional(key, [&](Settings& map) { limit.declare(map, unit); });
  if (settings.inFile(key) && !limit.at_least && !limit.at_most) {
    settings.fail(key, "without a limit", "at_least, at_most or both");
  }
}

void declareLimit(Settings& settings, const std::string& key, std::optional<Limit>& limit,
                  const Unit& unit) {
  if (!limit && settings.inFile(key)) limit.emplace();
  if (limit) declareLimit(settings, key, *limit, unit);
}

void declareTime(Settings& settings, const std::string& key, TimeNs& time, const Bounds& bounds) {
  double seconds = toSeconds(time);
  settings.optional(key, seconds, "s", bounds);
  constexpr double kLongest = 1e6;  // [s]
  if (!(std::abs(seconds) <= kLongest)) {
    settings.fail(key, fmt::format("{:g}", seconds), fmt::format("at most {:g} s", kLongest));
  }
  time = toNs(seconds);
}

/// A map or a list of maps.
template <class Check>
void declareOneOrMore(Settings& settings, const std::string& key, std::vector<Check>& checks) {
  if (!settings.inFile(key) || settings.isList(key)) return settings.optional(key, checks);
  settings.required(key, checks.emplace_back());
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
    checkSettings(scenario.file, flight, field + ".");
    for (const Goal& goal : flight.goals) {
      for (const Eigen::Vector3d& place : goal.way) {
        requirePlace(scenario.file, field + ".goals", place);
      }
      if (goal.yaw) requireAngle(scenario.file, field + ".goals", *goal.yaw);
    }
    check.require(!flight.hasOwnMoves() || !flight.goals.empty(), field,
                  "take_off, excitation or land without goals", "these with goals only");
    check.require(!flight.hasOwnMoves() || scenario.launchFile() != "planner.launch", field,
                  "take_off, excitation or land with client: " + scenario.client,
                  "these without a planner");
    check.require(!flight.land || scenario.goal_tolerance > 0.06, "goal_tolerance",
                  fmt::format("{:g} m", scenario.goal_tolerance), "more than 0.06 m with land");
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
  check.require(scenario.client.empty() || scenario.client == "ego_planner_v2", "client",
                fmt::format("'{}'", scenario.client),
                "none or ego_planner_v2 with uavs more than 1");
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

void requireChecks(const Validator& check, const Scenario& scenario) {
  const Checks& checks = scenario.checks;
  check.require(!checks.empty() || !scenario.has_verdict, "checks", "empty", "a check or more");
  checkSettings(scenario.file, checks, "checks.");
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
    checkSettings(scenario.file, end, "checks.end.");
  }
  for (const RateCheck& rate : checks.rates) {
    requireTopic(check, "checks.rates.topic", rate.topic);
    checkSettings(scenario.file, rate, fmt::format("checks.rates: {}: ", rate.topic));
  }
  for (const EstimateCheck& estimate : checks.estimates) {
    requireTopic(check, "checks.estimates.topic", estimate.topic);
    requireUav(check, scenario, "checks.estimates.uav", estimate.uav);
    checkSettings(scenario.file, estimate, fmt::format("checks.estimates: {}.", estimate.topic));
  }
  for (const CoverageCheck& coverage : checks.coverage) {
    requireUav(check, scenario, "checks.coverage.uav", coverage.uav);
    checkSettings(scenario.file, coverage, "checks.coverage.");
  }
}

}  // namespace

void Limit::declare(Settings& settings, const Unit& unit, const Bounds& bounds) {
  settings.optional("at_least", at_least, unit, bounds);
  settings.optional("at_most", at_most, unit, bounds);
  if (!at_least || !at_most || *at_least <= *at_most) return;
  settings.fail("at_least", fmt::format("{:g}", *at_least),
                fmt::format("at most at_most, {:g}", *at_most));
}

void FigureEight::declare(Settings& settings) {
  settings.required("middle", middle, "m");
  settings.optional("width", width, "m", {0.1, kLargestEight});
  settings.optional("height", height, "m", {0.1, kLargestEight});
  settings.optional("yaw", yaw, "rad", kAngles);
  settings.optional("speed", speed, "m/s", {0.01, kFastestEight});
  settings.optional("laps", laps, "", {1.0, 1000.0});
}

void Flight::declare(Settings& settings) {
  settings.optional("figure_eight", figure_eight);
  settings.optional("rest", rest, "s", {0.0, kLongestRest});
  settings.optional("take_off", take_off, "m", {0.0, kHighestTakeOff});
  settings.optional("excitation", excitation, "m", {0.0, control::Excitation::kReach});
  settings.optional("land", land);
}

void EndCheck::declare(Settings& settings) {
  settings.optional("uav", uav);
  settings.required("position", position, "m");
  settings.optional("within", within, "m", kPositive);
  declareLimit(settings, "speed", speed, "m/s");
}

void RateCheck::declare(Settings& settings) {
  settings.required("topic", topic);
  settings.required("rate", rate, "Hz", kPositive);
  settings.optional("tolerance", tolerance, "", kShare);
  settings.optional("worst_gap", worst_gap, "", {1.0, 1e6});
}

void EstimateCheck::declare(Settings& settings) {
  settings.required("topic", topic);
  settings.optional("uav", uav);
  settings.optional("frame", frame);
  declareTime(settings, "offset", offset, kFinite);
  settings.optional("align", align);
  declareLimit(settings, "ate", ate, "m");
  declareLimit(settings, "rpe", rpe, "m");
  declareLimit(settings, "rpe_angle", rpe_angle, "rad");
  declareTime(settings, "rpe_delta", rpe_delta, kPositive);
  declareLimit(settings, "completeness", completeness, "");
  if (!settings.isReading()) return;
  for (const char* key : {"ate", "rpe", "rpe_angle", "completeness"}) {
    if (settings.inFile(key)) return;
  }
  settings.fail("ate", "missing", "one of ate, rpe, rpe_angle and completeness, or more of them");
}

void CoverageCheck::declare(Settings& settings) {
  settings.optional("uav", uav);
  settings.optional("voxel", voxel, "m", {0.01, 100.0});
  settings.optional("region", [&](Settings& region) {
    region.required("min", min, "m");
    region.required("max", max, "m");
  });
  share.declare(settings, "", kShare);
  if (settings.isReading() && !share.at_least && !share.at_most) {
    settings.fail("at_least", "missing", "at_least, at_most or both");
  }
  if ((min.array() < max.array()).all()) return;
  settings.fail("region.min", pointText(min), "less than max along each axis");
}

void Checks::declare(Settings& settings) {
  if (goals_within || settings.inFile("goals")) {
    settings.required("goals", [&](Settings& goals) {
      goals.required("within", goals_within ? *goals_within : goals_within.emplace(), "s",
                     kPositive);
    });
  }
  declareLimit(settings, "clearance", clearance, "m");
  declareLimit(settings, "contacts", contacts, "");
  declareLimit(settings, "tracking_rms", tracking_rms, "m");
  declareLimit(settings, "tracking_max", tracking_max, "m");
  declareLimit(settings, "max_speed", max_speed, "m/s");
  declareLimit(settings, "energy", energy, "J");
  declareLimit(settings, "real_time_factor", real_time_factor, "");
  settings.optional("repeats", repeats, "", kRepeats);
  if (!settings.isReading()) return;  // Scenario::validate() names these by their topics
  declareOneOrMore(settings, "end", end);
  declareOneOrMore(settings, "rates", rates);
  declareOneOrMore(settings, "estimates", estimates);
  declareOneOrMore(settings, "coverage", coverage);
}

bool Checks::empty() const {
  return !goals_within && !clearance && !contacts && !tracking_rms && !tracking_max && !max_speed &&
         !energy && !real_time_factor && repeats == 1 && end.empty() && rates.empty() &&
         estimates.empty() && coverage.empty();
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
  check.require(wait_until_idle.empty() || lockstep, "wait_until_idle", join(wait_until_idle),
                "programs in lockstep; none with 'lockstep: false'");
  requireChecks(check, *this);
}

std::vector<std::string> Scenario::uavNames() const {
  std::vector<std::string> names;
  for (int i = 0; i < uavs; ++i) names.push_back(fmt::format("uav{}", i));
  return names;
}

std::string Scenario::launchFile() const {
  if (client.empty()) return uavs > 1 ? "swarm.launch" : "sim.launch";
  const char* const slam[] = {"fast_lio", "point_lio", "lio_sam",   "kiss_icp",
                              "dlio",     "openvins",  "fast_livo2"};
  const bool is_slam = std::find(std::begin(slam), std::end(slam), client) != std::end(slam);
  return is_slam ? "slam.launch" : "planner.launch";
}

}  // namespace marsim::scenario
