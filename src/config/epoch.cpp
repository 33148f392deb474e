// SPDX-License-Identifier: BSD-3-Clause
#include "config/epoch.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "common/text.hpp"
#include "geometry/pose_lines.hpp"
#include "marsim/common/error.hpp"
#include "marsim/geometry/pose_file.hpp"

namespace marsim::config {

TimeNs epochOf(const std::string& text, const std::string& where) {
  constexpr int kDecimals = 9;  // of seconds in nanoseconds
  const auto stamp = poseStamp(trimmed(text), kDecimals);
  std::error_code none;
  const bool is_file = !stamp && std::filesystem::is_regular_file(text, none);
  Validator(where).require(
      is_file || (stamp && *stamp >= 0), "epoch", fmt::format("'{}'", clipped(text)),
      fmt::format("0 to {:g} s, or a trajectory file", toSeconds(kFarthestPoseStamp)));
  return stamp ? *stamp : std::max<TimeNs>(0, readPoseFile(text).front().stamp);
}

}  // namespace marsim::config
