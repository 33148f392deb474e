#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "common/file_descriptor.hpp"

namespace marsim {

/// Opens a regular file of `size` bytes to read. Throws FileError where it is missing, a folder, no
/// regular file (a FIFO or device may never end), or cannot be read.
FileDescriptor openRegularFile(const std::filesystem::path& path, std::size_t& size);

/// The whole text of a regular file of at most `most` bytes. Throws FileError as above and where it
/// is larger.
std::string readFile(const std::filesystem::path& path, std::size_t most);

}  // namespace marsim
