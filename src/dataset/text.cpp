// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/text.hpp"

#include <fmt/format.h>

#include "common/seconds_text.hpp"

namespace marsim::dataset {

std::string tumLine(TimeNs stamp, const Pose& pose) {
  return fmt::format("{} {} {} {} {} {}\n", secondsText(stamp), vectorText(pose.p, " "), pose.q.x(),
                     pose.q.y(), pose.q.z(), pose.q.w());
}

// Adds zero, so that -0 is written as 0.
std::string vectorText(const Eigen::Vector3d& v, const char* separator) {
  return fmt::format("{1}{0}{2}{0}{3}", separator, v.x() + 0.0, v.y() + 0.0, v.z() + 0.0);
}

std::string matrixRows(const Pose& pose) {
  const Eigen::Matrix3d R = pose.q.toRotationMatrix();
  std::string text;
  for (int row = 0; row < 3; ++row) {
    text += fmt::format("{} {}{}", vectorText(R.row(row).transpose(), " "), pose.p[row] + 0.0,
                        row == 2 ? "\n" : " ");
  }
  return text;
}

}  // namespace marsim::dataset
