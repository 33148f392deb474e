// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "marsim/common/time.hpp"

namespace marsim::control {

constexpr double kLongestSubstep = 0.005;  // [s]
constexpr double kLongestGap = 1.0;        // [s] a longer gap is cut to this

/// Calls step(dt) for equal parts of the time from `last` to `now`, dt in seconds.
template <typename Step>
void forSubsteps(TimeNs last, TimeNs now, const Step& step) {
  const double elapsed = std::clamp(toSeconds(now - last), 0.0, kLongestGap);
  const int count = static_cast<int>(std::ceil(elapsed / kLongestSubstep - 1e-9));
  for (int i = 0; i < count; ++i) step(elapsed / count);
}

}  // namespace marsim::control
