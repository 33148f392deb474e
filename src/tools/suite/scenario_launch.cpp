// SPDX-License-Identifier: BSD-3-Clause
#include "tools/suite/scenario_launch.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "common/data_dir.hpp"
#include "common/input_file.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "suite/markup.hpp"

namespace marsim::tools {
namespace fs = std::filesystem;
namespace {

using Arguments = std::map<std::string, std::string>;

const char* const kRunner = "/scenario_runner";

std::string valueOf(const Arguments& arguments, const std::string& name) {
  const auto found = arguments.find(name);
  return found == arguments.end() ? "" : found->second;
}

bool startsClient(const scenario::Scenario& scenario) {
  const std::string start = valueOf(scenario.arguments, "start_client");
  return scenario.isSlam() && (start == "true" || start == "1");
}

std::string waitRules(const scenario::Scenario& scenario) {
  std::vector<std::string> rules;
  for (const scenario::WaitRule& rule : scenario.wait_for) {
    rules.push_back(fmt::format("{}>{}+{:.9g}:{:.9g}", rule.input, rule.output,
                                toSeconds(rule.ahead), toSeconds(rule.start)));
  }
  return join(rules, ",");
}

Arguments simulationArguments(const scenario::Scenario& scenario, std::uint64_t seed,
                              const StandIns& stand_ins) {
  Arguments arguments;
  for (const auto& [name, value] : scenario.arguments) {
    arguments[name] = fromScenario(scenario, value);
  }
  // Nodes that are respawned need processes of their own.
  arguments.insert({"nodelets", valueOf(arguments, "on_crash") == "respawn" ? "false" : "true"});
  if (!scenario.client.empty()) arguments["client"] = scenario.client;
  if (startsClient(scenario) && stand_ins.count(scenario.client) > 0) {
    arguments["start_client"] = "false";
  }
  const std::string file = scenario.launchFile();
  if (file == "swarm.launch") {
    arguments["n"] = std::to_string(scenario.uavs);
  } else if (scenario.uavs > 1) {
    arguments.insert({"swarm", "grid"});
    arguments["swarm_size"] = std::to_string(scenario.uavs);
  } else {
    if (scenario.start) {
      arguments["x"] = fmt::format("{}", scenario.start->x());
      arguments["y"] = fmt::format("{}", scenario.start->y());
      arguments["z"] = fmt::format("{}", scenario.start->z());
    }
    arguments["yaw"] = fmt::format("{}", scenario.yaw);
  }
  arguments["seed"] = std::to_string(seed);
  arguments["pace"] = scenario.pace;
  arguments["lockstep"] = scenario.lockstep ? "true" : "false";
  if (scenario.lockstep) {
    const std::string others = valueOf(arguments, "participants");
    arguments["participants"] = (others.empty() || others == "none" ? "" : others + ",") + kRunner;
  }
  if (!scenario.wait_for.empty()) arguments["wait_for"] = waitRules(scenario);
  if (!scenario.wait_until_idle.empty()) {
    arguments["wait_until_idle"] = join(scenario.wait_until_idle, ",");
  }
  return arguments;
}

std::string include(const std::string& file, const Arguments& arguments) {
  std::string text = fmt::format("  <include file=\"{}\"", suite::escaped(file));
  if (arguments.empty()) return text + "/>\n";
  text += ">\n";
  for (const auto& [name, value] : arguments) {
    text += fmt::format("    <arg name=\"{}\" value=\"{}\"/>\n", suite::escaped(name),
                        suite::escaped(value));
  }
  return text + "  </include>\n";
}

/// Adds the package of every $(find PACKAGE) in a text.
void addFound(std::string_view text, std::vector<std::string>& packages) {
  constexpr std::string_view kFind = "$(find ";
  for (std::size_t at = text.find(kFind); at != std::string_view::npos; at = text.find(kFind)) {
    text.remove_prefix(at + kFind.size());
    const std::size_t end = text.find(')');
    if (end != std::string_view::npos) packages.emplace_back(trimmed(text.substr(0, end)));
  }
}

std::vector<std::string> packagesOf(const scenario::Program& program) {
  std::vector<std::string> packages;
  if (!program.package.empty()) packages.push_back(program.package);
  addFound(program.file, packages);
  for (const auto& [name, value] : program.arguments) addFound(value, packages);
  return packages;
}

/// Replaces $(find PACKAGE) in the arguments by the folder of the package's stand-in.
Arguments withStandInFolders(Arguments arguments, const StandIns& stand_ins) {
  for (auto& [name, value] : arguments) {
    for (const auto& [package, file] : stand_ins) {
      const std::string text = fmt::format("$(find {})", package);
      const std::size_t at = value.find(text);
      if (at == std::string::npos) continue;
      value.replace(at, text.size(), file.parent_path().string());
    }
  }
  return arguments;
}

std::string programInclude(const scenario::Scenario& scenario, const scenario::Program& program,
                           const StandIns& stand_ins) {
  for (const std::string& package : packagesOf(program)) {
    const auto found = stand_ins.find(package);
    if (found == stand_ins.end()) continue;
    // roslaunch refuses arguments that the stand-in does not declare.
    return include(found->second.string(), withStandInFolders(program.arguments, stand_ins));
  }
  if (!program.package.empty() && !fs::path(program.file).is_absolute()) {
    // In the package's folder launch, unless the file has a folder in the package.
    const bool has_folder = program.file.find('/') != std::string::npos;
    return include(
        fmt::format("$(find {})/{}{}", program.package, has_folder ? "" : "launch/", program.file),
        program.arguments);
  }
  return include(fromScenario(scenario, program.file), program.arguments);
}

std::string runnerNode(const scenario::Scenario& scenario, std::uint64_t seed,
                       const fs::path& output) {
  const auto param = [](const std::string& name, const std::string& value) {
    return fmt::format("    <param name=\"{}\" type=\"str\" value=\"{}\"/>\n", name,
                       suite::escaped(value));
  };
  return "  <node pkg=\"marsim\" type=\"scenario_runner\" name=\"scenario_runner\" "
         "required=\"true\" output=\"screen\">\n" +
         param("scenario", fs::absolute(scenario.file).lexically_normal().string()) +
         param("seed", std::to_string(seed)) + param("output", output.string()) + "  </node>\n";
}

}  // namespace

std::string fromScenario(const scenario::Scenario& scenario, const std::string& value) {
  if (value.empty() || value[0] == '/' || value.find('.') == std::string::npos) return value;
  const fs::path file = fs::absolute(scenario.file).parent_path() / value;
  std::error_code none;
  return fs::is_regular_file(file, none) ? file.lexically_normal().string() : value;
}

std::vector<std::string> wantedPackages(const scenario::Scenario& scenario) {
  std::vector<std::string> packages;
  for (const scenario::Program& program : scenario.programs) {
    for (const std::string& package : packagesOf(program)) packages.push_back(package);
  }
  for (const auto& [name, value] : scenario.arguments) addFound(value, packages);
  if (startsClient(scenario)) packages.push_back(scenario.client);
  std::sort(packages.begin(), packages.end());
  packages.erase(std::unique(packages.begin(), packages.end()), packages.end());
  packages.erase(std::remove(packages.begin(), packages.end(), "marsim"), packages.end());
  return packages;
}

void requireKnownArguments(const scenario::Scenario& scenario) {
  constexpr std::size_t kLargestLaunch = 1U << 20U;  // bytes
  // The build tree has a link to config alone, or roslaunch would find each launch file twice.
  const fs::path package = fs::canonical(dataDir() / "config").parent_path();
  const std::string text = readFile(package / "launch" / scenario.launchFile(), kLargestLaunch);
  // Arguments are on lines of their own; those without `doc` are passed on to other files.
  constexpr std::string_view kArgument = "<arg name=\"";
  std::vector<std::string> known;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view tag = trimmed(line);
    if (tag.find(kArgument) != 0 || tag.find("\" doc=\"") == std::string_view::npos) continue;
    known.push_back(split(tag, '"')[1]);
  }
  for (const auto& [name, value] : scenario.arguments) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw UnknownNameError(scenario.file, "argument of " + scenario.launchFile(), name, known);
  }
}

std::string scenarioLaunch(const scenario::Scenario& scenario, std::uint64_t seed,
                           const fs::path& output, const StandIns& stand_ins) {
  const std::string file = "$(find marsim)/launch/" + scenario.launchFile();
  Arguments arguments = simulationArguments(scenario, seed, stand_ins);
  std::string text = fmt::format(
      "<launch>\n  <!-- Written by marsim suite; flies the scenario once: roslaunch run.launch "
      "-->\n{}",
      include(file, arguments));
  for (int drone = 1; drone < scenario.uavs && !scenario.client.empty(); ++drone) {
    arguments["beside"] = "true";
    arguments["drone"] = std::to_string(drone);
    text += include(file, arguments);
  }
  if (startsClient(scenario) && stand_ins.count(scenario.client) > 0) {
    text += include(stand_ins.at(scenario.client).string(), {});
  }
  for (const scenario::Program& program : scenario.programs) {
    text += programInclude(scenario, program, stand_ins);
  }
  return text + runnerNode(scenario, seed, output) + "</launch>\n";
}

}  // namespace marsim::tools
