// SPDX-License-Identifier: BSD-3-Clause
#include "map/files/local_frame.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/nth_smallest.hpp"

namespace marsim::map {
namespace {

constexpr double kFar = 10e3;          // [m] where float32 numbers are 1 mm apart
constexpr double kOriginStep = 100.0;  // [m]

}  // namespace

void LocalFrame::begin(const RecordLayout& layout) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const NumberType type = layout.xyz[axis].type;
    float32_[axis] = type.kind == NumberType::Kind::kFloat && type.size == 4;
  }
  points_ = non_finite_ = 0;
  box_.setEmpty();
  intensity_ = {};
}

void LocalFrame::decideOrigin(const PointBlock& block) {
  decided_ = true;
  std::vector<double> values;
  for (int axis = 0; axis < 3; ++axis) {
    values.clear();
    for (const Eigen::Vector3d& point : block.points) {
      if (point.allFinite()) values.push_back(point[axis]);
    }
    if (values.empty()) return;
    const double median = nthSmallest(values, values.size() / 2);
    if (std::abs(median) > kFar) origin_[axis] = std::round(median / kOriginStep) * kOriginStep;
  }
}

void LocalFrame::append(const PointBlock& block, PointCloud& cloud) {
  if (!decided_) decideOrigin(block);
  points_ += block.size();
  for (std::size_t i = 0; i < block.size(); ++i) {
    const Eigen::Vector3f point = (block.points[i] - origin_).cast<float>();
    if (!point.allFinite()) {  // or too large for a float
      ++non_finite_;
      continue;
    }
    box_.extend(point);
    cloud.points.push_back(point);
    appendChannels(block, i, cloud);
    if (block.intensity.empty()) continue;
    const float intensity = block.intensity[i];
    intensity_.add(std::isfinite(intensity) ? intensity : std::nanf(""));
    if (!std::isfinite(intensity)) cloud.intensity.back() = 0.0F;
  }
}

double LocalFrame::coordinateStep() const {
  if (box_.isEmpty()) return 0.0;
  const Eigen::Vector3d low = box_.min().cast<double>(), high = box_.max().cast<double>();
  double farthest = std::max(low.cwiseAbs().maxCoeff(), high.cwiseAbs().maxCoeff());
  for (int axis = 0; axis < 3; ++axis) {
    if (!float32_[static_cast<std::size_t>(axis)]) continue;
    farthest = std::max(
        {farthest, std::abs(low[axis] + origin_[axis]), std::abs(high[axis] + origin_[axis])});
  }
  const auto number = static_cast<float>(farthest);
  return static_cast<double>(std::nextafter(number, std::numeric_limits<float>::infinity())) -
         static_cast<double>(number);
}

}  // namespace marsim::map
