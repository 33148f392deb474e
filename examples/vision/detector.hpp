// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <utility>
#include <vector>

namespace vision {

/// Part of an image [px], both ends included.
struct Box {
  double left = 0.0, top = 0.0, right = 0.0, bottom = 0.0;

  bool holds(double x, double y) const {
    return x >= left && x <= right && y >= top && y <= bottom;
  }
};

struct DetectorConfig {
  double miss = 0.05;   ///< probability that a box is missing
  double delay = 0.03;  ///< [s] from an image to its boxes
  double noise = 3.0;   ///< [px] of each side, standard deviation
  double margin = 6.0;  ///< [px] added to each side
  std::uint32_t seed = 1;
};

/// Stands in for a network that detects people (Zhong 2023, section 3.2): true boxes with the
/// errors of a detector.
class Detector {
 public:
  explicit Detector(const DetectorConfig& config) : config_(config), random_(config.seed) {}

  /// Takes the true boxes of an image; returns those known by its time [s].
  std::vector<Box> detect(double time, const std::vector<Box>& truth) {
    std::normal_distribution<double> normal(0.0, config_.noise);
    std::uniform_real_distribution<double> uniform;
    std::vector<Box> boxes;
    for (const Box& box : truth) {
      const double margin = config_.margin;
      const Box noisy{box.left - margin + normal(random_), box.top - margin + normal(random_),
                      box.right + margin + normal(random_), box.bottom + margin + normal(random_)};
      if (uniform(random_) >= config_.miss) boxes.push_back(noisy);
    }
    waiting_.emplace_back(time, std::move(boxes));
    while (waiting_.size() > 1 && waiting_[1].first <= time - config_.delay + 1e-6)
      waiting_.pop_front();
    return waiting_.front().first <= time - config_.delay + 1e-6 ? waiting_.front().second
                                                                 : std::vector<Box>();
  }

 private:
  DetectorConfig config_;
  std::mt19937 random_;
  std::deque<std::pair<double, std::vector<Box>>> waiting_;
};

}  // namespace vision
