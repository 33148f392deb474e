// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "map/cache/map_file.hpp"

/// Layout of a map file, shared by reader and writer.
namespace marsim::map {

constexpr std::array<char, 8> kMagic = {'M', 'A', 'R', 'S', 'I', 'M', 'A', 'P'};
constexpr std::uint32_t kByteOrder = 0x01020304;
constexpr std::uint32_t kByteOrderSwapped = 0x04030201;
constexpr std::size_t kAlignment = 64;           // [bytes] of sections
constexpr std::uint32_t kMaxSections = 64;       // more are taken for damage
constexpr std::uint32_t kMaxElementSize = 4096;  // [bytes]

/// Magic, byte order and version have the same place in every version.
struct FileHeader {
  std::array<char, 8> magic;
  std::uint32_t byte_order;
  std::uint32_t version;
  std::uint64_t file_size;  // [bytes]
  MapFileKey key;
  std::uint32_t header_size;       // [bytes]
  std::uint32_t table_entry_size;  // [bytes]
  std::uint32_t sections;
  std::uint32_t reserved32;                 // 0
  std::array<std::uint64_t, 3> reserved64;  // 0
  std::uint64_t table_checksum;
  std::uint64_t header_checksum;  // of all bytes before it
};
static_assert(sizeof(FileHeader) == 96 && std::is_trivially_copyable_v<FileHeader>);

struct TableEntry {
  std::array<char, 32> name;  // padded with zeros
  std::uint32_t type;
  std::uint32_t element_size;  // [bytes]
  std::uint64_t count;
  std::uint64_t offset;  // [bytes] from the file's beginning
  std::uint64_t checksum;
  std::array<std::uint64_t, 2> reserved;  // 0
};
static_assert(sizeof(TableEntry) == 80 && std::is_trivially_copyable_v<TableEntry>);

/// The next multiple of kAlignment; the caller excludes overflow.
constexpr std::uint64_t aligned(std::uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace marsim::map
