// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "marsim/map/point_cloud.hpp"

namespace marsim::map {

/// The mean channels of several points: weighted means of intensity and colour, the class with the
/// most weight and the instance with the most weight in that class (the lowest of equal ones), and
/// the first vector to a sensor. One object serves clouds with the same channels.
class ChannelMean {
 public:
  void clear();
  /// Adds point `i` of a cloud.
  void add(const PointChannels& from, std::size_t i, double weight);
  /// Appends the mean to the channels that were added.
  void appendTo(PointChannels& to) const;

 private:
  double weight_ = 0.0;
  double intensity_ = 0.0;
  std::array<double, 3> colour_{};
  bool has_sensor_ = false;
  Offset to_sensor_{};  ///< of the first point with one
  bool has_intensity_ = false, has_colour_ = false, has_classes_ = false, has_instances_ = false;
  std::vector<std::pair<std::uint32_t, double>> classes_;    ///< class and weight
  std::vector<std::pair<std::uint32_t, double>> instances_;  ///< instance << 8 | class, and weight
};

}  // namespace marsim::map
