// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/image_stream.hpp"
#include "layouts/cloud_encoder.hpp"
#include "marsim/map/surfel_map.hpp"
#include "ros2/messages.hpp"
#include "ros2/participant.hpp"
#include "tools/suite/scenario_flight.hpp"

namespace marsim::ros2 {

struct UavTopicsConfig {
  bool twist_in_world = false;  ///< of `odom`
  bool truth_tf = true;         ///< world to base_link, else to base_link_truth
};

/// Publishes a UAV's sensors and truth, transforms, contacts and the map, from the calls of a
/// flight. Scans and images that nobody hears are not rendered.
class UavTopics {
 public:
  /// Sets the flight's callbacks; all three must outlive it.
  UavTopics(const UavTopicsConfig& config, tools::ScenarioFlight& flight, Participant& participant);

  /// [bytes] the largest message that these sensors make.
  static std::size_t largestMessage(const sim::UavConfig& config);
  /// Call it after each step.
  void publishClock(TimeNs now);
  void publishDiagnostics(const std::vector<Status>& all, TimeNs now);
  /// Turns rendering on and off by the readers; call it at each report.
  void followReaders();

 private:
  struct LidarOutput {
    layouts::CloudEncoder encoder;
    std::vector<Publication*> writers;  ///< one for each cloud of a scan
  };
  struct ImageOutput {
    Publication *image, *info;
  };

  void advertiseMotion();
  void advertiseLidar();
  void advertiseImages();
  void publishMap();
  void publishStatic();
  void publishOdometry(const KinematicState& state);
  void publishImu(const vehicle::ImuSample& sample);
  void publishScan(const lidar::Scan& scan);
  void publishImage(std::size_t stream, TimeNs stamp, const std::string& pixels);
  void publishCamera(std::size_t camera, const lidar::CameraImage& image);
  void publishContact(const collision::ContactEvent& event);
  bool wantsImages(bool is_depth) const;
  TimeNs stamp(TimeNs time) const { return time + flight_.epoch(); }

  UavTopicsConfig config_;
  tools::ScenarioFlight& flight_;
  Participant& participant_;
  Publication *clock_, *tf_, *static_tf_, *map_, *diagnostics_, *odom_, *imu_, *imu_raw_,
      *livox_imu_, *contact_;
  Publication *world_points_ = nullptr, *sensor_pose_ = nullptr;
  std::vector<LidarOutput> clouds_;
  std::vector<dataset::ImageStream> streams_;
  std::vector<ImageOutput> images_;          ///< for each stream
  std::vector<std::size_t> colour_streams_;  ///< by camera number
  std::uint32_t contacts_ = 0;               ///< begun
};

}  // namespace marsim::ros2
