#pragma once

#include <string>

#include "lidar_gl/device_tree.hpp"

namespace marsim::lidar_gl {

/// What project.glsl is compiled for.
struct ProjectVariant {
  enum Run {
    kNearest,
    kGoesOn,  ///< with the cells of the pass before
    kSums,    ///< of blended surfaces, behind the nearest surfels
    kExact    ///< sums of cells that the run before has left
  };
  bool compact;
  Run run;

  // Bindings and locations as in project.glsl.
  static constexpr GLuint kCells = 0;  // of buffers
  enum Unit { kSurfels, kLists, kBegins, kShares, kOrder, kSources, kLeaves, kCellMasks, kWords };
  enum Location {
    kRotation,
    kSize,
    kTileRows,
    kPinhole,
    kRangeMax,
    kRadius,
    kDisorder,
    kSurfelsBefore,
    kCount,
    kBlending,
    kPasses
  };
};

/// The text of the shader; the exact one reads a tree's parts.
std::string projectProgramText(const ProjectVariant& variant, const DeviceTree* tree);

}  // namespace marsim::lidar_gl
