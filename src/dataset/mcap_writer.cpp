#include <fmt/format.h>

#include "dataset/cdr.hpp"
#include "dataset/mcap_file.hpp"
#include "dataset/ros2_schemas.hpp"
#include "dataset/scan_points.hpp"
#include "dataset/writer.hpp"

namespace marsim::dataset {
namespace {

constexpr char kFile[] = "flight_0.mcap";
constexpr std::size_t kTruth = 0, kImu = 1, kPoints = 2;  // channels

/// A definition without the empty line that its raw string begins with.
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
  return channels;
}

void addZeros(Cdr& cdr, int count) {
  for (int i = 0; i < count; ++i) cdr.add(0.0);
}

/// A bag of ROS 2: a folder of one file of MCAP and metadata.yaml.
class McapWriter final : public Writer {
 public:
  explicit McapWriter(const Destination& to)
      : folder_(to.folder), file_(to.folder / kFile, channelsOf(to.sensors)) {}

  void addTruth(const Truth& truth) override {
    const KinematicState& state = truth.state;
    Cdr cdr;
    cdr.addHeader(state.stamp, "world");
    cdr.add(std::string("uav0/base_link"));
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
    cdr.addHeader(sample.stamp, "uav0/imu_link");
    cdr.add(sample.q_WI);
    addZeros(cdr, 9);  // not known
    cdr.add(sample.angular_velocity);
    addZeros(cdr, 9);
    cdr.add(sample.specific_force);
    addZeros(cdr, 9);
    file_.write(kImu, sample.stamp, cdr.bytes());
  }
  void addScan(const lidar::Scan& scan) override {
    const auto count = static_cast<std::uint32_t>(scan.points.size());
    Cdr cdr;
    cdr.addHeader(scan.stamp, "uav0/lidar");
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
    file_.write(kPoints, scan.stamp, cdr.bytes());
  }
  void finish() override {
    file_.close();
    writeNewFile(folder_ / "metadata.yaml", metadata());
  }

 private:
  // Version 5, of Humble; later ones read it as well.
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
  Labels labels_;
};

}  // namespace

std::unique_ptr<Writer> makeMcapWriter(const Destination& to) {
  return std::make_unique<McapWriter>(to);
}

}  // namespace marsim::dataset
