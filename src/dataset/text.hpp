#pragma once

#include <string>

#include "marsim/common/time.hpp"
#include "marsim/geometry/pose.hpp"

/// Texts that several layouts have in common. Numbers are the shortest that give the same double
/// when they are read.
namespace marsim::dataset {

/// A stamp in seconds, to the nanosecond: "12.005000000".
std::string secondsText(TimeNs stamp);
/// A line of a TUM trajectory: stamp x y z qx qy qz qw.
std::string tumLine(TimeNs stamp, const Pose& pose);
constexpr char kTumHeader[] = "# timestamp tx ty tz qx qy qz qw\n";
/// "x,y,z" with a separator of one's own.
std::string vectorText(const Eigen::Vector3d& v, const char* separator);
/// A line that ends, of KITTI's: the first three rows of a pose's matrix, 12 numbers.
std::string matrixRows(const Pose& pose);

}  // namespace marsim::dataset
