// SPDX-License-Identifier: BSD-3-Clause
#include "features.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

namespace vision {

int distance(const Descriptor& a, const Descriptor& b) {
  int bits = 0;
  for (std::size_t i = 0; i < a.size(); ++i) bits += __builtin_popcountll(a[i] ^ b[i]);
  return bits;
}

Features findFeatures(const cv::Mat& grey) {
  constexpr int kCell = 40, kMost = 5;  // [px], features of a cell
  const auto orb = cv::ORB::create(8000, 1.2F, 4, 31, 0, 2, cv::ORB::HARRIS_SCORE, 31, 12);
  cv::Mat even;  // of like contrast everywhere
  cv::createCLAHE(4.0, {8, 8})->apply(grey, even);
  std::vector<cv::KeyPoint> points, kept;
  orb->detect(even, points);
  std::stable_sort(points.begin(), points.end(), [](const cv::KeyPoint& a, const cv::KeyPoint& b) {
    return a.response > b.response;
  });
  const int columns = grey.cols / kCell + 1;
  std::vector<int> counts(static_cast<std::size_t>(columns * (grey.rows / kCell + 1)), 0);
  for (const cv::KeyPoint& point : points) {
    const int cell =
        static_cast<int>(point.pt.y) / kCell * columns + static_cast<int>(point.pt.x) / kCell;
    if (counts[static_cast<std::size_t>(cell)]++ < kMost) kept.push_back(point);
  }
  cv::Mat rows;
  orb->compute(even, kept, rows);
  Features features;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    features.pixels.push_back(kept[i].pt);
    std::memcpy(features.descriptors.emplace_back().data(), rows.ptr(static_cast<int>(i)), 32);
  }
  return features;
}

std::vector<bool> follow(const cv::Mat& from, const cv::Mat& to, const Pixels& pixels,
                         Pixels& found) {
  if (pixels.empty()) return {};
  Pixels back;
  std::vector<unsigned char> there, here;
  std::vector<float> error;
  const cv::Size window(15, 15);
  cv::calcOpticalFlowPyrLK(from, to, pixels, found, there, error, window, 3);
  cv::calcOpticalFlowPyrLK(to, from, found, back, here, error, window, 3);
  std::vector<bool> good(pixels.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    good[i] = there[i] != 0 && here[i] != 0 && cv::norm(back[i] - pixels[i]) < 0.5;
  }
  return good;
}

std::vector<float> depthsOf(const Pixels& pixels, const cv::Mat& depth) {
  std::vector<float> depths;
  for (const cv::Point2f& pixel : pixels) {
    const int column = cvRound(pixel.x), row = cvRound(pixel.y);
    const bool inside = column >= 0 && row >= 0 && column < depth.cols && row < depth.rows;
    const float z = inside ? depth.at<float>(row, column) : 0.0F;
    depths.push_back(std::isfinite(z) ? z : 0.0F);
  }
  return depths;
}

std::vector<float> depthsOf(const Pixels& pixels, const cv::Mat& left, const cv::Mat& right,
                            double focal_baseline) {
  Pixels matches;
  const std::vector<bool> good = follow(left, right, pixels, matches);
  std::vector<float> depths(pixels.size(), 0.0F);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const float disparity = pixels[i].x - matches[i].x;
    if (good[i] && disparity > 2.0F && std::abs(pixels[i].y - matches[i].y) < 0.5F)
      depths[i] = static_cast<float>(focal_baseline) / disparity;
  }
  return depths;
}

}  // namespace vision
