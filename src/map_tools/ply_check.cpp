#include <cstring>
#include <fstream>
#include <iomanip>
#include <sstream>

#include <fmt/format.h>

#include "common/line_reader.hpp"
#include "common/text.hpp"
#include "map_tools/sources.hpp"
#include "marsim/common/error.hpp"

// assimp reads past the end of a PLY file that was cut, so its length is checked first.
namespace marsim::map_tools {
namespace {

struct Property {
  std::size_t size = 0;        // [bytes]
  std::size_t count_size = 0;  // [bytes] of a list's length; 0: no list
};

struct Element {
  std::string name;
  std::uint64_t count = 0;
  std::vector<Property> properties;
};

struct PlyHeader {
  bool text = false, big_endian = false;
  std::vector<Element> elements;
};

std::size_t sizeOf(const std::string& type) {
  static const std::array<std::pair<const char*, std::size_t>, 16> sizes{{{"char", 1},
                                                                          {"uchar", 1},
                                                                          {"int8", 1},
                                                                          {"uint8", 1},
                                                                          {"short", 2},
                                                                          {"ushort", 2},
                                                                          {"int16", 2},
                                                                          {"uint16", 2},
                                                                          {"int", 4},
                                                                          {"uint", 4},
                                                                          {"int32", 4},
                                                                          {"uint32", 4},
                                                                          {"float", 4},
                                                                          {"float32", 4},
                                                                          {"double", 8},
                                                                          {"float64", 8}}};
  for (const auto& [name, size] : sizes) {
    if (type == name) return size;
  }
  return 0;
}

PlyHeader readHeader(const std::filesystem::path& path, std::ifstream& stream) {
  PlyHeader header;
  LineReader lines(stream, path.string());
  while (lines.number() < 1000 && lines.next()) {
    std::istringstream words{std::string(lines.line())};
    std::string word, type, count_type;
    words >> word;
    if (word == "end_header") return header;
    if (word == "format") {
      words >> type;
      header.text = type == "ascii";
      header.big_endian = type == "binary_big_endian";
    } else if (word == "element") {
      header.elements.emplace_back();
      words >> header.elements.back().name >> header.elements.back().count;
    } else if (word == "property" && !header.elements.empty()) {
      Property property;
      words >> type;
      if (type == "list") {
        words >> count_type >> type;
        property.count_size = sizeOf(count_type);
      }
      property.size = sizeOf(type);
      if (property.size == 0 || (!count_type.empty() && property.count_size == 0)) {
        throw FileError(path.string(), fmt::format("has a property of type {}", clipped(type, 24)));
      }
      header.elements.back().properties.push_back(property);
    }
  }
  throw FileError(path.string(), "has no end_header");
}

// Skips one value or list of a binary file; false where the file ends.
bool skipBinary(std::ifstream& stream, const Property& property, bool big_endian) {
  std::uint64_t count = 1;
  if (property.count_size > 0) {
    std::array<unsigned char, 8> bytes{};
    if (!stream.read(reinterpret_cast<char*>(bytes.data()),
                     static_cast<std::streamsize>(property.count_size))) {
      return false;
    }
    count = 0;
    for (std::size_t i = 0; i < property.count_size; ++i) {
      const std::size_t at = big_endian ? i : property.count_size - 1 - i;
      count = count << 8U | bytes.at(at);
    }
    if (count > 1000000) return false;  // no polygon: garbage
  }
  const auto size = static_cast<std::streamsize>(count * property.size);
  return stream.ignore(size).gcount() == size;
}

bool skipText(std::ifstream& stream, const Property& property) {
  constexpr int kLongest = 4096;  // characters of a word
  std::string word;
  const auto next = [&] { return stream >> std::setw(kLongest) >> word && word.size() < kLongest; };
  std::uint64_t count = 1;
  if (property.count_size > 0) {
    if (!next()) return false;
    const auto length = parseWhole(word);
    if (!length || *length > 1000000) return false;
    count = *length;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!next()) return false;
  }
  return true;
}

}  // namespace

std::uint64_t plyFaces(const std::filesystem::path& path) {
  std::size_t size = 0;
  std::ifstream stream = openInput(path, size);
  std::string magic(3, '\0');
  if (!stream.read(magic.data(), 3) || magic != "ply") return 0;  // the reader of points says so
  for (const Element& element : readHeader(path, stream).elements) {
    if (element.name == "face") return element.count;
  }
  return 0;
}

void requireWholePly(const std::filesystem::path& path) {
  std::size_t size = 0;
  std::ifstream stream = openInput(path, size);
  const PlyHeader header = readHeader(path, stream);
  for (const Element& element : header.elements) {
    for (std::uint64_t i = 0; i < element.count; ++i) {
      for (const Property& property : element.properties) {
        if (header.text ? skipText(stream, property)
                        : skipBinary(stream, property, header.big_endian)) {
          continue;
        }
        throw FileError(path.string(), fmt::format("is partly written: it holds {} of {} of the "
                                                   "element '{}'",
                                                   withThousands(i), withThousands(element.count),
                                                   clipped(element.name, 24)));
      }
    }
  }
}

}  // namespace marsim::map_tools
