// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "common/text.hpp"
#include "config/scenario_readers.hpp"
#include "config/study.hpp"

namespace marsim::config {
namespace {

constexpr int kMostSteps = 1'000'000;

/// A name of config/dataset, or a file beside this one.
std::string scenarioPath(const YamlReader& reader, const std::string& key,
                         const std::string& text) {
  const bool is_name = text.find('/') == std::string::npos && text.find('.') == std::string::npos;
  return is_name ? text : existingFile(reader, key, text);
}

/// The full path of a file beside this one; any other text is unchanged.
std::string valueOf(const YamlReader& reader, const std::string& text) {
  const auto file = std::filesystem::absolute(reader.file()).parent_path() / text;
  std::error_code none;
  return std::filesystem::is_regular_file(file, none) ? file.lexically_normal().string() : text;
}

void readArguments(YamlReader& reader, std::map<std::string, std::string>& arguments) {
  reader.readMap("arguments", [&](YamlReader& map) {
    for (const std::string& name : map.keys()) {
      std::string text;
      map.required(name, text);
      arguments[name] = valueOf(reader, text);
    }
  });
}

void readRun(YamlReader& reader, DatasetRun& run) {
  if (reader.has("scenario")) {
    reader.required("scenario", run.scenario);
    run.scenario = scenarioPath(reader, "scenario", run.scenario);
  }
  if (reader.has("trajectory")) {
    reader.required("trajectory", run.trajectory);
    run.trajectory = existingFile(reader, "trajectory", run.trajectory);
  }
  reader.optional("trajectory_frame", run.trajectory_frame);
  reader.optional("imu_rate", run.imu_rate, "Hz");
  reader.optional("truth_rate", run.truth_rate, "Hz");
  if (reader.has("formats")) {
    std::vector<std::string> formats;
    reader.required("formats", formats);
    run.format = join(formats, ",");
  }
  reader.optional("frame", run.frame);
  reader.optional("truth_frame", run.truth_frame);
  reader.optional("image_truth", run.image_truth);
  if (reader.has("duration")) {
    double duration = 0.0;
    reader.required("duration", duration, "s");
    if (!(duration > 0.0 && duration <= scenario::kLongestDuration)) {
      reader.fail("duration", fmt::format("{:g} s", duration),
                  fmt::format("more than 0, up to {:g} s", scenario::kLongestDuration));
    }
    run.duration = toNs(duration);
  }
  if (reader.has("seed")) reader.optional("seed", run.seed.emplace(1));
  readArguments(reader, run.arguments);
}

Factor readFactor(YamlReader& vary, const std::string& name, bool is_grid) {
  Factor factor;
  factor.name = name;
  if (!vary.isMap(name)) {
    vary.required(name, factor.values);
    if (factor.values.empty()) vary.fail(name, "empty", "[value, ...] or {from, to}");
    for (std::string& value : factor.values) {
      value = name == "scenario"     ? scenarioPath(vary, name, value)
              : name == "trajectory" ? existingFile(vary, name, value)
                                     : valueOf(vary, value);
    }
    return factor;
  }
  vary.requireMap(name, [&](YamlReader& range) {
    range.required("from", factor.from);
    range.required("to", factor.to);
    if (!is_grid) return;
    factor.steps = 2;
    range.optional("steps", factor.steps);
    if (factor.steps < 2 || factor.steps > kMostSteps) {
      range.fail("steps", std::to_string(factor.steps), fmt::format("2 to {}", kMostSteps));
    }
  });
  return factor;
}

}  // namespace

DatasetRun loadDatasetRun(const std::filesystem::path& path) {
  DatasetRun run;
  YamlReader::readFile(path, [&](YamlReader& reader) { readRun(reader, run); });
  return run;
}

std::string textOf(const DatasetRun& run) {
  YAML::Emitter yaml;
  yaml << YAML::BeginMap;
  if (!run.scenario.empty()) yaml << YAML::Key << "scenario" << YAML::Value << run.scenario;
  if (!run.trajectory.empty()) yaml << YAML::Key << "trajectory" << YAML::Value << run.trajectory;
  if (run.trajectory_frame != "enu") {
    yaml << YAML::Key << "trajectory_frame" << YAML::Value << run.trajectory_frame;
  }
  if (run.imu_rate) yaml << YAML::Key << "imu_rate" << YAML::Value << *run.imu_rate;
  if (run.truth_rate) yaml << YAML::Key << "truth_rate" << YAML::Value << *run.truth_rate;
  yaml << YAML::Key << "formats" << YAML::Value << YAML::Flow << split(run.format, ',');
  yaml << YAML::Key << "frame" << YAML::Value << run.frame;
  yaml << YAML::Key << "truth_frame" << YAML::Value << run.truth_frame;
  if (run.image_truth) yaml << YAML::Key << "image_truth" << YAML::Value << true;
  if (run.duration) {
    yaml << YAML::Key << "duration" << YAML::Value << fmt::format("{}", toSeconds(*run.duration));
  }
  if (run.seed) yaml << YAML::Key << "seed" << YAML::Value << fmt::format("{}", *run.seed);
  if (!run.arguments.empty()) {
    yaml << YAML::Key << "arguments" << YAML::Value << YAML::BeginMap;
    for (const auto& [name, value] : run.arguments) {
      yaml << YAML::Key << name << YAML::Value << value;
    }
    yaml << YAML::EndMap;
  }
  yaml << YAML::EndMap;
  return std::string(yaml.c_str()) + "\n";
}

Study loadStudy(const std::filesystem::path& path) {
  Study study;
  study.file = path.string();
  YamlReader::readFile(path, [&](YamlReader& reader) {
    reader.required("description", study.description);
    readRun(reader, study.common);
    reader.optional("design", study.is_grid, {{"grid", true}, {"latin_hypercube", false}});
    if (!study.is_grid) {
      reader.optional("runs", study.runs);
      if (study.runs < 1) reader.fail("runs", std::to_string(study.runs), "1 or more");
      reader.optional("design_seed", study.design_seed);
    }
    reader.requireMap("vary", [&](YamlReader& vary) {
      for (const std::string& name : vary.keys()) {
        study.factors.push_back(readFactor(vary, name, study.is_grid));
      }
    });
    const auto isVaried = [&](const std::string& name) {
      return std::any_of(study.factors.begin(), study.factors.end(),
                         [&](const Factor& factor) { return factor.name == name; });
    };
    const bool has_scenario = !study.common.scenario.empty() || isVaried("scenario");
    const bool has_trajectory = !study.common.trajectory.empty() || isVaried("trajectory");
    if (has_scenario == has_trajectory) {
      reader.fail("scenario", has_scenario ? "there beside trajectory" : "not there",
                  "one of scenario and trajectory");
    }
    const bool has_factor = !study.factors.empty();
    if (!has_factor) reader.fail("vary", "empty", "a factor or more");
  });
  return study;
}

}  // namespace marsim::config
