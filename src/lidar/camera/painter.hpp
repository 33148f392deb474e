#pragma once

#include <vector>

#include "lidar/camera/surface_shader.hpp"
#include "lidar/cast/workers.hpp"

namespace marsim::lidar {

/// Turns what the pixels of an image meet into the light that they take in.
class Painter {
 public:
  /// `directions`: unit, in C, of the pixels' centres, row by row. Keeps references.
  Painter(const CameraConfig& config, const std::vector<Eigen::Vector3f>& directions,
          const SurfaceShader& shader, const RayRenderer& rays, const Workers& workers);

  /// `hits`: of the pixels' centres.
  std::vector<Radiance> paint(TimeNs stamp, const Pose& X_WC, View<MovingObject> objects,
                              const std::vector<Hit>& hits) const;

 private:
  struct Scene;
  Radiance radianceOf(SurfaceShader::Job& job, const Hit& hit, const Eigen::Vector3f& direction_W,
                      const Scene& scene) const;
  std::vector<std::uint32_t> edges(const Scene& scene) const;
  bool parts(const Scene& scene, std::size_t a, std::size_t b) const;
  void smooth(const Scene& scene, const std::vector<std::uint32_t>& pixels,
              std::vector<Radiance>& radiances) const;
  Eigen::Vector3f directionBeside(std::uint32_t pixel, float right, float down) const;

  const CameraConfig& config_;
  const std::vector<Eigen::Vector3f>& directions_;
  const SurfaceShader& shader_;
  const RayRenderer& rays_;
  const Workers& workers_;
  const int width_, height_;
  const float pixel_angle_;  // [rad] of a pixel on the axis
};

}  // namespace marsim::lidar
