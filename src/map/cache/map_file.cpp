// SPDX-License-Identifier: BSD-3-Clause
#include "map/cache/map_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/mman.h>

#include "common/input_file.hpp"
#include "map/cache/checksum.hpp"
#include "map/cache/map_file_format.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map {
namespace {

/// [bytes] of one number; 1 for a record, which may have any size.
std::uint32_t numberSize(ElementType type) {
  switch (type) {
    case ElementType::kUint16:
      return 2;
    case ElementType::kUint32:
    case ElementType::kFloat32:
      return 4;
    case ElementType::kUint64:
    case ElementType::kFloat64:
      return 8;
    default:
      return 1;
  }
}

bool allZero(const unsigned char* begin, const unsigned char* end) {
  return std::all_of(begin, end, [](unsigned char byte) { return byte == 0; });
}

/// A section's name if it is 1 to 31 letters, digits and underscores, then zeros; else "".
std::string nameOf(const TableEntry& entry) {
  const auto end = std::find(entry.name.begin(), entry.name.end(), '\0');
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (end == entry.name.end() || !std::all_of(entry.name.begin(), end, allowed)) return "";
  if (!std::all_of(end, entry.name.end(), [](char c) { return c == '\0'; })) return "";
  return std::string(entry.name.begin(), end);
}

}  // namespace

std::shared_ptr<const MapFile> MapFile::open(const std::filesystem::path& path) {
  std::size_t size = 0;
  const FileDescriptor file = openRegularFile(path, size);
  if (size < sizeof(FileHeader)) {
    throw FileError(path.string(), fmt::format("is damaged: {} bytes are no map file", size));
  }
  void* const bytes = mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (bytes == MAP_FAILED) {
    throw FileError(path.string(), fmt::format("cannot be mapped: {}", std::strerror(errno)));
  }
  try {
    const auto mapped =
        std::make_shared<MapFile>(static_cast<const unsigned char*>(bytes), size, path.string());
    mapped->mapped_ = true;
    return mapped;
  } catch (...) {
    munmap(bytes, size);
    throw;
  }
}

MapFile::MapFile(const unsigned char* bytes, std::size_t size, const std::string& name)
    : bytes_(bytes), size_(size), name_(name) {
  readHeader();
  verifySections();
}

MapFile::~MapFile() {
  if (mapped_) munmap(const_cast<unsigned char*>(bytes_), size_);  // NOLINT: as mmap gave it
}

void MapFile::readHeader() {
  const auto damaged = [this](const std::string& what) {
    return FileError(name_, "is damaged: " + what);
  };
  FileHeader header;
  if (size_ < sizeof(header)) throw damaged(fmt::format("{} bytes are no map file", size_));
  std::memcpy(&header, bytes_, sizeof(header));
  if (header.magic != kMagic) throw FileError(name_, "is no map file");
  if (header.byte_order == kByteOrderSwapped) {
    throw FileError(name_, "was written by a machine of the other byte order");
  }
  if (header.byte_order != kByteOrder) throw damaged("its byte order mark is wrong");
  if (header.version != kMapFileVersion) {
    throw FileError(name_, fmt::format("is of format version {}, this program's is {}",
                                       header.version, kMapFileVersion));
  }
  if (header.header_checksum != checksum(&header, offsetof(FileHeader, header_checksum))) {
    throw damaged("the checksum of its header is wrong");
  }
  if (header.header_size != sizeof(FileHeader) || header.table_entry_size != sizeof(TableEntry) ||
      header.reserved32 != 0 || header.reserved64 != decltype(header.reserved64){}) {
    throw damaged("its header has sizes that this version has not");
  }
  if (header.file_size != size_) {
    throw damaged(fmt::format("it has {} bytes, its header says {}", size_, header.file_size));
  }
  const std::uint64_t table_size = std::uint64_t{header.sections} * sizeof(TableEntry);
  if (header.sections > kMaxSections || table_size > size_ - sizeof(header)) {
    throw damaged(fmt::format("{} sections do not fit", header.sections));
  }
  if (header.table_checksum != checksum(bytes_ + sizeof(header), table_size)) {
    throw damaged("the checksum of its section table is wrong");
  }
  key_ = header.key;
  readTable(header.sections);
}

void MapFile::readTable(std::uint32_t sections) {
  std::uint64_t end = sizeof(FileHeader) + sections * sizeof(TableEntry);
  for (std::uint32_t i = 0; i < sections; ++i) {
    TableEntry entry;
    std::memcpy(&entry, bytes_ + sizeof(FileHeader) + i * sizeof(entry), sizeof(entry));
    MapFileSection section;
    section.name = nameOf(entry);
    section.type = static_cast<ElementType>(entry.type);
    section.element_size = entry.element_size;
    section.count = entry.count;
    const bool known_type = entry.type <= static_cast<std::uint32_t>(ElementType::kFloat64);
    if (section.name.empty() || has(section.name) || !known_type || entry.element_size == 0 ||
        entry.element_size > kMaxElementSize ||
        entry.element_size % numberSize(section.type) != 0 ||
        entry.reserved != decltype(entry.reserved){}) {
      throw FileError(name_, fmt::format("is damaged: entry {} of its section table", i));
    }
    // Sections follow each other without a gap, so none overlaps another one or the table. `end` is
    // at most size_ here, which is far from overflow.
    const std::uint64_t begin = aligned(end);
    if (entry.offset != begin || begin > size_ ||
        entry.count > (size_ - begin) / entry.element_size ||
        !allZero(bytes_ + end, bytes_ + begin)) {
      throw FileError(name_, fmt::format("is damaged: section {} lies outside", section.name));
    }
    section.data = bytes_ + begin;
    end = begin + entry.count * entry.element_size;
    sections_.push_back(std::move(section));
    checksums_.push_back(entry.checksum);
  }
  if (end != size_) throw FileError(name_, "is damaged: bytes follow its last section");
}

void MapFile::verifySections() const {
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    const MapFileSection& section = sections_[i];
    if (blockChecksum(section.data, section.count * section.element_size) != checksums_[i]) {
      throw FileError(name_,
                      fmt::format("is damaged: the checksum of section {} is wrong", section.name));
    }
  }
}

const MapFileSection* MapFile::find(std::string_view name) const {
  const auto found = std::find_if(sections_.begin(), sections_.end(),
                                  [&](const MapFileSection& s) { return s.name == name; });
  return found == sections_.end() ? nullptr : &*found;
}

const MapFileSection& MapFile::require(std::string_view name, ElementType type,
                                       std::size_t element_size, std::size_t alignment) const {
  const MapFileSection* section = find(name);
  if (section == nullptr) throw FileError(name_, fmt::format("has no section {}", name));
  if (section->type != type || section->element_size != element_size) {
    throw FileError(name_, fmt::format("section {} has elements of type {} and {} bytes, wanted: "
                                       "type {} and {} bytes",
                                       name, static_cast<int>(section->type), section->element_size,
                                       static_cast<int>(type), element_size));
  }
  if (reinterpret_cast<std::uintptr_t>(section->data) % alignment != 0) {
    throw FileError(name_, fmt::format("section {} is not aligned to {} bytes", name, alignment));
  }
  return *section;
}

}  // namespace marsim::map
