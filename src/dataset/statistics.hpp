#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <Eigen/Core>

namespace marsim::dataset {

/// Mean, deviation and extremes of numbers, one after another (Welford 1962).
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
  /// Of all numbers, not of a sample; 0 without any.
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

/// Every n-th of a series of points, n as large as keeps them few.
class ThinnedSeries {
 public:
  static constexpr std::size_t kMost = 2000;

  void add(const Eigen::Vector2d& point) {
    if (seen_++ % stride_ != 0) return;
    points_.push_back(point);
    if (points_.size() < kMost) return;
    for (std::size_t i = 0; 2 * i < points_.size(); ++i) points_[i] = points_[2 * i];
    points_.resize((points_.size() + 1) / 2);
    stride_ *= 2;
  }
  const std::vector<Eigen::Vector2d>& points() const { return points_; }

 private:
  std::size_t seen_ = 0, stride_ = 1;
  std::vector<Eigen::Vector2d> points_;
};

}  // namespace marsim::dataset
