// SPDX-License-Identifier: BSD-3-Clause
// The sensors of a vehicle that rests facing east 10 m east of the origin: rates on stamps, units,
// frames, and the IMU built into a LiDAR at its place.
#include <algorithm>
#include <cmath>
#include <vector>

#include <geometry_msgs/TwistWithCovarianceStamped.h>
#include <gtest/gtest.h>
#include <ros/ros.h>
#include <sensor_msgs/FluidPressure.h>
#include <sensor_msgs/Imu.h>
#include <sensor_msgs/MagneticField.h>
#include <sensor_msgs/NavSatFix.h>
#include <tf2_ros/buffer.h>
#include <tf2_ros/transform_listener.h>

#include "marsim/common/units.hpp"
#include "ros/wait_for.hpp"

namespace {

constexpr double kSeconds = 3.0;  // recorded of each topic

template <class Message>
class Recorder {
 public:
  Recorder(ros::NodeHandle& handle, const std::string& topic)
      : subscriber_(handle.subscribe<Message>(
            topic, 10000, [this](const typename Message::ConstPtr& m) { all.push_back(*m); })) {}

  bool full() const {
    return all.size() > 2 &&
           all.back().header.stamp - all.front().header.stamp >= ros::Duration(kSeconds);
  }
  double rate() const {
    return static_cast<double>(all.size() - 1) /
           (all.back().header.stamp - all.front().header.stamp).toSec();
  }

  std::vector<Message> all;

 private:
  ros::Subscriber subscriber_;
};

TEST(Sensors, AVehicleAtRest) {
  ros::NodeHandle handle("uav0");
  tf2_ros::Buffer buffer;
  const tf2_ros::TransformListener listener(buffer);
  const Recorder<sensor_msgs::Imu> imu(handle, "imu/data"), raw(handle, "imu/data_raw"),
      livox(handle, "livox/imu");
  const Recorder<sensor_msgs::MagneticField> field(handle, "imu/mag");
  const Recorder<sensor_msgs::FluidPressure> pressure(handle, "baro/pressure");
  const Recorder<sensor_msgs::NavSatFix> fix(handle, "gnss/fix");
  const Recorder<geometry_msgs::TwistWithCovarianceStamped> velocity(handle, "gnss/velocity");
  ASSERT_TRUE(marsim::test::waitFor([&] {
    return imu.full() && raw.full() && livox.full() && field.full() && pressure.full() &&
           fix.full() && velocity.full();
  }));

  EXPECT_NEAR(imu.rate(), 200.0, 1e-6);
  EXPECT_NEAR(livox.rate(), 200.0, 1e-6);
  EXPECT_NEAR(field.rate(), 50.0, 1e-6);
  EXPECT_NEAR(pressure.rate(), 20.0, 1e-6);
  EXPECT_NEAR(fix.rate(), 5.0, 1e-6);

  // One reading on all three topics: m/s^2, without orientation, in g.
  EXPECT_EQ(imu.all.front().orientation_covariance[0], 0.0);
  EXPECT_EQ(raw.all.front().orientation_covariance[0], -1.0);
  for (const sensor_msgs::Imu& reading : imu.all) {
    EXPECT_NEAR(reading.linear_acceleration.z, marsim::kGravity, 0.2);
  }
  // Whoever subscribes later hears later: the first that both heard.
  const ros::Time first = std::max(imu.all.front().header.stamp, livox.all.front().header.stamp);
  const auto at_first = [&](const std::vector<sensor_msgs::Imu>& readings) {
    return std::find_if(readings.begin(), readings.end(),
                        [&](const sensor_msgs::Imu& m) { return m.header.stamp == first; });
  };
  const auto of_imu = at_first(imu.all), of_livox = at_first(livox.all);
  ASSERT_NE(of_imu, imu.all.end());
  ASSERT_NE(of_livox, livox.all.end());
  EXPECT_DOUBLE_EQ(of_livox->linear_acceleration.z,
                   of_imu->linear_acceleration.z / marsim::kGravity);
  EXPECT_DOUBLE_EQ(of_livox->angular_velocity.x, of_imu->angular_velocity.x);
  EXPECT_EQ(livox.all.front().orientation.w, 0.0);

  // The ICM-40609-D sits 11 mm ahead of the Mid-360's origin, which is 50 mm above the body's.
  const auto X = buffer.lookupTransform("uav0/base_link", "uav0/imu_link", ros::Time(0)).transform;
  EXPECT_NEAR(X.translation.x, 0.011, 1e-9);
  EXPECT_NEAR(X.translation.z, 0.05 - 0.04412, 1e-9);
  EXPECT_EQ(imu.all.front().header.frame_id, "uav0/imu_link");

  EXPECT_EQ(field.all.front().header.frame_id, "uav0/magnetometer_link");
  EXPECT_NEAR(field.all.front().magnetic_field.x, 1e-6, 1e-10);
  EXPECT_NEAR(field.all.front().magnetic_field.y, 21e-6, 1e-10);
  EXPECT_NEAR(pressure.all.front().fluid_pressure, 96034.0, 30.0);  // ICAO Doc 7488 at 450 m
  EXPECT_EQ(pressure.all.front().variance, 4.0);
  EXPECT_NEAR(fix.all.front().latitude, 47.4, 1e-6);
  EXPECT_NEAR(fix.all.front().longitude, 8.55 + 10.0 / 75450.0, 5e-6);  // [m] a degree there
  EXPECT_NEAR(fix.all.front().altitude, 500.0, 0.3);
  EXPECT_NEAR(fix.all.front().position_covariance[0], 1e-4, 1e-12);
  EXPECT_NEAR(velocity.all.front().twist.twist.linear.x, 0.0, 1e-9);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "sensors_test");
  return RUN_ALL_TESTS();
}
