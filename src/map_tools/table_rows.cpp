// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/table_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/text.hpp"
#include "map/files/point_records.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map_tools {
namespace {

/// Splits a line into cells at semicolons, else tabs, else commas, else blanks. Between semicolons
/// and tabs a comma is a decimal point, as in spreadsheets of many countries. A tab at either end
/// of a line separated by tabs has an empty cell beside it.
void splitCells(std::string& line, bool has_names, std::vector<std::string_view>& cells) {
  std::replace(line.begin(), line.end(), '"', ' ');
  std::string_view text = trimmed(line);
  const auto has = [&](char c) { return text.find(c) != std::string_view::npos; };
  const char separator = has(';')                                ? ';'
                         : has('\t') && (has_names || !has(' ')) ? '\t'
                         : has(',')                              ? ','
                                                                 : ' ';
  if (separator == ' ') return map::splitWords(text, cells);
  if (separator != ',') std::replace(line.begin(), line.end(), ',', '.');
  if (separator == '\t') {
    const std::size_t first = line.find_first_not_of(" \r");
    text = std::string_view(line).substr(first, line.find_last_not_of(" \r") + 1 - first);
  }
  cells.clear();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    cells.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
}

/// Names of a header's cells. Between blanks a unit in brackets belongs to the name before it.
std::vector<std::string> namesOf(const std::vector<std::string_view>& cells) {
  std::vector<std::string> names;
  for (const std::string_view cell : cells) {
    if (!names.empty() && !cell.empty() && (cell[0] == '(' || cell[0] == '[')) {
      names.back() += cell;
    } else {
      names.emplace_back(cell);
    }
  }
  return names;
}

bool isComment(std::string_view text) {
  return text.substr(0, 1) == "#" || text.substr(0, 1) == "%" || text.substr(0, 2) == "//";
}

}  // namespace

TableRows::TableRows(const std::filesystem::path& path, bool has_names, Progress& progress)
    : path_(path.string()),
      has_names_(has_names),
      progress_(progress),
      stream_(openInput(path, size_)),
      lines_(stream_, path_) {
  if (size_ == 0) throw FileError(path_, "is empty");
  progress.phase("reading " + path.filename().string(), size_);
}

// Reads a line into cells, none for a comment; false at the end of the file.
bool TableRows::readLine() {
  if (!lines_.next()) return false;
  text_ = lines_.line();
  done_ += text_.size() + 1;
  if (line() % 4096 == 0) progress_.update(std::min(done_, size_));
  if (line() == 1 && text_.rfind("\xef\xbb\xbf", 0) == 0) text_.erase(0, 3);  // UTF-8's mark
  if (text_.find('\0') != std::string::npos) {
    throw FileError(path_, fmt::format("line {} is no text", line()));
  }
  cells_.clear();
  isComment(trimmed(text_)) ? takeComment() : splitCells(text_, false, cells_);
  return true;
}

void TableRows::takeComment() {
  if (rows_ > 0 || !has_names_ || !names_.empty()) return;
  text_.erase(0, text_.find_first_not_of(" \t#%/"));
  splitCells(text_, true, cells_);
  std::vector<std::string> names = namesOf(cells_);
  named_by_comment_ = map::nameAPlace(names);
  if (named_by_comment_) names_ = std::move(names);
  cells_.clear();
}

bool TableRows::next() {
  while (readLine()) {
    if (cells_.empty() || takeCount() || takeHeader()) continue;
    requireWidth();
    ++rows_;
    return true;
  }
  if (rows_ < promised_) {
    throw FileError(path_, fmt::format("is partly written: it holds {} of {} points",
                                       withThousands(rows_), withThousands(promised_)));
  }
  if (rows_ == 0) throw FileError(path_, "has no points");
  return false;
}

// PTS: the number of points on a line of its own, before the points of each scan.
bool TableRows::takeCount() {
  if (cells_.size() != 1 || rows_ != promised_) return false;
  const std::optional<std::uint64_t> count = parseWhole(cells_[0]);
  promised_ += count.value_or(0);
  return count.has_value();
}

bool TableRows::takeHeader() {
  if (rows_ > 0 || header_line_ > 0 || map::numberOf(cells_[0])) return false;
  if (cells_[0].empty() && std::any_of(cells_.begin(), cells_.end(), map::numberOf)) return false;
  header_line_ = line();
  if (!has_names_) return true;
  splitCells(text_, true, cells_);
  if (cells_.back().empty()) cells_.pop_back();
  names_ = namesOf(cells_);
  named_by_comment_ = false;
  return true;
}

void TableRows::requireWidth() {
  const bool ends_empty = cells_.back().empty();  // after a separator at the end of the line
  const std::size_t width = cells_.size() - (ends_empty ? 1 : 0);
  if (rows_ == 0) {
    if (named_by_comment_ && names_.size() != width) names_.clear();
    width_ = names_.empty() ? width : names_.size();
    if (width_ < 3) {
      throw FileError(
          path_, fmt::format("line {} has {} columns, allowed: at least x y z", line(), width_));
    }
  }
  if (ends_empty && width == width_) cells_.pop_back();
  if (cells_.size() == width_) return;
  throw FileError(path_, fmt::format("line {} has {} columns, allowed: {} as in the {}{}", line(),
                                     cells_.size(), width_, names_.empty() ? "first row" : "header",
                                     stream_.eof() ? "; partly written?" : ""));
}

}  // namespace marsim::map_tools
