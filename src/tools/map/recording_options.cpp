// SPDX-License-Identifier: BSD-3-Clause
#include "tools/map/recording_options.hpp"

#include <utility>

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "tools/map/points.hpp"
#include "tools/process/command_line.hpp"

namespace marsim::tools {

void RecordingOptions::addTo(CommandLine& line) {
  line.option(
      "--poses", poses_, kInput,
      "trajectory of a recording's scans: TUM, CSV, KITTI, 4 x 4 matrices or x y z qx qy qz qw; "
      "a bag has its odometry");
  line.option("--lidar-pose", lidar_pose_, {"NUMBERS:x,y,z,yaw,pitch,roll"},
              "x,y,z,yaw,pitch,roll of the LiDAR in the body that the poses are of [m, rad]");
  line.option("--clouds", config_.clouds, kName,
              "topic of a bag's clouds; without it the only one");
  line.option("--odometry", config_.odometry, kName,
              "topic of a bag's poses; without it the only one");
  line.option("--memory-limit", config_.limits.memory,
              number(Quantity::kNumber, map_tools::ImportLimits::kMemories),
              "memory that reading a bag, a mesh or an OctoMap may take [GiB], by default 1, or 50 "
              "times the size of its files")
      .hideDefault();
  line.option("--time-limit", config_.limits.time,
              number(Quantity::kTime, map_tools::ImportLimits::kTimes),
              "time that it may take [s], by default 60, and 10 for each 100 MB of its files")
      .hideDefault();
}

map_tools::RecordingConfig RecordingOptions::config() const {
  map_tools::RecordingConfig config = config_;
  config.poses = poses_;
  if (!lidar_pose_.empty()) config.X_BL = parsePose(lidar_pose_, "--lidar-pose");
  return config;
}

void RecordingOptions::requireNone(const std::string& allowed) const {
  for (const auto& [option, text] : {std::pair{"--poses", poses_},
                                     {"--lidar-pose", lidar_pose_},
                                     {"--clouds", config_.clouds},
                                     {"--odometry", config_.odometry}}) {
    if (text.empty()) continue;
    throw ConfigError("command line", option, fmt::format("'{}'", clipped(text)), allowed);
  }
}

}  // namespace marsim::tools
