// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/channel_mean.hpp"

#include <algorithm>
#include <cmath>

namespace marsim::map {
namespace {

using Votes = std::vector<std::pair<std::uint32_t, double>>;  // number and weight

void vote(std::uint32_t number, double weight, Votes& votes) {
  const auto known = std::find_if(votes.begin(), votes.end(),
                                  [&](const auto& other) { return other.first == number; });
  if (known == votes.end()) {
    votes.emplace_back(number, weight);
  } else {
    known->second += weight;
  }
}

std::uint32_t winner(const Votes& votes) {
  return std::max_element(votes.begin(), votes.end(),
                          [](const auto& a, const auto& b) {
                            return a.second != b.second ? a.second < b.second : a.first > b.first;
                          })
      ->first;
}

}  // namespace

void ChannelMean::clear() {
  weight_ = intensity_ = 0.0;
  colour_ = {};
  to_sensor_ = {};
  classes_.clear();
  instances_.clear();
}

void ChannelMean::add(const PointChannels& from, std::size_t i, double weight) {
  weight_ += weight;
  has_intensity_ = !from.intensity.empty();
  has_colour_ = !from.colour.empty();
  if (has_intensity_) intensity_ += weight * static_cast<double>(from.intensity[i]);
  if (has_colour_) {
    for (std::size_t k = 0; k < 3; ++k) colour_[k] += weight * from.colour[i][k];
  }
  has_sensor_ = !from.to_sensor.empty();
  if (has_sensor_ && to_sensor_ == Offset{}) to_sensor_ = from.to_sensor[i];
  has_classes_ = !from.classes.empty();
  has_instances_ = !from.instances.empty();
  if (has_classes_) vote(from.classes[i], weight, classes_);
  if (has_instances_) {
    vote(std::uint32_t{from.instances[i]} << 8U | (has_classes_ ? from.classes[i] : 0U), weight,
         instances_);
  }
}

void ChannelMean::appendTo(PointChannels& to) const {
  if (has_intensity_) to.intensity.push_back(static_cast<float>(intensity_ / weight_));
  if (has_colour_) {
    Colour& colour = to.colour.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      colour[k] = static_cast<std::uint8_t>(std::lround(colour_[k] / weight_));
    }
  }
  if (has_sensor_) to.to_sensor.push_back(to_sensor_);
  std::uint32_t of_class = 0;
  if (has_classes_) {
    of_class = winner(classes_);
    to.classes.push_back(static_cast<std::uint8_t>(of_class));
  }
  if (!has_instances_) return;
  Votes of_winner;
  for (const auto& [number, weight] : instances_) {
    if ((number & 0xffU) == of_class) of_winner.emplace_back(number >> 8U, weight);
  }
  to.instances.push_back(static_cast<std::uint16_t>(winner(of_winner)));
}

}  // namespace marsim::map
