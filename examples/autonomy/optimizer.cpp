// SPDX-License-Identifier: BSD-3-Clause
#include "optimizer.hpp"

#include <lbfgs.h>

#include <memory>

namespace autonomy {
namespace {

constexpr int kFixed = 3;  // control points at each end

struct Problem {
  const Cost& cost;
  Bspline& spline;
  Points gradient;

  static double evaluate(void* instance, const double* x, double* g, int n, double /*step*/) {
    auto& self = *static_cast<Problem*>(instance);
    self.spline.points.middleCols(kFixed, n / 3) = Eigen::Map<const Points>(x, 3, n / 3);
    self.gradient.setZero();
    const double cost = self.cost(self.spline, self.gradient);
    Eigen::Map<Points>(g, 3, n / 3) = self.gradient.middleCols(kFixed, n / 3);
    return cost;
  }
};

}  // namespace

void minimise(const Cost& cost, Bspline& spline, int iterations) {
  const Eigen::Index free = spline.points.cols() - 2 * kFixed;
  const int n = static_cast<int>(3 * free);
  const std::unique_ptr<double, decltype(&lbfgs_free)> x(lbfgs_malloc(n), &lbfgs_free);
  Eigen::Map<Points> unknown(x.get(), 3, free);
  unknown = spline.points.middleCols(kFixed, free);
  Problem problem{cost, spline, Points::Zero(3, spline.points.cols())};
  lbfgs_parameter_t parameters;
  lbfgs_parameter_init(&parameters);
  parameters.m = 16;
  parameters.max_iterations = iterations;
  parameters.past = 5;
  parameters.delta = 1e-3;  // ends when five steps lower the cost by less than this share
  // A search that stops early (an error code) leaves its best point in x.
  lbfgs(n, x.get(), nullptr, &Problem::evaluate, nullptr, &problem, &parameters);
  spline.points.middleCols(kFixed, free) = unknown;
}

}  // namespace autonomy
