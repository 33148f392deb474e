// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "marsim/common/time.hpp"

namespace marsim::sim {

/// The farthest [ns] that a command's stamp may be ahead of the last report of the vehicle. A
/// command acts at the first report at or after its stamp. With a stamp farther ahead it acts at
/// the next report, like a command without a stamp.
constexpr TimeNs kFarthestAhead = kNsPerSecond / 5;

}  // namespace marsim::sim
