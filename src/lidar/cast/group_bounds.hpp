// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lidar/cast/ray_walk.hpp"

/// The boxes that some ray of several may meet.
namespace marsim::lidar {
namespace {

/// Bounds of origins and inverse directions of rays of one octant.
struct GroupBounds {
  float sign[3];
  float ahead[3], behind[3];                // of the origins, along the rays [m]
  float least_inverse[3], most_inverse[3];  // with the directions' signs

  explicit GroupBounds(const bool* negative) {
    for (int axis = 0; axis < 3; ++axis) sign[axis] = negative[axis] ? -1.0F : 1.0F;
  }

  // Sets an axis: least and most of the origins and of the inverse directions.
  void set(int axis, float low, float high, float least, float most) {
    ahead[axis] = sign[axis] > 0.0F ? high : low;
    behind[axis] = sign[axis] > 0.0F ? low : high;
    least_inverse[axis] = sign[axis] * least;
    most_inverse[axis] = sign[axis] * most;
  }

  // A mask of the children that such a ray may meet up to `cut`, and where it enters each.
  __attribute__((always_inline)) unsigned childrenMet(const RayWalk& walk,
                                                      const map::TreeNode& node, float cut,
                                                      Float8& entry) const {
    entry = all8(0.0F);
    Float8 exit = all8(cut);
    for (int axis = 0; axis < 3; ++axis) {
      const float scale = map::gridStep<float>(node, axis);
      const Float8 near =
          fromBytes(walk.nearPlanes(node, axis)) * scale + (node.origin[axis] - ahead[axis]);
      const Float8 far =
          fromBytes(walk.farPlanes(node, axis)) * scale + (node.origin[axis] - behind[axis]);
      // Planes behind the origins give an entry of 0, or an exit below 0.
      entry = max8(near * least_inverse[axis], entry);
      exit = min8(far * most_inverse[axis], exit);
    }
    return notAbove(entry, exit) & map::slotsUsed(node);
  }
};

}  // namespace
}  // namespace marsim::lidar
