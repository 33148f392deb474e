// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/clean.hpp"

#include <cmath>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "marsim/common/error.hpp"
#include "marsim/geometry/kd_tree.hpp"

namespace marsim::map_tools {
namespace {

constexpr std::size_t kAtATime = 1U << 18U;  // points between two reports of progress

template <class Task>
void forEachPoint(std::size_t count, Progress& progress, const Task& task) {
  for (std::size_t begin = 0; begin < count; begin += kAtATime) {
    const std::size_t end = std::min(begin + kAtATime, count);
    tbb::parallel_for(tbb::blocked_range<std::size_t>(begin, end, 256), [&](const auto& range) {
      for (std::size_t i = range.begin(); i != range.end(); ++i) task(i);
    });
    progress.update(end);
  }
}

template <class Keep>
map::PointCloud kept(const map::PointCloud& cloud, const Keep& keep) {
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    if (keep(i)) numbers.push_back(static_cast<std::uint32_t>(i));
  }
  return map::selectPoints(cloud, numbers);
}

}  // namespace

map::PointCloud removeOutliers(const map::PointCloud& cloud, const OutlierConfig& config,
                               Progress& progress) {
  const Validator check("");
  check.positive("sigmas", config.sigmas);
  check.require(config.neighbours >= 1, "neighbours", "0", "1 or more");
  progress.phase("outliers", cloud.size());
  const KdTree tree(cloud.points);
  std::vector<float> distances(cloud.size());
  forEachPoint(cloud.size(), progress, [&](std::size_t i) {
    // The nearest point found is the point itself.
    const auto found = tree.nearest(cloud.points[i], config.neighbours + 1);
    float sum = 0.0F;
    for (const KdTree::Neighbour& n : found) sum += n.distance;
    distances[i] = sum / static_cast<float>(std::max<std::size_t>(found.size() - 1, 1));
  });
  double sum = 0.0, squares = 0.0;
  for (const float distance : distances) {
    sum += static_cast<double>(distance);
    squares += static_cast<double>(distance) * static_cast<double>(distance);
  }
  const auto count = static_cast<double>(std::max<std::size_t>(cloud.size(), 1));
  const double mean = sum / count;
  const double sigma = std::sqrt(std::max(0.0, squares / count - mean * mean));
  const double most = mean + config.sigmas * sigma;
  return kept(cloud, [&](std::size_t i) { return static_cast<double>(distances[i]) <= most; });
}

map::PointCloud removeLonely(const map::PointCloud& cloud, double radius, std::size_t neighbours,
                             Progress& progress) {
  Validator("").positive("radius", radius, "m");
  progress.phase("lonely points", cloud.size());
  const KdTree tree(cloud.points);
  std::vector<std::uint8_t> keep(cloud.size());
  forEachPoint(cloud.size(), progress, [&](std::size_t i) {
    const auto found = tree.nearest(cloud.points[i], neighbours + 1);
    keep[i] = found.size() > neighbours && static_cast<double>(found.back().distance) <= radius;
  });
  return kept(cloud, [&](std::size_t i) { return keep[i] != 0; });
}

map::PointCloud crop(const map::PointCloud& cloud, const Eigen::AlignedBox3d& box) {
  return kept(cloud, [&](std::size_t i) { return box.contains(cloud.points[i].cast<double>()); });
}

map::PointCloud removeMovingTraces(const map::PointCloud& cloud, const RecordingConfig& recording,
                                   const TraceConfig& config, TraceReport& report,
                                   Progress& progress) {
  return removeMovingTraces(
      cloud,
      [&](const std::function<void(const Keyframe&)>& take) {
        readRecording(recording, progress, take);
      },
      config, report);
}

}  // namespace marsim::map_tools
