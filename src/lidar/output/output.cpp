// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/output.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim::lidar {

const std::vector<std::pair<std::string, CloudLayout>>& cloudLayouts() {
  static const std::vector<std::pair<std::string, CloudLayout>> layouts = {
      {"xyzi", CloudLayout::kXyzi},
      {"xyzit", CloudLayout::kXyzit},
      {"labelled", CloudLayout::kLabelled},
      {"organised", CloudLayout::kOrganised},
      {"velodyne", CloudLayout::kVelodyne},
      {"ouster", CloudLayout::kOuster},
      {"livox", CloudLayout::kLivox},
      {"livox2", CloudLayout::kLivox2},
      {"livox_custom", CloudLayout::kLivoxCustom},
      {"livox_custom2", CloudLayout::kLivoxCustom2},
      {"hesai", CloudLayout::kHesai},
      {"rslidar", CloudLayout::kRslidar},
      {"laser_scan", CloudLayout::kLaserScan},
  };
  return layouts;
}

const char* nameOf(CloudLayout layout) {
  return cloudLayouts()[static_cast<std::size_t>(layout)].first.c_str();
}

bool isOrganised(CloudLayout layout) {
  return layout == CloudLayout::kOrganised || layout == CloudLayout::kOuster;
}

bool isLivoxCustom(CloudLayout layout) {
  return layout == CloudLayout::kLivoxCustom || layout == CloudLayout::kLivoxCustom2;
}

int mostReturns(CloudLayout layout) {
  switch (layout) {
    case CloudLayout::kOrganised:
    case CloudLayout::kLaserScan:
      return 1;
    case CloudLayout::kVelodyne:
    case CloudLayout::kOuster:
    case CloudLayout::kHesai:
    case CloudLayout::kRslidar:
      return 2;
    default:
      return 3;
  }
}

std::vector<std::string> outputTopics(const std::vector<OutputConfig>& outputs) {
  std::vector<std::string> topics;
  bool first_cloud = true;
  for (const OutputConfig& output : outputs) {
    std::string topic = output.topic;
    if (isLivoxCustom(output.layout)) {
      if (topic.empty()) topic = "livox/lidar";
    } else if (output.layout == CloudLayout::kLaserScan) {
      if (topic.empty()) topic = "scan";
    } else {
      if (topic.empty())
        topic = first_cloud ? "points" : "points_" + std::string(nameOf(output.layout));
      first_cloud = false;
    }
    topics.push_back(topic);
  }
  return topics;
}

void OutputConfig::declare(Settings& settings) {
  settings.required("layout", layout, cloudLayouts());
  settings.optional("topic", topic);
  settings.optional("frame_id", frame_id);
  settings.optional(
      "stamp", stamp,
      {{"first_firing", StampPolicy::kFirstFiring}, {"driver", StampPolicy::kDriver}});
  settings.optional("misses", misses,
                    {{"driver", MissEncoding::kDriver},
                     {"drop", MissEncoding::kDrop},
                     {"zero", MissEncoding::kZero},
                     {"nan", MissEncoding::kNan}});
  settings.optional("time_unit", time_unit, "s", kPositive);
}

void declareOutputs(Settings& settings, std::vector<OutputConfig>& outputs) {
  if (!settings.inFile("output") || settings.isList("output")) {
    return settings.optional("output", outputs);
  }
  outputs.assign(1, {});
  settings.required("output", outputs.front().layout, cloudLayouts());
}

void validateOutputs(const std::vector<OutputConfig>& outputs, const std::string& where) {
  const Validator check(where);
  check.require(!outputs.empty(), "output", "an empty list", "at least one layout");
  const std::vector<std::string> topics = outputTopics(outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string field = fmt::format("output[{}]", i);
    checkSettings(where, outputs[i], field + ".");
    check.require(std::find(topics.begin(), topics.begin() + static_cast<std::ptrdiff_t>(i),
                            topics[i]) == topics.begin() + static_cast<std::ptrdiff_t>(i),
                  field + ".topic", "'" + topics[i] + "'", "a topic that no output before it has");
    check.require(
        !isOrganised(outputs[i].layout) || outputs[i].misses != MissEncoding::kDrop,
        field + ".misses", "drop",
        fmt::format("driver | zero | nan ('{}' is organised)", nameOf(outputs[i].layout)));
  }
}

std::vector<OutputConfig> chooseOutputs(const std::vector<OutputConfig>& configured,
                                        const std::string& words, const std::string& where,
                                        const std::string& field) {
  std::vector<OutputConfig> outputs;
  for (const std::string& part : split(words, ',')) {
    const std::string word(trimmed(part));
    const auto& layouts = cloudLayouts();
    const auto layout = std::find_if(layouts.begin(), layouts.end(),
                                     [&](const auto& known) { return known.first == word; });
    if (layout == layouts.end()) {
      std::vector<std::string> names;
      for (const auto& known : layouts) names.push_back(known.first);
      throw UnknownNameError(where, field, word, names);
    }
    const auto same =
        std::find_if(configured.begin(), configured.end(),
                     [&](const OutputConfig& output) { return output.layout == layout->second; });
    outputs.push_back(same != configured.end() ? *same : OutputConfig{});
    outputs.back().layout = layout->second;
  }
  validateOutputs(outputs, where);
  return outputs;
}

}  // namespace marsim::lidar
