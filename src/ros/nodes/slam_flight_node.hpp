#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <diagnostic_msgs/DiagnosticArray.h>
#include <nav_msgs/Odometry.h>
#include <ros/ros.h>

#include "collision/structure.hpp"
#include "control/excitation.hpp"
#include "marsim/geometry/pose.hpp"
#include "ros/common/params.hpp"

namespace marsim::ros_nodes {

/// A flight for LiDAR-inertial odometry: as soon as somebody reads the scans, two seconds of rest,
/// a turn to the heading and way points that keep structure in view (collision::planSlamRoute), an
/// excitation of all axes (control::Excitation), the way points, and back to the start; then the
/// node ends.
///
/// In: `odom`, /diagnostics (whether scans are made). Out: `command/state`, `goal`. Parameters:
/// map and those of readMapConfig, vegetation (what is an obstacle is flown round), vehicle, lidar,
/// goals (3, how many way points are chosen), rest (2 s), wait_for_client (true; false: begin at
/// once), ground_z.
class SlamFlightNode {
 public:
  SlamFlightNode(ros::NodeHandle handle, ros::NodeHandle private_handle);

 private:
  enum class Phase { kWaiting, kRest, kTurn, kExcitation, kRoute };

  void plan(Params& params);
  void onOdometry(const nav_msgs::OdometryConstPtr& message);
  void onDiagnostics(const diagnostic_msgs::DiagnosticArrayConstPtr& message);
  void begin(Phase phase, TimeNs now);
  void makeRoute();
  void follow(TimeNs now, double speed);
  void publishGoal(const Eigen::Vector3d& target, TimeNs now);

  std::unique_ptr<collision::ClearanceMap> map_;
  collision::SensorView view_;
  double radius_ = 0.0, clearance_ = 0.0, lowest_z_ = 0.0;  ///< [m]
  int goals_ = 3;
  TimeNs rest_ = 0;

  bool client_reads_ = false;
  Phase phase_ = Phase::kWaiting;
  TimeNs phase_begun_ = 0;
  Pose X_WB_;
  std::optional<control::Excitation> excitation_;
  Eigen::Vector3d start_ = Eigen::Vector3d::Zero();  ///< [m] in W
  std::vector<Eigen::Vector3d> waypoints_;           ///< [m] in W
  double yaw_ = 0.0;                                 ///< [rad] all along
  std::size_t next_ = 0;                             ///< of the way points
  TimeNs goal_sent_ = 0, flight_begun_ = 0;

  ros::Publisher reference_publisher_, goal_publisher_;
  ros::Subscriber odom_subscriber_, diagnostics_subscriber_;
};

}  // namespace marsim::ros_nodes
