// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace marsim::map {

/// Reads bytes as a map file, as they are and with their checksums set right. Anything but a quiet
/// return is a fault of the reader.
void readMapFileInput(const unsigned char* data, std::size_t size);

}  // namespace marsim::map
