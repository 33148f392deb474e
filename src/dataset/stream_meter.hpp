// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>

#include "marsim/common/time.hpp"

namespace marsim::dataset {

/// Measures how evenly a stream comes, from its stamps.
class StreamMeter {
 public:
  /// Stamps must rise.
  void add(TimeNs stamp);

  std::size_t count() const { return count_; }
  TimeNs first() const { return first_; }
  TimeNs last() const { return last_; }
  /// [Hz] mean; 0 for less than two stamps.
  double rate() const;
  /// Number of each interval [ns]; beyond kMostIntervals different ones further intervals count as
  /// the nearest known one below, or else above.
  const std::map<TimeNs, std::size_t>& intervals() const { return intervals_; }
  TimeNs shortest() const { return shortest_; }
  TimeNs longest() const { return longest_; }
  static constexpr std::size_t kMostIntervals = 1000;

 private:
  std::size_t count_ = 0;
  TimeNs first_ = 0, last_ = 0, shortest_ = 0, longest_ = 0;
  std::map<TimeNs, std::size_t> intervals_;
};

}  // namespace marsim::dataset
