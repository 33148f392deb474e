// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "dataset/writer.hpp"

namespace marsim::dataset {

/// A stream of images, with the names of the camera nodes.
struct ImageStream {
  enum class Kind {
    kDepth,         ///< of the depth camera
    kColour,        ///< of a camera of the rig, in colour or grey
    kAlignedDepth,  ///< depth in the pixels of such a camera
    kClass,         ///< class of each pixel, see lidar::ImageTruth::classes()
    kInstance,      ///< instance of each pixel, see lidar::ImageTruth::identities()
  };
  Kind kind = Kind::kDepth;
  std::size_t camera = 0;  ///< number in the rig
  std::string name;        ///< of its folder: "depth0", "cam0"
  std::string comment;
  std::string topic;       ///< below the UAV's namespace: "camera/left/image_raw"
  std::string info_topic;  ///< "camera/left/camera_info"; empty: none
  std::string frame;       ///< "uav0/camera_left_optical_frame"
  std::string encoding;    ///< of messages: "16UC1", "mono8"
  lidar::ImageEncoding pixels = lidar::ImageEncoding::kMono8;  ///< of colour and grey
  double rate = 0.0;                                           ///< [Hz]
  lidar::CameraModel model;
  double shift = 0.0;  ///< [px m] Tx of the projection matrix
  Pose X_BC;           ///< optical frame in body

  bool isDepth() const { return kind == Kind::kDepth || kind == Kind::kAlignedDepth; }
  bool isTruth() const { return kind == Kind::kClass || kind == Kind::kInstance; }
};

/// The depth camera, then the rig's cameras, each followed by its aligned depth and ground truth.
std::vector<ImageStream> imageStreams(const Sensors& sensors);

/// The coefficients of a camera without the fifth if that is 0, as always for a fisheye and usually
/// for others.
std::vector<double> shortDistortion(const lidar::CameraModel& model);
/// A PNG file of an image other than of instances. `steps_a_metre`: for depth, see depthPng.
std::string pngOf(const Image& image, const ImageStream& stream, double steps_a_metre);

/// [Hz] rate of KITTI's frames: the LiDAR's, else the cameras'.
double kittiRate(const Sensors& sensors);
/// Whether KITTI can hold a stream: two cameras without distortion that look the same way, with an
/// image at each frame.
bool kittiHolds(const Sensors& sensors, const ImageStream& stream);
/// Whether TUM can hold a stream: the first camera and its depth, else the depth camera.
bool tumHolds(const Sensors& sensors, const ImageStream& stream);

}  // namespace marsim::dataset
