// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace marsim::dataset {

/// A new file that is written from front to back. Throws FileError, also for earlier bytes that
/// cannot be written, as on a full disk.
class GrowingFile {
 public:
  explicit GrowingFile(const std::filesystem::path& path);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  void write(std::string_view bytes);
  /// Closes the file: all bytes are on the disk, else throws FileError.
  void close();

 private:
  void flush();
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_;
  int file_;
  std::string buffer_;
};

/// Writes a new file as a whole.
void writeNewFile(const std::filesystem::path& path, std::string_view bytes);

}  // namespace marsim::dataset
