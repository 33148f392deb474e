// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace marsim::vehicle {

/// Allan deviation at tau = n samples of one axis, overlapping windows left out.
inline double allanDeviation(const std::vector<double>& values, std::size_t n) {
  std::vector<double> means;
  for (std::size_t i = 0; i + n <= values.size(); i += n) {
    double sum = 0.0;
    for (std::size_t k = 0; k < n; ++k) sum += values[i + k];
    means.push_back(sum / static_cast<double>(n));
  }
  double sum = 0.0;
  for (std::size_t i = 1; i < means.size(); ++i) {
    sum += (means[i] - means[i - 1]) * (means[i] - means[i - 1]);
  }
  return std::sqrt(0.5 * sum / static_cast<double>(means.size() - 1));
}

}  // namespace marsim::vehicle
