// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <opencv2/core.hpp>

namespace vision {

using Pixels = std::vector<cv::Point2f>;
using Descriptor = std::array<std::uint64_t, 4>;

/// Features of an image, with their descriptors (ORB) and depths.
struct Features {
  Pixels pixels;
  std::vector<Descriptor> descriptors;
  std::vector<float> depths;  ///< [m] along the optical axis; 0: unknown

  std::size_t size() const { return pixels.size(); }
};

/// Number of bits that differ.
int distance(const Descriptor& a, const Descriptor& b);

/// Returns the strongest corners of each cell of a grid, without depths.
Features findFeatures(const cv::Mat& grey);

/// Lucas-Kanade flow (Zhong 2023, section 3.3.1, eq. 3-5 to 3-12), coarse to fine: where each pixel
/// of `from` is in `to`. Returns whether it was found, and is found again from there.
std::vector<bool> follow(const cv::Mat& from, const cv::Mat& to, const Pixels& pixels,
                         Pixels& found);

/// Depths [m] of pixels in an image of depths [m] (32FC1); 0 where it has none.
std::vector<float> depthsOf(const Pixels& pixels, const cv::Mat& depth);
/// Depths [m] of a rectified pair's left pixels by their flow to the right image.
std::vector<float> depthsOf(const Pixels& pixels, const cv::Mat& left, const cv::Mat& right,
                            double focal_baseline);

}  // namespace vision
