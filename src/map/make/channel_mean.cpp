// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/channel_mean.hpp"

#include <algorithm>
#include <cmath>

namespace marsim::map {

void ChannelMean::clear() {
  weight_ = intensity_ = 0.0;
  colour_ = {};
  votes_.clear();
}

void ChannelMean::add(const PointChannels& from, std::size_t i, double weight) {
  weight_ += weight;
  has_intensity_ = !from.intensity.empty();
  has_colour_ = !from.colour.empty();
  if (has_intensity_) intensity_ += weight * static_cast<double>(from.intensity[i]);
  if (has_colour_) {
    for (std::size_t k = 0; k < 3; ++k) colour_[k] += weight * from.colour[i][k];
  }
  if (from.classes.empty()) return;
  const std::uint8_t of_point = from.classes[i];
  const auto vote = std::find_if(votes_.begin(), votes_.end(),
                                 [&](const auto& known) { return known.first == of_point; });
  if (vote == votes_.end()) {
    votes_.emplace_back(of_point, weight);
  } else {
    vote->second += weight;
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
  if (votes_.empty()) return;
  const auto most =
      std::max_element(votes_.begin(), votes_.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second < b.second : a.first > b.first;
      });
  to.classes.push_back(most->first);
}

}  // namespace marsim::map
