// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <fmt/format.h>

#include "dataset/cdr.hpp"
#include "dataset/image_stream.hpp"
#include "dataset/mcap_file.hpp"
#include "dataset/ros2_schemas.hpp"
#include "dataset/scan_points.hpp"
#include "dataset/writer.hpp"

namespace marsim::dataset {
namespace {

constexpr char kFile[] = "flight_0.mcap";
constexpr std::size_t kTruth = 0, kImu = 1;  // numbers of channels; others follow

/// A definition without the empty line at the beginning of its raw string.
std::string parts(const char* text) { return text + 1; }

std::vector<McapChannel> channelsOf(const Sensors& sensors) {
  const std::string header = parts(ros2::kHeaderParts), vectors = parts(ros2::kVectorParts);
  std::vector<McapChannel> channels = {
      {"/uav0/odom", "nav_msgs/msg/Odometry", ros2::kOdometry + header + vectors, "",
       ros2::kOdometryHash},
      {"/uav0/imu/data", "sensor_msgs/msg/Imu", ros2::kImu + header + vectors, "", ros2::kImuHash}};
  if (sensors.lidar) {
    channels.push_back({"/uav0/points", "sensor_msgs/msg/PointCloud2", ros2::kPointCloud2 + header,
                        "", ros2::kPointCloud2Hash});
  }
  for (const ImageStream& stream : imageStreams(sensors)) {
    if (!stream.info_topic.empty()) {
      channels.push_back({"/uav0/" + stream.info_topic, "sensor_msgs/msg/CameraInfo",
                          ros2::kCameraInfo + header, "", ros2::kCameraInfoHash});
    }
    channels.push_back({"/uav0/" + stream.topic, "sensor_msgs/msg/Image", ros2::kImage + header, "",
                        ros2::kImageHash});
  }
  return channels;
}

/// The message that the nodes of ROS 1 publish.
std::string cameraInfo(const ImageStream& stream, TimeNs stamp) {
  const lidar::CameraModel& model = stream.model;
  const double fx = model.fx, fy = model.fy, cx = model.cx, cy = model.cy;
  const bool is_fisheye = model.projection == lidar::CameraModel::Projection::kFisheye;
  const std::size_t coefficients = is_fisheye ? 4 : 5;
  Cdr cdr;
  cdr.addHeader(stamp, stream.frame);
  cdr.add(static_cast<std::uint32_t>(model.height));
  cdr.add(static_cast<std::uint32_t>(model.width));
  cdr.add(std::string(is_fisheye ? "equidistant" : "plumb_bob"));
  cdr.add(static_cast<std::uint32_t>(coefficients));
  for (std::size_t i = 0; i < coefficients; ++i) cdr.add(model.distortion[i]);
  for (const double value :
       {fx,  0.0, cx,  0.0,          fy,  cy,  0.0, 0.0, 1.0,                    // k
        1.0, 0.0, 0.0, 0.0,          1.0, 0.0, 0.0, 0.0, 1.0,                    // r
        fx,  0.0, cx,  stream.shift, 0.0, fy,  cy,  0.0, 0.0, 0.0, 1.0, 0.0}) {  // p
    cdr.add(value);
  }
  for (int i = 0; i < 6; ++i) cdr.add(std::uint32_t{0});  // no binning, no region
  cdr.add(std::uint8_t{0});
  return cdr.bytes();
}

/// The pixels of a message; depth in whole millimetres (0: nothing measured) or in metres unchanged
/// (REP-118); instances as in the points' labels.
std::string pixelBytes(const ImageStream& stream, const Image& image, Labels& labels) {
  std::string bytes(image.pixels.begin(), image.pixels.end());
  for (const std::uint16_t instance : labels.instancesOf(image.identities)) {
    appendBytes(instance, bytes);
  }
  for (const float depth : image.depth) {
    if (stream.encoding == "32FC1") {
      appendBytes(depth, bytes);
    } else {
      const long mm = std::isfinite(depth) ? std::lround(1e3 * static_cast<double>(depth)) : 0;
      appendBytes(static_cast<std::uint16_t>(mm), bytes);
    }
  }
  return bytes;
}

std::string imageMessage(const ImageStream& stream, const Image& image, Labels& labels) {
  const std::string pixels = pixelBytes(stream, image, labels);
  const auto height = static_cast<std::uint32_t>(stream.model.height);
  Cdr cdr;
  cdr.addHeader(image.stamp, stream.frame);
  cdr.add(height);
  cdr.add(static_cast<std::uint32_t>(stream.model.width));
  cdr.add(stream.encoding);
  cdr.add(std::uint8_t{0});  // little endian
  cdr.add(static_cast<std::uint32_t>(pixels.size()) / height);
  cdr.addSequence(pixels);
  return cdr.bytes();
}

void addZeros(Cdr& cdr, int count) {
  for (int i = 0; i < count; ++i) cdr.add(0.0);
}

/// A bag of ROS 2: a folder with one MCAP file and metadata.yaml.
class McapWriter final : public Writer {
 public:
  explicit McapWriter(const Destination& to)
      : folder_(to.folder),
        file_(to.folder / kFile, channelsOf(to.sensors)),
        points_(kImu + 1),
        streams_(imageStreams(to.sensors)),
        labels_(to.sensors.things) {
    std::size_t next = to.sensors.lidar ? points_ + 1 : points_;
    for (const ImageStream& stream : streams_) {
      images_.push_back(next);
      next += stream.info_topic.empty() ? 1 : 2;
    }
  }

  void addTruth(const Truth& truth) override {
    const KinematicState& state = truth.state;
    Cdr cdr;
    cdr.addHeader(state.stamp, kFrames.world);
    cdr.add(kFrames.base());
    cdr.add(state.X_WB.p);
    cdr.add(state.X_WB.q);
    addZeros(cdr, 36);
    cdr.add(Eigen::Vector3d(state.X_WB.q.conjugate() * state.v_WB));  // in the child frame
    cdr.add(state.w_WB_B);
    addZeros(cdr, 36);
    file_.write(kTruth, state.stamp, cdr.bytes());
  }
  void addImu(const vehicle::ImuSample& sample) override {
    Cdr cdr;
    cdr.addHeader(sample.stamp, kFrames.imu());
    cdr.add(sample.q_WI);
    addZeros(cdr, 9);  // covariance not known
    cdr.add(sample.angular_velocity);
    addZeros(cdr, 9);
    cdr.add(sample.specific_force);
    addZeros(cdr, 9);
    file_.write(kImu, sample.stamp, cdr.bytes());
  }
  void addScan(const lidar::Scan& scan) override {
    const auto count = static_cast<std::uint32_t>(scan.points.size());
    Cdr cdr;
    cdr.addHeader(scan.stamp, kFrames.lidar());
    cdr.add(std::uint32_t{1});
    cdr.add(count);
    cdr.add(static_cast<std::uint32_t>(std::size(kPointFields)));
    for (const PointField& field : kPointFields) {
      cdr.add(std::string(field.name));
      cdr.add(field.offset);
      cdr.add(field.datatype);
      cdr.add(std::uint32_t{1});
    }
    cdr.add(std::uint8_t{0});  // little endian
    cdr.add(kPointSize);
    cdr.add(kPointSize * count);
    cdr.addSequence(pointBytes(scan, Axes::kEnu, labels_));
    cdr.add(std::uint8_t{1});  // dense
    file_.write(points_, scan.stamp, cdr.bytes());
  }
  void addImage(const Image& image) override {
    const ImageStream& stream = streams_[image.stream];
    std::size_t channel = images_[image.stream];
    if (!stream.info_topic.empty()) {
      file_.write(channel++, image.stamp, cameraInfo(stream, image.stamp));
    }
    file_.write(channel, image.stamp, imageMessage(stream, image, labels_));
  }
  void finish() override {
    file_.close();
    writeNewFile(folder_ / "metadata.yaml", metadata());
  }

 private:
  // Version 5 is Humble's; later releases read it as well.
  std::string metadata() const {
    std::uint64_t all = 0;
    std::string topics;
    for (std::size_t i = 0; i < file_.channels().size(); ++i) {
      const McapChannel& channel = file_.channels()[i];
      all += file_.count(i);
      topics += fmt::format(
          "    - topic_metadata:\n"
          "        name: {}\n"
          "        type: {}\n"
          "        serialization_format: cdr\n"
          "        offered_qos_profiles: \"\"\n"
          "      message_count: {}\n",
          channel.topic, channel.type, file_.count(i));
    }
    const TimeNs duration = file_.last() - file_.first();
    return fmt::format(
        "rosbag2_bagfile_information:\n"
        "  version: 5\n"
        "  storage_identifier: mcap\n"
        "  duration:\n"
        "    nanoseconds: {0}\n"
        "  starting_time:\n"
        "    nanoseconds_since_epoch: {1}\n"
        "  message_count: {2}\n"
        "  topics_with_message_count:\n{3}"
        "  compression_format: \"\"\n"
        "  compression_mode: \"\"\n"
        "  relative_file_paths:\n"
        "    - {4}\n"
        "  files:\n"
        "    - path: {4}\n"
        "      starting_time:\n"
        "        nanoseconds_since_epoch: {1}\n"
        "      duration:\n"
        "        nanoseconds: {0}\n"
        "      message_count: {2}\n",
        duration, file_.first(), all, topics, kFile);
  }

  std::filesystem::path folder_;
  McapFile file_;
  std::size_t points_;               ///< channel of the points, if there is a LiDAR
  std::vector<std::size_t> images_;  ///< the first channel of each stream
  std::vector<ImageStream> streams_;
  Labels labels_;
};

}  // namespace

std::unique_ptr<Writer> makeMcapWriter(const Destination& to) {
  return std::make_unique<McapWriter>(to);
}

}  // namespace marsim::dataset
