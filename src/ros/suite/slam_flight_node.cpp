#include "ros/suite/slam_flight_node.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <geometry_msgs/PoseStamped.h>

#include "lidar/measure/field_of_view.hpp"
#include "marsim/config/load.hpp"
#include "ros/common/map_params.hpp"
#include "ros/messages/conversions.hpp"
#include "sim/obstacle_plants.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr double kMargin = 0.2;      // [m] kept to the map beside the vehicle's radius
constexpr double kMostReach = 30.0;  // [m] structure farther away does not count
constexpr double kThin = 0.06;       // of structureInView(): less may lose the client
constexpr double kTurned = 0.05;     // [rad]
constexpr double kArrived = 0.15;    // [m]
constexpr double kRestSpeed = 0.1;   // [m/s] below it the vehicle has stopped
constexpr TimeNs kLongestTurn = 8 * kNsPerSecond;
constexpr TimeNs kRepeatPeriod = 2 * kNsPerSecond;  // of a goal that is not flown to
constexpr double kFarewell = 0.5;                   // [s] of wall time

}  // namespace

SlamFlightNode::SlamFlightNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : inputs_(handle) {
  Params params(private_handle);
  rest_ = toNs(params.number("rest", 2.0, Quantity::kTime));
  goals_ = params.integer("goals", goals_, 1, 1000);
  client_reads_ = !params.flag("wait_for_client", true);
  const bool in_lockstep = params.flag("lockstep");
  plan(params);
  params.finish();

  reference_publisher_ = handle.advertise<marsim::StateReference>("command/state", 10);
  goal_publisher_ = handle.advertise<geometry_msgs::PoseStamped>("goal", 10);
  ticks_ = std::make_unique<CommandTicks>(handle, private_handle, in_lockstep, [this] {
    return reference_publisher_.getNumSubscribers() > 0 &&
           goal_publisher_.getNumSubscribers() > 0 && state_subscriber_.getNumPublishers() > 0;
  });
  state_subscriber_ =
      inputs_.subscribeToStream("state", in_lockstep ? 5000 : 1, &SlamFlightNode::onState, this);
  diagnostics_subscriber_ =
      handle.subscribe("/diagnostics", 20, &SlamFlightNode::onDiagnostics, this);
}

void SlamFlightNode::plan(Params& params) {
  const vehicle::VehicleConfig vehicle = config::loadVehicle(params.text("vehicle")).vehicle;
  const lidar::LidarConfig lidar = config::loadLidar(params.text("lidar"));
  const MapParams map(params);
  const std::string vegetation = params.text("vegetation");
  const double ground_z = params.numberOrAuto("ground_z", Quantity::kLength);
  const map::LoadedMap loaded = map.load("slam_flight");
  map_ = std::make_unique<collision::ClearanceMap>(
      sim::neighboursIn(loaded.map, config::loadVegetation(vegetation), vegetation),
      loaded.map->bounds());
  const double ground =
      std::isfinite(ground_z) ? ground_z : static_cast<double>(loaded.source.box.min().z());
  radius_ = vehicle.radius;
  clearance_ = vehicle.radius + kMargin;
  lowest_z_ = ground + vehicle.ground_clearance;
  const lidar::AngularSector sector = lidar::viewInBody(lidar);
  view_ = {sector.azimuth_min, sector.azimuth_max, sector.elevation_min, sector.elevation_max,
           std::min(lidar.range_max, kMostReach)};
}

// The LiDAR makes scans only where somebody reads them, and counts them.
void SlamFlightNode::onDiagnostics(const diagnostic_msgs::DiagnosticArrayConstPtr& message) {
  for (const diagnostic_msgs::DiagnosticStatus& status : message->status) {
    for (const diagnostic_msgs::KeyValue& entry : status.values) {
      if (entry.key == "scans" && std::strtod(entry.value.c_str(), nullptr) > 0.0) {
        client_reads_ = true;
      }
    }
  }
}

void SlamFlightNode::onState(const marsim::VehicleStateConstPtr& message) {
  const TimeNs now = fromRos(message->header.stamp);
  if (over_ || !ticks_->isDue(now)) return;
  X_WB_ = {fromQuaternion(message->pose.orientation), fromPoint(message->pose.position)};
  fly(now, fromVector3(message->velocity).norm());
  if (!over_) ticks_->handled(now);
}

void SlamFlightNode::fly(TimeNs now, double speed) {
  switch (phase_) {
    case Phase::kWaiting:
      if (waypoints_.empty()) {
        makeRoute();
        break;  // stamps are old after that
      }
      ROS_INFO_ONCE("SLAM flight: waiting for somebody to read the scans");
      if (client_reads_) begin(Phase::kRest, now);
      break;
    case Phase::kRest:
      if (now - phase_begun_ < rest_) break;
      begin(Phase::kTurn, now);
      publishGoal(start_, now);
      break;
    case Phase::kTurn:
      if (std::abs(wrapAngle(yawOf(X_WB_.q) - yaw_)) < kTurned) {
        begin(Phase::kExcitation, now);
      } else if (now - goal_sent_ > kLongestTurn) {
        publishGoal(start_, now);
      }
      break;
    case Phase::kExcitation: {
      const double t = toSeconds(now - phase_begun_);
      marsim::StateReference reference;
      toMessage(excitation_->at(t), ticks_->actsAt(now), reference);
      reference.header.frame_id = "world";
      reference_publisher_.publish(reference);
      if (t < control::Excitation::kDuration + 0.5) break;
      begin(Phase::kRoute, now);
      publishGoal(waypoints_[next_], now);
      break;
    }
    case Phase::kRoute:
      follow(now, speed);
      break;
  }
}

void SlamFlightNode::begin(Phase phase, TimeNs now) {
  static const char* const names[] = {"waiting", "rest", "heading", "excitation of all axes",
                                      "way points"};
  ROS_INFO("SLAM flight: %s", names[static_cast<int>(phase)]);
  phase_ = phase;
  phase_begun_ = now;
  if (phase == Phase::kRest) flight_begun_ = now;
}

void SlamFlightNode::makeRoute() {
  start_ = X_WB_.p;
  const double room = map_->at(start_).distance - radius_ - 0.5 * kMargin;
  const collision::SlamRoute route =
      collision::planSlamRoute(*map_, start_, yawOf(X_WB_.q), goals_, clearance_, lowest_z_, view_);
  waypoints_ = route.waypoints;
  yaw_ = route.yaw;
  excitation_.emplace(start_, yaw_, room);
  ROS_INFO(
      "SLAM flight: %zu way points, %.0f %% of the surfaces' normals along the direction that they "
      "fix least (33 %% is best)",
      waypoints_.size(), 100.0 * route.least_structure);
  if (route.least_structure < kThin) {
    ROS_WARN("SLAM flight: somewhere on the way little is in view that would fix the position");
  }
}

void SlamFlightNode::publishGoal(const Eigen::Vector3d& target, TimeNs now) {
  goal_publisher_.publish(
      toPoseStamped({fromRollPitchYaw(0.0, 0.0, yaw_), target}, "world", ticks_->actsAt(now)));
  goal_sent_ = now;
}

void SlamFlightNode::follow(TimeNs now, double speed) {
  if (speed > kRestSpeed) return;
  if ((waypoints_[next_] - X_WB_.p).norm() > kArrived) {
    if (now - goal_sent_ > kRepeatPeriod) publishGoal(waypoints_[next_], now);
    return;
  }
  if (++next_ < waypoints_.size()) {
    publishGoal(waypoints_[next_], now);
    return;
  }
  ROS_INFO("SLAM flight: over after %.1f s, back at the start", toSeconds(now - flight_begun_));
  end();
}

// What is published last would be lost if the node ended at once.
void SlamFlightNode::end() {
  over_ = true;
  ticks_->leave();
  farewell_ = ros::NodeHandle().createSteadyTimer(
      ros::WallDuration(kFarewell), [](const ros::SteadyTimerEvent&) { ros::shutdown(); }, true);
}

}  // namespace marsim::ros_nodes
