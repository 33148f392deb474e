// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "marsim/common/progress.hpp"
#include "marsim/map/point_cloud.hpp"

namespace marsim::map_tools {

/// Meaning of the colours of a map's points. Keys of a window choose in this order.
enum class Paint {
  kAuto,       ///< "auto": the map's colours if it has any, else the height
  kHeight,     ///< "height"
  kRgb,        ///< "rgb": the map's own colours
  kIntensity,  ///< "intensity": from dark to bright, up to the 98th percentile
  kClass,      ///< "class": SemanticKITTI's colours
  kNormal,     ///< "normal": red, green and blue for surfaces normal to x, y and z
};

const char* nameOf(Paint paint);
/// Throws UnknownNameError.
Paint paintOf(const std::string& name);

/// A colour for each point; none for heights, which the caller shades. Throws Error if the cloud
/// lacks the data.
std::vector<map::Colour> coloursOf(const map::PointCloud& cloud, Paint paint,
                                   Progress& progress = Progress::none());

}  // namespace marsim::map_tools
