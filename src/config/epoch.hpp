// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "marsim/common/time.hpp"

namespace marsim::config {

/// Stamp of simulated time 0 by the argument `epoch`: seconds, read to the nanosecond, or a
/// trajectory file, whose first stamp it is (0 if that is negative). Throws ConfigError naming
/// `where` and `epoch`, and the errors of readPoseFile().
TimeNs epochOf(const std::string& text, const std::string& where);

}  // namespace marsim::config
