// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "map_tools/recording.hpp"

namespace marsim::tools {

class CommandLine;

/// Options of the commands that read recordings.
class RecordingOptions {
 public:
  void addTo(CommandLine& line);
  /// Throws ConfigError.
  map_tools::RecordingConfig config() const;
  /// Throws ConfigError, with the `allowed` text, if one of them is given.
  void requireNone(const std::string& allowed) const;

 private:
  map_tools::RecordingConfig config_;
  std::string poses_, lidar_pose_;
};

}  // namespace marsim::tools
