// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "clock/sim_clock.hpp"
#include "common/bounds.hpp"
#include "common/text.hpp"
#include "config/scenario.hpp"
#include "config/scenario_readers.hpp"
#include "marsim/config/load.hpp"
#include "marsim/geometry/pose_file.hpp"

namespace marsim::config {
namespace fs = std::filesystem;
namespace {

constexpr const char* kClients[] = {
    "ego_planner", "ego_swarm", "ego_planner_v2", "fast_planner", "fuel", "super",    "mavros",
    "fast_lio",    "point_lio", "lio_sam",        "kiss_icp",     "dlio", "openvins", "fast_livo2"};

void readClient(YamlReader& reader, scenario::Scenario& scenario) {
  std::vector<std::pair<std::string, std::string>> words;
  for (const char* client : kClients) words.emplace_back(client, client);
  reader.optional("client", scenario.client, words);
}

void readSeeds(YamlReader& reader, std::vector<std::uint64_t>& seeds) {
  if (!reader.has("seeds")) return;
  std::vector<std::string> texts;
  reader.required("seeds", texts);
  seeds.clear();
  for (const std::string& text : texts) {
    const std::optional<std::uint64_t> seed = parseWhole(text);
    if (!seed) {
      reader.fail(fmt::format("seeds[{}]", seeds.size()), fmt::format("'{}'", text), kAllowedSeeds);
    }
    seeds.push_back(*seed);
  }
}

void readPace(YamlReader& reader, std::string& pace) {
  if (!reader.has("pace")) return;
  std::string text;
  reader.required("pace", text);
  pace = paceText(parsePace(text, reader.file()));
}

scenario::Flight readFlight(YamlReader& reader) {
  scenario::Flight flight;
  if (reader.has("goals")) {
    reader.requireWays("goals", "m", [&](const scenario::Way& way, std::optional<double> yaw) {
      flight.goals.push_back({way, yaw});
    });
    if (flight.goals.empty()) reader.fail("goals", "empty", "a point or more, [[x, y, z], ...]");
  }
  if (reader.has("trajectory")) {
    reader.required("trajectory", flight.trajectory);
    flight.trajectory = existingFile(reader, "trajectory", flight.trajectory);
  }
  flight.declare(reader);
  return flight;
}

// Reads the flight of one UAV, or a map of UAVs. validate() reports names that are no UAV's.
void readFlights(YamlReader& reader, scenario::Scenario& scenario) {
  reader.readMap("fly", [&](YamlReader& fly) {
    const std::vector<std::string> keys = fly.keys();
    const bool names_uavs = std::any_of(keys.begin(), keys.end(), [](const std::string& key) {
      return key.compare(0, 3, "uav") == 0;
    });
    if (scenario.uavs == 1 && !names_uavs) {
      scenario.flights["uav0"] = readFlight(fly);
      return;
    }
    const std::vector<std::string> uavs = scenario.uavNames();
    for (const std::string& key : keys) {
      scenario.flights[key];
      if (!fly.has(key) || std::find(uavs.begin(), uavs.end(), key) == uavs.end()) continue;
      fly.requireMap(key, [&](YamlReader& uav) { scenario.flights[key] = readFlight(uav); });
    }
  });
}

// Rejects trajectories that cannot be followed. A single UAV starts at the first pose of its own
// unless it has another start.
void readTrajectories(YamlReader& reader, scenario::Scenario& scenario) {
  for (const auto& [uav, flight] : scenario.flights) {
    if (flight.trajectory.empty()) continue;
    const std::vector<StampedPose> poses = readPoseFile(flight.trajectory);
    const PoseTrack can_be_followed(poses, flight.trajectory);
    if (scenario.uavs > 1 || scenario.start) continue;
    scenario.start = poses.front().X_WB.p;
    if (!reader.has("yaw")) scenario.yaw = yawOf(poses.front().X_WB.q);
  }
}

scenario::Program readProgram(YamlReader& reader) {
  scenario::Program program;
  reader.optional("package", program.package);
  reader.required("file", program.file);
  reader.readMap("arguments", [&](YamlReader& arguments) {
    for (const std::string& name : arguments.keys()) {
      arguments.required(name, program.arguments[name]);
    }
  });
  return program;
}

// Looks for a file beside the scenario, or else in the package.
void findProgram(const YamlReader& reader, const std::string& key, scenario::Program& program) {
  const bool is_beside = fs::exists(fs::absolute(reader.file()).parent_path() / program.file);
  if (program.package.empty() || is_beside) program.file = existingFile(reader, key, program.file);
}

// Files are searched after all keys: a wrong key for "package" is not reported as a missing file.
void readPrograms(YamlReader& reader, scenario::Scenario& scenario) {
  if (!reader.has("programs")) return;
  reader.requireMaps(
      "programs", [&](YamlReader& program) { scenario.programs.push_back(readProgram(program)); });
  for (std::size_t i = 0; i < scenario.programs.size(); ++i) {
    findProgram(reader, fmt::format("programs[{}].file", i), scenario.programs[i]);
  }
}

scenario::WaitRule readRule(YamlReader& reader) {
  scenario::WaitRule rule;
  reader.required("input", rule.input);
  reader.required("output", rule.output);
  double ahead = toSeconds(rule.ahead);
  reader.optional("ahead", ahead, "s");
  constexpr double kFarthest = 60.0;  // [s]
  if (!(ahead > 0.0 && ahead <= kFarthest)) {
    reader.fail("ahead", fmt::format("{:g}", ahead),
                fmt::format("more than 0, up to {:g} s", kFarthest));
  }
  rule.ahead = toNs(ahead);
  double start = toSeconds(rule.start);
  reader.optional("start", start, "s");
  constexpr double kLongestStart = 3600.0;  // [s]
  if (!(start >= 0.0 && start <= kLongestStart)) {
    reader.fail("start", fmt::format("{:g}", start), fmt::format("0 to {:g} s", kLongestStart));
  }
  rule.start = toNs(start);
  return rule;
}

void readHowItRuns(YamlReader& reader, scenario::Scenario& scenario) {
  reader.optional("uavs", scenario.uavs);
  if (scenario.uavs < 1 || scenario.uavs > kMostUavs) {
    reader.fail("uavs", fmt::format("{}", scenario.uavs), fmt::format("1 to {}", kMostUavs));
  }
  reader.optional("start", scenario.start, "m");
  reader.optional("yaw", scenario.yaw, "rad");
  reader.optional("goal_tolerance", scenario.goal_tolerance, "m");
  readSeeds(reader, scenario.seeds);
  double duration = toSeconds(scenario.duration);
  reader.optional("duration", duration, "s");
  if (!(std::abs(duration) <= scenario::kLongestDuration)) {  // validate() reports a shorter one
    reader.fail("duration", fmt::format("{:g}", duration),
                fmt::format("at most {:g} s", scenario::kLongestDuration));
  }
  scenario.duration = toNs(duration);
  reader.optional("lockstep", scenario.lockstep);
  reader.optional("keep", scenario.keep);
  readPace(reader, scenario.pace);
}

}  // namespace

scenario::Scenario loadScenario(const std::filesystem::path& path, Purpose purpose) {
  scenario::Scenario scenario;
  scenario.name = path.stem().string();
  scenario.file = path.string();
  YamlReader::readFile(path, [&](YamlReader& reader) {
    const bool is_judged = purpose == Purpose::kSuite;
    if (is_judged || reader.has("description")) {
      reader.required("description", scenario.description);
    }
    reader.optional("tags", scenario.tags);
    readClient(reader, scenario);
    readHowItRuns(reader, scenario);
    readLaunchArguments(reader, scenario);
    readFlights(reader, scenario);
    readTrajectories(reader, scenario);
    readPrograms(reader, scenario);
    if (reader.has("wait_for")) {
      reader.requireMaps("wait_for",
                         [&](YamlReader& rule) { scenario.wait_for.push_back(readRule(rule)); });
    }
    reader.optional("wait_until_idle", scenario.wait_until_idle);
    scenario.has_verdict = is_judged || reader.has("checks");
    if (scenario.has_verdict) readChecks(reader, scenario);
  });
  scenario.validate();
  return scenario;
}

}  // namespace marsim::config
