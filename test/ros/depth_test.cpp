// SPDX-License-Identifier: BSD-3-Clause
// Plays a planner that maps from depth images: image, intrinsics and optical pose have one stamp,
// and pixels put into the world lie where the floor is.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include <unistd.h>

#include <geometry_msgs/PoseStamped.h>
#include <gtest/gtest.h>
#include <nav_msgs/Odometry.h>
#include <ros/ros.h>
#include <sensor_msgs/CameraInfo.h>
#include <sensor_msgs/Image.h>
#include <sensor_msgs/PointCloud2.h>
#include <sensor_msgs/point_cloud2_iterator.h>
#include <tf2_ros/buffer.h>
#include <tf2_ros/transform_listener.h>
#include <Eigen/Geometry>

#include "marsim/SetWeather.h"
#include "ros/messages/conversions.hpp"
#include "wait_for.hpp"

namespace marsim::test {
namespace {

Eigen::Isometry3d toIsometry(const geometry_msgs::Pose& pose) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.translate(Eigen::Vector3d(pose.position.x, pose.position.y, pose.position.z));
  X.rotate(Eigen::Quaterniond(pose.orientation.w, pose.orientation.x, pose.orientation.y,
                              pose.orientation.z));
  return X;
}

TEST(DepthCamera, ImagePoseAndIntrinsicsBelongTogether) {
  ros::NodeHandle nh("uav0");
  std::map<ros::Time, sensor_msgs::ImageConstPtr> images;
  std::map<ros::Time, sensor_msgs::CameraInfoConstPtr> infos;
  std::map<ros::Time, geometry_msgs::PoseStampedConstPtr> poses;
  const auto keep = [](auto& kept) {
    return [&kept](const auto& message) { kept[message->header.stamp] = message; };
  };
  const ros::Subscriber image_subscriber =
      nh.subscribe<sensor_msgs::Image>("depth/image_rect_raw", 100, keep(images));
  const ros::Subscriber info_subscriber =
      nh.subscribe<sensor_msgs::CameraInfo>("depth/camera_info", 100, keep(infos));
  const ros::Subscriber pose_subscriber =
      nh.subscribe<geometry_msgs::PoseStamped>("depth/camera_pose", 100, keep(poses));
  tf2_ros::Buffer buffer;
  const tf2_ros::TransformListener listener(buffer);
  ASSERT_TRUE(waitFor([&] { return images.size() > 10; }));
  ASSERT_TRUE(waitFor([&] {
    return buffer.canTransform("world", "uav0/depth_optical_frame", images.rbegin()->first);
  }));

  std::size_t together = 0;
  for (const auto& [stamp, image] : images) {
    if (infos.count(stamp) == 0 || poses.count(stamp) == 0) continue;
    ++together;
    const double number = marsim::toSeconds(marsim::ros_nodes::fromRos(stamp)) * 30.0;
    EXPECT_NEAR(number, std::round(number), 1e-5) << "multiples of the period";
    EXPECT_EQ(image->encoding, "16UC1");
    EXPECT_EQ(image->width, 640U);
    EXPECT_EQ(image->height, 480U);
    EXPECT_EQ(image->header.frame_id, "uav0/depth_optical_frame");
    EXPECT_EQ(infos[stamp]->K[0], 387.229);
    EXPECT_EQ(poses[stamp]->header.frame_id, "world");
  }
  EXPECT_GE(together, images.size() - 2);

  // The pose is where tf has the optical frame.
  const auto& [stamp, image] = *std::prev(images.end());
  ASSERT_EQ(poses.count(stamp), 1U);
  const Eigen::Isometry3d X_WC = toIsometry(poses[stamp]->pose);
  const auto tf = buffer.lookupTransform("world", "uav0/depth_optical_frame", stamp).transform;
  EXPECT_NEAR(tf.translation.x, X_WC.translation().x(), 1e-3);
  EXPECT_NEAR(tf.translation.z, X_WC.translation().z(), 1e-3);
  EXPECT_GT((X_WC.linear() * Eigen::Vector3d::UnitZ()).x(), 0.99) << "z looks forward";
  EXPECT_LT((X_WC.linear() * Eigen::Vector3d::UnitX()).y(), -0.99) << "x is right";

  // The lowest rows see the building's floor, at one height.
  std::size_t seen = 0, on_floor = 0;
  for (int row = 470; row < 480; ++row) {
    for (int column = 0; column < 640; ++column) {
      std::uint16_t mm;
      std::memcpy(&mm, &image->data[static_cast<std::size_t>(row) * image->step + 2 * column], 2);
      if (mm == 0) continue;
      ++seen;
      const double z = 1e-3 * mm;
      const Eigen::Vector3d p_C((column - 321.046) / 387.229 * z, (row - 243.450) / 387.229 * z, z);
      on_floor += std::abs((X_WC * p_C).z()) < 0.1 ? 1 : 0;
    }
  }
  EXPECT_GT(seen, 3000U);
  EXPECT_GT(on_floor, seen / 2);
}

/// Whether a sensor takes it, and what it says.
std::pair<bool, std::string> setWeather(const std::string& sensor, const std::string& weather) {
  marsim::SetWeather call;
  call.request.weather = weather;
  const bool is_answered = ros::service::call("/uav0/" + sensor + "/set_weather", call);
  return {is_answered && call.response.success, call.response.message};
}

// weather:=fog_dense, then other fog and none by the services.
TEST(Weather, TheServiceChangesTheLaunchFilesWeather) {
  ros::NodeHandle nh("uav0");
  double intensity = 0.0, seen = 0.0;  // the last cloud's mean, and pixels of the last image
  std::size_t returns = 0, clouds = 0, images = 0;
  const ros::Subscriber cloud_subscriber = nh.subscribe<sensor_msgs::PointCloud2>(
      "points", 10, [&](const sensor_msgs::PointCloud2ConstPtr& cloud) {
        returns = cloud->width * cloud->height;
        intensity = 0.0;
        sensor_msgs::PointCloud2ConstIterator<float> value(*cloud, "intensity");
        for (std::size_t i = 0; i < returns; ++i, ++value) {
          intensity += static_cast<double>(*value) / static_cast<double>(returns);
        }
        ++clouds;
      });
  const ros::Subscriber image_subscriber = nh.subscribe<sensor_msgs::Image>(
      "depth/image_rect_raw", 10, [&](const sensor_msgs::ImageConstPtr& image) {
        std::size_t count = 0;
        for (std::size_t i = 0; i + 1 < image->data.size(); i += 2) {
          count += image->data[i] != 0 || image->data[i + 1] != 0 ? 1U : 0U;
        }
        seen = static_cast<double>(count);
        ++images;
      });
  const auto measureAgain = [&] {
    const std::size_t cloud = clouds + 5, image = images + 10;  // some were already due
    ASSERT_TRUE(waitFor([&] { return clouds > cloud && images > image; }));
  };
  measureAgain();
  const double foggy = intensity, foggy_seen = seen;
  const std::size_t foggy_returns = returns;
  for (const char* sensor : {"lidar", "depth_camera"}) {
    EXPECT_EQ(setWeather(sensor, "none"), std::pair(true, std::string("weather: none")));
  }
  measureAgain();
  EXPECT_LT(foggy, 0.9 * intensity);
  EXPECT_GT(foggy, 0.1 * intensity);
  EXPECT_NEAR(foggy_seen, seen, 0.02 * seen) << "farther than the camera sees";
  EXPECT_GT(foggy_returns, returns / 2);

  const std::string path =
      std::filesystem::temp_directory_path() / ("weather_" + std::to_string(getpid()) + ".yaml");
  std::ofstream(path) << "fog: {visibility: 1m}\n";
  for (const char* sensor : {"lidar", "depth_camera"}) {
    EXPECT_TRUE(setWeather(sensor, path).first);
  }
  const std::size_t clear_returns = returns;
  const double clear_seen = seen;
  measureAgain();
  EXPECT_LT(returns, clear_returns / 2);
  EXPECT_LT(seen, clear_seen / 2);
  std::filesystem::remove(path);

  const auto [is_taken, text] = setWeather("lidar", "fog_dence");
  EXPECT_FALSE(is_taken);
  EXPECT_EQ(text.rfind("unknown weather 'fog_dence' (did you mean 'fog_dense'?), known: ", 0), 0U)
      << text;
}

}  // namespace
}  // namespace marsim::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "depth_test");
  return RUN_ALL_TESTS();
}
