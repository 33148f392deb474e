// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <limits>
#include <vector>

#include "common/nth_smallest.hpp"
#include "places.hpp"

namespace marsim::benchmarks {

inline double millisecondsOf(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

/// Processor time of this thread [ms], which other programs do not affect.
template <class Work>
double processorMilliseconds(const Work& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

/// The least time of every pose, and the median of these.
class PoseTimes {
 public:
  void add(int pose, double milliseconds) {
    double& least = least_[static_cast<std::size_t>(pose)];
    least = std::min(least, milliseconds);
  }
  double median() const {
    std::vector<double> times = least_;
    return nthSmallest(times, kPoses / 2);
  }

 private:
  std::vector<double> least_ = std::vector<double>(kPoses, std::numeric_limits<double>::infinity());
};

}  // namespace marsim::benchmarks
