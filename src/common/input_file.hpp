#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace marsim {

/// The whole text of a regular file of at most `most` bytes. Throws FileError where it is missing,
/// a folder, no regular file (a FIFO or device may never end), larger, or cannot be read.
std::string readFile(const std::filesystem::path& path, std::size_t most);

}  // namespace marsim
