// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "lidar/camera/surface_shader.hpp"
#include "lidar/cast/workers.hpp"

namespace marsim::lidar {

/// Poses of a camera while it takes in light: all at one time, or one row after another.
struct Frame {
  TimeNs stamp = 0;
  std::vector<Pose> X_WC;    ///< one, or one per row
  std::vector<float> times;  ///< [s] since `stamp`, one per pose

  bool isOfOneInstant() const { return X_WC.size() == 1; }
  std::size_t numberOf(int row) const {
    return isOfOneInstant() ? 0 : static_cast<std::size_t>(row);
  }
};

/// The shading for what simdLevelFor() returned.
ShadeKernel shadeKernel(SimdLevel level);

/// Turns the hits of an image's pixels into the light that the pixels take in.
class Painter {
 public:
  /// `directions`: unit, in C, of the pixels' centres, row by row. `extinction` [1/m]: of the air.
  /// Keeps references to its arguments.
  Painter(const CameraConfig& config, const std::vector<Eigen::Vector3f>& directions,
          const SurfaceShader& shader, const Workers& workers, float extinction);

  /// `hits`: of the pixels' centres; `looks`: of the map's surfaces there, null if unknown; only
  /// for frames of one instant. Sets one radiance per pixel.
  void paint(const Frame& frame, View<MovingObject> objects, const std::vector<Hit>& hits,
             const SurfaceLooks* looks, std::vector<Radiance>& radiances) const;

 private:
  struct Scene;
  Radiance radianceOf(SurfaceShader::Job& job, std::size_t pixel, int row,
                      const Scene& scene) const;
  /// Differences of the directions of two pixels `step` apart about a pixel of an image line of
  /// `count` pixels, per pixel.
  Eigen::Vector3f differenceAt(std::size_t pixel, int place, int count, std::size_t step) const;
  Radiance throughAir(const Radiance& radiance, float range) const;
  ShadeSettings settingsOf(const Pose& X_WC) const;
  /// Shades the map's surfaces in a row of pixels, from their looks.
  void shadeRow(int row, const ShadeSettings& settings, const Scene& scene,
                const SurfaceLooks& looks, std::vector<Radiance>& radiances) const;
  template <class Act>
  void forTiles(int first_row, int end_row, const Act& act) const;
  std::vector<std::uint32_t> edges(const Scene& scene) const;
  bool parts(const Scene& scene, std::size_t a, std::size_t b) const;
  void smooth(const std::vector<std::uint32_t>& pixels, std::vector<Radiance>& radiances) const;
  Radiance smoothAt(std::uint32_t pixel, const std::vector<Radiance>& radiances) const;

  const CameraConfig& config_;
  const std::vector<Eigen::Vector3f>& directions_;
  const SurfaceShader& shader_;
  const Workers& workers_;
  const int width_, height_;
  const float pixel_angle_;  // [rad] width of a pixel on the axis
  const float extinction_;   // [1/m]
  const ShadeKernel shade_;
};

}  // namespace marsim::lidar
