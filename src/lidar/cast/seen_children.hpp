#pragma once

#include <cstdint>

#include "lidar/cast/leaf_blocks.hpp"
#include "lidar/cast/vector8.hpp"
#include "lidar/image/footprint8.hpp"
#include "lidar/image/project_kernel.hpp"
#include "marsim/map/surfel_tree_layout.hpp"

/// What a sensor that makes an image sees of a node's children: how near their boxes come and which
/// cells they may fill.
namespace marsim::lidar {
namespace {

/// Of vectors in the tree's frame to the sensor's.
inline void rotate(const ImageStrip& image, const Float8* in, Float8* out) {
  for (int i = 0; i < 3; ++i) {
    out[i] = image.R_SW[i][0] * in[0] + image.R_SW[i][1] * in[1] + image.R_SW[i][2] * in[2];
  }
}

class SeenChildren {
 public:
  SeenChildren(const ImageStrip& image, const map::TreeNode& node)
      : SeenChildren(image, node, boxesOf(image, node)) {}

  /// Slots that come within the range, a bit each.
  unsigned slots() const { return slots_; }
  /// [m] from below.
  float distance(int slot) const { return distance_[slot]; }
  /// The cells of a child's ball, within the image: up to two ranges, returns their number.
  int cells(int slot, CellRange* ranges) const { return cells_.get(slot, ranges); }

 private:
  struct Boxes {
    Float8 centre[3], distance, radius;  // centre: in the sensor's frame
  };

  SeenChildren(const ImageStrip& image, const map::TreeNode& node, const Boxes& boxes)
      : cells_(footprintsOf(image, boxes.centre, boxes.radius)),
        slots_(notAbove(boxes.distance, all8(image.range_max)) & ((1U << node.childCount()) - 1)) {
    store8(distance_, boxes.distance);
  }

  static Boxes boxesOf(const ImageStrip& image, const map::TreeNode& node) {
    Float8 centre[3], distance2 = all8(0.0F), half2 = all8(0.0F);
    for (int axis = 0; axis < 3; ++axis) {
      const float scale = powerOfTwo(node.exponent[axis]);
      const float base = (node.origin[axis] - image.eye[axis]) - image.eye_rest[axis];
      const Float8 low = fromBytes(node.lower[axis]) * scale + base;
      const Float8 high = fromBytes(node.upper[axis]) * scale + base;
      const Float8 outside = max8(max8(low, -high), all8(0.0F));
      distance2 += outside * outside;
      centre[axis] = 0.5F * (low + high);
      half2 += (high - low) * (high - low);
    }
    Boxes boxes;
    boxes.distance = sqrt8(distance2) * 0.99999F;
    boxes.radius = sqrt8(half2) * 0.50002F;
    rotate(image, centre, boxes.centre);
    return boxes;
  }

  const Footprints cells_;
  const unsigned slots_;
  float distance_[8];
};

}  // namespace
}  // namespace marsim::lidar
