#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "marsim/lidar/camera.hpp"

namespace marsim::lidar {

/// A moving object as an image sees it.
struct SeenObject {
  std::uint32_t identity = 0;
  std::uint8_t semantic_class = 0;               ///< see map::semantic
  int left = 0, top = 0, right = 0, bottom = 0;  ///< [px] the part that is seen, both ends included
  std::uint32_t pixels = 0;                      ///< that show it
  Pose X_WM;                                     ///< its frame in world at the image's stamp
  Eigen::Vector3d v_WM = Eigen::Vector3d::Zero();  ///< [m/s] in W
};

/// What a camera's image truly shows: of what the centre of each pixel meets, row by row, without
/// noise. Keeps references to all it is made of.
class ImageTruth {
 public:
  /// `objects`: those that the image was made with; their motion in the 20 ms before the stamp
  /// gives velocities, that of the time since an earlier image gives flow.
  ImageTruth(const Camera& camera, const CameraImage& image, View<MovingObject> objects);

  /// See map::semantic; 0: not known, or the sky.
  std::vector<std::uint8_t> classes() const;
  /// Identities of moving objects and plants; kMapIdentity: the map, or the sky.
  std::vector<std::uint32_t> identities() const;
  /// Unit, in C, towards the camera; NaN in the sky. Of a ball against the ray.
  std::vector<Eigen::Vector3f> normals() const;
  /// [px] to the right and down since an image of `before` (Camera::empty): from where the surface
  /// was in it to the pixel. NaN in the sky, where the surface was behind the camera, and on plants
  /// and objects that were not there. In directions where nothing is there is no parallax either,
  /// but no surface that flow could be of.
  std::vector<Eigen::Vector2f> flowSince(const CameraImage& before) const;
  /// By their identities. UAVs and obstacles; plants are none.
  std::vector<SeenObject> seenObjects() const;

 private:
  std::size_t width() const;
  Eigen::Vector3d velocityOf(std::uint32_t identity, const MovingObject& now) const;
  const MovingObject* objectAt(std::uint32_t identity, double time) const;
  Eigen::Vector2f flowOf(std::size_t pixel, const CameraImage& before, double age) const;

  const Camera& camera_;
  const CameraImage& image_;
  View<MovingObject> objects_;
};

}  // namespace marsim::lidar
