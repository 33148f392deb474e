#pragma once

#include <string>

#include "device_tree.hpp"

namespace marsim::lidar_gl {

/// What project.glsl is compiled for.
struct ProjectVariant {
  bool compact;
  bool sums;     ///< of blended surfaces, behind the nearest surfels
  bool goes_on;  ///< with the cells of the pass before

  // Bindings and locations as in project.glsl.
  static constexpr GLuint kCells = 0;  // of buffers
  enum Unit { kLeaves, kEntries, kBegins, kShares, kOrder, kWords };
  enum Location {
    kRotation,
    kSize,
    kTileRows,
    kPinhole,
    kRangeMax,
    kEye,
    kEyeRest,
    kRadius,
    kDisorder,
    kBlending,
    kLeavesBefore,
    kPasses,
    kTileCount
  };
};

/// The text of the shader for a tree's parts.
std::string projectProgramText(const ProjectVariant& variant, const DeviceTree& tree);

}  // namespace marsim::lidar_gl
