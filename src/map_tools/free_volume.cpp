// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/free_volume.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace marsim::map_tools {
namespace {

constexpr double kMostVoxels = 8e6;

/// Voxels of a box; marked ones are no longer free.
class VoxelBox {
 public:
  VoxelBox(const Eigen::AlignedBox3d& box, double side) : low_(box.min()), side_(side) {
    // A box that is a whole number of voxels wide needs no further voxel for its border.
    const Eigen::Array3d size = (box.sizes().array() / side - 1e-6).ceil().max(1.0);
    size_ = size.cast<std::int64_t>();
    marked_.resize(static_cast<std::size_t>(size_.prod()), false);
  }
  using Index = Eigen::Array<std::int64_t, 3, 1>;

  Index indexOf(const Eigen::Vector3d& p) const {
    const Index index = ((p - low_).array() / side_ + 1e-9).floor().cast<std::int64_t>();
    return index.max(0).min(size_ - 1);
  }
  bool contains(const Index& index) const { return (index >= 0).all() && (index < size_).all(); }
  /// Marks a voxel; returns whether it was free.
  bool mark(const Index& index) {
    const auto at =
        static_cast<std::size_t>((index.z() * size_.y() + index.y()) * size_.x() + index.x());
    if (marked_[at]) return false;
    marked_[at] = true;
    return true;
  }
  std::size_t size() const { return marked_.size(); }

 private:
  Eigen::Vector3d low_;
  double side_;
  Index size_;
  std::vector<bool> marked_;
};

std::size_t flood(VoxelBox& voxels, const Eigen::Vector3d& place) {
  std::vector<VoxelBox::Index> edge{voxels.indexOf(place)};
  if (!voxels.mark(edge.front())) return 0;
  std::size_t count = 1;
  while (!edge.empty()) {
    const VoxelBox::Index at = edge.back();
    edge.pop_back();
    for (int side = 0; side < 6; ++side) {
      VoxelBox::Index next = at;
      next[side / 2] += side % 2 == 0 ? 1 : -1;
      if (!voxels.contains(next) || !voxels.mark(next)) continue;
      ++count;
      edge.push_back(next);
    }
  }
  return count;
}

}  // namespace

FreeVolume freeVolume(const map::PointCloud& cloud, const Eigen::Vector3d& place, double voxel) {
  FreeVolume result;
  Eigen::AlignedBox3d box;
  for (const Eigen::Vector3f& p : cloud.points) box.extend(p.cast<double>());
  result.voxel = voxel;
  while ((box.sizes().array() / result.voxel + 1.0).prod() > kMostVoxels) result.voxel *= 1.25;
  VoxelBox voxels(box, result.voxel);
  for (const Eigen::Vector3f& p : cloud.points) voxels.mark(voxels.indexOf(p.cast<double>()));
  const std::size_t count = flood(voxels, place);
  result.share = static_cast<double>(count) / static_cast<double>(voxels.size());
  result.volume = result.share * box.volume();  // the last voxels extend beyond the box
  return result;
}

}  // namespace marsim::map_tools
