// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <xxhash.h>

/// Map files as bytes, written down a second time from the description of the format, so that tests
/// can forge them.
namespace marsim::map {

constexpr std::size_t kByteOrderOffset = 8;
constexpr std::size_t kVersionOffset = 12;
constexpr std::size_t kFileSizeOffset = 16;
constexpr std::size_t kHeaderSizeOffset = 40;
constexpr std::size_t kEntrySizeOffset = 44;
constexpr std::size_t kSectionsOffset = 48;
constexpr std::size_t kReservedOffset = 52;
constexpr std::size_t kTableChecksumOffset = 80;
constexpr std::size_t kHeaderChecksumOffset = 88;
constexpr std::size_t kHeaderSize = 96;

constexpr std::size_t kEntrySize = 80;
constexpr std::size_t kEntryType = 32;
constexpr std::size_t kEntryElementSize = 36;
constexpr std::size_t kEntryCount = 40;
constexpr std::size_t kEntryOffset = 48;
constexpr std::size_t kEntryChecksum = 56;

inline std::string contentOf(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A copy of bytes that begins at a multiple of 64, as a mapped file does.
class AlignedBytes {
 public:
  explicit AlignedBytes(const std::string& bytes) : AlignedBytes(bytes.data(), bytes.size()) {}
  AlignedBytes(const void* bytes, std::size_t size)
      : bytes_(static_cast<unsigned char*>(std::aligned_alloc(64, (size / 64 + 1) * 64)),
               &std::free),
        size_(size) {
    if (size > 0) std::memcpy(bytes_.get(), bytes, size);
  }
  const unsigned char* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }

 private:
  std::unique_ptr<unsigned char, decltype(&std::free)> bytes_;
  std::size_t size_;
};

/// Makes the checksums of a file right again, whatever else is wrong with it: those of the sections
/// that lie inside (of at most 4 MiB, one block), of the table as far as it lies inside, and of the
/// header.
inline void seal(std::string& bytes) {
  if (bytes.size() < kHeaderSize) return;
  const auto get = [&](std::size_t at, auto& value) {
    std::memcpy(&value, bytes.data() + at, sizeof(value));
  };
  const auto put = [&](std::size_t at, std::uint64_t value) {
    std::memcpy(bytes.data() + at, &value, sizeof(value));
  };
  std::uint32_t sections = 0;
  get(kSectionsOffset, sections);
  if (sections <= (bytes.size() - kHeaderSize) / kEntrySize) {
    for (std::size_t entry = kHeaderSize; entry < kHeaderSize + sections * kEntrySize;
         entry += kEntrySize) {
      std::uint32_t element_size = 0;
      std::uint64_t count = 0, offset = 0;
      get(entry + kEntryElementSize, element_size);
      get(entry + kEntryCount, count);
      get(entry + kEntryOffset, offset);
      if (element_size == 0 || offset > bytes.size() ||
          count > (bytes.size() - offset) / element_size) {
        continue;
      }
      const std::uint64_t size = count * element_size;
      std::vector<std::uint64_t> hashes;
      if (size > 0) hashes.push_back(XXH3_64bits(bytes.data() + offset, size));
      hashes.push_back(size);
      put(entry + kEntryChecksum, XXH3_64bits(hashes.data(), 8 * hashes.size()));
    }
    put(kTableChecksumOffset, XXH3_64bits(bytes.data() + kHeaderSize, sections * kEntrySize));
  }
  put(kHeaderChecksumOffset, XXH3_64bits(bytes.data(), kHeaderChecksumOffset));
}

}  // namespace marsim::map
