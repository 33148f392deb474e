// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/geometry/pose.hpp"
#include "marsim/map/surfel_tree_layout.hpp"

namespace marsim::map {

/// A surfel found by its place; lengths in metres relative to the tree's origin.
struct FoundSurfel {
  std::uint32_t number = 0;  ///< as decodeSurfels() counts
  bool planar = false;
  std::uint8_t size = kUsualSize;                      ///< class of its radius
  Eigen::Vector3f position = Eigen::Vector3f::Zero();  ///< as decodeSurfels() gives it
  Eigen::Vector3f normal = Eigen::Vector3f::Zero();    ///< of any length but 0
};

/// Appends every surfel whose position lies within `radius` [m] of `p_O`, in any order.
void surfelsWithin(const SurfelTreeView& view, const Eigen::Vector3d& p_O, double radius,
                   std::vector<FoundSurfel>& found);

/// Appends every surfel whose position lies in a box of a frame B at X_OB, in any order.
void surfelsInBox(const SurfelTreeView& view, const Pose& X_OB, const Eigen::AlignedBox3d& box_B,
                  std::vector<FoundSurfel>& found);

/// Finds the surfel whose position is nearest to `p_O` and returns its distance [m]; returns
/// `limit` [m], with any surfel, if none is nearer than that.
double nearestSurfel(const SurfelTreeView& view, const Eigen::Vector3d& p_O, double limit,
                     FoundSurfel& nearest);

/// The surfel with a number, which must be one of the tree's.
FoundSurfel surfelOf(const SurfelTreeView& view, std::uint32_t number);

}  // namespace marsim::map
