// SPDX-License-Identifier: BSD-3-Clause
#include "physics/gamma_fit.hpp"

#include <cmath>

namespace marsim::physics {
namespace {

// Abramowitz and Stegun, Handbook of Mathematical Functions, 6.3.5 and 6.3.18.
double digamma(double x) {
  double below = 0.0;
  for (; x < 8.0; x += 1.0) below -= 1.0 / x;
  const double inverse2 = 1.0 / (x * x);
  return below + std::log(x) - 0.5 / x -
         inverse2 * (1.0 / 12.0 - inverse2 * (1.0 / 120.0 - inverse2 / 252.0));
}

/// k of ln k - digamma(k) = s, which falls with k.
double shapeOf(double s) {
  double low = 1e-3, high = 1e6;
  for (int step = 0; step < 100; ++step) {
    const double middle = std::sqrt(low * high);
    (std::log(middle) - digamma(middle) > s ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

}  // namespace

GammaFit fitGamma(const std::vector<double>& values) {
  GammaFit fit;
  const auto count = static_cast<double>(values.size());
  double logs = 0.0, squares = 0.0;
  for (const double value : values) {
    fit.mean += value / count;
    logs += std::log(value) / count;
  }
  for (const double value : values) squares += std::pow(value - fit.mean, 2);
  fit.deviation = std::sqrt(squares / (count - 1.0));
  fit.shape = shapeOf(std::log(fit.mean) - logs);
  const double k = fit.shape, rate = k / fit.mean;
  const double gamma = k * std::log(rate) - std::lgamma(k) + (k - 1.0) * logs - rate * fit.mean;
  const double exponential = -std::log(fit.mean) - 1.0;
  fit.gamma_aic = 2.0 * 2.0 - 2.0 * count * gamma;
  fit.exponential_aic = 2.0 * 1.0 - 2.0 * count * exponential;
  return fit;
}

}  // namespace marsim::physics
