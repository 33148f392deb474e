#pragma once

#include <string>
#include <vector>

#include "marsim/common/progress.hpp"
#include "marsim/map/point_cloud.hpp"

namespace marsim::map_tools {

/// What the colour of a map's points shows. Keys of a window choose in this order.
enum class Paint {
  kAuto,       ///< "auto": the map's colours where it has any, else the height
  kHeight,     ///< "height"
  kRgb,        ///< "rgb": the map's own colours
  kIntensity,  ///< "intensity": from dark to bright, up to the 98th percentile
  kClass,      ///< "class": SemanticKITTI's colours
  kNormal,     ///< "normal": red, green and blue for surfaces across x, y and z
};

const char* nameOf(Paint paint);
/// Throws UnknownNameError.
Paint paintOf(const std::string& name);

/// A colour for each point; none for heights, which who draws them shades. Throws Error where the
/// cloud lacks what is to be shown.
std::vector<map::Colour> coloursOf(const map::PointCloud& cloud, Paint paint, Progress& progress);

}  // namespace marsim::map_tools
