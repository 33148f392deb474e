#pragma once

#include <string>
#include <vector>

#include "dataset/writer.hpp"

namespace marsim::dataset {

/// A stream of images, named as the camera nodes name it.
struct ImageStream {
  enum class Kind {
    kDepth,         ///< of the depth camera
    kColour,        ///< of a camera of the rig, in colour or grey
    kAlignedDepth,  ///< depth in the pixels of such a camera
    kClass,         ///< what they truly show, see lidar::ImageTruth::classes()
    kInstance,      ///< and lidar::ImageTruth::identities()
  };
  Kind kind = Kind::kDepth;
  std::size_t camera = 0;  ///< its number in the rig
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

/// The depth camera, then the rig's cameras, each followed by the depth in its pixels and the
/// truth.
std::vector<ImageStream> imageStreams(const Sensors& sensors);

/// The coefficients of a camera without the fifth, which a fisheye has not and others rarely have:
/// it follows where it is not 0.
std::vector<double> shortDistortion(const lidar::CameraModel& model);
/// An image, but of instances, as a PNG file. Of depth `steps_a_metre`, see depthPng.
std::string pngOf(const Image& image, const ImageStream& stream, double steps_a_metre);

/// [Hz] rate of the frames of KITTI, which are those of the LiDAR or else of the cameras.
double kittiRate(const Sensors& sensors);
/// Whether KITTI has room for a stream: two cameras without distortion that look the same way, with
/// an image at each of its frames.
bool kittiHolds(const Sensors& sensors, const ImageStream& stream);
/// Whether TUM has: the first camera and depth in its pixels, or else the depth camera.
bool tumHolds(const Sensors& sensors, const ImageStream& stream);

}  // namespace marsim::dataset
