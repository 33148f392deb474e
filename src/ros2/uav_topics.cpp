// SPDX-License-Identifier: BSD-3-Clause
#include "ros2/uav_topics.hpp"

#include <algorithm>

#include "dataset/ros2_messages.hpp"
#include "dataset/writer.hpp"
#include "marsim/common/units.hpp"

namespace marsim::ros2 {
namespace {

namespace types = dataset::ros2_types;

constexpr std::size_t kLongestPoint =
    3 * 48;  // [bytes] of a shot: three returns in the layout ouster
constexpr Offer kHeavy{5, false, true};

dataset::Sensors sensorsOf(const sim::UavConfig& config, const layouts::Frames& frames) {
  dataset::Sensors sensors;
  sensors.frames = frames;
  sensors.depth = config.depth;
  sensors.cameras = config.cameras;
  return sensors;
}

double square(double x) { return x * x; }

}  // namespace

UavTopics::UavTopics(const UavTopicsConfig& config, const std::string& name,
                     const sim::UavConfig& setup, sim::Uav& uav, Participant& participant,
                     Publication& tf)
    : config_(config),
      frames_{dataset::kFrames.world, name + "/"},
      setup_(setup),
      uav_(uav),
      participant_(participant),
      tf_(tf) {
  advertiseMotion();
  if (setup_.lidar) advertiseLidar();
  advertiseImages();
}

Publication& UavTopics::advertise(const std::string& topic, const Type& type, const Offer& offer) {
  return participant_.advertise("/" + frames_.prefix + topic, type, offer);
}

void UavTopics::advertiseMotion() {
  odom_ = &advertise("odom", types::kOdometry, {100});
  imu_ = &advertise("imu/data", types::kImu, {200});
  imu_raw_ = &advertise("imu/data_raw", types::kImu, {200});
  livox_imu_ = &advertise("livox/imu", types::kImu, {200});
  contact_ = &advertise("collision", types::kContact, {100});
  uav_.on_odometry = [this](const KinematicState& state) { publishOdometry(state); };
  uav_.on_imu = [this](const vehicle::ImuSample& sample) { publishImu(sample); };
  if (uav_.pilot().estimates() != nullptr) {
    slam_odom_ = &advertise("slam_odom", types::kOdometry, {100});
    uav_.on_estimate = [this](const StampedPose& estimate) { publishEstimate(estimate); };
  }
  uav_.on_contact = [this, before = uav_.on_contact](const collision::ContactEvent& event) {
    if (before) before(event);
    publishContact(event);
  };
}

void UavTopics::advertiseLidar() {
  const lidar::LidarConfig& lidar = *setup_.lidar;
  const std::vector<std::string> topics = lidar::outputTopics(lidar.outputs);
  bool needs_misses = false;
  for (std::size_t i = 0; i < topics.size(); ++i) {
    LidarOutput& output = clouds_.emplace_back(LidarOutput{
        layouts::CloudEncoder(lidar.outputs[i], lidar, frames_.lidar(), config_.epoch), {}});
    needs_misses = needs_misses || output.encoder.needsMisses();
    for (int cloud = 0; cloud < output.encoder.clouds(); ++cloud) {
      const std::string number = cloud == 0 ? "" : std::to_string(cloud + 1);
      output.writers.push_back(
          &advertise(topics[i] + number, typeOf(lidar.outputs[i].layout), kHeavy));
    }
  }
  uav_.keepMisses(needs_misses);
  world_points_ = &advertise("points_world", types::kPointCloud2, kHeavy);
  sensor_pose_ = &advertise("sensor_pose", types::kPoseStamped, {});
}

void UavTopics::advertiseImages() {
  streams_ = dataset::imageStreams(sensorsOf(setup_, frames_));
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (streams_[i].kind == dataset::ImageStream::Kind::kColour) colour_streams_.push_back(i);
    images_.push_back({&advertise(streams_[i].topic, types::kImage, kHeavy),
                       &advertise(streams_[i].info_topic, types::kCameraInfo, {})});
  }
}

std::vector<Transform> UavTopics::staticTransforms() const {
  const std::string base = frames_.base();
  const TimeNs at = config_.epoch;
  std::vector<Transform> transforms = {{at, base, frames_.imu(), setup_.vehicle.imu.X_BI}};
  if (setup_.lidar) transforms.push_back({at, base, frames_.lidar(), setup_.lidar->X_BS});
  if (setup_.depth) transforms.push_back({at, base, frames_.depth(), setup_.depth->X_BC});
  if (setup_.cameras) {
    for (const lidar::CameraConfig& camera : setup_.cameras->cameras) {
      transforms.push_back({at, base, frames_.camera(camera.name), camera.X_BC});
    }
  }
  return transforms;
}

void UavTopics::publishOdometry(const KinematicState& state) {
  KinematicState stamped = state;
  stamped.stamp = stamp(state.stamp);
  if (odom_->wanted()) {
    odom_->write(
        dataset::odometryMessage(stamped, config_.twist_in_world, frames_.world, frames_.base()));
  }
  if (!tf_.wanted()) return;
  const std::string child = frames_.base() + (config_.truth_tf ? "" : "_truth");
  tf_.write(tfMessage({{stamped.stamp, frames_.world, child, state.X_WB}}));
}

void UavTopics::publishEstimate(const StampedPose& estimate) {
  if (!slam_odom_->wanted()) return;
  KinematicState state;
  state.stamp = stamp(estimate.stamp);
  state.X_WB = estimate.X_WB;
  slam_odom_->write(dataset::odometryMessage(state, false, frames_.world, frames_.base()));
}

void UavTopics::publishImu(const vehicle::ImuSample& sample) {
  const vehicle::ImuConfig& imu = setup_.vehicle.imu;
  const dataset::ImuVariances variances{square(imu.orientation_noise),
                                        square(imu.gyroscope.noise_density) * imu.rate,
                                        square(imu.accelerometer.noise_density) * imu.rate};
  vehicle::ImuSample stamped = sample;
  stamped.stamp = stamp(sample.stamp);
  const std::string frame = frames_.imu();
  if (imu_->wanted()) imu_->write(dataset::imuMessage(stamped, variances, true, frame));
  if (imu_raw_->wanted()) imu_raw_->write(dataset::imuMessage(stamped, variances, false, frame));
  if (!livox_imu_->wanted()) return;
  stamped.specific_force /= kGravity;
  stamped.q_WI.coeffs().setZero();
  livox_imu_->write(dataset::imuMessage(stamped, {}, true, frame));
}

void UavTopics::publishScan(const lidar::Scan& scan) {
  const auto stamped = [this](layouts::Contents contents) {
    std::visit([this](auto& content) { content.stamp = stamp(content.stamp); }, contents);
    return message(contents);
  };
  for (const LidarOutput& output : clouds_) {
    for (std::size_t i = 0; i < output.writers.size(); ++i) {
      if (!output.writers[i]->wanted()) continue;
      output.writers[i]->write(stamped(output.encoder.encode(scan, static_cast<int>(i))));
    }
  }
  if (world_points_->wanted()) {
    world_points_->write(stamped(layouts::worldCloud(scan, frames_.world)));
  }
  if (sensor_pose_->wanted()) {
    sensor_pose_->write(poseMessage(scan.X_WS, stamp(scan.stamp), frames_.world));
  }
}

void UavTopics::publishImage(std::size_t stream, TimeNs time, const std::string& pixels) {
  const ImageOutput& output = images_[stream];
  if (output.info->wanted()) {
    output.info->write(dataset::cameraInfoMessage(streams_[stream], stamp(time)));
  }
  if (output.image->wanted()) {
    output.image->write(dataset::imageMessage(streams_[stream], stamp(time), pixels));
  }
}

void UavTopics::publishCamera(std::size_t camera, const lidar::CameraImage& image) {
  const std::size_t stream = colour_streams_[camera];
  publishImage(stream, image.stamp, {image.pixels.begin(), image.pixels.end()});
  const lidar::Camera& taken_by = uav_.cameras()->cameras()[camera];
  if (!taken_by.config().aligned_depth || !images_[stream + 1].image->wanted()) return;
  const std::string depth =
      dataset::depthBytes(streams_[stream + 1], taken_by.alignedDepth(image).depth);
  publishImage(stream + 1, image.stamp, depth);
}

void UavTopics::publishContact(const collision::ContactEvent& event) {
  if (event.begins) ++contacts_;
  contact_->write(contactMessage(event, stamp(event.stamp), frames_.world, contacts_));
}

bool UavTopics::wantsImages(bool is_depth) const {
  for (std::size_t i = 0; i < images_.size(); ++i) {
    const bool is_of_kind = (streams_[i].kind == dataset::ImageStream::Kind::kDepth) == is_depth;
    if (is_of_kind && (images_[i].image->wanted() || images_[i].info->wanted())) return true;
  }
  return false;
}

void UavTopics::followReaders() {
  const bool wants_scans =
      world_points_ != nullptr &&
      (world_points_->wanted() || sensor_pose_->wanted() ||
       std::any_of(clouds_.begin(), clouds_.end(), [](const LidarOutput& output) {
         return std::any_of(output.writers.begin(), output.writers.end(),
                            [](const Publication* writer) { return writer->wanted(); });
       }));
  if (!wants_scans) {
    uav_.on_scan = nullptr;
  } else if (!uav_.on_scan) {
    uav_.on_scan = [this](const lidar::Scan& scan) { publishScan(scan); };
  }
  if (!wantsImages(true)) {
    uav_.on_image = nullptr;
  } else if (!uav_.on_image) {
    uav_.on_image = [this](const lidar::DepthImage& image) {
      publishImage(0, image.stamp, dataset::depthBytes(streams_[0], image.depth));
    };
  }
  if (!wantsImages(false)) {
    uav_.on_camera_image = nullptr;
  } else if (!uav_.on_camera_image) {
    uav_.on_camera_image = [this](std::size_t camera, const lidar::CameraImage& image,
                                  View<scene::MovingObject> /*objects*/) {
      publishCamera(camera, image);
    };
  }
}

std::size_t UavTopics::largestMessage(const sim::UavConfig& config) {
  std::size_t largest = 0;
  for (const dataset::ImageStream& stream : dataset::imageStreams(sensorsOf(config, {}))) {
    const std::size_t pixels = static_cast<std::size_t>(stream.model.width) *
                               static_cast<std::size_t>(stream.model.height);
    largest = std::max(largest, pixels * sizeof(float));
  }
  if (!config.lidar) return largest;
  const double points =
      lidar::makePattern(config.lidar->pattern)->pointsPerSecond() / config.lidar->rate;
  return std::max(largest, static_cast<std::size_t>(points) * kLongestPoint);
}

}  // namespace marsim::ros2
