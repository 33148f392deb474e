// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "marsim/map/point_cloud.hpp"
#include "scene/handheld_scan.hpp"
#include "scene/shapes.hpp"

namespace marsim::scene {

/// How many of a solid's points a thinned scan keeps: all, a quarter, a sixteenth.
enum class Density { kDense, kQuarter, kSixteenth };
double keptShare(Density density);

enum class SparseKind {
  kWall,
  kLayers,  ///< a part of a wall that scans do not agree about
  kBoard,   ///< stands free
  kScreen,  ///< a board beside a slot
  kRod
};

struct SparseSolid {
  SparseKind kind;
  Density density;
  Shape shape;
};

/// An opening between two boards of one plane.
struct Slot {
  int left, right;    ///< the boards' numbers
  Rectangle opening;  ///< its side a goes across
};

/// A room of which a scan is sparse in places: free-standing boards without thickness, screens of
/// boards with slots of 0.1 to 1 m between them, rods of 2 and 5 cm, parts of walls and floor, each
/// with its own share of points; and a part of a wall that half of the passes see elsewhere.
class SparsePlace : public PlaceOf<SparseSolid> {
 public:
  SparsePlace();
  const std::vector<Slot>& slots() const { return slots_; }

 private:
  void addScreen(Density density, const Eigen::Vector3d& middle, double yaw);

  std::vector<Slot> slots_;
};

/// Two passes in turn see layers so far apart, and the true wall in the middle.
constexpr double kLayerDistance = 0.03;  // [m]
/// Strays beside each point of a scan, at random in the air, so far from any surface.
constexpr double kStrayShare = 0.0005;
constexpr double kStrayClearance = 0.3;  // [m]

/// A thinned scan.
struct SparseScan {
  map::PointCloud cloud;
  std::vector<int> parts;  ///< the solid that each point is of, -1: a stray
  /// Points a m2 of each solid that is a rectangle, 0 for others.
  std::vector<double> density;
};

/// A handheld scan, about 8 passes of 300,000 beams, thinned, with layers and strays; the same
/// whatever the number of cores. Throws ConfigError.
SparseScan sparseScan(const SparsePlace& place, const HandheldScan& config);

}  // namespace marsim::scene
