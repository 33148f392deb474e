// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/line_reader.hpp"
#include "marsim/common/progress.hpp"

namespace marsim::map_tools {

/// Reads the rows of a text table: cells between semicolons, tabs, commas or blanks. Handles
/// headers, comments (#, %, //) and the point counts of PTS.
class TableRows {
 public:
  /// Without `has_names` lines that look like column names are skipped.
  TableRows(const std::filesystem::path& path, bool has_names, Progress& progress);

  /// Reads the next row of numbers; false at the end of the file. Throws FileError if its number of
  /// cells differs from the first row's, the file is no text, or points are missing at the end.
  bool next();
  /// Cells of the row, valid until the next call.
  const std::vector<std::string_view>& cells() const { return cells_; }
  /// Names of the columns from a header, or from a comment that names x, y, z and as many columns
  /// as a row has; empty: none.
  const std::vector<std::string>& names() const { return names_; }
  /// Whether a number of points preceded the rows.
  bool isPts() const { return promised_ > 0; }
  std::size_t line() const { return lines_.number(); }

 private:
  bool readLine();
  bool takeHeader();
  void takeComment();
  bool takeCount();
  void requireWidth();

  std::string path_;
  bool has_names_;
  Progress& progress_;
  std::size_t size_ = 0;  // bytes
  std::ifstream stream_;
  LineReader lines_;
  std::string text_;
  std::vector<std::string_view> cells_;
  std::vector<std::string> names_;
  bool named_by_comment_ = false;
  std::size_t header_line_ = 0;  // 0: none yet
  std::size_t width_ = 0;        // 0: no row yet
  std::size_t done_ = 0;         // bytes
  std::uint64_t rows_ = 0, promised_ = 0;
};

}  // namespace marsim::map_tools
