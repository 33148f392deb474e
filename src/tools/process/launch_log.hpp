#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/output_file.hpp"
#include "marsim/common/error.hpp"

namespace marsim::tools {

/// A file with the lines that a program printed under runChild(), no longer than a LineReader
/// reads.
class LaunchLog {
 public:
  /// Begins an empty file. Throws FileError where it cannot be written.
  explicit LaunchLog(const std::filesystem::path& path) : file_(path) { file_.write(""); }

  /// The first line that cannot be written ends the program: it raises SIGINT, which runChild()
  /// passes on.
  void add(const std::string& line);
  /// Throws the error of the line that could not be written.
  void require() const {
    if (failure_) throw *failure_;
  }

 private:
  OutputStream file_;
  std::optional<FileError> failure_;
};

}  // namespace marsim::tools
