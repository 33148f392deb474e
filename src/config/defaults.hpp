// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "marsim/common/units.hpp"

/// Defaults of the launch arguments that a program reads, as a node's parameter, in a scenario or
/// on a command line.
namespace marsim::config {

/// All of them as text, by name. `marsim run --defaults` prints them.
const std::map<std::string, std::string>& defaults();
/// One of them. Throws std::out_of_range for any other name.
inline const std::string& defaultOf(const std::string& name) { return defaults().at(name); }
/// One of them in SI.
inline double defaultNumber(const std::string& name, Quantity quantity) {
  return parseQuantity(defaultOf(name), quantity);
}

}  // namespace marsim::config
