// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>

#include "common/file_descriptor.hpp"
#include "common/output_file.hpp"
#include "map/cache/checksum.hpp"
#include "map/cache/map_file.hpp"
#include "map/cache/map_file_format.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, int error) {
  throw FileError(path.string(), fmt::format("cannot be written: {}", std::strerror(error)));
}

/// Makes a rename survive a power cut, on file systems that can.
void syncFolder(const fs::path& folder) {
  const FileDescriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.valid()) static_cast<void>(fsync(descriptor.get()));
}

TableEntry entryOf(const MapFileSection& section, std::uint64_t offset) {
  TableEntry entry{};
  std::copy(section.name.begin(), section.name.end(), entry.name.begin());
  entry.type = static_cast<std::uint32_t>(section.type);
  entry.element_size = static_cast<std::uint32_t>(section.element_size);
  entry.count = section.count;
  entry.offset = offset;
  entry.checksum = blockChecksum(section.data, section.count * section.element_size);
  return entry;
}

}  // namespace

void MapFileWriter::add(const MapFileSection& section) {
  const bool taken = std::any_of(sections_.begin(), sections_.end(),
                                 [&](const auto& other) { return other.name == section.name; });
  if (section.name.empty() || section.name.size() >= sizeof(TableEntry::name) || taken ||
      sections_.size() >= kMaxSections || section.element_size > kMaxElementSize) {
    throw Error(fmt::format("section '{}' cannot be added to a map file", section.name));
  }
  sections_.push_back(section);
}

void MapFileWriter::addAll(const MapFile& file) {
  for (const MapFileSection& section : file.sections()) add(section);
}

void MapFileWriter::write(const fs::path& path) const {
  std::vector<TableEntry> table;
  std::uint64_t end = sizeof(FileHeader) + sections_.size() * sizeof(TableEntry);
  for (const MapFileSection& section : sections_) {
    table.push_back(entryOf(section, aligned(end)));
    end = aligned(end) + section.count * section.element_size;
  }
  FileHeader header{};
  header.magic = kMagic;
  header.byte_order = kByteOrder;
  header.version = kMapFileVersion;
  header.file_size = end;
  header.key = key_;
  header.header_size = sizeof(FileHeader);
  header.table_entry_size = sizeof(TableEntry);
  header.sections = static_cast<std::uint32_t>(sections_.size());
  header.table_checksum = checksum(table.data(), table.size() * sizeof(TableEntry));
  header.header_checksum = checksum(&header, offsetof(FileHeader, header_checksum));

  static std::atomic<unsigned> counter{0};
  const fs::path temporary =
      fs::path(path).concat(fmt::format("{}{}-{}", kTemporarySuffix, getpid(), counter++));
  FileDescriptor file(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file.valid()) fail(path, errno);
  try {
    writeFully(file.get(), path, &header, sizeof(header));
    writeFully(file.get(), path, table.data(), table.size() * sizeof(TableEntry));
    std::uint64_t position = sizeof(header) + table.size() * sizeof(TableEntry);
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      constexpr std::array<char, kAlignment> kZeros{};
      writeFully(file.get(), path, kZeros.data(), table[i].offset - position);
      const std::size_t size = sections_[i].count * sections_[i].element_size;
      writeFully(file.get(), path, sections_[i].data, size);
      position = table[i].offset + size;
    }
    if (fsync(file.get()) != 0) fail(path, errno);
    if (std::rename(temporary.c_str(), path.c_str()) != 0) fail(path, errno);
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
  syncFolder(path.has_parent_path() ? path.parent_path() : fs::path("."));
}

}  // namespace marsim::map
