// SPDX-License-Identifier: BSD-3-Clause
#include "ros/uav/navigation_sensors.hpp"

#include <geometry_msgs/TwistWithCovarianceStamped.h>
#include <sensor_msgs/FluidPressure.h>
#include <sensor_msgs/MagneticField.h>
#include <sensor_msgs/NavSatFix.h>

#include "marsim/common/units.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

double square(double x) { return x * x; }

}  // namespace

NavigationSensors::NavigationSensors(const vehicle::VehicleConfig& vehicle, const Frames& frames,
                                     ros::NodeHandle& handle)
    : base_frame_(frames.base()),
      magnetometer_frame_(frames.magnetometer()),
      world_frame_(frames.world) {
  if (vehicle.magnetometer) {
    magnetometer_ = *vehicle.magnetometer;
    field_publisher_ = handle.advertise<sensor_msgs::MagneticField>("imu/mag", 100);
  }
  if (vehicle.barometer) {
    barometer_ = *vehicle.barometer;
    pressure_publisher_ = handle.advertise<sensor_msgs::FluidPressure>("baro/pressure", 100);
  }
  if (vehicle.gnss) {
    gnss_ = *vehicle.gnss;
    fix_publisher_ = handle.advertise<sensor_msgs::NavSatFix>("gnss/fix", 10);
    velocity_publisher_ =
        handle.advertise<geometry_msgs::TwistWithCovarianceStamped>("gnss/velocity", 10);
  }
}

void NavigationSensors::publish(TimeNs stamp, const sim::VehicleStep& due) {
  if (due.magnetic_field) publishField(stamp, *due.magnetic_field);
  if (due.pressure) publishPressure(stamp, *due.pressure);
  if (due.fix) publishFix(stamp, *due.fix);
}

void NavigationSensors::publishField(TimeNs stamp, const Eigen::Vector3d& field) {
  sensor_msgs::MagneticField message;
  message.header = toHeader(stamp, magnetometer_frame_);
  message.magnetic_field = toVector3(field);
  for (const int i : {0, 4, 8}) {
    message.magnetic_field_covariance[i] = square(magnetometer_.noise);
  }
  field_publisher_.publish(message);
}

void NavigationSensors::publishPressure(TimeNs stamp, double pressure) {
  sensor_msgs::FluidPressure message;
  message.header = toHeader(stamp, base_frame_);
  message.fluid_pressure = pressure;
  message.variance = square(barometer_.noise) + square(barometer_.drift.sigma);
  pressure_publisher_.publish(message);
}

void NavigationSensors::publishFix(TimeNs stamp, const vehicle::GnssFix& fix) {
  const vehicle::GnssConfig& config = gnss_;
  sensor_msgs::NavSatFix message;
  message.header = toHeader(stamp, base_frame_);
  message.status.status = sensor_msgs::NavSatStatus::STATUS_FIX;
  message.status.service = sensor_msgs::NavSatStatus::SERVICE_GPS;
  message.latitude = degrees(fix.position.latitude);
  message.longitude = degrees(fix.position.longitude);
  message.altitude = fix.position.altitude;
  const double horizontal = square(config.horizontal_noise) + square(config.horizontal_drift.sigma);
  message.position_covariance[0] = message.position_covariance[4] = horizontal;
  message.position_covariance[8] =
      square(config.vertical_noise) + square(config.vertical_drift.sigma);
  message.position_covariance_type = sensor_msgs::NavSatFix::COVARIANCE_TYPE_DIAGONAL_KNOWN;
  fix_publisher_.publish(message);

  geometry_msgs::TwistWithCovarianceStamped velocity;
  velocity.header.stamp = message.header.stamp;
  velocity.header.frame_id = world_frame_;
  velocity.twist.twist.linear = toVector3(fix.v_W);
  for (const int i : {0, 7, 14}) velocity.twist.covariance[i] = square(config.velocity_noise);
  velocity_publisher_.publish(velocity);
}

}  // namespace marsim::ros_nodes
