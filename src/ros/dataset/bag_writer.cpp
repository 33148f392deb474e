// SPDX-License-Identifier: BSD-3-Clause
#include <exception>
#include <functional>

#include <rosbag/bag.h>
#include <rosbag/view.h>

#include "dataset/bag_library.hpp"
#include "dataset/image_stream.hpp"
#include "marsim/common/error.hpp"
#include "ros/messages/camera_message.hpp"
#include "ros/messages/cloud_message.hpp"
#include "ros/messages/conversions.hpp"
#include "ros/messages/depth_message.hpp"

namespace marsim::ros_nodes {
namespace {

using dataset::kFrames;

/// A bag (format 2.0) of the topics of one UAV, as its nodes publish them: odom, imu/data, the
/// LiDAR's outputs in their drivers' layouts, and images. Messages are recorded at the stamps of
/// their headers.
class BagWriter final : public dataset::Writer {
 public:
  explicit BagWriter(const dataset::Destination& to)
      : path_((to.folder / "flight.bag").string()),
        sensors_(to.sensors),
        streams_(dataset::imageStreams(to.sensors)) {
    tell([this] { bag_->open(path_, rosbag::bagmode::Write); });
    if (!to.sensors.lidar) return;
    const lidar::LidarConfig& lidar = *to.sensors.lidar;
    topics_ = lidar::outputTopics(lidar.outputs);
    for (const lidar::OutputConfig& output : lidar.outputs) {
      encoders_.emplace_back(output, lidar, kFrames.lidar());
    }
  }

  // A bag closes itself by writing; if that fails the program would end.
  ~BagWriter() override {
    try {
      bag_->close();
    } catch (const std::exception&) {
      static_cast<void>(bag_.release());  // the only way to discard the bag
    }
  }

  void addTruth(const dataset::Truth& truth) override {
    nav_msgs::Odometry message;
    toMessage(truth.state, false, message);
    message.header.frame_id = kFrames.world;
    message.child_frame_id = kFrames.base();
    write("odom", message);
  }
  void addImu(const vehicle::ImuSample& sample) override {
    sensor_msgs::Imu message;
    toMessage(sample, sensors_.imu, true, message);
    message.header.frame_id = kFrames.imu();
    write("imu/data", message);
  }
  void addScan(const lidar::Scan& scan) override {
    for (std::size_t i = 0; i < encoders_.size(); ++i) addCloud(encoders_[i], topics_[i], scan);
  }
  void addImage(const dataset::Image& image) override {
    const dataset::ImageStream& stream = streams_[image.stream];
    const std::string frame = stream.frame;
    if (stream.isTruth()) {
      const sensor_msgs::Image like = emptyImage(stream, image.stamp, frame);
      const bool is_class = stream.kind == Kind::kClass;
      write(stream.topic,
            is_class ? truthMessage(image.pixels, like) : truthMessage(image.identities, like));
      return;
    }
    write(stream.info_topic, infoOf(stream, image.stamp, frame));
    if (stream.kind == Kind::kColour) {
      write(stream.topic, imageMessage({image.stamp, image.X_WC, {}, image.pixels, {}},
                                       sensors_.cameras->cameras[stream.camera], frame));
    } else {
      write(stream.topic,
            depthMessage({image.stamp, image.X_WC, image.depth}, depthOf(stream), frame));
    }
  }
  bool needsMisses() const override {
    return std::any_of(encoders_.begin(), encoders_.end(),
                       [](const layouts::CloudEncoder& encoder) { return encoder.needsMisses(); });
  }
  // The index and the C library's buffers are written last, so the bag is read for a check.
  void finish() override {
    tell([this] {
      bag_->close();
      const rosbag::Bag written(path_, rosbag::bagmode::Read);
      if (rosbag::View(written).size() != count_) throw Error("messages are missing");
    });
  }

 private:
  using Kind = dataset::ImageStream::Kind;

  /// Settings for messages of depth.
  lidar::DepthCameraConfig depthOf(const dataset::ImageStream& stream) const {
    if (stream.kind == Kind::kDepth) return *sensors_.depth;
    lidar::DepthCameraConfig depth = *sensors_.cameras->cameras[stream.camera].aligned_depth;
    depth.width = stream.model.width;
    depth.height = stream.model.height;
    return depth;
  }
  static sensor_msgs::Image emptyImage(const dataset::ImageStream& stream, TimeNs stamp,
                                       const std::string& frame) {
    sensor_msgs::Image message;
    message.header = toHeader(stamp, frame);
    message.width = static_cast<std::uint32_t>(stream.model.width);
    message.height = static_cast<std::uint32_t>(stream.model.height);
    return message;
  }
  sensor_msgs::CameraInfo infoOf(const dataset::ImageStream& stream, TimeNs stamp,
                                 const std::string& frame) const {
    if (stream.kind == Kind::kDepth) return cameraInfo(*sensors_.depth, stamp, frame);
    sensor_msgs::CameraInfo info = cameraInfo(*sensors_.cameras, stream.camera);
    info.P[3] = stream.shift;
    info.header = toHeader(stamp, frame);
    return info;
  }

  void addCloud(const layouts::CloudEncoder& encoder, const std::string& topic,
                const lidar::Scan& scan) {
    for (int number = 0; number < encoder.clouds(); ++number) {
      const std::string at = topic + (number == 0 ? "" : std::to_string(number + 1));
      std::visit([&](auto&& contents) { write(at, toMessage(std::move(contents))); },
                 encoder.encode(scan, number));
    }
  }

  template <class Message>
  void write(const std::string& topic, const Message& message) {
    // A bag has no record at time 0.
    const ros::Time at = std::max(message.header.stamp, ros::TIME_MIN);
    tell([&] { bag_->write("/" + kFrames.prefix + topic, at, message); });
    ++count_;
  }

  void tell(const std::function<void()>& act) const {
    try {
      act();
    } catch (const std::exception& error) {
      throw FileError(path_, std::string("cannot be written: ") + error.what());
    }
  }

  std::string path_;
  dataset::Sensors sensors_;
  std::vector<dataset::ImageStream> streams_;
  std::unique_ptr<rosbag::Bag> bag_ = std::make_unique<rosbag::Bag>();
  std::vector<layouts::CloudEncoder> encoders_;
  std::vector<std::string> topics_;
  std::size_t count_ = 0;
};

}  // namespace
}  // namespace marsim::ros_nodes

extern "C" marsim::dataset::Writer* marsimMakeBagWriter(const marsim::dataset::Destination& to) {
  return new marsim::ros_nodes::BagWriter(to);
}
