// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fstream>

namespace marsim::reproduce {

/// Memory [GB] of this process that is in use.
inline double residentGigabytes() {
  std::ifstream status("/proc/self/statm");
  double total = 0.0, resident = 0.0;
  status >> total >> resident;
  return resident * 4096.0 / 1e9;
}

}  // namespace marsim::reproduce
