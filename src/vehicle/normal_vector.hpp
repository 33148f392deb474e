// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include "marsim/common/random.hpp"

namespace marsim::vehicle {

/// Three standard normal deviates.
inline Eigen::Vector3d normalVector(RandomStream& random) {
  // Braces order the draws; a constructor's arguments would not.
  const double draws[3] = {random.normal(), random.normal(), random.normal()};
  return {draws[0], draws[1], draws[2]};
}

}  // namespace marsim::vehicle
