// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include <Eigen/Core>

namespace marsim {

// Returns the Moore-Penrose inverse of a wide matrix a (m x n, m <= n), n x m: times b it gives the
// x of least norm with a * x = b. Nothing where the rank of a is below m; pivots below `threshold`
// times the largest count as zero (0: Eigen's own threshold). Compiled once for all callers, since
// Eigen's decomposition takes long to compile.
std::optional<Eigen::MatrixXd> pseudoinverse(const Eigen::MatrixXd& a, double threshold = 0.0);

}  // namespace marsim
