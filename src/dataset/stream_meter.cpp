// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/stream_meter.hpp"

#include <algorithm>
#include <iterator>

namespace marsim::dataset {

void StreamMeter::add(TimeNs stamp) {
  if (count_++ == 0) {
    first_ = last_ = stamp;
    return;
  }
  const TimeNs interval = stamp - last_;
  last_ = stamp;
  shortest_ = count_ == 2 ? interval : std::min(shortest_, interval);
  longest_ = std::max(longest_, interval);
  auto place = intervals_.lower_bound(interval);
  const bool is_known = place != intervals_.end() && place->first == interval;
  if (!is_known && intervals_.size() < kMostIntervals) {
    place = intervals_.emplace(interval, 0).first;
  } else if (!is_known && place != intervals_.begin()) {
    place = std::prev(place);
  }
  ++place->second;
}

double StreamMeter::rate() const {
  if (count_ < 2) return 0.0;
  return static_cast<double>(count_ - 1) / toSeconds(last_ - first_);
}

}  // namespace marsim::dataset
