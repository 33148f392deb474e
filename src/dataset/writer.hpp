// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataset/axes.hpp"
#include "layouts/frames.hpp"
#include "marsim/lidar/camera.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/vehicle/imu.hpp"

/// Data sets: a flight's sensor streams and ground truth, in the layouts that programs of the field
/// read.
namespace marsim::dataset {

/// The frames of the UAV that flies.
inline const layouts::Frames kFrames{"world", "uav0/"};

/// An image of a stream (imageStreams()), row by row from the top left.
struct Image {
  std::size_t stream = 0;  ///< number of the stream
  TimeNs stamp = 0;
  Pose X_WC;                              ///< true optical frame in world at `stamp`
  std::vector<float> depth;               ///< [m] along the optical axis; not finite: none
  std::vector<std::uint8_t> pixels;       ///< of colour, grey or classes, in the stream's encoding
  std::vector<std::uint32_t> identities;  ///< of instances, see lidar::ImageTruth
};

/// The sensors of a data set, for its calibration files.
struct Sensors {
  vehicle::ImuConfig imu;
  std::optional<lidar::LidarConfig> lidar;
  std::optional<lidar::DepthCameraConfig> depth;
  std::optional<lidar::CameraRigConfig> cameras;
  layouts::Frames frames = kFrames;
  bool image_truth = false;   ///< with class and instance of each camera pixel
  std::uint16_t things = 0;   ///< largest number of the map's things (SurfelChannels::instances)
  Pose X_BR;                  ///< frame of the ground truth where a layout does not decide it
  bool is_R_optical = false;  ///< true: a camera's
};

/// The body's true motion at an instant, with the true biases of the IMU.
struct Truth {
  KinematicState state;
  Eigen::Vector3d gyroscope_bias = Eigen::Vector3d::Zero();      ///< [rad/s] in I
  Eigen::Vector3d accelerometer_bias = Eigen::Vector3d::Zero();  ///< [m/s^2] in I
};

/// Writes a layout: samples in, files out, with bounded memory. The samples of each stream come
/// with rising stamps; streams that the layout cannot hold are ignored. Every call throws
/// FileError.
class Writer {
 public:
  virtual ~Writer() = default;
  virtual void addTruth(const Truth& /*truth*/) {}
  virtual void addImu(const vehicle::ImuSample& /*sample*/) {}
  virtual void addScan(const lidar::Scan& /*scan*/) {}
  virtual void addImage(const Image& /*image*/) {}
  /// Whether scans must list their misses (Lidar::keepMisses).
  virtual bool needsMisses() const { return false; }
  /// Ends writing. The files on the disk are then complete.
  virtual void finish() = 0;
};

/// Place and options of a layout.
struct Destination {
  std::filesystem::path folder;  ///< exists already
  Sensors sensors;
  Axes axes = Axes::kEnu;
  TimeNs epoch = 0;  ///< stamp of simulated time 0
};

/// groundtruth.txt, accelerometer.txt, rgb.txt and rgb/, depth.txt and depth/ as in the TUM RGB-D
/// benchmark, with associations.txt: the images of tumHolds().
std::unique_ptr<Writer> makeTumWriter(const Destination& to);
/// mav0/ as in EuRoC's MAV data sets (ASL): the body is the IMU.
std::unique_ptr<Writer> makeAslWriter(const Destination& to);
/// sequences/00/ as in KITTI's odometry benchmark, with SemanticKITTI's labels and the images of
/// kittiHolds(). It has KITTI's own frames, whatever the axes. Needs a LiDAR or such images.
std::unique_ptr<Writer> makeKittiWriter(const Destination& to);
/// flight.bag, the topics of the nodes as rosbag (ROS 1, format 2.0) records them; ENU only. Needs
/// the library of bag_library.hpp.
std::unique_ptr<Writer> makeBagWriter(const Destination& to);
/// flight_0.mcap and metadata.yaml, a bag of ROS 2 (rosbag2): ground truth, IMU, points with the
/// fields of the PCD files, and images; ENU only.
std::unique_ptr<Writer> makeMcapWriter(const Destination& to);
/// A PCD file a scan with the time of each point, and the poses of the scans. Needs a LiDAR.
std::unique_ptr<Writer> makePcdWriter(const Destination& to);

}  // namespace marsim::dataset
