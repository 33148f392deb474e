// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <Eigen/Eigenvalues>

#include "map_tools/clean.hpp"
#include "marsim/common/error.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::map_tools {
namespace {

constexpr double kThrough = 0.45;    // sides: a ray passes the mean of a voxel within
constexpr double kBehind = 2.0;      // sides: a ray goes on behind that voxel by
constexpr double kFlatAngle = 0.26;  // least sine (15 degrees) between a ray and a surface
constexpr double kPlanar = 0.15;     // sides: a surface's points lie nearer to their plane
constexpr std::uint32_t kNever = ~0U;

/// The points of a voxel and counts of its scans.
struct TraceVoxel {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();    ///< [m]
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  ///< unit; zero if it has no surface
  std::size_t points = 0;
  std::uint32_t hits = 0, passes = 0;                   ///< scans
  std::uint32_t last_hit = kNever, last_pass = kNever;  ///< numbers of the last scans of each
};

class TraceGrid {
 public:
  TraceGrid(const map::PointCloud& cloud, const TraceConfig& config) : config_(config) {
    voxel_of_.reserve(cloud.size());
    for (const Eigen::Vector3f& p : cloud.points) {
      const auto [at, is_new] = index_.try_emplace(map::voxelKey(p, config.voxel), voxels_.size());
      if (is_new) voxels_.emplace_back();
      voxel_of_.push_back(static_cast<std::uint32_t>(at->second));
      TraceVoxel& voxel = voxels_[at->second];
      voxel.mean += p.cast<double>();
      ++voxel.points;
    }
    for (TraceVoxel& voxel : voxels_) voxel.mean /= static_cast<double>(voxel.points);
    findSurfaces(cloud);
  }

  void take(const Keyframe& keyframe) {
    const std::size_t count = keyframe.cloud.size();
    const std::size_t step = std::max<std::size_t>(1, (count + config_.rays - 1) / config_.rays);
    for (std::size_t i = 0; i < count; ++i) {
      const Eigen::Vector3f& p = keyframe.cloud.points[i];
      if (TraceVoxel* met = find(p)) {
        if (met->last_hit != scan_) ++met->hits;
        met->last_hit = scan_;
      }
      if (i % step == 0) cast(keyframe.origin, p.cast<double>());
    }
    ++scan_;
  }

  bool isTrace(std::size_t point) const {
    const TraceVoxel& voxel = voxels_[voxel_of_[point]];
    return voxel.passes >= config_.passes &&
           static_cast<double>(voxel.passes) > config_.ratio * voxel.hits;
  }
  TraceReport report() const {
    TraceReport report;
    report.scans = scan_;
    for (const TraceVoxel& voxel : voxels_) {
      report.voxels += voxel.passes >= config_.passes &&
                               static_cast<double>(voxel.passes) > config_.ratio * voxel.hits
                           ? 1
                           : 0;
    }
    return report;
  }

 private:
  /// Computes normals from the points of each voxel and its neighbours.
  void findSurfaces(const map::PointCloud& cloud) {
    struct Sums {
      double count = 0.0;
      Eigen::Vector3d sum = Eigen::Vector3d::Zero();
      Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();
    };
    std::vector<Sums> sums(voxels_.size());
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      Sums& s = sums[voxel_of_[i]];
      const Eigen::Vector3d d = cloud.points[i].cast<double>() - voxels_[voxel_of_[i]].mean;
      s.count += 1.0;
      s.squares += d * d.transpose();
    }
    for (TraceVoxel& voxel : voxels_) {
      Sums all;
      for (int k = 0; k < 27; ++k) {
        const Eigen::Vector3d step(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
        const Eigen::Vector3f at = (voxel.mean + config_.voxel * step).cast<float>();
        const TraceVoxel* other = find(at);
        if (other == nullptr) continue;
        const Sums& s = sums[static_cast<std::size_t>(other - voxels_.data())];
        const Eigen::Vector3d d = other->mean - voxel.mean;
        all.count += s.count;
        all.sum += s.count * d;
        all.squares += s.squares + s.count * d * d.transpose();
      }
      if (all.count < 6.0) continue;
      const Eigen::Vector3d mean = all.sum / all.count;
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(all.squares / all.count -
                                                                  mean * mean.transpose());
      if (std::sqrt(std::max(0.0, solver.eigenvalues()[0])) < kPlanar * config_.voxel) {
        voxel.normal = solver.eigenvectors().col(0);
      }
    }
  }

  TraceVoxel* find(const Eigen::Vector3f& p) {
    if (!map::insideVoxelGrid(p, config_.voxel)) return nullptr;
    const auto found = index_.find(map::voxelKey(p, config_.voxel));
    return found == index_.end() ? nullptr : &voxels_[found->second];
  }

  /// Walks the voxels along a ray (Amanatides and Woo, "A Fast Voxel Traversal Algorithm", 1987).
  void cast(const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
    const double length = (to - from).norm();
    const double last = length - kBehind * config_.voxel;
    if (last <= 0.0) return;
    const Eigen::Vector3d direction = (to - from) / length;
    const double side = config_.voxel;
    Eigen::Vector3d next, each;
    Eigen::Vector3d middle = ((from / side).array().floor() + 0.5) * side;
    for (int axis = 0; axis < 3; ++axis) {
      const double d = direction[axis];
      each[axis] = d == 0.0 ? std::numeric_limits<double>::infinity() : side / std::abs(d);
      const double border = middle[axis] + (d > 0.0 ? 0.5 : -0.5) * side;
      next[axis] = d == 0.0 ? std::numeric_limits<double>::infinity() : (border - from[axis]) / d;
    }
    while (true) {
      if (TraceVoxel* voxel = find(middle.cast<float>())) look(from, direction, last, *voxel);
      int axis = 0;
      const double at = next.minCoeff(&axis);
      if (!(at < last)) return;
      next[axis] += each[axis];
      middle[axis] += direction[axis] > 0.0 ? side : -side;
    }
  }

  void look(const Eigen::Vector3d& from, const Eigen::Vector3d& direction, double last,
            TraceVoxel& voxel) const {
    if (voxel.last_pass == scan_) return;
    const Eigen::Vector3d offset = voxel.mean - from;
    const double along = offset.dot(direction);
    if (along <= 0.0 || along > last) return;
    if ((offset - along * direction).norm() > kThrough * config_.voxel) return;
    if (!voxel.normal.isZero() && std::abs(voxel.normal.dot(direction)) < kFlatAngle) return;
    ++voxel.passes;
    voxel.last_pass = scan_;
  }

  const TraceConfig& config_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
  std::vector<TraceVoxel> voxels_;
  std::vector<std::uint32_t> voxel_of_;  // voxel of each point
  std::uint32_t scan_ = 0;
};

}  // namespace

map::PointCloud removeMovingTraces(const map::PointCloud& cloud, const ForEachScan& scans,
                                   const TraceConfig& config, TraceReport& report) {
  TraceConfig::kVoxels.require("", "voxel", config.voxel, "m");
  TraceGrid grid(cloud, config);
  scans([&](const Keyframe& keyframe) { grid.take(keyframe); });
  report = grid.report();
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    if (!grid.isTrace(i)) numbers.push_back(static_cast<std::uint32_t>(i));
  }
  return map::selectPoints(cloud, numbers);
}

}  // namespace marsim::map_tools
