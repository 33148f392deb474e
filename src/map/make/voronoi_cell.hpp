// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace marsim::map {

/// The Voronoi cell of a point in the plane, within a square round it. Its corners are the centres
/// of circles through the point and two neighbours with no other inside: the triangles of these
/// three are Delaunay's.
class VoronoiCell {
 public:
  static constexpr int kSquare = -1;  ///< in place of a neighbour: a side of the square

  struct Corner {
    float x, y;  ///< relative to the point
    int before;  ///< its bisector ends here
    int after;   ///< its bisector begins here, counterclockwise
    float square() const { return x * x + y * y; }
    bool hasNeighbours() const { return before != kSquare && after != kSquare; }
  };

  /// Starts with the whole square; `half` is half its side.
  void reset(float half);
  /// Cuts off the part nearer to a neighbour at (x, y).
  void cut(float x, float y, int neighbour);
  /// In counterclockwise order.
  const std::vector<Corner>& corners() const { return corners_; }
  /// Square of the distance of the farthest corner: a neighbour twice as far cuts nothing off.
  float farthestSquare() const;

 private:
  std::vector<Corner> corners_, kept_;
};

}  // namespace marsim::map
