// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace marsim::map {

/// Two zero bits between each of the lowest 21.
inline std::uint64_t spreadBits(std::uint64_t bits) {
  bits &= 0x1fffff;
  bits = (bits | bits << 32) & 0x1f00000000ffff;
  bits = (bits | bits << 16) & 0x1f0000ff0000ff;
  bits = (bits | bits << 8) & 0x100f00f00f00f00f;
  bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
  return (bits | bits << 2) & 0x1249249249249249;
}

}  // namespace marsim::map
