// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "marsim/lidar/camera.hpp"

namespace marsim::lidar {

/// A moving object as an image sees it.
struct SeenObject {
  std::uint32_t identity = 0;
  std::uint8_t semantic_class = 0;                 ///< see map::semantic
  int left = 0, top = 0, right = 0, bottom = 0;    ///< [px] the visible part, both ends included
  std::uint32_t pixels = 0;                        ///< that show the object
  Pose X_WM;                                       ///< its frame in world at the image's stamp
  Eigen::Vector3d v_WM = Eigen::Vector3d::Zero();  ///< [m/s] in W
};

/// The ground truth of a camera's image: class, identity, normal and flow at the centre of each
/// pixel, row by row, without noise. Keeps references to its arguments.
class ImageTruth {
 public:
  /// `objects`: the objects of the image; their motion in the 20 ms before the stamp gives
  /// velocities, their motion since an earlier image gives flow.
  ImageTruth(const Camera& camera, const CameraImage& image, View<MovingObject> objects);

  /// Classes, see map::semantic; 0: unknown, or the sky.
  std::vector<std::uint8_t> classes() const;
  /// Identities of moving objects, plants and the map's things (scene::kFirstThingIdentity);
  /// kMapIdentity: the rest of the map, or the sky.
  std::vector<std::uint32_t> identities() const;
  /// Unit normals in C, towards the camera; against the ray where not planar; NaN in the sky.
  std::vector<Eigen::Vector3f> normals() const;
  /// Optical flow [px] to the right and down since the image `before` (Camera::empty): from the
  /// surface's place in that image to the pixel. NaN in the sky, which has no surface that could
  /// flow, where the surface was behind the camera, and on plants and objects that were not there.
  std::vector<Eigen::Vector2f> flowSince(const CameraImage& before) const;
  /// The UAVs and obstacles in the image, by identity; no plants.
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
