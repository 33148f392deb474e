// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/image_stream.hpp"
#include "layouts/cloud_encoder.hpp"
#include "marsim/sim/world.hpp"
#include "ros2/messages.hpp"
#include "ros2/participant.hpp"

namespace marsim::ros2 {

struct UavTopicsConfig {
  TimeNs epoch = 0;             ///< stamp of simulated time 0
  bool twist_in_world = false;  ///< of `odom`
  bool truth_tf = true;         ///< world to base_link, else to base_link_truth
};

/// Publishes a UAV's sensors and truth, transforms and contacts, from its callbacks. Scans and
/// images that nobody hears are not rendered.
class UavTopics {
 public:
  /// `name` of the UAV: "uav0". Sets its callbacks; all others but `config` must outlive it.
  UavTopics(const UavTopicsConfig& config, const std::string& name, const sim::UavConfig& setup,
            sim::Uav& uav, Participant& participant, Publication& tf);

  /// [bytes] the largest message that these sensors make.
  static std::size_t largestMessage(const sim::UavConfig& config);
  /// The transforms from its body to its sensors.
  std::vector<Transform> staticTransforms() const;
  /// Turns rendering on and off by the readers; call it at each report.
  void followReaders();
  std::uint32_t contacts() const { return contacts_; }  ///< number of contacts begun

 private:
  struct LidarOutput {
    layouts::CloudEncoder encoder;
    std::vector<Publication*> writers;  ///< one for each cloud of a scan
  };
  struct ImageOutput {
    Publication *image, *info;
  };

  /// Advertises a topic of the UAV's namespace.
  Publication& advertise(const std::string& topic, const Type& type, const Offer& offer);
  void advertiseMotion();
  void advertiseLidar();
  void advertiseImages();
  void publishOdometry(const KinematicState& state);
  void publishEstimate(const StampedPose& estimate);
  void publishImu(const vehicle::ImuSample& sample);
  void publishScan(const lidar::Scan& scan);
  void publishImage(std::size_t stream, TimeNs stamp, const std::string& pixels);
  void publishCamera(std::size_t camera, const lidar::CameraImage& image);
  void publishContact(const collision::ContactEvent& event);
  bool wantsImages(bool is_depth) const;
  TimeNs stamp(TimeNs time) const { return time + config_.epoch; }

  UavTopicsConfig config_;
  layouts::Frames frames_;
  const sim::UavConfig& setup_;
  sim::Uav& uav_;
  Participant& participant_;
  Publication& tf_;
  Publication *odom_, *imu_, *imu_raw_, *livox_imu_, *contact_;
  Publication *slam_odom_ = nullptr, *world_points_ = nullptr, *sensor_pose_ = nullptr;
  std::vector<LidarOutput> clouds_;
  std::vector<dataset::ImageStream> streams_;
  std::vector<ImageOutput> images_;          ///< for each stream
  std::vector<std::size_t> colour_streams_;  ///< by camera number
  std::uint32_t contacts_ = 0;
};

}  // namespace marsim::ros2
