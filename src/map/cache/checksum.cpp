// SPDX-License-Identifier: BSD-3-Clause
#include "map/cache/checksum.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <xxhash.h>

#include "common/input_file.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map {
namespace {

constexpr std::size_t kBlock = std::size_t{4} << 20;       // [bytes] hashed by one task
constexpr std::size_t kReported = std::size_t{256} << 20;  // [bytes] between reports of progress

/// Calls task(block) for every block in [begin, end). A single block starts no threads.
template <class Task>
void forEachBlock(std::size_t begin, std::size_t end, const Task& task) {
  if (end - begin == 1) return task(begin);
  tbb::parallel_for(begin, end, task);
}

MapFileKey keyOf(XXH128_hash_t hash) { return {hash.low64, hash.high64}; }

/// Reads exactly `size` bytes from `offset`.
void readFully(int file, const std::string& path, char* bytes, std::size_t size,
               std::size_t offset) {
  while (size > 0) {
    const ssize_t got = pread(file, bytes, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      throw FileError(path, fmt::format("cannot be read: {}",
                                        got < 0 ? std::strerror(errno) : "it became shorter"));
    }
    bytes += got;
    size -= static_cast<std::size_t>(got);
    offset += static_cast<std::size_t>(got);
  }
}

}  // namespace

std::uint64_t checksum(const void* bytes, std::size_t size) { return XXH3_64bits(bytes, size); }

std::uint64_t blockChecksum(const unsigned char* bytes, std::size_t size) {
  std::vector<std::uint64_t> hashes((size + kBlock - 1) / kBlock + 1);
  forEachBlock(0, hashes.size() - 1, [&](std::size_t block) {
    const std::size_t begin = block * kBlock;
    hashes[block] = XXH3_64bits(bytes + begin, std::min(kBlock, size - begin));
  });
  hashes.back() = size;
  return XXH3_64bits(hashes.data(), hashes.size() * sizeof(hashes[0]));
}

MapFileKey hashFile(const std::filesystem::path& path, Progress& progress) {
  std::size_t size = 0;
  const FileDescriptor file = openRegularFile(path, size);
  progress.phase("checking the source", size);
  std::vector<MapFileKey> hashes((size + kBlock - 1) / kBlock + 1);
  for (std::size_t first = 0; first + 1 < hashes.size(); first += kReported / kBlock) {
    const std::size_t last = std::min(first + kReported / kBlock, hashes.size() - 1);
    forEachBlock(first, last, [&](std::size_t block) {
      std::vector<char> bytes(std::min(kBlock, size - block * kBlock));
      readFully(file.get(), path.string(), bytes.data(), bytes.size(), block * kBlock);
      hashes[block] = keyOf(XXH3_128bits(bytes.data(), bytes.size()));
    });
    progress.update(std::min(last * kBlock, size));
  }
  hashes.back() = {size, 0};
  return keyOf(XXH3_128bits(hashes.data(), hashes.size() * sizeof(hashes[0])));
}

MapFileKey hashText(std::string_view text) { return keyOf(XXH3_128bits(text.data(), text.size())); }

}  // namespace marsim::map
