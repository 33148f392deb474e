#include "fuzz/map_file_target.hpp"

#include <memory>

#include "map/map_file_bytes.hpp"
#include "marsim/common/error.hpp"
#include "marsim/map/map_file.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::map {
namespace {

/// Reads as the simulator does: every section touched, the surfels made a map.
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
    const SurfelMap map = SurfelMap::fromFile(file, {});
    static_cast<void>(map.planarShare());
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
