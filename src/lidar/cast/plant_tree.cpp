// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/cast/plant_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lidar/cast/box_tree.hpp"

namespace marsim::lidar {
namespace {

using scene::PlantCylinder;
using scene::PlantDisc;

// Adds the rounding of single precision in the tests of boxes.
Eigen::AlignedBox3f inflated(const Eigen::AlignedBox3f& box, float least) {
  const float reach = box.min().cwiseAbs().cwiseMax(box.max().cwiseAbs()).maxCoeff();
  const Eigen::Vector3f by = Eigen::Vector3f::Constant(least + 1e-6F * reach);
  return {box.min() - by, box.max() + by};
}

PlantBlock emptyBlock(bool discs) {
  PlantBlock block{};
  std::fill_n(block.radius2, kPlantWidth, -1.0F);
  block.discs = discs;
  return block;
}

void setLane(PlantBlock& block, int lane, const Eigen::Vector3f& place, const Eigen::Vector3f& axis,
             float radius) {
  for (int i = 0; i < 3; ++i) {
    block.place[i][lane] = place[i];
    block.axis[i][lane] = axis[i];
  }
  block.radius2[lane] = radius * radius;
}

void set(PlantBlock& block, int lane, const PlantCylinder& cylinder) {
  const Eigen::Vector3d along = (cylinder.to - cylinder.from).cast<double>();
  setLane(block, lane, cylinder.from, along.normalized().cast<float>(), cylinder.radius);
  block.length[lane] = static_cast<float>(along.norm());
}

void set(PlantBlock& block, int lane, const PlantDisc& disc) {
  setLane(block, lane, disc.centre, disc.normal, disc.radius);
}

// Holds the instance's patch at any lean: points move straight with the lean.
Eigen::AlignedBox3f boxOf(const scene::Vegetation& vegetation, const scene::PlantInstance& instance,
                          const Eigen::AlignedBox3f& box_M) {
  Eigen::AlignedBox3f box;
  for (const double share : {0.0, 1.0}) {
    const Eigen::Vector2d lean = share * vegetation.sway.most().cast<double>();
    for (int corner = 0; corner < 8; ++corner) {
      const Eigen::Vector3d p_M =
          box_M.corner(static_cast<Eigen::AlignedBox3f::CornerType>(corner)).cast<double>();
      box.extend((vegetation.placed(instance, p_M, lean) - vegetation.origin).cast<float>());
    }
    if (!vegetation.sway.on()) break;
  }
  return box;
}

}  // namespace

Plants::Tree::Tree(const scene::Vegetation& vegetation)
    : origin_(vegetation.origin), sway_(vegetation.sway) {
  patches_.reserve(vegetation.patches.size());
  for (const scene::Patch& patch : vegetation.patches) addPatch(patch);
  addInstances(vegetation);
}

template <class Primitive>
std::uint32_t Plants::Tree::addPrimitives(const std::vector<Primitive>& primitives,
                                          std::uint32_t first) {
  std::vector<Eigen::AlignedBox3f> boxes;
  boxes.reserve(primitives.size());
  for (const Primitive& primitive : primitives) {
    boxes.push_back(inflated(scene::boxOf(primitive), 1e-6F));
    reflectivity_.push_back(primitive.reflectivity);
    classes_.push_back(primitive.semantic_class);
  }
  std::vector<std::uint32_t> items(primitives.size());
  std::iota(items.begin(), items.end(), 0U);
  const auto leafOf = [&](std::size_t begin, std::size_t end) {
    PlantBlock block = emptyBlock(std::is_same_v<Primitive, PlantDisc>);
    for (std::size_t i = begin; i < end; ++i) {
      set(block, static_cast<int>(i - begin), primitives[items[i]]);
      block.primitive[i - begin] = first + items[i];
    }
    blocks_.push_back(block);
    return static_cast<std::uint32_t>(blocks_.size() - 1);
  };
  return BoxTreeBuilder(boxes, kPlantWidth, nodes_, leafOf).build(items);
}

void Plants::Tree::addPatch(const scene::Patch& patch) {
  const Eigen::Vector3f centre = patch.box().center();
  PlantPatch& added = patches_.emplace_back();
  std::copy_n(centre.data(), 3, added.centre);
  const auto first = static_cast<std::uint32_t>(reflectivity_.size());
  if (patch.discs.empty()) {
    added.root = addPrimitives(patch.cylinders, first);
  } else if (patch.cylinders.empty()) {
    added.root = addPrimitives(patch.discs, first);
  } else {
    const auto root = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(emptyPlantNode());
    Eigen::AlignedBox3f of_cylinders, of_discs;
    for (const PlantCylinder& cylinder : patch.cylinders)
      of_cylinders.extend(scene::boxOf(cylinder));
    for (const PlantDisc& disc : patch.discs) of_discs.extend(scene::boxOf(disc));
    const std::uint32_t cylinders = addPrimitives(patch.cylinders, first);
    const std::uint32_t discs =
        addPrimitives(patch.discs, first + static_cast<std::uint32_t>(patch.cylinders.size()));
    setPlantChild(nodes_[root], 0, inflated(of_cylinders, 1e-6F), cylinders);
    setPlantChild(nodes_[root], 1, inflated(of_discs, 1e-6F), discs);
    added.root = root;
  }
}

void Plants::Tree::addInstances(const scene::Vegetation& vegetation) {
  std::vector<Eigen::AlignedBox3f> of_patches, boxes;
  for (const scene::Patch& patch : vegetation.patches) of_patches.push_back(patch.box());
  boxes.reserve(vegetation.instances.size());
  for (const scene::PlantInstance& instance : vegetation.instances) {
    boxes.push_back(inflated(boxOf(vegetation, instance, of_patches[instance.patch]), 2e-4F));
  }
  instances_.resize(boxes.size());
  std::iota(instances_.begin(), instances_.end(), 0U);
  if (boxes.empty()) {
    root_ = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(emptyPlantNode());
    return;
  }
  const auto leafOf = [](std::size_t begin, std::size_t) {
    return static_cast<std::uint32_t>(begin);
  };
  root_ = BoxTreeBuilder(boxes, 1, nodes_, leafOf).build(instances_);
  poses_.reserve(boxes.size());
  for (const std::uint32_t number : instances_) {
    const scene::PlantInstance& instance = vegetation.instances[number];
    poses_.push_back({{instance.foot.x(), instance.foot.y(), instance.foot.z()},
                      instance.yaw_cosine,
                      instance.yaw_sine,
                      1.0F / instance.width,
                      1.0F / instance.height,
                      {instance.slope.x(), instance.slope.y()},
                      instance.patch});
  }
}

PlantTreeView Plants::Tree::viewAt(TimeNs time) const {
  const Eigen::Vector2f lean = sway_.most();
  const double per_metre = 1.0 / (scene::Sway::kGustSpeed * sway_.period);
  const Eigen::Vector2d along(std::cos(sway_.direction), std::sin(sway_.direction));
  return {nodes_.data(),
          blocks_.data(),
          poses_.data(),
          patches_.data(),
          root_,
          sway_.on(),
          {lean.x(), lean.y()},
          toSeconds(time) / sway_.period - per_metre * along.dot(origin_.head<2>()),
          1.0 / sway_.period,
          {per_metre * along.x(), per_metre * along.y()}};
}

std::size_t Plants::Tree::bytes() const {
  const auto of = [](const auto& values) { return values.capacity() * sizeof(values[0]); };
  return of(nodes_) + of(blocks_) + of(poses_) + of(patches_) + of(instances_) + of(reflectivity_) +
         of(classes_);
}

map::SurfelChannelViews Plants::Tree::channels() const {
  map::SurfelChannelViews views;
  views.reflectivity = View<std::uint8_t>(reflectivity_);
  views.classes = View<std::uint8_t>(classes_);
  return views;
}

Plants::Plants(const scene::Vegetation& vegetation) {
  vegetation.validate("vegetation");
  tree_ = std::make_unique<const Tree>(vegetation);
}
Plants::~Plants() = default;
std::size_t Plants::size() const { return tree_->size(); }
std::size_t Plants::bytes() const { return tree_->bytes(); }
map::SurfelChannelViews Plants::channels() const { return tree_->channels(); }

}  // namespace marsim::lidar
