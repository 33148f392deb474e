// Plays a planner that maps from depth images: image, intrinsics and optical pose have one stamp,
// and pixels put into the world lie where the floor is.
#include <cmath>
#include <cstring>
#include <map>

#include <geometry_msgs/PoseStamped.h>
#include <gtest/gtest.h>
#include <nav_msgs/Odometry.h>
#include <ros/ros.h>
#include <sensor_msgs/CameraInfo.h>
#include <sensor_msgs/Image.h>
#include <tf2_ros/buffer.h>
#include <tf2_ros/transform_listener.h>
#include <Eigen/Geometry>

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
  ASSERT_TRUE(waitFor([&] { return images.size() > 10; }, 90.0));
  ASSERT_TRUE(waitFor(
      [&] {
        return buffer.canTransform("world", "uav0/depth_optical_frame", images.rbegin()->first);
      },
      10.0));

  std::size_t together = 0;
  for (const auto& [stamp, image] : images) {
    if (infos.count(stamp) == 0 || poses.count(stamp) == 0) continue;
    ++together;
    const double number = stamp.toSec() * 30.0;
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

  // What the lowest rows see is the building's floor, at one height.
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

}  // namespace
}  // namespace marsim::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "depth_test");
  return RUN_ALL_TESTS();
}
