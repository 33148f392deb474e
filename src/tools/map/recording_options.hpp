// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "map_tools/recording.hpp"

namespace marsim::tools {

/// Options of the commands that read recordings.
class RecordingOptions {
 public:
  void addTo(CLI::App& app);
  /// Throws ConfigError.
  map_tools::RecordingConfig config() const;
  /// Throws ConfigError, with the `allowed` text, if one of them is given.
  void requireNone(const std::string& allowed) const;

 private:
  map_tools::RecordingConfig config_;
  std::string poses_, lidar_pose_;
};

}  // namespace marsim::tools
