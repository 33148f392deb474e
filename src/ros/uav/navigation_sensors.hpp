// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ros/ros.h>

#include "marsim/config/load.hpp"
#include "marsim/sim/vehicle.hpp"
#include "ros/messages/frames.hpp"

namespace marsim::ros_nodes {

/// Publishes the navigation sensors beside the IMU that the vehicle's file has: `imu/mag`
/// (sensor_msgs/MagneticField), `baro/pressure` (sensor_msgs/FluidPressure), `gnss/fix`
/// (sensor_msgs/NavSatFix) and `gnss/velocity` (geometry_msgs/TwistWithCovarianceStamped, east,
/// north, up).
class NavigationSensors {
 public:
  NavigationSensors(const vehicle::VehicleConfig& vehicle, const Frames& frames,
                    ros::NodeHandle& handle);
  /// Publishes the samples that are due at a step.
  void publish(TimeNs stamp, const sim::VehicleStep& due);

 private:
  void publishField(TimeNs stamp, const Eigen::Vector3d& field);
  void publishPressure(TimeNs stamp, double pressure);
  void publishFix(TimeNs stamp, const vehicle::GnssFix& fix);

  std::string base_frame_, magnetometer_frame_, world_frame_;
  vehicle::MagnetometerConfig magnetometer_;
  vehicle::BarometerConfig barometer_;
  vehicle::GnssConfig gnss_;
  ros::Publisher field_publisher_, pressure_publisher_, fix_publisher_, velocity_publisher_;
};

}  // namespace marsim::ros_nodes
