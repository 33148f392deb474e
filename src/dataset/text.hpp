// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "marsim/common/time.hpp"
#include "marsim/geometry/pose.hpp"

/// Texts shared by several layouts. Numbers have the fewest digits that give the same double when
/// read.
namespace marsim::dataset {

/// A line of a TUM trajectory: stamp x y z qx qy qz qw.
std::string tumLine(TimeNs stamp, const Pose& pose);
constexpr char kTumHeader[] = "# timestamp tx ty tz qx qy qz qw\n";
/// "x,y,z" with any separator.
std::string vectorText(const Eigen::Vector3d& v, const char* separator);
/// A line of KITTI's poses, with its end: the first three rows of a pose's matrix, 12 numbers.
std::string matrixRows(const Pose& pose);

}  // namespace marsim::dataset
