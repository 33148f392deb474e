// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "dataset/cdr.hpp"
#include "dataset/image_stream.hpp"
#include "dataset/mcap_file.hpp"
#include "dataset/ros2_messages.hpp"
#include "dataset/ros2_schemas.hpp"
#include "dataset/ros2_types.hpp"
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
      {"/uav0/odom", ros2_types::kOdometry.name, ros2::kOdometry + header + vectors, "",
       ros2_types::kOdometry.hash},
      {"/uav0/imu/data", ros2_types::kImu.name, ros2::kImu + header + vectors, "",
       ros2_types::kImu.hash}};
  if (sensors.lidar) {
    channels.push_back({"/uav0/points", ros2_types::kPointCloud2.name, ros2::kPointCloud2 + header,
                        "", ros2_types::kPointCloud2.hash});
  }
  for (const ImageStream& stream : imageStreams(sensors)) {
    if (!stream.info_topic.empty()) {
      channels.push_back({"/uav0/" + stream.info_topic, ros2_types::kCameraInfo.name,
                          ros2::kCameraInfo + header, "", ros2_types::kCameraInfo.hash});
    }
    channels.push_back({"/uav0/" + stream.topic, ros2_types::kImage.name, ros2::kImage + header, "",
                        ros2_types::kImage.hash});
  }
  return channels;
}

/// The pixels of a message; instances as in the points' labels.
std::string pixelBytes(const ImageStream& stream, const Image& image, Labels& labels) {
  std::string bytes = depthBytes(stream, image.depth);
  bytes.append(image.pixels.begin(), image.pixels.end());
  for (const std::uint16_t instance : labels.instancesOf(image.identities)) {
    appendBytes(instance, bytes);
  }
  return bytes;
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
    file_.write(kTruth, truth.state.stamp,
                odometryMessage(truth.state, false, kFrames.world, kFrames.base()));
  }
  void addImu(const vehicle::ImuSample& sample) override {
    // Covariance not known.
    file_.write(kImu, sample.stamp, imuMessage(sample, {}, true, kFrames.imu()));
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
      file_.write(channel++, image.stamp, cameraInfoMessage(stream, image.stamp));
    }
    file_.write(channel, image.stamp,
                imageMessage(stream, image.stamp, pixelBytes(stream, image, labels_)));
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
