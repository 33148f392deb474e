// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "lidar/cast/simd_kernel.hpp"

/// Declarations that the shading of a map's surfaces, compiled for several instruction sets, shares
/// with other code. Plain declarations only, as in cast_kernel.hpp.
namespace marsim::lidar {

/// Constants of SolidTexture. Red and blue of a uniform texture differ by kTextureTint of the first
/// octave's spread. The mean square of a value is 1/3, that of interpolated ones (26/35)^3 of it:
/// kSpread makes it about 1.
constexpr float kTextureTint = 0.25F, kTextureSpread = 2.7F;

/// Hash of a lattice point and an octave in SolidTexture: factors of x, y, z and of the octave,
/// then the first step of MurmurHash3's finaliser.
constexpr std::uint32_t kTextureFactors[3] = {0x8da6b343U, 0xd8163841U, 0xcb1ab31fU};
constexpr std::uint32_t kTextureOctave = 0x9e3779b9U;
/// The number, in place of an octave's, for the shades of pieces between joints.
constexpr std::uint32_t kTexturePieces = 1000;
/// A joint shows on a surface whose normal's part along the joint's is less; in full 0.2 below.
constexpr float kJointCosine = 0.9F;
constexpr std::uint32_t kTextureMix = 0x85ebca6bU;

/// Turns the lattices of materials' noise, of which walls along the axes would show the squares.
constexpr float kTextureTurn[3][3] = {{0.8047379F, -0.3106172F, 0.5058794F},
                                      {0.5058794F, 0.8047379F, -0.3106172F},
                                      {-0.3106172F, 0.5058794F, 0.8047379F}};

/// Waves along each axis, for places relative to the camera: whole waves there have the numbers
/// from `base` on and begin `part` of a wave before it.
struct ShadeWaves {
  float inverse_length[3];  ///< [1/m]; 0: none
  std::uint32_t base[3];
  float part[3];
};

/// An octave of SolidTexture.
struct ShadeOctave {
  ShadeWaves waves;
  float shortest_inverse;  ///< [1/m] of the shortest wave
  float spread;
};

/// Joints of a material.
struct ShadeJoints {
  ShadeWaves pieces;
  float spacing[3];  ///< [m]; 0: none
  float width;       ///< [m]
  float darkness, shade;
  bool is_bonded, is_used;
};

/// A SolidTexture.
struct ShadeTexture {
  static constexpr int kMostOctaves = 24;
  ShadeOctave octaves[kMostOctaves];
  int octave_count;
  float tint;
  bool is_turned;  ///< by kTextureTurn, but for the joints
  ShadeJoints joints;
};

struct ShadeSettings {
  static constexpr int kMostTextures = 16;
  ShadeTexture textures[kMostTextures];
  bool is_lit;        ///< the colours contain the light
  float pixel_angle;  ///< [rad] width of a pixel on the axis
  float R_WC[3][3];
};

/// Pixels that see a map's surfaces: their hits, see SurfaceLooks, and the resulting light.
struct alignas(64) ShadedPixels {
  static constexpr int kMost = 256;
  float direction[3][kMost];  ///< unit, in C
  float range[kMost];         ///< [m]
  float colour[3][kMost];
  float normal[3][kMost];
  std::uint8_t texture[kMost];  ///< number in ShadeSettings
  float radiance[3][kMost];
  int count;
};

using ShadeKernel = void (*)(const ShadeSettings&, ShadedPixels&);
MARSIM_KERNEL(void shadePixels(const ShadeSettings& settings, ShadedPixels& pixels))

}  // namespace marsim::lidar
