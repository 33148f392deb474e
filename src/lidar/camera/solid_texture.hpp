// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "lidar/camera/shade_kernel.hpp"
#include "lidar/camera/surface_material.hpp"

namespace marsim::lidar {

/// A texture that fills space, so that each surface has a texture fixed to it: octaves of value
/// noise, and joints between pieces. Octaves finer than a pixel are faded out, so that nothing
/// flickers from image to image.
class SolidTexture {
 public:
  /// `spread`: standard deviation of an octave, in the colour's logarithm; octaves from `coarsest`
  /// down to `finest` [m], each half as long as the one before.
  SolidTexture(double spread, double coarsest, double finest) : tint_(kTextureTint) {
    for (double length = coarsest; length >= finest * 0.999; length *= 0.5) {
      addOctave(length, static_cast<float>(spread), kEven);
    }
  }

  /// A material's texture with all spreads times `contrast`.
  SolidTexture(const MaterialTexture& material, float contrast)
      : tint_(material.tint / std::max(material.coarse_spread, 1e-6F)), joints_(material.joints) {
    is_turned_ = std::equal(material.stretch, material.stretch + 3, kEven);
    constexpr float kSecond = 0.7F;  // spread of the second octave of two
    for (const bool is_coarse : {true, false}) {
      const auto length = static_cast<double>(is_coarse ? material.coarse : material.fine);
      const float spread = contrast * (is_coarse ? material.coarse_spread : material.fine_spread);
      addOctave(length, spread, material.stretch);
      addOctave(0.5 * length, kSecond * spread, material.stretch);
    }
    joints_.darkness *= std::min(contrast, 1.0F);
    joints_.shade *= contrast;
    has_joints_ = std::any_of(joints_.spacing, joints_.spacing + 3,
                              [](float spacing) { return spacing > 0.0F; });
  }

  /// Describes the texture for the shading of places relative to `about` [m].
  void describe(const Eigen::Vector3d& about, ShadeTexture& texture) const {
    texture.octave_count = static_cast<int>(octaves_.size());
    texture.tint = tint_;
    texture.is_turned = is_turned_;
    const Eigen::Vector3d middle = turned(about);
    for (std::size_t i = 0; i < octaves_.size(); ++i) {
      ShadeOctave& octave = texture.octaves[i];
      octave.waves = wavesAbout(middle, octaves_[i].inverse_length);
      octave.shortest_inverse = static_cast<float>(octaves_[i].inverse_length.maxCoeff());
      octave.spread = octaves_[i].spread;
    }
    ShadeJoints& joints = texture.joints;
    joints.pieces = wavesAbout(about, inverseSpacing());
    std::copy_n(joints_.spacing, 3, joints.spacing);
    joints.width = joints_.width;
    joints.darkness = joints_.darkness;
    joints.shade = joints_.shade;
    joints.is_bonded = joints_.is_bonded;
    joints.is_used = has_joints_;
  }

  /// Factors around 1 for a surface's red, green and blue. `p`: place [m]; `normal`: unit, or 0
  /// where there is none; `width` [m]: of the pixel; `span` [m]: by which it is longer than wide on
  /// the surface, that way.
  Eigen::Vector3f at(const Eigen::Vector3d& p, const Eigen::Vector3f& normal, float width,
                     const Eigen::Vector3f& span) const {
    const Eigen::Vector3d place = turned(p), turned_span = turned(span.cast<double>());
    float sum = 0.0F, first = 0.0F;
    for (std::size_t i = 0; i < octaves_.size(); ++i) {
      const float value = octave(i, place, turned_span, width);
      sum += value;
      if (i == 0) first = value;
    }
    float factor = 1.0F;
    if (has_joints_) factor = joint(p, normal, span, width, sum);
    const float green = factor * std::exp(sum), tint = std::exp(tint_ * first);
    return {green * tint, green, green / tint};
  }

 private:
  static constexpr float kEven[3] = {1.0F, 1.0F, 1.0F};

  struct Octave {
    Eigen::Vector3d inverse_length;  // [1/m]
    float spread;
  };

  void addOctave(double length, float spread, const float* stretch) {
    const Eigen::Vector3d waves(stretch[0], stretch[1], stretch[2]);
    octaves_.push_back({waves / length, spread});
  }

  Eigen::Vector3d turned(const Eigen::Vector3d& p) const {
    if (!is_turned_) return p;
    Eigen::Vector3d result;
    for (int i = 0; i < 3; ++i) {
      result[i] = Eigen::Vector3f(kTextureTurn[i]).cast<double>().dot(p);
    }
    return result;
  }

  Eigen::Vector3d inverseSpacing() const {
    Eigen::Vector3d inverse = Eigen::Vector3d::Zero();
    for (int axis = 0; axis < 3; ++axis) {
      const float spacing = joints_.spacing[axis];
      if (spacing > 0.0F) inverse[axis] = 1.0 / static_cast<double>(spacing);
    }
    return inverse;
  }

  static ShadeWaves wavesAbout(const Eigen::Vector3d& about,
                               const Eigen::Vector3d& inverse_length) {
    ShadeWaves waves{};
    for (int axis = 0; axis < 3; ++axis) {
      const double place = about[axis] * inverse_length[axis], whole = std::floor(place);
      waves.inverse_length[axis] = static_cast<float>(inverse_length[axis]);
      waves.base[axis] = static_cast<std::uint32_t>(static_cast<std::int64_t>(whole));
      waves.part[axis] = static_cast<float>(place - whole);
    }
    return waves;
  }

  // Share of a wave of this length: all of it at three pixels a wave, none at two.
  static float shareOf(float length, float width) {
    return std::clamp(length / width - 2.0F, 0.0F, 1.0F);
  }

  // The mean of an octave over a pixel: places about half a wave apart from end to end of it.
  float octave(std::size_t number, const Eigen::Vector3d& p, const Eigen::Vector3d& span,
               float width) const {
    const Octave& octave = octaves_[number];
    const float share = shareOf(1.0F / static_cast<float>(octave.inverse_length.maxCoeff()), width);
    if (share <= 0.0F) return 0.0F;
    const double waves = span.cwiseProduct(octave.inverse_length).norm();
    const int gaps = static_cast<int>(2.0 * waves + 0.5);
    float sum = 0.0F;
    for (int i = 0; i <= gaps; ++i) {
      const Eigen::Vector3d place = p + span * ((i - 0.5 * gaps) / std::max(gaps, 1));
      sum += noise(place.cwiseProduct(octave.inverse_length), static_cast<std::uint32_t>(number));
    }
    return share * octave.spread * sum / static_cast<float>(gaps + 1);
  }

  // The factor of the joints at a place; adds the shade of the piece there to `sum`.
  float joint(const Eigen::Vector3d& p, const Eigen::Vector3f& normal, const Eigen::Vector3f& span,
              float width, float& sum) const {
    Eigen::Vector3d place = p.cwiseProduct(inverseSpacing());
    const auto layer = static_cast<std::int64_t>(std::floor(place.z()));
    if (joints_.is_bonded && (layer & 1) != 0) place += Eigen::Vector3d(0.5, 0.5, 0.0);
    float line = 0.0F, share = 1.0F;
    std::array<std::uint32_t, 3> piece{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float spacing = joints_.spacing[axis];
      if (spacing <= 0.0F) continue;
      const auto i = static_cast<Eigen::Index>(axis);
      const float side = width + std::abs(span[i]);
      const float shows = std::clamp((kJointCosine - std::abs(normal[i])) * 5.0F, 0.0F, 1.0F);
      const double whole = std::floor(place[i]);
      const auto part = static_cast<float>(place[i] - whole);
      const float off = std::min(part, 1.0F - part) * spacing;
      const float cover = std::clamp((0.5F * (joints_.width + side) - off) / side, 0.0F, 1.0F) *
                          std::min(1.0F, joints_.width / side);
      line = std::max(line, cover * shows);
      share = std::min(share, shareOf(spacing, side));
      if (shows >= 0.5F) {
        piece[axis] = static_cast<std::uint32_t>(static_cast<std::int64_t>(whole));
      }
    }
    sum += joints_.shade * share * valueAt(piece[0], piece[1], piece[2], kTexturePieces);
    return 1.0F - joints_.darkness * line;
  }

  // Values at whole coordinates, interpolated by cubic weights; standard deviation about 1.
  static float noise(const Eigen::Vector3d& p, std::uint32_t octave) {
    std::array<std::uint32_t, 3> low{};
    std::array<float, 3> share{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double place = p[static_cast<Eigen::Index>(axis)];
      const double whole = std::floor(place);
      low[axis] = static_cast<std::uint32_t>(static_cast<std::int64_t>(whole));
      const auto f = static_cast<float>(place - whole);
      share[axis] = f * f * (3.0F - 2.0F * f);
    }
    std::array<float, 4> along_z{};
    for (std::uint32_t corner = 0; corner < 4; ++corner) {
      const std::uint32_t x = low[0] + (corner & 1U), y = low[1] + (corner >> 1U);
      const float a = valueAt(x, y, low[2], octave), b = valueAt(x, y, low[2] + 1U, octave);
      along_z[corner] = a + share[2] * (b - a);
    }
    const float near_y = along_z[0] + share[0] * (along_z[1] - along_z[0]);
    const float far_y = along_z[2] + share[0] * (along_z[3] - along_z[2]);
    return kTextureSpread * (near_y + share[1] * (far_y - near_y));
  }

  // A value from -1 to 1.
  static float valueAt(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t octave) {
    std::uint32_t bits = x * kTextureFactors[0] + y * kTextureFactors[1] + z * kTextureFactors[2] +
                         octave * kTextureOctave;
    bits = (bits ^ (bits >> 16U)) * kTextureMix;
    return static_cast<float>(bits >> 8U) * 0x1p-23F - 1.0F;
  }

  float tint_;
  bool is_turned_ = false;
  std::vector<Octave> octaves_;  // from coarse to fine
  Joints joints_;
  bool has_joints_ = false;
};

}  // namespace marsim::lidar
