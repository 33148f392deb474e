// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/control/reference.hpp"

#include <cmath>

namespace marsim::control {

std::vector<std::string> dropUnusable(Reference& reference, const OptionalFields& names) {
  std::vector<std::string> dropped;
  const auto drop = [&](Eigen::Vector3d& value, const char* name) {
    if (value.allFinite()) return;
    value.setZero();
    dropped.emplace_back(name);
  };
  drop(reference.a_WB, names.acceleration);
  drop(reference.j_WB, names.jerk);
  if (!std::isfinite(reference.yaw_rate)) {
    reference.yaw_rate = 0.0;
    dropped.emplace_back(names.yaw_rate);
  }
  return dropped;
}

}  // namespace marsim::control
