#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

namespace marsim::map {

/// Red, green and blue of a surface, sRGB.
using Colour = std::array<std::uint8_t, 3>;

/// What points may carry beside their places: a channel is empty or has a value for every point.
struct PointChannels {
  std::vector<float> intensity;  ///< 0 to 255, as scanners deliver it
  std::vector<Colour> colour;
  std::vector<std::uint8_t> classes;  ///< SemanticKITTI's numbers; 0: none
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
};

/// Calls visit(channel) for each channel of an object, or of several side by side.
template <class Visit, class... Channels>
void forEachChannel(const Visit& visit, Channels&&... of) {
  visit(of.intensity...);
  visit(of.colour...);
  visit(of.classes...);
}

/// Appends what point `i` of `from` carries.
inline void appendChannels(const PointChannels& from, std::size_t i, PointChannels& to) {
  const auto append = [i](const auto& source, auto& target) {
    if (!source.empty()) target.push_back(source[i]);
  };
  forEachChannel(append, from, to);
}

/// Appends what all points of `from` carry.
void appendChannels(const PointChannels& from, PointChannels& to);

/// Empties channels that say nothing: colours that are all one, classes that are all 0.
void dropSilentChannels(PointChannels& channels);

/// The points of these numbers, with what they carry.
PointCloud selectPoints(const PointCloud& cloud, const std::vector<std::uint32_t>& numbers);

}  // namespace marsim::map
