// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <opencv2/core.hpp>

namespace vision {

/// Errors [m] of a sequence's odometry with all points and of one with static ones alone.
struct Errors {
  std::string name;
  std::vector<double> without, with_removal;
};

/// Draws box plots of absolute and relative errors beside each other, a row for each sequence, in
/// red, green and blue bytes. A line goes from 5 to 95 % of the errors, the box from the first to
/// the third quartile, with a mark at the median; axes are logarithmic.
cv::Mat boxPlots(const std::vector<Errors>& absolute, const std::vector<Errors>& relative);

}  // namespace vision
