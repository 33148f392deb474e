// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "common/text.hpp"
#include "map/files/ply_header.hpp"
#include "marsim/common/error.hpp"

/// PLY as described in G. Turk, "The PLY Polygon File Format" (1994). The vertices are the points;
/// faces and other elements are ignored.
namespace marsim::map {
namespace {

std::optional<NumberType> numberType(std::string_view name) {
  using Kind = NumberType::Kind;
  if (name == "float" || name == "float32") return NumberType{Kind::kFloat, 4};
  if (name == "double" || name == "float64") return NumberType{Kind::kFloat, 8};
  if (name == "char" || name == "int8") return NumberType{Kind::kSigned, 1};
  if (name == "uchar" || name == "uint8") return NumberType{Kind::kUnsigned, 1};
  if (name == "short" || name == "int16") return NumberType{Kind::kSigned, 2};
  if (name == "ushort" || name == "uint16") return NumberType{Kind::kUnsigned, 2};
  if (name == "int" || name == "int32") return NumberType{Kind::kSigned, 4};
  if (name == "uint" || name == "uint32") return NumberType{Kind::kUnsigned, 4};
  return std::nullopt;
}

/// Takes one line between 'ply' and 'end_header'; false if PLY has no such line.
bool takeLine(const std::vector<std::string_view>& line, PlyHeader& header, bool& has_format) {
  if (line[0] == "comment" || line[0] == "obj_info") return true;
  if (line[0] == "format" && line.size() >= 2) {
    header.ascii = line[1] == "ascii";
    header.big_endian = line[1] == "binary_big_endian";
    has_format = true;
    return header.ascii || header.big_endian || line[1] == "binary_little_endian";
  }
  if (line[0] == "element" && line.size() == 3) {
    const auto count = parseWhole(line[2]);
    header.elements.push_back({std::string(line[1]), count.value_or(0), {}});
    return count.has_value();
  }
  if (line[0] != "property" || header.elements.empty()) return false;
  PlyElement& element = header.elements.back();
  if (line.size() == 5 && line[1] == "list") {
    const auto length = numberType(line[2]), item = numberType(line[3]);
    if (length && item) element.properties.push_back({std::string(line[4]), *item, 1, length});
    return length && item;
  }
  const auto type = line.size() == 3 ? numberType(line[1]) : std::nullopt;
  if (type) element.properties.push_back({std::string(line[2]), *type, 1, std::nullopt});
  return type.has_value();
}

}  // namespace

PlyHeader readPlyHeader(InputFile& file) {
  HeaderLines lines(file);
  if (lines.next() != "ply") {
    throw FileError(file.path, "is no PLY file: its first line is not 'ply'");
  }
  PlyHeader header;
  bool has_format = false;
  while (const auto line = lines.next()) {
    if (line->empty()) continue;
    if (line->rfind("comment ", 0) == 0) header.comments.emplace_back(line->substr(8));
    if (*line == "end_header") {
      if (!has_format) throw FileError(file.path, "header has no format line");
      header.data_begin = lines.position();
      header.data_line = lines.number() + 1;
      return header;
    }
    if (!takeLine(words(*line), header, has_format)) {
      throw FileError(file.path, fmt::format("line {} of the header is '{}', which is no PLY",
                                             lines.number(), excerpt(*line)));
    }
  }
  throw FileError(file.path, "is no PLY file: its header has no end_header line");
}

namespace {

/// Moves the stream over an element that lies before the vertices.
void skipElement(InputFile& file, const PlyHeader& header, const PlyElement& element,
                 std::size_t& line) {
  if (header.ascii) {
    for (std::uint64_t i = 0; i < element.count && file.stream.good(); ++i, ++line) {
      file.stream.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return;
  }
  RecordLayout layout;
  layout.big_endian = header.big_endian;
  for (const Field& field : element.properties) addField(field, layout);
  const auto truncated = [&] {
    return FileError(file.path,
                     fmt::format("is truncated inside element {}", excerpt(element.name)));
  };
  if (!element.hasList()) {
    if (layout.record_size > 0 && element.count > bytesLeft(file) / layout.record_size) {
      throw truncated();
    }
    file.stream.seekg(static_cast<std::streamoff>(element.count * layout.record_size),
                      std::ios::cur);
    return;
  }
  std::vector<char> record(layout.record_size);
  for (std::uint64_t i = 0; i < element.count; ++i) {
    if (!readRecord(file, layout, record.data())) throw truncated();
  }
}

}  // namespace

void readPly(InputFile& file, Progress& progress, const PointSink& sink) {
  const PlyHeader header = readPlyHeader(file);
  const auto vertex = std::find_if(header.elements.begin(), header.elements.end(),
                                   [](const PlyElement& e) { return e.name == "vertex"; });
  if (vertex == header.elements.end()) throw FileError(file.path, "has no element vertex");
  RecordLayout layout = makeLayout(file.path, vertex->properties);
  layout.big_endian = header.big_endian;
  if (vertex->count == 0) throw FileError(file.path, "holds no points");

  readWithDepth(layout, sink, [&](const RecordLayout& columns, const PointSink& points) {
    file.stream.clear();
    file.stream.seekg(static_cast<std::streamoff>(header.data_begin));
    std::size_t line = header.data_line;
    for (auto element = header.elements.begin(); element != vertex; ++element) {
      skipElement(file, header, *element, line);
    }
    progress.phase(sink.phase, vertex->count);
    if (header.ascii) {
      const bool to_end = vertex + 1 == header.elements.end();
      readAscii(file, columns, vertex->count, line, to_end, progress, points);
    } else {
      readBinary(file, columns, vertex->count, progress, points);
    }
  });
}

}  // namespace marsim::map
