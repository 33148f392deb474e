// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/measure/bloom_index.hpp"

#include <algorithm>

namespace marsim::lidar {

BloomIndex::BloomIndex(std::vector<Source> sources) : sources_(std::move(sources)) {
  for (const Source& source : sources_) {
    side_ = std::max(side_, source.chord);
    reach_.extend(source.direction);
  }
  reach_.min().array() -= side_;
  reach_.max().array() += side_;
  cells_.reserve(sources_.size());
  for (std::uint32_t i = 0; i < sources_.size(); ++i) {
    cells_.emplace_back(keyOf(cellOf(sources_[i].direction)), i);
  }
  std::sort(cells_.begin(), cells_.end());
}

// Coordinates in at most 2^20 cells, for angles of 2e-6 rad and more.
std::uint64_t BloomIndex::keyOf(const Cell& cell) {
  const auto part = [](int coordinate) {
    return static_cast<std::uint64_t>(coordinate + (1 << 20)) & 0x1FFFFFU;
  };
  return part(cell.x()) << 42U | part(cell.y()) << 21U | part(cell.z());
}

const BloomIndex::Source* BloomIndex::nearestTo(const Eigen::Vector3f& direction) const {
  if (!reach_.contains(direction)) return nullptr;
  const Cell middle = cellOf(direction);
  const Source* nearest = nullptr;
  float least = 0.0F;
  for (int cell = 0; cell < 27; ++cell) {
    const Cell off(cell % 3 - 1, cell / 3 % 3 - 1, cell / 9 - 1);
    const std::uint64_t key = keyOf(middle + off);
    auto next = std::lower_bound(cells_.begin(), cells_.end(), std::pair{key, std::uint32_t{0}});
    for (; next != cells_.end() && next->first == key; ++next) {
      const Source& source = sources_[next->second];
      const float off2 = (source.direction - direction).squaredNorm();
      if (off2 > source.chord * source.chord) continue;
      const bool is_nearer =
          nearest == nullptr || off2 < least || (off2 == least && source.ray < nearest->ray);
      if (!is_nearer) continue;
      nearest = &source;
      least = off2;
    }
  }
  return nearest;
}

}  // namespace marsim::lidar
