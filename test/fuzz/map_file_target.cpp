// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/map_file_target.hpp"

#include <memory>

#include "map/cache/map_file.hpp"
#include "map/cache/map_info.hpp"
#include "map/map_file_bytes.hpp"
#include "marsim/common/error.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::map {
namespace {

/// Takes a map as the simulator does, of the source in `info`, and walks all of its tree.
void takeMap(const std::shared_ptr<const MapFile>& file) {
  const SurfelMapConfig config;
  try {
    static_cast<void>(readInfo(*file, config));
  } catch (const Error&) {  // the tree may be good all the same
  }
  try {
    const SurfelMap map = SurfelMap::fromFile(file, config);
    static_cast<void>(map.surfels());
    static_cast<void>(map.bounds());
    unsigned sum = 0;
    for (const std::uint8_t value : map.channels().reflectivity) sum += value;
    for (const std::uint8_t value : map.channels().classes) sum += value;
    for (const map::Colour& value : map.channels().colour) sum += value[0];
    volatile const unsigned kept = sum;
    static_cast<void>(kept);
  } catch (const Error&) {
  }
}

void readAll(const AlignedBytes& bytes) {
  try {
    const auto file = std::make_shared<const MapFile>(bytes.data(), bytes.size(), "input");
    unsigned sum = 0;
    for (const MapFileSection& section : file->sections()) {
      const std::size_t size = section.count * section.element_size;
      if (size > 0) sum += section.data[0] + section.data[size - 1];
    }
    volatile const unsigned kept = sum;
    static_cast<void>(kept);
    takeMap(file);
  } catch (const Error&) {  // what a bad file is to end in
  }
}

}  // namespace

void readMapFileInput(const unsigned char* data, std::size_t size) {
  readAll(AlignedBytes(data, size));
  // Random bytes never have the right checksums: once more with them set right.
  std::string bytes(reinterpret_cast<const char*>(data), size);
  seal(bytes);
  readAll(AlignedBytes(bytes));
}

}  // namespace marsim::map
