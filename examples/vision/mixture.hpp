// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include <Eigen/Core>

namespace vision {

/// A component of a mixture (Zhong 2023, section 3.3.2, eq. 3-16 and 3-18).
struct Gaussian {
  double share = 0.5;  ///< alpha, the prior probability
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Identity();

  /// log(alpha P(x)).
  double logDensity(const Eigen::Vector2d& x) const;
};

/// A mixture of two Gaussians (eq. 3-17).
struct Mixture {
  std::array<Gaussian, 2> parts;
  double log_likelihood = 0.0;  ///< of the samples (eq. 3-20)
  int iterations = 0;

  /// Number of the component with the larger posterior probability (eq. 3-22).
  int classOf(const Eigen::Vector2d& x) const {
    return parts[0].logDensity(x) >= parts[1].logDensity(x) ? 0 : 1;
  }
};

/// Fits a mixture by expectation maximisation until the log likelihood changes by less than 0.1,
/// for at most 20 iterations (eq. 3-22 to 3-25). `first`: a guess of each sample's probability to
/// be of component 0, in place of the thesis's k-means, which takes outliers for a class. `floor`:
/// least standard deviation of each feature.
Mixture fitMixture(const std::vector<Eigen::Vector2d>& samples, std::vector<double> first,
                   const Eigen::Vector2d& floor = {1e-3, 1e-3});

}  // namespace vision
