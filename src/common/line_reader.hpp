// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace marsim {

/// A stream of a regular file of `size` bytes. Throws FileError as openRegularFile() does.
std::ifstream openInput(const std::filesystem::path& path, std::size_t& size);

/// Reads a text line by line. A line's length is bounded, so that a file without an end of line
/// takes no more memory than one line.
class LineReader {
 public:
  static constexpr std::size_t kLongest = std::size_t{1} << 20U;  ///< [bytes] of a line

  /// Reads from the stream's position on; `before` lines precede it, and messages name `path`.
  LineReader(std::istream& stream, std::string path, std::size_t before = 0);

  /// Reads the next line; false at the end of the text. Throws FileError if a line is longer than
  /// kLongest or cannot be read.
  bool next();
  /// The line without its '\n'; valid until the next call.
  std::string_view line() const { return line_; }
  /// The number of the line, from 1.
  std::size_t number() const { return number_; }

 private:
  std::istream& stream_;
  std::string path_;
  std::vector<char> buffer_;
  std::string_view line_;
  std::size_t number_;
};

}  // namespace marsim
