// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <string>
#include <type_traits>

namespace marsim::dataset {

/// Appends a number in memory order; the layouts are little endian, as are all supported machines.
template <class Number>
void appendBytes(Number value, std::string& bytes) {
  static_assert(std::is_arithmetic_v<Number>);
  char raw[sizeof(Number)];
  std::memcpy(raw, &value, sizeof(Number));
  bytes.append(raw, sizeof(Number));
}

}  // namespace marsim::dataset
