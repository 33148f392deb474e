#pragma once

#include <cstddef>
#include <string>

#include "lidar_gl/device_tree.hpp"

namespace marsim::lidar_gl {

/// What the compute shader is compiled for.
struct CastVariant {
  bool blended, image;
  int stack;  ///< children that may have to wait

  // Bindings and locations as in cast.glsl.
  static constexpr GLuint kInput = 0, kHits = 1, kTree = 2;
  enum Location {
    kRotation,
    kSize,
    kFirstRow,
    kEndRow,
    kPinhole,
    kRangeMax,
    kCount,
    kOrigin,
    kRadius,
    kBlending
  };
};

/// The text of the shader for a tree's parts.
std::string castProgramText(const CastVariant& variant, const DeviceTree& tree);

/// Runs the program in use with so many groups, laid out in rows: in a shader, group number
/// gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, of which the last may be too many.
/// What it writes can be copied or mapped afterwards.
void dispatch(std::size_t groups);

}  // namespace marsim::lidar_gl
