#include "marsim/ros/navigation_sensors.hpp"

#include <cmath>

#include <fmt/format.h>
#include <geometry_msgs/TwistWithCovarianceStamped.h>
#include <sensor_msgs/FluidPressure.h>
#include <sensor_msgs/MagneticField.h>
#include <sensor_msgs/NavSatFix.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/ros/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

double square(double x) { return x * x; }

TimeNs periodOf(double rate, TimeNs step, const char* sensor) {
  const TimeNs period = periodNs(rate);
  Validator(sensor).require(
      period % step == 0, "rate", fmt::format("{} Hz", rate),
      fmt::format("rates whose period is a multiple of the dynamics step, {} s", toSeconds(step)));
  return period;
}

}  // namespace

NavigationSensors::NavigationSensors(const config::Vehicle& vehicle, std::uint64_t seed,
                                     TimeNs step, const Frames& frames, ros::NodeHandle& handle)
    : base_frame_(frames.base()),
      magnetometer_frame_(frames.magnetometer()),
      world_frame_(frames.world) {
  if (vehicle.magnetometer) {
    magnetometer_.emplace(*vehicle.magnetometer, seed);
    magnetometer_period_ = periodOf(vehicle.magnetometer->rate, step, "magnetometer");
    field_publisher_ = handle.advertise<sensor_msgs::MagneticField>("imu/mag", 100);
  }
  if (vehicle.barometer) {
    barometer_.emplace(*vehicle.barometer, seed);
    barometer_period_ = periodOf(vehicle.barometer->rate, step, "barometer");
    pressure_publisher_ = handle.advertise<sensor_msgs::FluidPressure>("baro/pressure", 100);
  }
  if (vehicle.gnss) {
    gnss_.emplace(*vehicle.gnss, seed);
    gnss_period_ = periodOf(vehicle.gnss->rate, step, "gnss");
    fix_publisher_ = handle.advertise<sensor_msgs::NavSatFix>("gnss/fix", 10);
    velocity_publisher_ =
        handle.advertise<geometry_msgs::TwistWithCovarianceStamped>("gnss/velocity", 10);
  }
}

void NavigationSensors::publish(const KinematicState& state) {
  if (magnetometer_ && state.stamp % magnetometer_period_ == 0) publishField(state);
  if (barometer_ && state.stamp % barometer_period_ == 0) publishPressure(state);
  if (gnss_ && state.stamp % gnss_period_ == 0) publishFix(state);
}

void NavigationSensors::publishField(const KinematicState& state) {
  sensor_msgs::MagneticField message;
  message.header.stamp = toRos(state.stamp);
  message.header.frame_id = magnetometer_frame_;
  message.magnetic_field = toVector3(magnetometer_->sample(state));
  for (const int i : {0, 4, 8}) {
    message.magnetic_field_covariance[i] = square(magnetometer_->config().noise);
  }
  field_publisher_.publish(message);
}

void NavigationSensors::publishPressure(const KinematicState& state) {
  sensor_msgs::FluidPressure message;
  message.header.stamp = toRos(state.stamp);
  message.header.frame_id = base_frame_;
  message.fluid_pressure = barometer_->sample(state);
  message.variance = square(barometer_->config().noise) + square(barometer_->config().drift.sigma);
  pressure_publisher_.publish(message);
}

void NavigationSensors::publishFix(const KinematicState& state) {
  const vehicle::GnssFix fix = gnss_->sample(state);
  const vehicle::GnssConfig& config = gnss_->config();
  sensor_msgs::NavSatFix message;
  message.header.stamp = toRos(state.stamp);
  message.header.frame_id = base_frame_;
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
