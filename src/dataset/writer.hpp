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

/// Data sets: the streams of a flight's sensors and its truth, in the layouts that the field's
/// programs read.
namespace marsim::dataset {

/// The frames of the UAV that flies.
inline const layouts::Frames kFrames{"world", "uav0/"};

/// An image of a stream (imageStreams()), row by row from the top left.
struct Image {
  std::size_t stream = 0;  ///< its number
  TimeNs stamp = 0;
  Pose X_WC;                         ///< true optical frame in world at `stamp`
  std::vector<float> depth;          ///< [m] along the optical axis; not finite: none
  std::vector<std::uint8_t> pixels;  ///< or, of colour, grey or classes, in the stream's encoding
  std::vector<std::uint32_t> identities;  ///< or, of instances, as lidar::ImageTruth's
};

/// The sensors of a data set, as its calibration files tell them.
struct Sensors {
  vehicle::ImuConfig imu;
  std::optional<lidar::LidarConfig> lidar;
  std::optional<lidar::DepthCameraConfig> depth;
  std::optional<lidar::CameraRigConfig> cameras;
  bool image_truth = false;   ///< with class and instance of each of the cameras' pixels
  Pose X_BR;                  ///< frame whose poses are the truth where a layout leaves that open
  bool is_R_optical = false;  ///< a camera's
};

/// The body's true motion at an instant, with the true biases of the IMU.
struct Truth {
  KinematicState state;
  Eigen::Vector3d gyroscope_bias = Eigen::Vector3d::Zero();      ///< [rad/s] in I
  Eigen::Vector3d accelerometer_bias = Eigen::Vector3d::Zero();  ///< [m/s^2] in I
};

/// A layout that is being written: samples in, files out, with bounded memory. The samples of each
/// stream come by rising stamps; a layout that has no room for a stream passes over it. Everything
/// throws FileError.
class Writer {
 public:
  virtual ~Writer() = default;
  virtual void addTruth(const Truth& /*truth*/) {}
  virtual void addImu(const vehicle::ImuSample& /*sample*/) {}
  virtual void addScan(const lidar::Scan& /*scan*/) {}
  virtual void addImage(const Image& /*image*/) {}
  /// Whether scans must list their misses (Lidar::keepMisses).
  virtual bool needsMisses() const { return false; }
  /// Nothing more comes. What is on the disk then is complete.
  virtual void finish() = 0;
};

/// Where and how a layout is written.
struct Destination {
  std::filesystem::path folder;  ///< there already
  Sensors sensors;
  Axes axes = Axes::kEnu;
};

/// groundtruth.txt, accelerometer.txt, rgb.txt and rgb/, depth.txt and depth/ as in the TUM RGB-D
/// benchmark, with associations.txt: the images of tumHolds().
std::unique_ptr<Writer> makeTumWriter(const Destination& to);
/// mav0/ as in EuRoC's MAV data sets (ASL): the body is the IMU.
std::unique_ptr<Writer> makeAslWriter(const Destination& to);
/// sequences/00/ as in KITTI's odometry benchmark, with SemanticKITTI's labels and the images of
/// kittiHolds(). Its frames are its own, whatever the axes. Needs a LiDAR or such images.
std::unique_ptr<Writer> makeKittiWriter(const Destination& to);
/// flight.bag, the topics of the nodes as rosbag (ROS 1, format 2.0) records them; ENU only. Needs
/// the library of bag_library.hpp.
std::unique_ptr<Writer> makeBagWriter(const Destination& to);
/// flight_0.mcap and metadata.yaml, a bag of ROS 2 (rosbag2): truth, IMU, the points as the PCD
/// files have them, and images; ENU only.
std::unique_ptr<Writer> makeMcapWriter(const Destination& to);
/// A PCD file a scan with the time of each point, and the poses of the scans. Needs a LiDAR.
std::unique_ptr<Writer> makePcdWriter(const Destination& to);

}  // namespace marsim::dataset
