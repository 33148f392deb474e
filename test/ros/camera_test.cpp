// SPDX-License-Identifier: BSD-3-Clause
// Plays visual odometry and RGB-D SLAM: images, intrinsics and poses of all cameras have one stamp,
// the intrinsics are what image_pipeline reads, depth lies in the pixels of the colour, and the
// truth knows the person that walks by.
#include <cmath>
#include <cstring>
#include <map>
#include <string>

#include <geometry_msgs/PoseStamped.h>
#include <gtest/gtest.h>
#include <ros/ros.h>
#include <sensor_msgs/CameraInfo.h>
#include <sensor_msgs/Image.h>
#include <tf2_ros/buffer.h>
#include <tf2_ros/transform_listener.h>

#include "marsim/SeenObjects.h"
#include "ros/messages/conversions.hpp"
#include "wait_for.hpp"

namespace marsim::test {
namespace {

/// Messages of a camera, by stamp.
class Heard {
 public:
  Heard(ros::NodeHandle nh, const std::string& camera) {
    keep(nh, camera + "/image_raw", images);
    keep(nh, camera + "/camera_info", infos);
    keep(nh, camera + "/camera_pose", poses);
  }

  std::map<ros::Time, sensor_msgs::ImageConstPtr> images;
  std::map<ros::Time, sensor_msgs::CameraInfoConstPtr> infos;
  std::map<ros::Time, geometry_msgs::PoseStampedConstPtr> poses;

 private:
  template <class Message>
  void keep(ros::NodeHandle& nh, const std::string& topic,
            std::map<ros::Time, boost::shared_ptr<const Message>>& kept) {
    subscribers_.push_back(
        nh.subscribe<Message>(topic, 100, [&kept](const boost::shared_ptr<const Message>& message) {
          kept[message->header.stamp] = message;
        }));
  }

  std::vector<ros::Subscriber> subscribers_;
};

/// The truth in a camera's images, by stamp.
class HeardTruth {
 public:
  HeardTruth(ros::NodeHandle nh, const std::string& camera) {
    for (const char* what : {"class", "instance", "normals", "flow"}) {
      std::map<ros::Time, sensor_msgs::ImageConstPtr>& kept = images[what];
      subscribers_.push_back(nh.subscribe<sensor_msgs::Image>(
          camera + "/truth/" + what, 100,
          [&kept](const sensor_msgs::ImageConstPtr& image) { kept[image->header.stamp] = image; }));
    }
    subscribers_.push_back(nh.subscribe<marsim::SeenObjects>(
        camera + "/truth/objects", 100, [this](const marsim::SeenObjectsConstPtr& message) {
          if (!message->objects.empty()) objects[message->header.stamp] = message;
        }));
  }
  bool has(const ros::Time& stamp) const {
    for (const auto& [what, kept] : images) {
      if (kept.count(stamp) == 0) return false;
    }
    return true;
  }

  std::map<std::string, std::map<ros::Time, sensor_msgs::ImageConstPtr>> images;
  std::map<ros::Time, marsim::SeenObjectsConstPtr> objects;

 private:
  std::vector<ros::Subscriber> subscribers_;
};

template <class Pixel>
Pixel pixelOf(const sensor_msgs::Image& image, std::uint32_t column, std::uint32_t row) {
  Pixel pixel;
  std::memcpy(&pixel, &image.data[row * image.step + column * sizeof(Pixel)], sizeof(Pixel));
  return pixel;
}

using Matrix3 = sensor_msgs::CameraInfo::_K_type;
using Matrix34 = sensor_msgs::CameraInfo::_P_type;

TEST(Cameras, PublishWhatImagePipelineReads) {
  ros::NodeHandle nh("uav0/camera");
  Heard left(nh, "left"), right(nh, "right"), colour(nh, "color"),
      depth(nh, "aligned_depth_to_color"), depth_of_right(nh, "aligned_depth_to_right");
  tf2_ros::Buffer buffer;
  const tf2_ros::TransformListener listener(buffer);
  ASSERT_TRUE(waitFor([&] { return depth.images.size() > 3 && right.images.size() > 3; }));
  const ros::Time stamp = right.images.rbegin()->first;
  ASSERT_TRUE(waitFor([&] {
    return depth.images.count(stamp) == 1 && depth.infos.count(stamp) == 1 &&
           colour.images.count(stamp) == 1 && colour.poses.count(stamp) == 1 &&
           right.poses.count(stamp) == 1 && left.images.count(stamp) == 1 &&
           right.infos.count(stamp) == 1 && depth_of_right.images.count(stamp) == 1 &&
           depth_of_right.infos.count(stamp) == 1 &&
           buffer.canTransform("world", "uav0/camera_color_optical_frame", stamp);
  })) << "all of one stamp";
  const double number = 5.0 * marsim::toSeconds(marsim::ros_nodes::fromRos(stamp));
  EXPECT_NEAR(number, std::round(number), 1e-5);

  const sensor_msgs::Image &one = *left.images[stamp], &other = *right.images[stamp],
                           &rgb = *colour.images[stamp], &mm = *depth.images[stamp];
  EXPECT_EQ(one.header.frame_id, "uav0/camera_left_optical_frame");
  EXPECT_EQ(other.header.frame_id, one.header.frame_id) << "image_geometry demands it of a pair";
  EXPECT_EQ(mm.header.frame_id, rgb.header.frame_id) << "registered to the colour";
  EXPECT_EQ(one.encoding, "mono8");
  EXPECT_EQ(rgb.encoding, "rgb8");
  EXPECT_EQ(mm.encoding, "16UC1");
  EXPECT_EQ(one.step, 160U);
  EXPECT_EQ(rgb.step, 3 * 128U);
  EXPECT_EQ(rgb.data.size(), 3 * 128U * 96U);
  EXPECT_EQ(mm.width, rgb.width);
  EXPECT_EQ(mm.height, rgb.height);
  EXPECT_NE(one.data, other.data);

  // sensor_msgs/CameraInfo: P[3] of the second camera is -fx times the baseline.
  const sensor_msgs::CameraInfo& info = *right.infos[stamp];
  EXPECT_EQ(info.header.frame_id, other.header.frame_id);
  EXPECT_EQ(info.distortion_model, "plumb_bob");
  EXPECT_EQ(info.D, std::vector<double>(5, 0.0));
  EXPECT_EQ(info.K, (Matrix3{{96.0, 0.0, 79.5, 0.0, 96.0, 59.5, 0.0, 0.0, 1.0}}));
  EXPECT_EQ(info.R, (Matrix3{{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}}));
  EXPECT_NEAR(info.P[3], -96.0 * 0.12, 1e-9);
  EXPECT_EQ(left.infos[stamp]->P,
            (Matrix34{{96.0, 0.0, 79.5, 0.0, 0.0, 96.0, 59.5, 0.0, 0.0, 0.0, 1.0, 0.0}}));
  EXPECT_EQ(depth.infos[stamp]->D, (std::vector<double>{-0.1, 0.02, 0.001, 0.002, 0.0}));
  EXPECT_EQ(depth.infos[stamp]->K[4], 91.0);

  // Depth of the pair's second camera is in its own frame: no part of the pair.
  const sensor_msgs::Image& metres = *depth_of_right.images[stamp];
  const sensor_msgs::CameraInfo& of_metres = *depth_of_right.infos[stamp];
  EXPECT_EQ(metres.header.frame_id, "uav0/camera_right_optical_frame");
  EXPECT_EQ(of_metres.header.frame_id, metres.header.frame_id);
  EXPECT_EQ(of_metres.K, info.K);
  EXPECT_EQ(of_metres.P[3], 0.0);
  EXPECT_EQ(metres.encoding, "32FC1");
  ASSERT_EQ(metres.data.size(), 4U * 160U * 120U);
  // A row that meets the floor (z = 0), but where the person walks; of a level vehicle.
  const double floor = right.poses[stamp]->pose.position.z / ((110.0 - 59.5) / 96.0);  // [m]
  int on_floor = 0;
  for (std::uint32_t column = 0; column < 160; ++column) {
    const auto depth_there = static_cast<double>(pixelOf<float>(metres, column, 110));
    on_floor += std::abs(depth_there - floor) < 0.1 ? 1 : 0;
  }
  EXPECT_GT(on_floor, 80);

  // The pose is where tf has the optical frame.
  const geometry_msgs::Point& place = colour.poses[stamp]->pose.position;
  const auto tf = buffer.lookupTransform("world", "uav0/camera_color_optical_frame", stamp);
  EXPECT_NEAR(tf.transform.translation.x, place.x, 1e-3);
  EXPECT_NEAR(tf.transform.translation.z, place.z, 1e-3);

  // The pixel below the principal point meets the floor where the lens says (z = 0).
  std::uint16_t z_mm;
  std::memcpy(&z_mm, &mm.data[90 * mm.step + 64 * 2], 2);
  const double y_distorted =
      (90.0 - 47.0) / 91.0;  // of x about 0: y (1 + k1 y^2 + k2 y^4) + 3 p1 y^2
  double y = y_distorted;
  for (int i = 0; i < 20; ++i) {
    y = (y_distorted - 0.003 * y * y) / (1.0 - 0.1 * y * y + 0.02 * y * y * y * y);
  }
  EXPECT_NEAR(place.z - y * 1e-3 * z_mm, 0.0, 0.05) << "[m] a level vehicle";
}

TEST(Cameras, TellTheTruth) {
  ros::NodeHandle nh("uav0/camera");
  HeardTruth truth(nh, "left");
  ASSERT_TRUE(waitFor([&] { return !truth.objects.empty(); }));
  const auto& [stamp, seen] = *truth.objects.begin();
  const ros::Time at = stamp;
  ASSERT_TRUE(waitFor([&] { return truth.has(at); }));
  const sensor_msgs::Image &classes = *truth.images["class"][at],
                           &instances = *truth.images["instance"][at],
                           &normals = *truth.images["normals"][at],
                           &flow = *truth.images["flow"][at];
  EXPECT_EQ(classes.encoding, "mono8");
  EXPECT_EQ(instances.encoding, "32SC1");
  EXPECT_EQ(normals.encoding, "32FC3");
  EXPECT_EQ(flow.encoding, "32FC2");
  EXPECT_EQ(flow.header.frame_id, "uav0/camera_left_optical_frame");
  EXPECT_EQ(flow.data.size(), 160U * 120U * 8U);

  ASSERT_EQ(seen->objects.size(), 1U);
  const marsim::SeenObject& person = seen->objects[0];
  EXPECT_EQ(person.identity, 65536U);
  EXPECT_EQ(person.name, "obstacle 0");
  EXPECT_EQ(person.semantic_class, 99) << "what does not walk by kind is an object";
  EXPECT_NEAR(std::abs(person.velocity.y), 0.5, 1e-3);
  EXPECT_NEAR(person.velocity.x, 0.0, 1e-3);
  EXPECT_NEAR(person.pose.position.x, 2.5, 1e-6);
  // Its pixels are in its box, and all of them there are.
  std::uint32_t inside = 0, all = 0;
  for (std::uint32_t row = 0; row < 120; ++row) {
    for (std::uint32_t column = 0; column < 160; ++column) {
      if (pixelOf<std::int32_t>(instances, column, row) != 65536) continue;
      ++all;
      EXPECT_EQ(pixelOf<std::uint8_t>(classes, column, row), 99);
      const bool in_box = column >= person.left && row >= person.top &&
                          column < person.left + person.width && row < person.top + person.height;
      inside += in_box ? 1 : 0;
    }
  }
  EXPECT_EQ(all, person.pixels);
  EXPECT_EQ(inside, person.pixels);
  // The floor below: its normal looks up, against y of the optical frame.
  float normal[3];
  std::memcpy(normal, &normals.data[118 * normals.step + 80 * 12], sizeof normal);
  EXPECT_LT(normal[1], -0.9F);
}

}  // namespace
}  // namespace marsim::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "camera_test");
  return RUN_ALL_TESTS();
}
