// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <topic_tools/shape_shifter.h>

#include "marsim/common/time.hpp"

namespace marsim::ros_nodes {

/// A message of any type as it was sent.
std::vector<std::uint8_t> bytesOf(const topic_tools::ShapeShifter& message);

/// Whether messages of this definition (as in `rosmsg show --raw`) begin with a std_msgs/Header.
bool beginsWithHeader(const std::string& definition);

/// The header's stamp of a message of any type that begins with a std_msgs/Header. Throws Error
/// naming the type if it does not.
TimeNs headerStamp(const topic_tools::ShapeShifter& message);

}  // namespace marsim::ros_nodes
