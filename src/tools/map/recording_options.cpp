// SPDX-License-Identifier: BSD-3-Clause
#include "tools/map/recording_options.hpp"

#include <utility>

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "tools/map/points.hpp"
#include "tools/process/command_line.hpp"

namespace marsim::tools {

void RecordingOptions::addTo(CLI::App& app) {
  app.add_option(
         "--poses", poses_,
         "trajectory of a recording's scans: TUM, CSV, KITTI, 4 x 4 matrices or x y z qx qy qz qw; "
         "a bag has its odometry")
      ->type_name(kInput);
  app.add_option("--lidar-pose", lidar_pose_,
                 "x,y,z,yaw,pitch,roll of the LiDAR in the body that the poses are of [m, rad]")
      ->type_name("NUMBERS:x,y,z,yaw,pitch,roll");
  app.add_option("--clouds", config_.clouds, "topic of a bag's clouds; without it the only one")
      ->type_name(kName);
  app.add_option("--odometry", config_.odometry, "topic of a bag's poses; without it the only one")
      ->type_name(kName);
  app.add_option(
         "--memory-limit", config_.limits.memory,
         "memory that reading a bag, a mesh or an OctoMap may take [GiB], by default 1, or 50 "
         "times the size of its files")
      ->transform(number(Quantity::kNumber, map_tools::ImportLimits::kMemories));
  app.add_option("--time-limit", config_.limits.time,
                 "time that it may take [s], by default 60, and 10 for each 100 MB of its files")
      ->transform(number(Quantity::kTime, map_tools::ImportLimits::kTimes));
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
