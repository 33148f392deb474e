// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer's entry; see README.md here.

#include <cstddef>
#include <cstdint>

#include "fuzz/map_file_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  marsim::map::readMapFileInput(data, size);
  return 0;
}
