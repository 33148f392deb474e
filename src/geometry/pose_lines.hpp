// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/line_reader.hpp"
#include "marsim/geometry/pose_file.hpp"

/// Lines of pose files, for their readers.
namespace marsim {

/// Reads the lines of a pose file that are neither blank nor comments. A comment begins with '#',
/// '%' or '//'.
class PoseLines {
 public:
  explicit PoseLines(const std::filesystem::path& path);

  /// Reads the next line; false at the end of the text. Throws FileError.
  bool next();
  const std::string& text() const { return text_; }
  /// Parts of the line between commas or, if it has none, blanks.
  std::vector<std::string_view> words() const;
  /// A comment without its mark, and the number of its line.
  struct Comment {
    std::string text;
    std::size_t number;
  };
  /// The first hundred comments read.
  const std::vector<Comment>& comments() const { return comments_; }
  const std::string& path() const { return path_; }

  /// Throws FileError naming a line: the one read last unless `number` is given.
  [[noreturn]] void refuse(const std::string& reason, std::size_t number = 0) const;

 private:
  std::string path_;
  std::ifstream stream_;
  LineReader lines_;
  std::string text_;
  std::vector<Comment> comments_;
};

/// Splits a line at commas or, if it has none, at blanks.
std::vector<std::string_view> poseWords(std::string_view line);

/// A number such as +1.5e3, and nothing else.
std::optional<double> poseNumber(std::string_view text);

/// [ns] The difference of two stamps fits into 64 bits, too.
constexpr TimeNs kFarthestPoseStamp = std::int64_t{4'290'000'000} * kNsPerSecond;

/// A stamp whose unit is 10^decimals nanoseconds: 9 for s, 0 for ns.
std::optional<TimeNs> poseStamp(std::string_view text, int decimals);

/// Reads the poses of a file of matrices, starting with the line read last. None if that line is no
/// part of a matrix.
std::optional<ScanPoses> readMatrices(PoseLines& lines);

}  // namespace marsim
