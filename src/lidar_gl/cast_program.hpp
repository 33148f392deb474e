#pragma once

#include <string>

#include "lidar_gl/device_tree.hpp"

namespace marsim::lidar_gl {

/// What the compute shader is compiled for.
struct CastVariant {
  bool compact, blended, image;
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

}  // namespace marsim::lidar_gl
