// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lidar/cast/plant_kernel.hpp"
#include "marsim/common/time.hpp"
#include "marsim/lidar/plants.hpp"

namespace marsim::lidar {

/// The trees of Plants.
class Plants::Tree {
 public:
  /// Builds the trees of valid vegetation.
  explicit Tree(const scene::Vegetation& vegetation);

  /// Plants stand as at `time`, from which rays' times count.
  PlantTreeView viewAt(TimeNs time) const;
  const Eigen::Vector3d& origin() const { return origin_; }
  /// Number in the vegetation of the tree's instance `pose`.
  std::uint32_t instanceOf(std::uint32_t pose) const { return instances_[pose]; }
  std::size_t size() const { return poses_.size(); }
  std::size_t bytes() const;
  map::SurfelChannelViews channels() const;

 private:
  void addPatch(const scene::Patch& patch);
  template <class Primitive>
  std::uint32_t addPrimitives(const std::vector<Primitive>& primitives, std::uint32_t first);
  void addInstances(const scene::Vegetation& vegetation);

  Eigen::Vector3d origin_;
  scene::Sway sway_;
  std::vector<PlantNode> nodes_;
  std::vector<PlantBlock> blocks_;
  std::vector<PlantPose> poses_;
  std::vector<PlantPatch> patches_;
  std::vector<std::uint32_t> instances_;
  std::vector<std::uint8_t> reflectivity_, classes_;
  std::uint32_t root_ = 0;
};

}  // namespace marsim::lidar
