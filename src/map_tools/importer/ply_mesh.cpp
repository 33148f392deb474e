// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <numeric>

#include <fmt/format.h>

#include "common/line_reader.hpp"
#include "common/text.hpp"
#include "map/files/ply_header.hpp"
#include "map_tools/importer/importer.hpp"
#include "marsim/common/error.hpp"

// Meshes in PLY, see map/files/ply_file.cpp; with triangle strips as in Stanford's scans and
// textures as in MeshLab's files (comment TextureFile; texcoord of faces, or u and v of vertices).
namespace marsim::map_tools {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Numbers of a PLY file's data, in order.
class PlyNumbers {
 public:
  PlyNumbers(map::InputFile& file, const map::PlyHeader& header)
      : bytes_(*file.stream.rdbuf()), header_(header) {
    file.stream.seekg(static_cast<std::streamoff>(header.data_begin));
  }

  /// Reads the next number; false if the data end or hold something else.
  bool next(map::NumberType type, double& number) {
    if (header_.ascii) return nextWord(type, number);
    std::array<char, 8> bytes{};
    if (bytes_.sgetn(bytes.data(), type.size) != type.size) return false;
    number = map::decode(bytes.data(), type, header_.big_endian);
    return true;
  }
  /// Reads the next length of a list, see next().
  bool nextLength(map::NumberType type, std::size_t& length) {
    constexpr double kMost = 1e9;
    double number = 0.0;
    if (!next(type, number) || !(number >= 0.0 && number <= kMost)) return false;
    length = static_cast<std::size_t>(number);
    return static_cast<double>(length) == number;
  }

 private:
  bool nextWord(map::NumberType type, double& number) {
    constexpr std::size_t kLongest = 4096;
    int letter = bytes_.sbumpc();
    while (std::isspace(letter) != 0) letter = bytes_.sbumpc();
    word_.clear();
    for (; letter != EOF && std::isspace(letter) == 0; letter = bytes_.sbumpc()) {
      if (word_.size() == kLongest) return false;
      word_.push_back(static_cast<char>(letter));
    }
    char* end = nullptr;
    number = std::strtod(word_.c_str(), &end);
    if (type.kind == map::NumberType::Kind::kPackedFloat) number = map::packedBits(number);
    return !word_.empty() && *end == '\0';
  }

  std::streambuf& bytes_;
  const map::PlyHeader& header_;
  std::string word_;
};

/// Position among the lists or the numbers of the first property with one of these names.
std::size_t find(const map::PlyElement& element, bool lists,
                 std::initializer_list<const char*> names) {
  std::size_t position = 0;
  for (const map::Field& property : element.properties) {
    if (property.length.has_value() != lists) continue;
    for (const char* name : names) {
      if (property.name == name) return position;
    }
    ++position;
  }
  return kNone;
}

class PlyMeshReader {
 public:
  PlyMeshReader(const std::filesystem::path& path, InputFiles& files)
      : path_(path),
        files_(files),
        file_{path.string(), openInput(path, size_), size_},
        header_(map::readPlyHeader(file_)),
        numbers_(file_, header_) {}

  Mesh read() {
    readTextures();
    for (const map::PlyElement& element : header_.elements) {
      if (element.properties.empty()) continue;
      if (element.name == "vertex" && mesh_.vertices.empty()) {
        readVertices(element);
      } else if (element.name == "face") {
        readFaces(element);
      } else if (element.name == "tristrips") {
        readStrips(element);
      } else {
        forEachRecord(element, [] {});
      }
    }
    finish();
    requireTriangles(path_, mesh_);
    return std::move(mesh_);
  }

 private:
  /// Reads an element's records; `take` finds each record in values_ and lists_.
  template <class Take>
  void forEachRecord(const map::PlyElement& element, const Take& take) {
    for (std::uint64_t i = 0; i < element.count; ++i) {
      if (!readRecord(element)) {
        throw FileError(
            path_.string(),
            fmt::format("is partly written or damaged: it holds {} of {} of the element "
                        "'{}'",
                        withThousands(i), withThousands(element.count), clipped(element.name, 24)));
      }
      take();
    }
  }
  bool readRecord(const map::PlyElement& element) {
    values_.clear();
    std::size_t list = 0;
    for (const map::Field& property : element.properties) {
      double value = 0.0;
      std::size_t length = 0;
      if (!property.length) {
        if (!numbers_.next(property.type, value)) return false;
        values_.push_back(value);
        continue;
      }
      if (!numbers_.nextLength(*property.length, length)) return false;
      if (lists_.size() == list) lists_.emplace_back();
      std::vector<double>& values = lists_[list++];
      for (values.clear(); values.size() < length; values.push_back(value)) {
        if (!numbers_.next(property.type, value)) return false;
      }
    }
    return true;
  }

  void readTextures() {
    for (const std::string& comment : header_.comments) {
      const std::string key = "TextureFile ";
      if (comment.rfind(key, 0) != 0) continue;
      const std::string name(trimmed(std::string_view(comment).substr(key.size())));
      std::optional<Texture> texture = readTexture(path_.parent_path() / name, files_);
      if (!texture) mesh_.notes.push_back(missingTexture(name));
      if (texture) mesh_.textures.push_back(std::move(*texture));
      textures_.push_back(texture ? static_cast<std::uint16_t>(mesh_.textures.size()) : 0);
    }
  }

  void readVertices(map::PlyElement element) {
    layout_ = map::makeLayout(path_.string(), element.properties);
    std::size_t value = 0;
    for (map::Field& property : element.properties) {
      if (property.length) continue;
      const bool is_packed = layout_.isPacked() && (*layout_.colour)[0].value == value;
      if (is_packed) property.type = (*layout_.colour)[0].type;
      ++value;
    }
    const std::size_t u = find(element, false, {"u", "s", "texture_u"});
    const std::size_t v = find(element, false, {"v", "t", "texture_v"});
    forEachRecord(element, [&] {
      mesh_.vertices.push_back(numbersOf(layout_.xyz));
      if (layout_.colour) raw_colours_.push_back(numbersOf(*layout_.colour));
      if (u != kNone && v != kNone) mesh_.texture_at.push_back(place(values_[u], values_[v]));
    });
  }
  Eigen::Vector3d numbersOf(const std::array<map::RecordColumn, 3>& columns) const {
    Eigen::Vector3d numbers;
    for (int i = 0; i < 3; ++i) {
      numbers[i] = values_[columns[static_cast<std::size_t>(i)].value];
    }
    return numbers;
  }
  void addColours() {
    double most = 0.0;
    for (const Eigen::Vector3d& rgb : raw_colours_) {
      if (rgb.allFinite()) most = std::max(most, rgb.maxCoeff());
    }
    if (layout_.needsDepth()) layout_.depth = layout_.depthFor(most);
    for (const Eigen::Vector3d& rgb : raw_colours_) {
      mesh_.colours.push_back(
          map::roundedColour(map::coloursOf(layout_, {rgb.x(), rgb.y(), rgb.z()})));
    }
    raw_colours_ = {};
  }

  void readFaces(const map::PlyElement& element) {
    const std::size_t corners = cornersOf(element), at = find(element, true, {"texcoord"});
    const std::size_t image = find(element, false, {"texnumber"});
    forEachRecord(element, [&] {
      const std::vector<double>& indices = lists_[corners];
      for (const double index : indices) addCorner(index);
      if (at != kNone) addPlaces(lists_[at], indices.size());
      endPolygon(image == kNone ? 0.0 : values_[image]);
    });
  }

  /// Reads strips of triangles, one after another with -1 between them.
  void readStrips(const map::PlyElement& element) {
    const std::size_t corners = cornersOf(element);
    forEachRecord(element, [&] {
      const std::vector<double>& strip = lists_[corners];
      std::size_t begin = 0;
      for (std::size_t i = 0; i < strip.size(); ++i) {
        if (strip[i] < 0.0) begin = i + 1;
        if (i < begin + 2) continue;
        const bool odd = (i - begin) % 2 == 1;
        addCorner(strip[odd ? i - 1 : i - 2]);
        addCorner(strip[odd ? i - 2 : i - 1]);
        addCorner(strip[i]);
        endPolygon(0.0);
      }
    });
  }

  std::size_t cornersOf(const map::PlyElement& element) const {
    const std::size_t found = find(element, true, {"vertex_indices", "vertex_index"});
    if (found != kNone) return found;
    throw FileError(path_.string(),
                    fmt::format("element {} has no list vertex_indices", element.name));
  }
  void addCorner(double index) {
    if (!(index >= 0.0 && index < 4294967295.0)) throwIndex(index);
    corners_.push_back(static_cast<std::uint32_t>(index));
  }
  void addPlaces(const std::vector<double>& at, std::size_t corners) {
    const bool has = at.size() == 2 * corners;
    for (std::size_t i = 0; i < corners; ++i) {
      places_.push_back(has ? place(at[2 * i], at[2 * i + 1]) : place(0.0, 0.0));
    }
  }
  void endPolygon(double image) {
    ends_.push_back(corners_.size());
    const bool known = image >= 0.0 && image < static_cast<double>(textures_.size());
    images_.push_back(known ? textures_[static_cast<std::size_t>(image)] : std::uint16_t{0});
  }
  static Eigen::Vector2f place(double u, double v) { return Eigen::Vector2d(u, v).cast<float>(); }
  [[noreturn]] void throwIndex(double index) const {
    throw FileError(path_.string(),
                    fmt::format("a face has the vertex {}, which is not in the file", index));
  }

  void finish() {
    for (const std::uint32_t corner : corners_) {
      if (corner >= mesh_.vertices.size()) throwIndex(corner);
    }
    addColours();
    if (places_.size() == corners_.size() && !mesh_.textures.empty()) splitVertices();
    const bool textured = !mesh_.texture_at.empty() && !mesh_.textures.empty();
    constexpr map::Colour kGrey{128, 128, 128};
    if (textured && mesh_.colours.empty()) mesh_.colours.assign(mesh_.vertices.size(), kGrey);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < ends_.size(); begin = ends_[i++]) {
      const auto first = corners_.begin();
      const std::vector<std::uint32_t> polygon(first + static_cast<std::ptrdiff_t>(begin),
                                               first + static_cast<std::ptrdiff_t>(ends_[i]));
      for (const auto& triangle : trianglesOf(mesh_.vertices, polygon)) {
        if (!addTriangle(mesh_, triangle) || mesh_.colours.empty()) continue;
        mesh_.texture_of.push_back(textured ? images_[i] : std::uint16_t{0});
      }
    }
  }

  /// Gives every corner a vertex of its own, since it has its own place on the texture.
  void splitVertices() {
    std::vector<Eigen::Vector3d> vertices;
    std::vector<map::Colour> colours;
    for (const std::uint32_t corner : corners_) {
      vertices.push_back(mesh_.vertices[corner]);
      if (!mesh_.colours.empty()) colours.push_back(mesh_.colours[corner]);
    }
    mesh_.vertices = std::move(vertices);
    mesh_.colours = std::move(colours);
    mesh_.texture_at = std::move(places_);
    std::iota(corners_.begin(), corners_.end(), 0U);
  }

  const std::filesystem::path& path_;
  InputFiles& files_;
  std::size_t size_ = 0;
  map::InputFile file_;
  map::PlyHeader header_;
  PlyNumbers numbers_;
  std::vector<double> values_;                // numbers of a record
  std::vector<std::vector<double>> lists_;    // lists of a record
  std::vector<std::uint16_t> textures_;       // 1 + the mesh's number, 0: missing
  map::RecordLayout layout_;                  // of the vertices
  std::vector<Eigen::Vector3d> raw_colours_;  // of the vertices, in the file's units
  std::vector<std::uint32_t> corners_;        // of polygons
  std::vector<Eigen::Vector2f> places_;       // on a texture, of the corners
  std::vector<std::size_t> ends_;             // end of each polygon among the corners
  std::vector<std::uint16_t> images_;         // of each polygon, in textures_
  Mesh mesh_;
};

}  // namespace

Mesh readPlyMesh(const std::filesystem::path& path, InputFiles& files) {
  return PlyMeshReader(path, files).read();
}

}  // namespace marsim::map_tools
