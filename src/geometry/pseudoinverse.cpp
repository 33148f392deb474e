// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/pseudoinverse.hpp"

#include <Eigen/QR>

namespace marsim {

std::optional<Eigen::MatrixXd> pseudoinverse(const Eigen::MatrixXd& a, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  if (threshold > 0.0) decomposition.setThreshold(threshold);
  decomposition.compute(a);
  if (decomposition.rank() < a.rows()) return std::nullopt;
  return decomposition.pseudoInverse();
}

}  // namespace marsim
