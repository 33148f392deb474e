#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "common/file_descriptor.hpp"

namespace marsim {

/// Opens a regular file of `size` bytes to read. Throws FileError where it is missing, a folder, no
/// regular file (a FIFO or device may never end), cannot be read, or is to be replaced by this
/// process (requireWritable()).
FileDescriptor openRegularFile(const std::filesystem::path& path, std::size_t& size);

/// The whole text of a regular file of at most `most` bytes. Throws FileError as above and where it
/// is larger.
std::string readFile(const std::filesystem::path& path, std::size_t most);

/// The files that readFile() reads in this thread while it lives, each once, in the order in which
/// they are read. Of several the last one notes.
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
