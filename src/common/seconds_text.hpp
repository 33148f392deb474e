// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "marsim/common/time.hpp"

namespace marsim {

/// A time in seconds, to the nanosecond: "12.005000000". A double since 1970 is exact to 0.2 us
/// only.
std::string secondsText(TimeNs time);

}  // namespace marsim
