// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/map/point_cloud.hpp"

#include <algorithm>

namespace marsim::map {

void appendChannels(const PointChannels& from, PointChannels& to) {
  const auto append = [](const auto& source, auto& target) {
    target.insert(target.end(), source.begin(), source.end());
  };
  forEachChannel(append, from, to);
}

void dropSilentChannels(PointChannels& channels) {
  const std::vector<Colour>& colour = channels.colour;
  const bool one_colour = std::all_of(colour.begin(), colour.end(),
                                      [&](const Colour& other) { return other == colour.front(); });
  if (one_colour) channels.colour = {};
  const auto drop = [](auto& numbers) {
    if (std::all_of(numbers.begin(), numbers.end(), [](auto n) { return n == decltype(n){}; }))
      numbers = {};
  };
  drop(channels.classes);
  drop(channels.instances);
  drop(channels.to_sensor);
}

void turnOffsets(const Eigen::Matrix3d& matrix, std::vector<Offset>& offsets) {
  for (Offset& offset : offsets) {
    Eigen::Map<Eigen::Vector3f> vector(offset.data());
    vector = (matrix * vector.cast<double>()).cast<float>();
  }
}

PointCloud selectPoints(const PointCloud& cloud, const std::vector<std::uint32_t>& numbers) {
  PointCloud selected;
  const auto select = [&](const auto& source, auto& target) {
    if (source.empty()) return;
    target.reserve(numbers.size());
    for (const std::uint32_t i : numbers) target.push_back(source[i]);
  };
  select(cloud.points, selected.points);
  select(cloud.weight, selected.weight);
  forEachChannel(select, cloud, selected);
  return selected;
}

}  // namespace marsim::map
