// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "common/data_dir.hpp"
#include "config/launch_words.hpp"
#include "config/names.hpp"
#include "config/scenario_readers.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace fs = std::filesystem;
namespace {

/// Arguments that name a user's file or one of the package.
constexpr const char* kNamed[] = {"map",    "obstacles",  "lidar",    "depth",
                                  "camera", "vehicle",    "imu",      "controller",
                                  "swarm",  "vegetation", "surfaces", "weather"};

/// Arguments that a scenario sets by another key: name and key.
const std::map<std::string, std::string> kSaidOtherwise = {
    {"seed", "seeds"}, {"x", "start"},          {"y", "start"}, {"z", "start"},
    {"n", "uavs"},     {"uav", "fly"},          {"yaw", "yaw"}, {"client", "client"},
    {"pace", "pace"},  {"lockstep", "lockstep"}};

bool isPath(const std::string& text) {
  return text.find('/') != std::string::npos || fs::path(text).has_extension();
}

// Known names for an argument.
std::vector<std::string> namesOf(const std::string& key) {
  if (key == "map") return yamlNames(dataDir() / "maps");
  std::vector<std::string> names = knownNames(key == "controller" ? "control" : key);
  if (key == "imu") names.insert(names.begin(), {"vehicle", "lidar", "auto"});
  if (key == "controller") names.insert(names.begin(), "auto");
  for (const char* optional : {"lidar", "depth", "camera", "obstacles", "controller", "vegetation",
                               "surfaces", "weather"}) {
    if (key == optional) names.emplace_back("none");
  }
  return names;
}

std::string readNamed(YamlReader& reader, const std::string& key) {
  std::string text;
  reader.required(key, text);
  if (isPath(text)) return existingFile(reader, key, text);
  const std::vector<std::string> names = namesOf(key);
  if (std::find(names.begin(), names.end(), text) == names.end()) {
    throw UnknownNameError(reader.file(), key, text, names);
  }
  return text;
}

void readWordArgument(YamlReader& reader, const std::string& key,
                      const std::vector<std::string>& words,
                      std::map<std::string, std::string>& arguments) {
  if (!reader.has(key)) return;
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& word : words) pairs.emplace_back(word, word);
  reader.required<std::string>(key, arguments[key], pairs);
}

// Reads a number as plain SI, as launch files need it.
void readNumberArgument(YamlReader& reader, const std::string& key, Quantity quantity,
                        bool must_be_positive, std::map<std::string, std::string>& arguments) {
  if (!reader.has(key)) return;
  double value = 0.0;
  reader.required(key, value, {"", quantity});
  if (must_be_positive && value <= 0.0) {
    reader.fail(key, fmt::format("{:g}", value), "more than 0");
  }
  arguments[key] = fmt::format("{}", value);
}

// Reads the conditions; their errors are reported before anything starts.
void readConditions(YamlReader& reader, std::map<std::string, std::string>& arguments) {
  if (reader.has("wind")) {
    Eigen::Vector3d wind;
    reader.required("wind", wind, "m/s");
    arguments["wind"] = fmt::format("{},{},{}", wind.x(), wind.y(), wind.z());
    windOf(arguments["wind"], "none", reader.file());
  }
  if (reader.has("gusts")) {
    reader.required("gusts", arguments["gusts"]);
    windOf("none", arguments["gusts"], reader.file());
  }
  if (reader.has("motor_failure")) {
    reader.required("motor_failure", arguments["motor_failure"]);
    motorFailuresOf(arguments["motor_failure"], reader.file());
  }
}

void readOtherArguments(YamlReader& reader, const std::vector<std::string>& own_keys,
                        std::map<std::string, std::string>& arguments) {
  for (const std::string& name : reader.keys()) {
    const auto otherwise = kSaidOtherwise.find(name);
    const bool is_own = std::find(own_keys.begin(), own_keys.end(), name) != own_keys.end();
    if (is_own || otherwise != kSaidOtherwise.end()) {
      reader.fail(
          name, "there",
          fmt::format("the scenario's key '{}' in its place", is_own ? name : otherwise->second));
    }
    reader.required(name, arguments[name]);
  }
}

}  // namespace

std::string existingFile(const YamlReader& reader, const std::string& key,
                         const std::string& text) {
  const fs::path folder = fs::absolute(reader.file()).parent_path();
  const fs::path path = (folder / text).lexically_normal();
  std::error_code none;
  if (!fs::is_regular_file(path, none)) {
    reader.fail(key, fmt::format("'{}'", text),
                fmt::format("a file; there is no {}", path.string()));
  }
  return path.string();
}

void readLaunchArguments(YamlReader& reader, scenario::Scenario& scenario) {
  auto& arguments = scenario.arguments;
  std::vector<std::string> keys(std::begin(kNamed), std::end(kNamed));
  for (const std::string& key : keys) {
    if (reader.has(key)) arguments[key] = readNamed(reader, key);
  }
  const std::pair<std::string, std::vector<std::string>> words[] = {
      {"surface", {"blended", "paper", "sized"}},
      {"renderer", {"cpu", "opengl", "auto"}},
      {"collision_response", {"report", "stop_motors", "bounce"}},
      {"dynamics", {"rigid_body", "ideal"}},
      {"lidar_noise", {"true", "false"}},
      {"collision", {"true", "false"}}};
  for (const auto& [key, allowed] : words) {
    readWordArgument(reader, key, allowed, arguments);
    keys.push_back(key);
  }
  readConditions(reader, arguments);
  reader.optional("estimate", arguments["estimate"]);  // may stand below `arguments`, too
  if (arguments["estimate"].empty()) arguments.erase("estimate");
  keys.insert(keys.end(), {"wind", "gusts", "motor_failure"});
  readNumberArgument(reader, "resolution", Quantity::kLength, true, arguments);
  readNumberArgument(reader, "speed", Quantity::kSpeed, true, arguments);
  std::string ground;
  reader.optional("ground_z", ground);
  if (ground == "auto") {
    arguments["ground_z"] = ground;
  } else {
    readNumberArgument(reader, "ground_z", Quantity::kLength, false, arguments);
  }
  keys.insert(keys.end(), {"resolution", "speed", "ground_z"});
  arguments.insert({"speed", fmt::format("{}", scenario::kUsualSpeed)});
  reader.readMap("arguments",
                 [&](YamlReader& others) { readOtherArguments(others, keys, arguments); });
}

}  // namespace marsim::config
