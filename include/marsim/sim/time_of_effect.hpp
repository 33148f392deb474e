// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "marsim/common/time.hpp"

namespace marsim::sim {

/// A command with a stamp acts at the first state at or after it, unless the stamp is farther ahead
/// of the last state than this: then at the next one, as a command without a stamp.
constexpr TimeNs kFarthestAhead = kNsPerSecond / 5;

}  // namespace marsim::sim
