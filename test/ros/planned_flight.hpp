// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "position_command_bytes.hpp"

namespace marsim::test {

/// A quintic from rest to rest, as a planner would have it.
struct Flight {
  Eigen::Vector3d from, to;
  double duration = 3.0;  ///< [s]
  double turn = 1.0;      ///< [rad] of yaw, from 0

  CommandFields at(double t) const {
    const double s = std::min(std::max(t / duration, 0.0), 1.0), T = duration;
    const double way = s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
    const double speed = 30.0 * s * s * (1.0 + s * (-2.0 + s)) / T;
    const double acceleration = 60.0 * s * (1.0 + s * (-3.0 + 2.0 * s)) / (T * T);
    const double jerk = 60.0 * (1.0 + s * (-6.0 + 6.0 * s)) / (T * T * T);
    CommandFields fields;
    fields.position = from + way * (to - from);
    fields.velocity = speed * (to - from);
    fields.acceleration = acceleration * (to - from);
    fields.jerk = jerk * (to - from);
    fields.yaw = way * turn;
    fields.yaw_dot = speed * turn;
    return fields;
  }
};

}  // namespace marsim::test
