#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <diagnostic_msgs/DiagnosticArray.h>
#include <ros/ros.h>

#include "collision/structure.hpp"
#include "control/paths/excitation.hpp"
#include "marsim/VehicleState.h"
#include "marsim/geometry/pose.hpp"
#include "ros/common/command_ticks.hpp"
#include "ros/common/inputs.hpp"
#include "ros/common/params.hpp"

namespace marsim::ros_nodes {

/// A flight for LiDAR-inertial odometry: as soon as somebody reads the scans, two seconds of rest,
/// a turn to the heading and way points that keep structure in view (collision::planSlamRoute), an
/// excitation of all axes (control::Excitation), the way points, and back to the start; then the
/// node ends. In lockstep it takes part (CommandTicks): from its beginning on a flight repeats.
///
/// In: `state`, /diagnostics (whether scans are made). Out: `command/state`, `goal`. Parameters:
/// map and those of readMapConfig, vegetation (what is an obstacle is flown round), vehicle, lidar,
/// goals (3, how many way points are chosen), rest (2 s), wait_for_client (true; false: begin at
/// once), lockstep (false), ground_z.
class SlamFlightNode {
 public:
  SlamFlightNode(ros::NodeHandle handle, ros::NodeHandle private_handle);

 private:
  enum class Phase { kWaiting, kRest, kTurn, kExcitation, kRoute };

  void plan(Params& params);
  void onState(const marsim::VehicleStateConstPtr& message);
  void onDiagnostics(const diagnostic_msgs::DiagnosticArrayConstPtr& message);
  void fly(TimeNs now, double speed);
  void begin(Phase phase, TimeNs now);
  void makeRoute();
  void follow(TimeNs now, double speed);
  void end();
  void publishGoal(const Eigen::Vector3d& target, TimeNs now);

  std::unique_ptr<collision::ClearanceMap> map_;
  collision::ViewLimits view_;
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

  bool over_ = false;

  std::unique_ptr<CommandTicks> ticks_;
  ros::Publisher reference_publisher_, goal_publisher_;
  Inputs inputs_;
  ros::Subscriber state_subscriber_, diagnostics_subscriber_;
  ros::SteadyTimer farewell_;
};

}  // namespace marsim::ros_nodes
