// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "marsim/common/view.hpp"

/// The flat file of a processed map: a header, a table of named and typed sections,
/// the sections. It is read by mapping it, so that all processes of a machine share one copy, and
/// its numbers are those of the machine that wrote it (a byte order mark tells). Every number is
/// checked against the file's size and every byte against a checksum before any is used. The
/// checksums find damage, not malice: readers check the meaning of a section's values.
///
///     header     96 bytes  magic, byte order mark, format version, sizes, key, checksums (XXH3)
///     table      80 bytes a section: name, type, bytes an element, count, offset, checksum
///     sections   in the table's order, each at a multiple of 64 bytes, zeros between them
namespace marsim::map {

constexpr std::uint32_t kMapFileVersion = 3;

/// A hash of the source's content and of all settings that shaped the file.
using MapFileKey = std::array<std::uint64_t, 2>;

/// Names of the known sections; a reader ignores all others.
namespace section {
constexpr std::string_view kInfo = "info";                  ///< settings and source, see load_map
constexpr std::string_view kTree = "tree";                  ///< of the tree, see surfel_map
constexpr std::string_view kTreeNodes = "tree_nodes";       ///< TreeNode
constexpr std::string_view kLeafWords = "leaf_words";       ///< uint32, 8 bytes a surfel
constexpr std::string_view kReflectivity = "reflectivity";  ///< uint8, one a surfel, 0 to 255
constexpr std::string_view kColour = "colour";              ///< 3 x uint8 (RGB), one a surfel
constexpr std::string_view kClass = "class";                ///< uint8, one a surfel
constexpr std::string_view kInstance = "instance";          ///< uint16, one a surfel
}  // namespace section

/// The type of a section's numbers; an element may hold several (3 x float32).
enum class ElementType : std::uint32_t {
  kRecord = 0,  ///< a struct that its reader knows by the section's name
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat32,
  kFloat64,
};

/// One section of an opened file.
struct MapFileSection {
  std::string name;
  ElementType type = ElementType::kRecord;
  std::size_t element_size = 0;  ///< [bytes]
  std::size_t count = 0;         ///< elements
  const unsigned char* data = nullptr;
};

/// A verified file, mapped or in memory.
class MapFile {
 public:
  /// Maps a file and verifies all of it. Throws FileError where it is missing, of another version
  /// or byte order, or damaged.
  static std::shared_ptr<const MapFile> open(const std::filesystem::path& path);
  /// Verifies a file's bytes, which must outlive the result. Throws FileError naming `name`.
  MapFile(const unsigned char* bytes, std::size_t size, const std::string& name);
  ~MapFile();
  MapFile(const MapFile&) = delete;
  MapFile& operator=(const MapFile&) = delete;

  const std::string& name() const { return name_; }
  const MapFileKey& key() const { return key_; }
  std::size_t size() const { return size_; }  ///< [bytes]
  const std::vector<MapFileSection>& sections() const { return sections_; }
  bool has(std::string_view name) const { return find(name) != nullptr; }

  /// The elements of a section. Throws FileError where there is no such section or its elements are
  /// of another type or size.
  template <class T>
  View<T> section(std::string_view name, ElementType type = ElementType::kRecord) const {
    static_assert(std::is_standard_layout_v<T> && std::is_trivially_destructible_v<T>);
    const MapFileSection& found = require(name, type, sizeof(T), alignof(T));
    return {reinterpret_cast<const T*>(found.data), found.count};
  }

 private:
  const MapFileSection* find(std::string_view name) const;
  const MapFileSection& require(std::string_view name, ElementType type, std::size_t element_size,
                                std::size_t alignment) const;
  void readHeader();
  void readTable(std::uint32_t sections);
  void verifySections() const;

  const unsigned char* bytes_;
  std::size_t size_;
  std::string name_;
  bool mapped_ = false;
  MapFileKey key_{};
  std::vector<MapFileSection> sections_;
  std::vector<std::uint64_t> checksums_;
};

/// A writer that gathers sections. The sections' memory must outlive the writer, except records.
class MapFileWriter {
 public:
  explicit MapFileWriter(const MapFileKey& key) : key_(key) {}

  /// Throws Error for a name that is empty, longer than 31 bytes or taken, or a 65th section.
  void add(const MapFileSection& section);
  template <class T>
  void add(std::string_view name, View<T> elements, ElementType type = ElementType::kRecord) {
    static_assert(std::is_standard_layout_v<T> && std::is_trivially_destructible_v<T>);
    add({std::string(name), type, sizeof(T), elements.size(),
         reinterpret_cast<const unsigned char*>(elements.data())});
  }
  /// A section of one record, of which the writer keeps a copy.
  template <class T>
  void addRecord(std::string_view name, const T& record) {
    const auto copy = std::make_shared<const T>(record);
    records_.push_back(copy);
    add(name, View<T>(copy.get(), 1));
  }
  /// All sections of a file; those added later follow them.
  void addAll(const MapFile& file);

  /// Writes through a temporary file beside `path` that is flushed to the disk and then renamed, so
  /// that `path` is at any time the old file, the new one or none. Throws FileError.
  void write(const std::filesystem::path& path) const;

 private:
  MapFileKey key_;
  std::vector<MapFileSection> sections_;
  std::vector<std::shared_ptr<const void>> records_;
};

/// Between a file's name and the number of a temporary file that write() makes beside it.
constexpr std::string_view kTemporarySuffix = ".tmp";

}  // namespace marsim::map
