// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "map_tools/paint.hpp"
#include "marsim/map/point_cloud.hpp"

namespace marsim::tools {

/// Throws Error, which suggests --out, if no window can be opened: the program was built without
/// OpenGL, or there is no display.
void requireWindows();

/// Shows a cloud in a window until it is closed or Esc is pressed. The left button orbits, the
/// right one moves, the wheel zooms; keys 1 to 5 colour by height, the map's own colours,
/// intensity, class and normal, beginning with `paint`. Throws Error.
void showInWindow(const map::PointCloud& cloud, map_tools::Paint paint, const std::string& title);

}  // namespace marsim::tools
