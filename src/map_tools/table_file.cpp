// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/format.h>

#include "common/output_file.hpp"
#include "common/text.hpp"
#include "map_tools/sources.hpp"
#include "map_tools/table_columns.hpp"
#include "map_tools/table_rows.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map_tools {
namespace {

/// The layout of columns with these names. Without values their types are unknown.
map::RecordLayout layoutOf(const std::string& path, const std::vector<std::string>& names,
                           const std::vector<ColumnValues>& values) {
  using Kind = map::NumberType::Kind;
  if (!map::nameAPlace(names)) {
    throw FileError(path,
                    fmt::format("has the columns {}, allowed: x, y, z and others, by a header "
                                "or by --columns",
                                clipped(join(names))));
  }
  std::vector<map::Field> fields;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_unit = names[i].size() == 2 && (names[i][1] == 'f' || names[i][1] == 'F');  // Rf
    const bool is_whole = !values.empty() && values[i].whole && !is_unit;
    fields.push_back({names[i], {is_whole ? Kind::kSigned : Kind::kFloat, 8}, 1, {}});
  }
  map::RecordLayout layout = map::makeLayout(path, fields);
  if (values.empty() || !layout.colour) return layout;
  double most = 0.0;
  for (const map::RecordColumn& column : *layout.colour) {
    most = std::max(most, values[column.value].most);
  }
  layout.depth = layout.depthFor(most);
  return layout;
}

/// Layout of a table, with notes on how it was determined.
struct TableColumns {
  map::RecordLayout layout;
  Notes notes;
};

/// Reads the first row, or all rows if columns are unnamed or hold colours, whose range is known
/// only at the end.
TableColumns findColumns(const std::filesystem::path& path, std::vector<std::string> names,
                         Progress& progress) {
  constexpr std::size_t kFew = 4;  // x y z i, whatever their values
  TableRows rows(path, names.empty(), progress);
  rows.next();
  const std::size_t width = rows.cells().size();
  if (names.size() > width) {
    throw FileError(path.string(), fmt::format("has {} columns, allowed by --columns: at least {}",
                                               width, names.size()));
  }
  if (names.empty()) names = rows.names();
  const bool has_names = !names.empty();
  names.resize(has_names ? width : 0, "-");
  std::vector<ColumnValues> values;
  if (has_names ? layoutOf(path.string(), names, {}).needsDepth() : width > kFew) {
    do {
      addRow(rows.cells(), values);
    } while (rows.next());
  }
  TableColumns columns;
  if (!has_names) {
    values.resize(width);
    names = judgedNames(values, rows.isPts() || lowerExtension(path) == ".pts");
    if (width > 3) {
      columns.notes.push_back(
          fmt::format("columns are taken as {}: --columns names them otherwise", join(names, " ")));
    }
  }
  columns.layout = layoutOf(path.string(), names, values);
  if (has_names && width > 3 && !columns.layout.hasIntensity() && !columns.layout.label) {
    columns.notes.push_back(
        fmt::format("{} columns: x, y and z are read, none is named intensity", width));
  }
  return columns;
}

/// Values of the used columns; an empty cell is NaN.
class RowValues {
 public:
  RowValues(std::string path, const map::RecordLayout& layout)
      : path_(std::move(path)), values_(layout.values) {
    for (const map::RecordColumn& column : layout.xyz) used_.push_back(column.value);
    if (layout.intensity) used_.push_back(layout.intensity->value);
    if (layout.label) used_.push_back(layout.label->value);
    if (!layout.colour) return;
    for (const map::RecordColumn& column : *layout.colour) used_.push_back(column.value);
  }
  const std::vector<double>& of(const TableRows& rows) {
    for (const std::size_t i : used_) {
      const std::string_view cell = rows.cells()[i];
      const auto number = map::numberOf(cell.empty() ? "nan" : cell);
      if (!number) {
        throw FileError(path_, fmt::format("line {}, column {} is '{}', allowed: a number",
                                           rows.line(), i + 1, map::excerpt(cell)));
      }
      values_[i] = *number;
    }
    return values_;
  }

 private:
  std::string path_;
  std::vector<std::size_t> used_;
  std::vector<double> values_;
};

}  // namespace

Notes readTable(const std::filesystem::path& path, const std::vector<std::string>& names,
                Progress& progress, const TakePoints& take) {
  const TableColumns columns = findColumns(path, names, progress);
  RowValues values(path.string(), columns.layout);
  map::PointBlock block;
  for (TableRows rows(path, names.empty(), progress); rows.next();) {
    map::appendRecord(columns.layout, values.of(rows), block);
    if (block.size() < map::kBlockPoints) continue;
    take(block);
    block.resize(0, columns.layout);
  }
  if (block.size() > 0) take(block);
  return columns.notes;
}

}  // namespace marsim::map_tools
