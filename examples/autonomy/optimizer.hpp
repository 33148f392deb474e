// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "bspline.hpp"

namespace autonomy {

/// A cost and, in `gradient` (zero before), its gradient by the control points.
using Cost = std::function<double(const Bspline& spline, Points& gradient)>;

/// Moves the control points of a spline, except the three at each end, which hold its end states,
/// to a minimum of the cost by L-BFGS (liblbfgs; Zhong 2023, eq. 3-50).
void minimise(const Cost& cost, Bspline& spline, int iterations = 200);

}  // namespace autonomy
