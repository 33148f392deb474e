// SPDX-License-Identifier: BSD-3-Clause
#include <exception>
#include <functional>

#include <rosbag/bag.h>
#include <rosbag/view.h>
#include <tf2_msgs/TFMessage.h>

#include "dataset/bag_library.hpp"
#include "dataset/image_stream.hpp"
#include "dataset/scan_points.hpp"
#include "marsim/common/error.hpp"
#include "ros/messages/camera_message.hpp"
#include "ros/messages/cloud_message.hpp"
#include "ros/messages/conversions.hpp"
#include "ros/messages/depth_message.hpp"

namespace marsim::ros_nodes {
namespace {

using dataset::kFrames;

/// A bag (format 2.0) of the topics of one UAV, as its nodes publish them: odom, imu/data,
/// livox/imu, the LiDAR's outputs in their drivers' layouts, images, /tf and, latched, /tf_static.
/// Instances in images have 16 bits. Messages are recorded at the stamps of their headers.
class BagWriter final : public dataset::Writer {
 public:
  explicit BagWriter(const dataset::Destination& to)
      : path_((to.folder / "flight.bag").string()),
        sensors_(to.sensors),
        streams_(dataset::imageStreams(to.sensors)),
        labels_(to.sensors.things) {
    tell([this] {
      bag_->open(path_, rosbag::bagmode::Write);
      bag_->setCompression(rosbag::compression::LZ4);
    });
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
    if (count_ == 0) writeStaticTransforms(truth.state.stamp);
    write("odom", message);
    tf2_msgs::TFMessage tf;
    tf.transforms = {
        toTransform(truth.state.X_WB, kFrames.world, kFrames.base(), truth.state.stamp)};
    writeAs("/tf", truth.state.stamp, tf);
  }
  void addImu(const vehicle::ImuSample& sample) override {
    sensor_msgs::Imu message;
    toMessage(sample, sensors_.imu, true, message);
    message.header.frame_id = kFrames.imu();
    write("imu/data", message);
    write("livox/imu", toLivoxImu(sample, kFrames.imu()));
  }
  void addScan(const lidar::Scan& scan) override {
    for (const lidar::ScanPoint& point : scan.points) labels_.of(point);  // numbers instances
    for (std::size_t i = 0; i < encoders_.size(); ++i) addCloud(encoders_[i], topics_[i], scan);
  }
  void addImage(const dataset::Image& image) override {
    const dataset::ImageStream& stream = streams_[image.stream];
    const std::string frame = stream.frame;
    if (stream.isTruth()) {
      const sensor_msgs::Image like = emptyImage(stream, image.stamp, frame);
      const bool is_class = stream.kind == Kind::kClass;
      write(stream.topic, is_class ? truthMessage(image.pixels, like)
                                   : truthMessage(labels_.instancesOf(image.identities), like));
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

  // In one message, since `rosbag play` repeats only the last of a latched topic.
  void writeStaticTransforms(TimeNs stamp) {
    tf2_msgs::TFMessage tf;
    const auto add = [&](const Pose& X_BS, const std::string& frame) {
      tf.transforms.push_back(toTransform(X_BS, kFrames.base(), frame, stamp));
    };
    add(sensors_.imu.X_BI, kFrames.imu());
    if (sensors_.lidar) add(sensors_.lidar->X_BS, kFrames.lidar());
    if (sensors_.depth) add(sensors_.depth->X_BC, kFrames.depth());
    if (sensors_.cameras) {
      for (const lidar::CameraConfig& camera : sensors_.cameras->cameras) {
        add(camera.X_BC, kFrames.camera(camera.name));
      }
    }
    namespace traits = ros::message_traits;
    const auto connection = boost::make_shared<ros::M_string>();
    *connection = {{"type", traits::datatype(tf)},
                   {"md5sum", traits::md5sum(tf)},
                   {"message_definition", traits::definition(tf)},
                   {"latching", "1"}};
    writeAs("/tf_static", stamp, tf, connection);
  }

  template <class Message>
  void write(const std::string& topic, const Message& message) {
    writeAs("/" + kFrames.prefix + topic, fromRos(message.header.stamp), message);
  }
  template <class Message>
  void writeAs(const std::string& topic, TimeNs stamp, const Message& message,
               const boost::shared_ptr<ros::M_string>& connection = {}) {
    // A bag has no record at time 0.
    const ros::Time at = std::max(toRos(stamp), ros::TIME_MIN);
    tell([&] { bag_->write(topic, at, message, connection); });
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
  dataset::Labels labels_;
  std::size_t count_ = 0;
};

}  // namespace
}  // namespace marsim::ros_nodes

extern "C" marsim::dataset::Writer* marsimMakeBagWriter(const marsim::dataset::Destination& to) {
  return new marsim::ros_nodes::BagWriter(to);
}
