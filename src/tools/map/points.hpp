// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>
#include <nlohmann/json_fwd.hpp>

#include "marsim/geometry/pose.hpp"

/// Places as written on a command line and in JSON.
namespace marsim::tools {

/// "10,11,1.8" -> a point in W [m]; each number may have a unit of length. Throws ConfigError
/// naming `option`, the text and the allowed form.
Eigen::Vector3d parsePoint(std::string_view text, const std::string& option);

/// "x,y,z;x,y,z" -> points in W [m]; a trailing semicolon is allowed, an empty list is not.
std::vector<Eigen::Vector3d> parsePoints(std::string_view text, const std::string& option);

/// "x,y,z,yaw,pitch,roll" -> a pose in W [m, rad]; numbers may have units, omitted last angles are
/// 0. Throws ConfigError as above.
Pose parsePose(std::string_view text, const std::string& option);

/// The JSON array [x, y, z].
nlohmann::json pointJson(const Eigen::Vector3d& p);

}  // namespace marsim::tools
