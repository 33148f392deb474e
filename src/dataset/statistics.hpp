// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include <Eigen/Core>

namespace marsim::dataset {

/// Mean, deviation and extremes of numbers given one after another (Welford 1962).
class Moments {
 public:
  void add(double value) {
    ++count_;
    const double off = value - mean_;
    mean_ += off / static_cast<double>(count_);
    squares_ += off * (value - mean_);
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
  }
  std::size_t count() const { return count_; }
  double mean() const { return mean_; }
  /// Standard deviation of the population, not of a sample; 0 without numbers.
  double deviation() const {
    return count_ == 0 ? 0.0 : std::sqrt(squares_ / static_cast<double>(count_));
  }
  double least() const { return least_; }
  double most() const { return most_; }

 private:
  std::size_t count_ = 0;
  double mean_ = 0.0, squares_ = 0.0;
  double least_ = std::numeric_limits<double>::infinity(), most_ = -least_;
};

/// Histogram of numbers from 2^-10 to 2^22 in cells of a 64th of an octave: gives their median to 1
/// % without keeping them. Numbers beyond count as the ends.
class LogHistogram {
 public:
  void add(double value) {
    ++counts_[cellOf(value)];
    ++count_;
  }
  /// Median; 0 without numbers.
  double median() const {
    std::size_t before = 0;
    for (std::size_t cell = 0; cell < counts_.size(); ++cell) {
      before += counts_[cell];
      if (before > count_ / 2) return valueOf(cell);
    }
    return 0.0;
  }
  /// How many numbers lie in cells below a number's.
  std::size_t below(double value) const {
    const auto end = counts_.begin() + static_cast<std::ptrdiff_t>(cellOf(value));
    return std::accumulate(counts_.begin(), end, std::size_t{0});
  }

 private:
  static constexpr double kLowest = -10.0, kHighest = 22.0, kCells = 64.0;  // octaves, cells in one
  static std::size_t cellOf(double value) {
    const double octave = value > 0.0 ? std::log2(value) : kLowest;
    const double cell = std::floor(kCells * (std::clamp(octave, kLowest, kHighest) - kLowest));
    return static_cast<std::size_t>(cell);
  }
  static double valueOf(std::size_t cell) {  // of a cell's middle
    return std::exp2(kLowest + (static_cast<double>(cell) + 0.5) / kCells);
  }

  std::vector<std::size_t> counts_ =
      std::vector<std::size_t>(static_cast<std::size_t>(kCells * (kHighest - kLowest)) + 1);
  std::size_t count_ = 0;
};

/// Every n-th of a series of points, with the least n that keeps fewer than kMaximum.
template <class Point, std::size_t kMaximum>
class Thinned {
 public:
  static constexpr std::size_t kMost = kMaximum;

  void add(const Point& point) {
    if (seen_++ % stride_ != 0) return;
    points_.push_back(point);
    if (points_.size() < kMost) return;
    for (std::size_t i = 0; 2 * i < points_.size(); ++i) points_[i] = points_[2 * i];
    points_.resize((points_.size() + 1) / 2);
    stride_ *= 2;
  }
  const std::vector<Point>& points() const { return points_; }

 private:
  std::size_t seen_ = 0, stride_ = 1;
  std::vector<Point> points_;
};

/// Series for a chart.
using ThinnedSeries = Thinned<Eigen::Vector2d, 2000>;

}  // namespace marsim::dataset
