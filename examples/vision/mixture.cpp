// SPDX-License-Identifier: BSD-3-Clause
#include "mixture.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

namespace vision {

using Eigen::Matrix2d;
using Eigen::Vector2d;

namespace {

using Samples = std::vector<Vector2d>;

// The M-step (eq. 3-24): `first` is the posterior probability of component 0 of each sample.
void maximise(const Samples& samples, const std::vector<double>& first, const Vector2d& floor,
              Mixture& mixture) {
  for (int k = 0; k < 2; ++k) {
    const auto weight = [&](std::size_t i) { return k == 0 ? first[i] : 1.0 - first[i]; };
    double sum = 1e-9;
    Vector2d mean = Vector2d::Zero();
    for (std::size_t i = 0; i < samples.size(); ++i) {
      sum += weight(i);
      mean += weight(i) * samples[i];
    }
    Gaussian& part = mixture.parts[static_cast<std::size_t>(k)];
    part.mean = mean / sum;
    part.covariance = floor.cwiseAbs2().asDiagonal();
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const Vector2d d = samples[i] - part.mean;
      part.covariance += weight(i) / sum * d * d.transpose();
    }
    part.share = sum / static_cast<double>(samples.size());
  }
}

// The E-step (eq. 3-22). Returns the log likelihood.
double expect(const Samples& samples, const Mixture& mixture, std::vector<double>& first) {
  double sum = 0.0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double a = mixture.parts[0].logDensity(samples[i]),
                 b = mixture.parts[1].logDensity(samples[i]), most = std::max(a, b);
    const double both = std::exp(a - most) + std::exp(b - most);
    first[i] = std::exp(a - most) / both;
    sum += most + std::log(both);
  }
  return sum;
}

}  // namespace

double Gaussian::logDensity(const Vector2d& x) const {
  const Vector2d d = x - mean;
  return std::log(share) - std::log(2.0 * M_PI) - 0.5 * std::log(covariance.determinant()) -
         0.5 * d.dot(covariance.inverse() * d);
}

Mixture fitMixture(const Samples& samples, std::vector<double> first, const Vector2d& floor) {
  Mixture mixture;
  maximise(samples, first, floor, mixture);
  double last = expect(samples, mixture, first);
  for (mixture.iterations = 1; mixture.iterations <= 20; ++mixture.iterations) {
    maximise(samples, first, floor, mixture);
    mixture.log_likelihood = expect(samples, mixture, first);
    if (std::abs(mixture.log_likelihood - last) < 0.1) break;
    last = mixture.log_likelihood;
  }
  return mixture;
}

}  // namespace vision
