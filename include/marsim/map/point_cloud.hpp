// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

namespace marsim::map {

/// Red, green and blue of a surface, sRGB.
using Colour = std::array<std::uint8_t, 3>;

/// A vector in W [m].
using Offset = std::array<float, 3>;

/// Optional attributes of points: a channel is empty or has a value for every point.
struct PointChannels {
  std::vector<float> intensity;  ///< 0 to 255, as scanners deliver it
  std::vector<Colour> colour;
  std::vector<std::uint8_t> classes;  ///< SemanticKITTI's numbers; 0: none
  /// Number of the thing (a piece of furniture, a car, a tree) that a point belongs to; 0: none.
  std::vector<std::uint16_t> instances;
  /// From the point to the sensor that measured it [m]; zero: not known.
  std::vector<Offset> to_sensor;
};

/// Points of a place in the world frame [m].
struct PointCloud : PointChannels {
  std::vector<Eigen::Vector3f> points;
  /// How many points each point stands for, in a cloud of means; empty where each is one.
  std::vector<float> weight;

  std::size_t size() const { return points.size(); }
  bool empty() const { return points.empty(); }
  bool hasIntensity() const { return !intensity.empty(); }
  bool hasColour() const { return !colour.empty(); }
  bool hasClasses() const { return !classes.empty(); }
  bool hasInstances() const { return !instances.empty(); }
  /// The label of a point as in SemanticKITTI: its class, and its instance in the upper 16 bits.
  std::uint32_t labelOf(std::size_t i) const {
    const std::uint32_t instance = hasInstances() ? instances[i] : 0U;
    return instance << 16U | (hasClasses() ? classes[i] : 0U);
  }
};

/// Calls visit(channel) for each channel of an object, or of several side by side.
template <class Visit, class... Channels>
void forEachChannel(const Visit& visit, Channels&&... of) {
  visit(of.intensity...);
  visit(of.colour...);
  visit(of.classes...);
  visit(of.instances...);
  visit(of.to_sensor...);
}

/// Appends the channels of point `i` of `from`.
inline void appendChannels(const PointChannels& from, std::size_t i, PointChannels& to) {
  const auto append = [i](const auto& source, auto& target) {
    if (!source.empty()) target.push_back(source[i]);
  };
  forEachChannel(append, from, to);
}

/// Appends the channels of all points of `from`.
void appendChannels(const PointChannels& from, PointChannels& to);

/// Empties channels without information: colours that are all equal; classes, instances or vectors
/// to sensors that are all 0.
void dropSilentChannels(PointChannels& channels);

/// Multiplies vectors by a matrix.
void turnOffsets(const Eigen::Matrix3d& matrix, std::vector<Offset>& offsets);

/// The points of these numbers, with their channels.
PointCloud selectPoints(const PointCloud& cloud, const std::vector<std::uint32_t>& numbers);

}  // namespace marsim::map
