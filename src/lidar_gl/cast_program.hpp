// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "lidar_gl/device_tree.hpp"

namespace marsim::lidar_gl {

/// Variant of the compute shader.
struct CastVariant {
  bool blended, image;
  int stack;  ///< children that may wait at one time

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

/// The text of the shader for the parts of a tree.
std::string castProgramText(const CastVariant& variant, const DeviceTree& tree);

/// Runs the program in use with so many groups, laid out in rows: group number gl_WorkGroupID.y *
/// gl_NumWorkGroups.x + gl_WorkGroupID.x in a shader; the last groups may be superfluous. Its
/// output can be copied or mapped afterwards.
void dispatch(std::size_t groups);

}  // namespace marsim::lidar_gl
