// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/quality.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "common/nth_smallest.hpp"
#include "dataset/sharpness.hpp"

namespace marsim::dataset {

namespace {

/// A unique number for each cube of a map.
std::uint64_t cubeAt(const Eigen::Vector3f& p) {
  constexpr std::uint64_t kMask = (1U << 21U) - 1U;  // bits of an axis
  std::uint64_t key = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const auto cell = static_cast<std::int64_t>(
        std::floor(static_cast<double>(p[axis]) / SurfaceCoverage::kSide));
    key = (key << 21U) | (static_cast<std::uint64_t>(cell) & kMask);
  }
  return key;
}

}  // namespace

SurfaceCoverage::SurfaceCoverage(const map::SurfelMap& map) {
  const std::vector<Eigen::Vector3f> positions = map.positions().points;
  cube_of_surfel_.reserve(positions.size());
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  for (const Eigen::Vector3f& p : positions) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    cube_of_surfel_.push_back(numbers.emplace(cubeAt(p), next).first->second);
  }
  seen_.resize(numbers.size());
}

void SurfaceCoverage::add(const lidar::Scan& scan) {
  for (const lidar::ScanPoint& point : scan.points) {
    const bool is_of_map =
        point.identity == lidar::kMapIdentity && point.surfel < cube_of_surfel_.size();
    if (!is_of_map) continue;
    auto cube = seen_[cube_of_surfel_[point.surfel]];
    if (!cube) ++seen_count_;
    cube = true;
  }
}

QualityMeter::QualityMeter(const Sensors& sensors, const map::SurfelMap& map) {
  if (sensors.lidar) coverage.emplace(map);
  for (const ImageStream& stream : imageStreams(sensors)) {
    images.emplace_back();
    images.back().stream = stream;
  }
}

void QualityMeter::addTruth(const Truth& sample) {
  const KinematicState& state = sample.state;
  truth.add(state.stamp);
  if (last_p_WB_) distance += (state.X_WB.p - *last_p_WB_).norm();
  last_p_WB_ = state.X_WB.p;
  speed.add(state.v_WB.norm());
  path.add(state.X_WB.p.head<2>());
}

void QualityMeter::addImu(const vehicle::ImuSample& sample) {
  imu.add(sample.stamp);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto i = static_cast<Eigen::Index>(axis);
    angular_velocity[axis].add(sample.angular_velocity[i]);
    specific_force[axis].add(sample.specific_force[i]);
  }
}

void QualityMeter::addScan(const lidar::Scan& scan) {
  scans.add(scan.stamp);
  points.add(static_cast<double>(scan.points.size()));
  if (scan.points.empty()) ++empty_scans;
  shots += scan.rays;
  returns += scan.points.size();
  coverage->add(scan);
  points_by_time.add({toSeconds(scan.stamp), static_cast<double>(scan.points.size())});
  coverage_by_time.add({toSeconds(scan.end), coverage->share()});
}

void QualityMeter::addImage(const Image& image) {
  Images& of = images[image.stream];
  of.meter.add(image.stamp);
  if (of.stream.isTruth()) return;
  if (of.stream.isDepth()) {
    const auto measured = std::count_if(image.depth.begin(), image.depth.end(),
                                        [](float depth) { return std::isfinite(depth); });
    if (measured == 0) ++of.empty;
    of.measured.add(static_cast<double>(measured) / static_cast<double>(image.depth.size()));
    return;
  }
  const auto bytes = static_cast<int>(lidar::bytesOf(of.stream.pixels));
  const Look look = lookOf(image.pixels, of.stream.model.width, bytes);
  if (look.contrast < kLeastContrast) ++of.empty;
  of.contrast.add(look.contrast);
  of.sharpness.add(look.sharpness);
}

}  // namespace marsim::dataset
