// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "common/file_descriptor.hpp"

namespace marsim {

/// Opens a regular file of `size` bytes for reading. Throws FileError if it is missing, a folder,
/// not a regular file (a FIFO or device may never end), unreadable, or about to be replaced by this
/// process (requireWritable()).
FileDescriptor openRegularFile(const std::filesystem::path& path, std::size_t& size);

/// The whole text of a regular file of at most `most` bytes. Throws FileError as above and for a
/// larger file.
std::string readFile(const std::filesystem::path& path, std::size_t most);

/// Records the files that readFile() reads in this thread during its life, each once, in reading
/// order. Of several such logs only the last one records.
class ReadLog {
 public:
  ReadLog();
  ~ReadLog();
  ReadLog(const ReadLog&) = delete;
  ReadLog& operator=(const ReadLog&) = delete;

  const std::vector<std::filesystem::path>& files() const { return files_; }
  void note(const std::filesystem::path& path);

 private:
  ReadLog* before_;
  std::vector<std::filesystem::path> files_;
};

}  // namespace marsim
