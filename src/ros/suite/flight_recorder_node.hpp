#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <diagnostic_msgs/DiagnosticArray.h>
#include <nav_msgs/Odometry.h>
#include <nav_msgs/Path.h>
#include <ros/ros.h>
#include <sensor_msgs/PointCloud2.h>

#include "common/output_file.hpp"
#include "marsim/Contact.h"
#include "marsim/StateReference.h"
#include "marsim/TrackingError.h"
#include "marsim/control/reference.hpp"
#include "marsim/map/point_cloud.hpp"
#include "ros/common/inputs.hpp"

namespace marsim::ros_nodes {

/// Flies a planned demonstration and keeps what it saw: publishes the plan's way points as goals
/// one after another and writes, when all are reached (it then shuts itself down) or on Ctrl-C,
/// trajectory.csv, trajectory.tum, cloud.pcd, scan.pcd and flight.json into the plan's folder.
///
/// In: `odom`, `points_world`, `reference`, `tracking_error`, `planned_path`, `collision`,
/// /diagnostics. Out: `goal`.
/// Parameters: plan (JSON file, see docs/design.md).
class FlightRecorderNode {
 public:
  FlightRecorderNode(ros::NodeHandle handle, ros::NodeHandle private_handle);
  ~FlightRecorderNode();

 private:
  struct Leg {
    std::vector<Eigen::Vector3d> waypoints;  ///< [m] in W, the last one is the goal
  };

  void readPlan(const std::string& path);
  void onOdometry(const nav_msgs::OdometryConstPtr& message);
  void onPoints(const sensor_msgs::PointCloud2ConstPtr& message);
  void onReference(const marsim::StateReferenceConstPtr& message);
  void onPlannedPath(const nav_msgs::PathConstPtr& message);
  void onTrackingError(const marsim::TrackingErrorConstPtr& message);
  void onContact(const marsim::ContactConstPtr& message);
  void onDiagnostics(const diagnostic_msgs::DiagnosticArrayConstPtr& message);
  void advance(const Eigen::Vector3d& p_WB, double speed, TimeNs now);
  void nextGoal(TimeNs now);
  void publishGoal(TimeNs now);
  void report(const Eigen::Vector3d& p_WB, TimeNs now);
  void finish();
  void save(bool completed);

  std::filesystem::path folder_;
  double tolerance_ = 0.1;                    ///< [m] within which a goal counts as reached
  TimeNs goal_timeout_ = 120 * kNsPerSecond;  ///< simulated; then the flight is given up
  std::vector<Leg> legs_;
  std::size_t leg_ = 0, waypoint_ = 0;
  std::size_t goals_reached_ = 0;
  TimeNs goal_since_ = -1;   ///< first sent
  TimeNs goal_sent_ = -1;    ///< last sent
  bool goal_taken_ = false;  ///< the controller has planned a path to it
  TimeNs settled_since_ = -1;
  TimeNs reported_ = 0;
  bool saved_ = false;

  // The record so far.
  std::optional<OutputStream> csv_, tum_;
  TimeNs first_stamp_ = -1, last_stamp_ = 0;
  ros::WallTime first_wall_, last_wall_;
  double squared_error_sum_ = 0.0;
  std::uint64_t error_count_ = 0;
  control::Reference reference_;
  TimeNs reference_stamp_ = 0;
  bool has_reference_ = false;
  map::PointCloud accumulated_;
  std::unordered_set<std::uint64_t> occupied_;  ///< voxels of accumulated_
  map::PointCloud shown_scan_;
  std::size_t shown_scan_voxels_ = 0;
  Eigen::Vector3d scan_origin_ = Eigen::Vector3d::Zero();
  Eigen::Vector3d p_WB_ = Eigen::Vector3d::Zero();
  std::uint64_t scans_ = 0, scan_points_ = 0;
  double render_ms_mean_ = 0.0;
  std::uint64_t contacts_ = 0;        ///< begun
  double worst_contact_speed_ = 0.0;  ///< [m/s]

  ros::Publisher goal_publisher_;
  Inputs inputs_;
  ros::Subscriber odom_subscriber_, points_subscriber_, path_subscriber_, reference_subscriber_,
      error_subscriber_, contact_subscriber_, diagnostics_subscriber_;
};

}  // namespace marsim::ros_nodes
