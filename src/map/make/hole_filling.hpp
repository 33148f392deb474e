// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "map/make/moved_points.hpp"
#include "marsim/common/progress.hpp"

namespace marsim::map {

struct HoleSettings {
  float disc = 0.0F;     ///< [m] R of the surfels
  float largest = 0.0F;  ///< [m] radius of the largest hole that is filled; 0: none
  float offset = 0.0F;   ///< [m] of a point from the sheet that it lies on
};

/// Points for the holes of sheets: where discs of radius R round the surfels of one sheet leave a
/// part of it open, though it has surfels on all sides. A hole is a triangle of three surfels of
/// one sheet round which a circle holds no other (Delaunay), the circle being larger than R and no
/// larger than `largest`, nor than 1.9 times the spacing of the surfels around. Gaps of more than
/// three spacings therefore stay open, and a sheet's outline does not grow (the alpha shape of
/// Edelsbrunner, Kirkpatrick and Seidel, "On the shape of a set of points in the plane", 1983, with
/// an alpha that follows the spacing). Foliage, with few surfels on one sheet, has no holes. Each
/// triangle is strewn so that discs cover it; the points' channels are interpolated between the
/// three surfels. The surfels must be those of different voxels. On all cores; the result does not
/// depend on their number.
MovedPoints fillHoles(const MergedPoints& merged, const HoleSettings& settings,
                      Progress& progress = Progress::none());

}  // namespace marsim::map
