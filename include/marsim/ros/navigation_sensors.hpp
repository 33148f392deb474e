#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <ros/ros.h>

#include "marsim/config/load.hpp"
#include "marsim/ros/frames.hpp"

namespace marsim::ros_nodes {

/// What a vehicle carries beside its IMU, published where its file has it: `imu/mag`
/// (sensor_msgs/MagneticField), `baro/pressure` (sensor_msgs/FluidPressure), `gnss/fix`
/// (sensor_msgs/NavSatFix) and `gnss/velocity` (geometry_msgs/TwistWithCovarianceStamped, east,
/// north, up).
class NavigationSensors {
 public:
  /// Throws ConfigError where a rate does not divide that of the dynamics, whose step is `step`.
  NavigationSensors(const config::Vehicle& vehicle, std::uint64_t seed, TimeNs step,
                    const Frames& frames, ros::NodeHandle& handle);
  /// Publishes what is due at the state's stamp.
  void publish(const KinematicState& state);

 private:
  void publishField(const KinematicState& state);
  void publishPressure(const KinematicState& state);
  void publishFix(const KinematicState& state);

  std::string base_frame_, magnetometer_frame_, world_frame_;
  std::optional<vehicle::Magnetometer> magnetometer_;
  std::optional<vehicle::Barometer> barometer_;
  std::optional<vehicle::Gnss> gnss_;
  TimeNs magnetometer_period_ = 0, barometer_period_ = 0, gnss_period_ = 0;
  ros::Publisher field_publisher_, pressure_publisher_, fix_publisher_, velocity_publisher_;
};

}  // namespace marsim::ros_nodes
