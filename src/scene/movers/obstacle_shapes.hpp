// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "marsim/map/surfel_map.hpp"

namespace marsim::scene {

/// Surfels of exact solids about the origin of their frame M: planar, with the surface's normals,
/// covering it without a gap; all in m. `resolution` is r; a disc reaches past an edge by at most
/// 0.3 r.
std::shared_ptr<const map::SurfelMap> sphereShape(double diameter, double resolution);
std::shared_ptr<const map::SurfelMap> cubeShape(double side, double resolution);
/// A rectangle in the plane x = 0: `width` along y, `height` along z.
std::shared_ptr<const map::SurfelMap> plateShape(double width, double height, double resolution);
/// Upright; `height` includes both half balls and is not less than `width`.
std::shared_ptr<const map::SurfelMap> capsuleShape(double height, double width, double resolution);

}  // namespace marsim::scene
