// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace marsim::physics {

/// Positive values with their maximum-likelihood gamma and exponential distributions.
struct GammaFit {
  double mean = 0.0, deviation = 0.0;
  double shape = 0.0;  ///< k of the gamma distribution
  double gamma_aic = 0.0, exponential_aic = 0.0;
};

GammaFit fitGamma(const std::vector<double>& values);

}  // namespace marsim::physics
