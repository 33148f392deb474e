#include "ros/suite/flight_recorder_node.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <geometry_msgs/PoseStamped.h>
#include <nlohmann/json.hpp>

#include "common/input_file.hpp"
#include "common/output_file.hpp"
#include "marsim/common/error.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/map/voxel_grid.hpp"
#include "ros/common/params.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr double kCloudVoxel = 0.05;                // [m] of the accumulated cloud
constexpr double kSeenVoxel = 0.25;                 // [m] by which scans are compared
constexpr double kRestSpeed = 0.1;                  // [m/s] below it a vehicle counts as arrived
constexpr TimeNs kSettleTime = kNsPerSecond / 2;    // at rest at a goal before the next one
constexpr TimeNs kRepeatPeriod = kNsPerSecond / 2;  // of a goal that was not taken up
constexpr float kFarthestPoint = 5e4F;              // [m] that voxels of kCloudVoxel reach
constexpr double kSamePlace = 1e-3;                 // [m]
constexpr TimeNs kReportPeriod = kNsPerSecond;
constexpr double kPassRadius = 0.3;  // [m] at which a way point is passed

}  // namespace

FlightRecorderNode::FlightRecorderNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : inputs_(handle) {
  Params params(private_handle);
  readPlan(params.text("plan", ""));
  params.finish();

  csv_.emplace(folder_ / "trajectory.csv");
  tum_.emplace(folder_ / "trajectory.tum");
  csv_->write("stamp,x,y,z,qx,qy,qz,qw,vx,vy,vz,ref_x,ref_y,ref_z\n");
  tum_->write("# stamp x y z qx qy qz qw\n");

  goal_publisher_ = handle.advertise<geometry_msgs::PoseStamped>("goal", 1);
  odom_subscriber_ = inputs_.subscribeToStream("odom", 1000, &FlightRecorderNode::onOdometry, this);
  points_subscriber_ = inputs_.subscribe("points_world", 20, &FlightRecorderNode::onPoints, this);
  reference_subscriber_ =
      inputs_.subscribe("reference", 10, &FlightRecorderNode::onReference, this);
  path_subscriber_ =
      inputs_.subscribe("planned_path", 10, &FlightRecorderNode::onPlannedPath, this);
  error_subscriber_ =
      inputs_.subscribe("tracking_error", 1000, &FlightRecorderNode::onTrackingError, this);
  contact_subscriber_ = inputs_.subscribe("collision", 100, &FlightRecorderNode::onContact, this);
  diagnostics_subscriber_ =
      handle.subscribe("/diagnostics", 20, &FlightRecorderNode::onDiagnostics, this);
}

FlightRecorderNode::~FlightRecorderNode() {
  try {
    save(false);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
}

void FlightRecorderNode::readPlan(const std::string& path) {
  constexpr std::size_t kLargestPlan = std::size_t{16} << 20;
  const std::string text = readFile(path, kLargestPlan);
  try {
    const nlohmann::json plan = nlohmann::json::parse(text);
    folder_ = plan.at("output").get<std::string>();
    tolerance_ = plan.value("goal_tolerance", tolerance_);
    goal_timeout_ = toNs(plan.value("goal_timeout", toSeconds(goal_timeout_)));
    for (const nlohmann::json& leg : plan.at("legs")) {
      legs_.emplace_back();
      for (const nlohmann::json& point : leg.at("waypoints")) {
        legs_.back().waypoints.emplace_back(point.at(0).get<double>(), point.at(1).get<double>(),
                                            point.at(2).get<double>());
      }
      if (legs_.back().waypoints.empty()) throw FileError(path, "a leg has no way points");
    }
  } catch (const nlohmann::json::exception& error) {
    throw FileError(path, error.what());
  }
}

void FlightRecorderNode::onReference(const marsim::StateReferenceConstPtr& message) {
  reference_ = fromMessage(*message);
  reference_stamp_ = fromRos(message->header.stamp);
  has_reference_ = true;
}

// The controller answers a goal with the path to it.
void FlightRecorderNode::onPlannedPath(const nav_msgs::PathConstPtr& message) {
  if (leg_ >= legs_.size() || message->poses.empty()) return;
  const Eigen::Vector3d end = fromPoint(message->poses.back().pose.position);
  goal_taken_ = goal_taken_ || (end - legs_[leg_].waypoints[waypoint_]).norm() < kSamePlace;
}

void FlightRecorderNode::onTrackingError(const marsim::TrackingErrorConstPtr& message) {
  if (saved_) return;
  squared_error_sum_ += fromVector3(message->position).squaredNorm();
  ++error_count_;
}

void FlightRecorderNode::onOdometry(const nav_msgs::OdometryConstPtr& message) {
  if (saved_) return;
  const TimeNs stamp = fromRos(message->header.stamp);
  const Eigen::Vector3d p = fromPoint(message->pose.pose.position);
  const Eigen::Quaterniond q = fromQuaternion(message->pose.pose.orientation);
  const Eigen::Vector3d v = q * fromVector3(message->twist.twist.linear);
  if (first_stamp_ < 0) {
    first_stamp_ = stamp;
    first_wall_ = ros::WallTime::now();
  }
  last_stamp_ = stamp;
  last_wall_ = ros::WallTime::now();
  p_WB_ = p;

  // The reference comes at its own rate: carried on to this stamp.
  Eigen::Vector3d reference = p;
  if (has_reference_) {
    reference = reference_.p_WB + toSeconds(stamp - reference_stamp_) * reference_.v_WB;
  }
  const std::string pose = fmt::format("{:.6f} {:.6f} {:.6f} {:.9f} {:.9f} {:.9f} {:.9f}", p.x(),
                                       p.y(), p.z(), q.x(), q.y(), q.z(), q.w());
  std::string row = pose;
  std::replace(row.begin(), row.end(), ' ', ',');
  try {
    tum_->write(fmt::format("{:.9f} {}\n", toSeconds(stamp), pose));
    csv_->write(fmt::format("{:.9f},{},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f}\n",
                            toSeconds(stamp), row, v.x(), v.y(), v.z(), reference.x(),
                            reference.y(), reference.z()));
  } catch (const Error& error) {
    saved_ = true;  // a part of the trajectory is no record of the flight
    ROS_ERROR("%s", error.what());
    ros::shutdown();
    return;
  }
  advance(p, v.norm(), stamp);
}

// Sends goals one after another: way points on the way are passed without stopping.
void FlightRecorderNode::advance(const Eigen::Vector3d& p_WB, double speed, TimeNs now) {
  if (leg_ >= legs_.size()) return;
  if (goal_sent_ < 0) {
    if (goal_publisher_.getNumSubscribers() == 0) return;
    goal_since_ = now;
    publishGoal(now);
  }
  // A controller that has no state of the vehicle yet ignores goals.
  if (!goal_taken_ && now - goal_sent_ > kRepeatPeriod) publishGoal(now);
  report(p_WB, now);

  const std::vector<Eigen::Vector3d>& waypoints = legs_[leg_].waypoints;
  const double distance = (waypoints[waypoint_] - p_WB).norm();
  const bool is_goal = waypoint_ + 1 == waypoints.size();
  const bool there =
      is_goal ? distance <= tolerance_ && speed <= kRestSpeed : distance < kPassRadius;
  if (there && settled_since_ < 0) settled_since_ = now;
  if (!there) settled_since_ = -1;
  if (there && (!is_goal || now - settled_since_ >= kSettleTime)) {
    if (is_goal) ++goals_reached_;
    nextGoal(now);
  } else if (now - goal_since_ > goal_timeout_) {
    ROS_ERROR("goal %zu not reached within %.0f s: %.2f m away", leg_ + 1, toSeconds(goal_timeout_),
              distance);
    finish();
  }
}

void FlightRecorderNode::nextGoal(TimeNs now) {
  settled_since_ = -1;
  goal_since_ = now;
  if (++waypoint_ == legs_[leg_].waypoints.size()) {
    waypoint_ = 0;
    ++leg_;
  }
  if (leg_ < legs_.size()) {
    publishGoal(now);
  } else {
    finish();
  }
}

void FlightRecorderNode::publishGoal(TimeNs now) {
  const std::vector<Eigen::Vector3d>& waypoints = legs_[leg_].waypoints;
  const Eigen::Vector3d& target = waypoints[waypoint_];
  geometry_msgs::PoseStamped goal;
  goal.header = toHeader(now, "world");
  goal.pose.position = toPoint(target);
  const Eigen::Vector3d ahead = target - p_WB_;
  if (ahead.head<2>().norm() > 0.3) {  // look where it flies
    goal.pose.orientation =
        toQuaternion(fromRollPitchYaw(0.0, 0.0, std::atan2(ahead.y(), ahead.x())));
  }
  goal_publisher_.publish(goal);
  goal_taken_ = false;
  goal_sent_ = now;
}

void FlightRecorderNode::report(const Eigen::Vector3d& p_WB, TimeNs now) {
  if (now - reported_ < kReportPeriod) return;
  reported_ = now;
  const double wall = (last_wall_ - first_wall_).toSec();
  fmt::print(
      "flying to goal {} of {}, at ({:.1f}, {:.1f}, {:.1f}) m, {:.1f} s simulated, "
      "real-time factor {:.2f}, {} scans\n",
      leg_ + 1, legs_.size(), p_WB.x(), p_WB.y(), p_WB.z(), toSeconds(now - first_stamp_),
      wall > 0.0 ? toSeconds(last_stamp_ - first_stamp_) / wall : 0.0, scans_);
  std::fflush(stdout);
}

void FlightRecorderNode::onPoints(const sensor_msgs::PointCloud2ConstPtr& message) {
  constexpr std::size_t kPointSize = 4 * sizeof(float);
  const bool is_whole = message->point_step >= kPointSize &&
                        message->data.size() / message->point_step >= message->width;
  if (!is_whole) {
    return inputs_.refuse("points_world",
                          fmt::format("{} bytes for {} points of {} bytes", message->data.size(),
                                      message->width, message->point_step));
  }
  ++scans_;
  scan_points_ += message->width;
  map::PointCloud scan;
  scan.points.reserve(message->width);
  for (std::size_t i = 0; i < message->width; ++i) {
    float point[4];  // x y z intensity
    std::memcpy(point, &message->data[i * message->point_step], sizeof(point));
    const Eigen::Vector3f p_W(point[0], point[1], point[2]);
    if (!(p_W.cwiseAbs().maxCoeff() < kFarthestPoint)) continue;
    scan.points.push_back(p_W);
    scan.intensity.push_back(point[3]);
    if (!occupied_.insert(map::voxelKey(scan.points.back(), kCloudVoxel)).second) continue;
    accumulated_.points.push_back(scan.points.back());
    accumulated_.intensity.push_back(point[3]);
  }
  // The scan that is shown is the one that saw most.
  std::unordered_set<std::uint64_t> seen;
  for (const Eigen::Vector3f& point : scan.points) seen.insert(map::voxelKey(point, kSeenVoxel));
  if (seen.size() > shown_scan_voxels_) {
    shown_scan_voxels_ = seen.size();
    shown_scan_ = std::move(scan);
    scan_origin_ = p_WB_;
  }
}

void FlightRecorderNode::onContact(const marsim::ContactConstPtr& message) {
  if (!message->begins) return;
  ++contacts_;
  worst_contact_speed_ = std::max(worst_contact_speed_, message->relative_speed);
}

void FlightRecorderNode::onDiagnostics(const diagnostic_msgs::DiagnosticArrayConstPtr& message) {
  for (const diagnostic_msgs::DiagnosticStatus& status : message->status) {
    for (const diagnostic_msgs::KeyValue& entry : status.values) {
      if (entry.key == "mean render time [ms]") {
        render_ms_mean_ = std::strtod(entry.value.c_str(), nullptr);
      }
    }
  }
}

// A full disk shall be told as such, and end the flight in good order.
void FlightRecorderNode::finish() {
  try {
    save(true);
  } catch (const Error& error) {
    ROS_ERROR("%s", error.what());
  }
  ros::shutdown();
}

void FlightRecorderNode::save(bool completed) {
  if (saved_) return;
  saved_ = true;
  if (!accumulated_.empty()) map::savePcd(folder_ / "cloud.pcd", accumulated_);
  if (!shown_scan_.empty()) map::savePcd(folder_ / "scan.pcd", shown_scan_);

  const double simulated = first_stamp_ < 0 ? 0.0 : toSeconds(last_stamp_ - first_stamp_);
  const double wall = (last_wall_ - first_wall_).toSec();
  const auto ratio = [](double numerator, double denominator) {
    return denominator > 0.0 ? numerator / denominator : 0.0;
  };
  const nlohmann::json flight{
      {"goals", legs_.size()},
      {"goals_reached", goals_reached_},
      {"rms_tracking_error_m",
       std::sqrt(ratio(squared_error_sum_, static_cast<double>(error_count_)))},
      {"scans", scans_},
      {"points_per_scan_mean",
       ratio(static_cast<double>(scan_points_), static_cast<double>(scans_))},
      {"render_ms_mean", render_ms_mean_},
      {"real_time_factor", ratio(simulated, wall)},
      {"simulated_s", simulated},
      {"contacts", contacts_},
      {"worst_contact_speed_mps", worst_contact_speed_},
      {"scan_origin", {scan_origin_.x(), scan_origin_.y(), scan_origin_.z()}},
      {"completed", completed}};
  writeFile(folder_ / "flight.json", flight.dump(2) + "\n");
}

}  // namespace marsim::ros_nodes
