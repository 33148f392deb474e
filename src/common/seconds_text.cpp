// SPDX-License-Identifier: BSD-3-Clause
#include "common/seconds_text.hpp"

#include <cstdlib>

#include <fmt/format.h>

namespace marsim {

std::string secondsText(TimeNs time) {
  const TimeNs size = std::abs(time);
  return fmt::format("{}{}.{:09}", time < 0 ? "-" : "", size / kNsPerSecond, size % kNsPerSecond);
}

}  // namespace marsim
