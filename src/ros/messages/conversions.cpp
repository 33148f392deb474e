// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/conversions.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <ros/init.h>
#include <ros/param.h>

#include "config/defaults.hpp"
#include "config/epoch.hpp"
#include "marsim/common/units.hpp"

namespace marsim::ros_nodes {

namespace {

// The parameter is a text or a number.
TimeNs readEpoch() {
  const char* const name = "/epoch";
  std::string text = config::defaultOf("epoch");
  double number = 0.0;
  if (!ros::param::get(name, text) && ros::param::get(name, number)) {
    text = fmt::format("{}", number);
  }
  return config::epochOf(text, "/");
}

}  // namespace

TimeNs epoch() {
  if (!ros::isInitialized()) return 0;
  static const TimeNs value = readEpoch();
  return value;
}

ros::Time toRos(TimeNs t, TimeNs epoch) {
  const auto latest = static_cast<TimeNs>(ros::TIME_MAX.toNSec());
  const TimeNs stamp = std::clamp<TimeNs>(t, -epoch, latest - epoch) + epoch;
  return ros::Time().fromNSec(static_cast<std::uint64_t>(stamp));
}
TimeNs fromRos(const ros::Time& t, TimeNs epoch) {
  return t.isZero() ? 0 : static_cast<TimeNs>(t.toNSec()) - epoch;
}

std_msgs::Header toHeader(TimeNs stamp, const std::string& frame) {
  std_msgs::Header header;
  header.stamp = toRos(stamp);
  header.frame_id = frame;
  return header;
}

namespace {

template <class Message>
Message toXyz(const Eigen::Vector3d& v) {
  Message message;
  message.x = v.x();
  message.y = v.y();
  message.z = v.z();
  return message;
}

}  // namespace

geometry_msgs::Vector3 toVector3(const Eigen::Vector3d& v) {
  return toXyz<geometry_msgs::Vector3>(v);
}

geometry_msgs::Point toPoint(const Eigen::Vector3d& p) { return toXyz<geometry_msgs::Point>(p); }

geometry_msgs::Quaternion toQuaternion(const Eigen::Quaterniond& q) {
  geometry_msgs::Quaternion message;
  message.x = q.x();
  message.y = q.y();
  message.z = q.z();
  message.w = q.w();
  return message;
}

geometry_msgs::Pose toPose(const Pose& X_AB) {
  geometry_msgs::Pose message;
  message.position = toPoint(X_AB.p);
  message.orientation = toQuaternion(X_AB.q);
  return message;
}

geometry_msgs::PoseStamped toPoseStamped(const Pose& X_AB, const std::string& frame_a,
                                         TimeNs stamp) {
  geometry_msgs::PoseStamped message;
  message.header = toHeader(stamp, frame_a);
  message.pose = toPose(X_AB);
  return message;
}

geometry_msgs::TransformStamped toTransform(const Pose& X_AB, const std::string& frame_a,
                                            const std::string& frame_b, TimeNs stamp) {
  geometry_msgs::TransformStamped message;
  message.header = toHeader(stamp, frame_a);
  message.child_frame_id = frame_b;
  message.transform.translation = toVector3(X_AB.p);
  message.transform.rotation = toQuaternion(X_AB.q);
  return message;
}

Eigen::Vector3d fromVector3(const geometry_msgs::Vector3& v) { return {v.x, v.y, v.z}; }
Eigen::Vector3d fromPoint(const geometry_msgs::Point& p) { return {p.x, p.y, p.z}; }
Eigen::Quaterniond fromQuaternion(const geometry_msgs::Quaternion& q) {
  return {q.w, q.x, q.y, q.z};
}

void toMessage(const sim::VehicleReport& report, marsim::VehicleState& message) {
  const KinematicState& state = report.motion;
  message.header.stamp = toRos(state.stamp);
  message.pose = toPose(state.X_WB);
  message.velocity = toVector3(state.v_WB);
  message.acceleration = toVector3(state.a_WB);
  message.angular_velocity = toVector3(state.w_WB_B);
  message.angular_acceleration = toVector3(state.dw_WB_B);
  message.on_ground = report.on_ground;
  message.placements = report.placements;
}

sim::VehicleReport fromMessage(const marsim::VehicleState& message) {
  sim::VehicleReport report;
  report.on_ground = message.on_ground;
  report.placements = message.placements;
  KinematicState& state = report.motion;
  state.stamp = fromRos(message.header.stamp);
  state.X_WB.p = fromPoint(message.pose.position);
  state.X_WB.q = fromQuaternion(message.pose.orientation);
  state.v_WB = fromVector3(message.velocity);
  state.a_WB = fromVector3(message.acceleration);
  state.w_WB_B = fromVector3(message.angular_velocity);
  state.dw_WB_B = fromVector3(message.angular_acceleration);
  return report;
}

void toMessage(const control::Reference& reference, TimeNs stamp, marsim::StateReference& message) {
  message.header.stamp = toRos(stamp);
  fillReference(reference, message);
}

control::Reference fromMessage(const marsim::StateReference& message) {
  return referenceOf(message);
}

void toMessage(const KinematicState& state, bool twist_in_world, nav_msgs::Odometry& message) {
  message.header.stamp = toRos(state.stamp);
  message.pose.pose = toPose(state.X_WB);
  const Eigen::Quaterniond q_BW = state.X_WB.q.conjugate();
  message.twist.twist.linear = toVector3(twist_in_world ? state.v_WB : q_BW * state.v_WB);
  message.twist.twist.angular =
      toVector3(twist_in_world ? state.X_WB.q * state.w_WB_B : state.w_WB_B);
}

void toMessage(const vehicle::ImuSample& sample, const vehicle::ImuConfig& config,
               bool with_orientation, sensor_msgs::Imu& message) {
  const auto setDiagonal = [](boost::array<double, 9>& covariance, double deviation, double rate) {
    covariance.fill(0.0);
    covariance[0] = covariance[4] = covariance[8] = deviation * deviation * rate;
  };
  message.header.stamp = toRos(sample.stamp);
  message.angular_velocity = toVector3(sample.angular_velocity);
  message.linear_acceleration = toVector3(sample.specific_force);
  if (with_orientation) {
    message.orientation = toQuaternion(sample.q_WI);
    setDiagonal(message.orientation_covariance, config.orientation_noise, 1.0);
  } else {
    message.orientation_covariance[0] = -1.0;  // REP-145: no orientation
  }
  setDiagonal(message.angular_velocity_covariance, config.gyroscope.noise_density, config.rate);
  setDiagonal(message.linear_acceleration_covariance, config.accelerometer.noise_density,
              config.rate);
}

sensor_msgs::Imu toLivoxImu(const vehicle::ImuSample& sample, const std::string& frame) {
  sensor_msgs::Imu message;
  message.header = toHeader(sample.stamp, frame);
  message.angular_velocity = toVector3(sample.angular_velocity);
  message.linear_acceleration = toVector3(sample.specific_force / kGravity);
  return message;
}

}  // namespace marsim::ros_nodes
