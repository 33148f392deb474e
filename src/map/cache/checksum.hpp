// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "map/cache/map_file.hpp"
#include "marsim/common/progress.hpp"

namespace marsim::map {

/// XXH3-64 of a few bytes.
std::uint64_t checksum(const void* bytes, std::size_t size);

/// XXH3-64 of the XXH3-64 of every 4 MiB, so that all cores can share the work, and of the size.
std::uint64_t blockChecksum(const unsigned char* bytes, std::size_t size);

/// XXH3-128 of a file's content, block by block like blockChecksum. Throws FileError.
MapFileKey hashFile(const std::filesystem::path& path, Progress& progress = Progress::none());

/// XXH3-128 of a text.
MapFileKey hashText(std::string_view text);

}  // namespace marsim::map
