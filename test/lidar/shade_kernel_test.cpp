// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/camera/shade_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "lidar/camera/dull_day.hpp"
#include "lidar/camera/painter.hpp"
#include "lidar/camera/solid_texture.hpp"
#include "marsim/common/random.hpp"
#include "marsim/geometry/pose.hpp"

namespace marsim::lidar {
namespace {

constexpr float kPixelAngle = 0.003F;

/// A pixel's light, in double precision but for the texture. `is_lit`: the colour contains the
/// light.
Eigen::Vector3d lightOf(const SolidTexture& texture, const Pose& X_WC,
                        const Eigen::Vector3d& direction_C, double range,
                        const Eigen::Vector3d& colour, const Eigen::Vector3d& normal, bool is_lit) {
  const Eigen::Vector3d d = X_WC.q * direction_C, p = X_WC.p + range * d;
  const auto width = static_cast<float>(range) * kPixelAngle;
  const auto lit = [&](const Eigen::Vector3f& n, const Eigen::Vector3f& span, double light) {
    const Eigen::Vector3d factors = texture.at(p, n, width, span).cast<double>();
    return Eigen::Vector3d((is_lit ? 1.0 : light) * colour.cwiseProduct(factors));
  };
  const Eigen::Vector3f none = Eigen::Vector3f::Zero();
  if (normal.isZero()) return lit(none, none, static_cast<double>(kLightOnLeaves));
  const Eigen::Vector3d n = (normal.dot(d) > 0.0 ? -1.0 : 1.0) * normal.normalized();
  const double cosine = -n.dot(d);
  const double longer = 1.0 / std::max(cosine, static_cast<double>(kLeastIncidence)) - 1.0;
  const Eigen::Vector3d span = static_cast<double>(width) * longer * (d + cosine * n).normalized();
  const Eigen::Vector3d sun = Eigen::Vector3f(kSunward).cast<double>();
  const double light = static_cast<double>(kFromSky) * (0.5 + 0.5 * n.z()) +
                       static_cast<double>(kFromGround) * (0.5 - 0.5 * n.z()) +
                       static_cast<double>(kFromSun) * std::max(n.dot(sun), 0.0);
  return lit(n.cast<float>(), span.cast<float>(), light);
}

TEST(ShadeKernel, IsTheLightOfOnePixelAfterAnother) {
  std::vector<SolidTexture> textures = {{0.12, 0.32, 0.01}};
  for (int i = 1; i < kMaterialCount; ++i) {
    textures.emplace_back(textureOf(static_cast<SurfaceMaterial>(i)), 1.0F);
  }
  EXPECT_NEAR(Eigen::Vector3f(kSunward).norm(), 1.0F, 1e-6F);
  for (const SimdLevel level : simdLevels()) {
    SCOPED_TRACE(nameOf(level));
    RandomStream random(41);
    int differing = 0;
    const auto vector = [&] {
      return Eigen::Vector3d(random.normal(), random.normal(), random.normal());
    };
    for (int image = 0; image < 20; ++image) {
      const Pose X_WC{expMap(vector()), 300.0 * vector()};
      ShadeSettings settings{};
      for (std::size_t i = 0; i < textures.size(); ++i) {
        textures[i].describe(X_WC.p, settings.textures[i]);
      }
      settings.is_lit = image % 2 == 0;
      settings.pixel_angle = kPixelAngle;
      const Eigen::Matrix3f R_WC = X_WC.q.toRotationMatrix().cast<float>();
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) settings.R_WC[i][j] = R_WC(i, j);
      }
      ShadedPixels pixels{};
      pixels.count = 203;  // not in eights
      std::vector<Eigen::Vector3d> expected;
      for (int k = 0; k < pixels.count; ++k) {
        const Eigen::Vector3d direction = vector().normalized(), colour = vector().cwiseAbs();
        const Eigen::Vector3d normal = k % 5 == 0 ? Eigen::Vector3d(0, 0, 0) : vector();
        const double range = 0.3 + 20.0 * std::abs(random.normal());
        // Eights of one texture, and of several.
        pixels.texture[k] = static_cast<std::uint8_t>((k < 100 ? k / 8 : k) % kMaterialCount);
        pixels.range[k] = static_cast<float>(range);
        for (int axis = 0; axis < 3; ++axis) {
          pixels.direction[axis][k] = static_cast<float>(direction[axis]);
          pixels.colour[axis][k] = static_cast<float>(colour[axis]);
          pixels.normal[axis][k] = static_cast<float>(normal[axis]);
        }
        expected.push_back(lightOf(textures[pixels.texture[k]], X_WC, direction, range, colour,
                                   normal, settings.is_lit));
      }
      shadeKernel(level)(settings, pixels);
      for (int k = 0; k < pixels.count; ++k) {
        const Eigen::Vector3d& right = expected[static_cast<std::size_t>(k)];
        const Eigen::Vector3d found(pixels.radiance[0][k], pixels.radiance[1][k],
                                    pixels.radiance[2][k]);
        // A place on the limit of one more place along a grazed surface may have it or not.
        const bool is_equal = (found - right).norm() < 0.01 * right.norm();
        // A place on the limit of two pieces may have the shade of either.
        EXPECT_TRUE(is_equal || pixels.texture[k] != 0) << k;
        differing += is_equal ? 0 : 1;
      }
    }
    EXPECT_LE(differing, 8);
  }
}

}  // namespace
}  // namespace marsim::lidar
