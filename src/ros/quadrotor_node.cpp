#include "marsim/ros/quadrotor_node.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <visualization_msgs/MarkerArray.h>

#include "marsim/MotorStates.h"
#include "marsim/common/bounds.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/output_file.hpp"
#include "marsim/common/progress.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/ros/conversions.hpp"
#include "marsim/ros/map_params.hpp"
#include "marsim/ros/swarm_params.hpp"
#include "marsim/ros/vehicle_marker.hpp"
#include "marsim/sim/start.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr double kWarningPeriod = 2.0;              // [s]
constexpr TimeNs kMotorPeriod = kNsPerSecond / 50;  // of `motor_states`
constexpr TimeNs kPathPeriod = kNsPerSecond / 2;    // of `path`
constexpr TimeNs kClockLead = kNsPerSecond / 10;    // of /clock before the state
constexpr TimeNs kGrantPeriod = kNsPerSecond / 50;  // of simulated time
constexpr double kStandstill = 0.1;                 // [s] of wall time without a step
constexpr double kLongWait = 0.5;                   // [s] of wall time, worth being said
constexpr double kDiagnosticPeriod = 1.0;           // [s] of wall time, while time stands still
constexpr double kPathSpacing = 0.05;               // [m] between poses on `path`
constexpr std::size_t kPathLength = 20000;          // poses kept on `path`

void setDiagonal(boost::array<double, 9>& covariance, double variance) {
  covariance.fill(0.0);
  covariance[0] = covariance[4] = covariance[8] = variance;
}

double square(double x) { return x * x; }

}  // namespace

QuadrotorNode::QuadrotorNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : diagnostics_(handle, private_handle) {
  Params params(private_handle);
  frames_ = Frames::read(params, handle);
  const SwarmPlace place = readSwarmPlace(params, handle);
  config::Vehicle vehicle =
      config::loadVehicle(given(place.vehicle, params.text("vehicle", "hummingbird")));
  const std::string imu = params.text("imu", "vehicle");
  const std::string lidar = given(place.lidar, params.text("lidar", "avia"));
  vehicle.imu = config::chooseImu(imu, vehicle.imu, lidar);
  if (imu == "auto" && !config::hasImu(lidar)) {
    ROS_WARN(
        "%s has no IMU of its own in its file: the vehicle's is used, and extrinsics are those "
        "of `marsim calibration --lidar %s --vehicle ...`",
        lidar.c_str(), lidar.c_str());
  }
  rates_.dynamics = params.positive("dynamics_rate", rates_.dynamics, Quantity::kFrequency);
  rates_.state = params.positive("state_rate", rates_.state, Quantity::kFrequency);
  rates_.odometry = params.positive("odom_rate", rates_.odometry, Quantity::kFrequency);
  const std::uint64_t seed = readSeed(params, handle);
  twist_in_world_ =
      params.choice("odom_twist_frame", "child", {"child", "body", "world"}) == "world";
  const bool truth_tf = params.flag("publish_ground_truth_tf", true);
  tf_child_frame_ = truth_tf ? frames_.base() : frames_.base() + "_truth";
  odom_frame_ = params.text("odom_frame_id", frames_.world);
  odom_child_frame_ = params.text("odom_child_frame_id", frames_.base());
  imu_frame_ = params.text("imu_frame_id", frames_.imu());
  livox_imu_frame_ = params.text("livox_imu_frame_id", imu_frame_);
  start_p_WB_ = {params.number("x", 0.0, Quantity::kLength),
                 params.number("y", 0.0, Quantity::kLength),
                 params.number("z", 1.5, Quantity::kLength)};
  start_yaw_ = params.number("yaw", 0.0, Quantity::kAngle);
  if (place.start) {
    start_p_WB_ = place.start->p_WB;
    start_yaw_ = place.start->yaw;
  }
  requirePlace(params.where(), "start (x, y, z)", start_p_WB_);
  requireAngle(params.where(), "yaw", start_yaw_);
  const bool respawns = params.choice("on_crash", "end", {"end", "respawn"}) == "respawn";
  const std::string record = params.text("record", "none");
  const bool recorded = !record.empty() && record != "none";
  if (recorded) requireExtension(record, {".tum", ".txt", ""});
  X_BR_ = config::chooseFrame(params.text("record_frame", "base"), vehicle.imu, lidar,
                              params.where(), "record_frame");
  quadrotor_ = std::make_unique<vehicle::Quadrotor>(vehicle.vehicle);
  imu_ = std::make_unique<vehicle::Imu>(vehicle.imu, seed);
  collision_config_ = readCollisionConfig(params);
  world_ = std::make_unique<WorldInput>(handle, params);
  peer_publisher_ = std::make_unique<PeerPublisher>(handle, params);
  peer_publisher_->setBody(vehicle.vehicle);
  readMap(params);
  params.finish();

  sim::validateRates(rates_, vehicle.vehicle, vehicle.imu, params.where());
  step_ = periodNs(rates_.dynamics);
  state_period_ = periodNs(rates_.state);
  control_wait_ =
      ControlWait(state_period_, respawns ? ControlWait::kRespawnPatience : ControlWait::kPatience);
  odom_period_ = periodNs(rates_.odometry);
  imu_period_ = periodNs(vehicle.imu.rate);
  if (recorded) {
    openStream(record_, record);
    record_ << "# stamp x y z qx qy qz qw\n";
  }
  path_.header.frame_id = frames_.world;
  diagnostics_.setHardwareID(vehicle.vehicle.name);
  diagnostics_.add("dynamics", this, &QuadrotorNode::diagnose);
  advertise(handle, private_handle);
  navigation_sensors_ = std::make_unique<NavigationSensors>(vehicle, seed, step_, frames_, handle);
  if (vehicle.magnetometer) X_BM_ = vehicle.magnetometer->X_BM;
  publishStatic(handle);
}

void QuadrotorNode::readMap(Params& params) {
  const std::string source = params.text("map", "forest");
  const map::SurfelMapConfig config = readMapConfig(params);
  const double ground_z = params.numberOrAuto("ground_z", Quantity::kLength);
  const bool check_start = params.flag("check_start", true);
  if (source.empty()) {
    if (std::isfinite(ground_z)) quadrotor_->setGround(ground_z);
    makeCollisions(nullptr, ground_z);
    return;
  }
  Progress progress("quadrotor");
  const map::LoadedMap loaded = map::shareSurfelMap(config::resolveMap(source), config, progress);
  const double ground =
      std::isfinite(ground_z) ? ground_z : static_cast<double>(loaded.source.box.min().z());
  quadrotor_->setGround(ground);
  world_->useMap(loaded.map);
  makeCollisions(loaded.map, ground);
  if (!check_start) return;
  sim::requireFreeStart(collision::ClearanceMap(loaded.map), start_p_WB_, quadrotor_->config(),
                        ground);
}

void QuadrotorNode::makeCollisions(const std::shared_ptr<const map::SurfelMap>& map,
                                   double ground_z) {
  const double ground =
      std::isfinite(ground_z) ? ground_z : -std::numeric_limits<double>::infinity();
  const bool hits_map = collision_config_.on && map != nullptr;
  collisions_ = std::make_unique<sim::Collisions>(
      collision_config_, quadrotor_->config(), hits_map ? collision::makeNeighbours(map) : nullptr,
      ground, world_->uavId());
}

void QuadrotorNode::advertise(ros::NodeHandle& handle, const ros::NodeHandle& private_handle) {
  state_publisher_ = {handle, "state", 100};
  odom_publisher_ = {handle, "odom", 100};
  imu_publisher_ = {handle, "imu/data", 200};
  imu_raw_publisher_ = {handle, "imu/data_raw", 200};
  livox_imu_publisher_ = {handle, "livox/imu", 200};
  tf_publisher_ = {handle, "/tf", 100};
  motor_publisher_ = handle.advertise<marsim::MotorStates>("motor_states", 10);
  path_publisher_ = handle.advertise<nav_msgs::Path>("path", 1, true);
  if (collision_config_.on)
    contact_publisher_ = std::make_unique<ContactPublisher>(handle, frames_.world);
  visual_publisher_ = handle.advertise<visualization_msgs::MarkerArray>("visual", 1, true);
  reset_service_ = handle.advertiseService("reset", &QuadrotorNode::onReset, this);
  teleport_service_ = handle.advertiseService("teleport", &QuadrotorNode::onTeleport, this);

  command_keeper_ = std::make_unique<CommandKeeper>(handle);
  clock_grants_ = std::make_unique<ClockGrants>(handle, private_handle);
  const ros::TransportHints no_delay = ros::TransportHints().tcpNoDelay();
  motor_subscriber_ =
      handle.subscribe("motor_speeds", 10, &QuadrotorNode::onMotorSpeeds, this, no_delay);
  clock_subscriber_ = handle.subscribe("/clock", 1000, &QuadrotorNode::onClock, this, no_delay);
  timer_ = handle.createSteadyTimer(ros::WallDuration(kStandstill),
                                    [this](const ros::SteadyTimerEvent&) { onTimer(); });
}

void QuadrotorNode::publishStatic(ros::NodeHandle&) {
  std::vector<geometry_msgs::TransformStamped> transforms = {
      toTransform(imu_->config().X_BI, frames_.base(), frames_.imu(), 0)};
  if (X_BM_) {
    transforms.push_back(toTransform(*X_BM_, frames_.base(), frames_.magnetometer(), 0));
  }
  static_tf_.sendTransform(transforms);
  visual_publisher_.publish(vehicleMarkers(quadrotor_->config(), tf_child_frame_));
}

void QuadrotorNode::start(TimeNs now) {
  // Steps lie on multiples of the step, whenever the node joined.
  const TimeNs stamp = now - now % step_;
  place(start_p_WB_, start_yaw_, stamp);
  started_ = true;
  reported_at_ = ros::WallTime::now();
  reported_stamp_ = stamp;
}

void QuadrotorNode::place(const Eigen::Vector3d& p_WB, double yaw, TimeNs stamp) {
  contact_events_.clear();
  collisions_->leave(*quadrotor_, contact_events_);
  if (contact_publisher_) contact_publisher_->publish(contact_events_);
  quadrotor_->reset(p_WB, yaw, stamp);
  reset_stamp_ = stamp;
  control_wait_.reset();
  ++placements_;
  told_.reset();
  command_keeper_->forget(placements_, stamp);
  path_.poses.clear();
}

void QuadrotorNode::onClock(const rosgraph_msgs::ClockConstPtr& message) {
  const TimeNs before = clock_;
  clock_ = fromRos(message->clock);
  if (!started_ || clock_ < before) start(clock_);
  advance();
  diagnostics_.update();
}

// What /clock cannot bring about, as it may stand still.
void QuadrotorNode::onTimer() {
  const auto now = ControlWait::WallClock::now();
  const auto since = [now](ControlWait::WallClock::time_point then) {
    return std::chrono::duration<double>(now - then).count();
  };
  // A controller that is waited for may have come too late for the last state, or its answer too
  // early; a sensor that has come may be what time waits for.
  const bool has_joined = since(moved_at_) > kStandstill && state_publisher_.joined() != told_to_;
  if (told_ && (has_joined || control_wait_.waited(now) > kStandstill)) tellState();
  if (control_wait_.waited(now) > kLongWait && since(diagnosed_at_) > kDiagnosticPeriod) {
    diagnostics_.force_update();
  }
}

void QuadrotorNode::advance() {
  while (quadrotor_->state().stamp + step_ <= clock_ &&
         !control_wait_.mustWait(quadrotor_->state().stamp, std::chrono::steady_clock::now())) {
    move();
    moved_at_ = ControlWait::WallClock::now();
    const TimeNs stamp = quadrotor_->state().stamp;
    if (stamp % state_period_ == 0) publishState();
    publishToPeers();
    if (stamp % odom_period_ == 0) publishOdometry();
    if (stamp % imu_period_ == 0) publishImu();
    navigation_sensors_->publish(quadrotor_->state());
    if (stamp % kMotorPeriod == 0) publishMotors();
    if (stamp % kPathPeriod == 0) publishPath();
    if (stamp % kGrantPeriod == 0) clock_grants_->grant(stamp + kClockLead);
  }
  if (control_wait_.gaveUp()) {
    ROS_WARN("no answer from the controller for %.0f s: motor commands are held",
             control_wait_.patience());
  }
}

void QuadrotorNode::move() {
  const auto thingsIn = [this](TimeNs begin, TimeNs end) { return world_->things(begin, end); };
  const auto bodyIn = [this](std::uint32_t identity) {
    return world_->bodyAt(identity, quadrotor_->state().stamp);
  };
  takeStrikes();
  contact_events_.clear();
  collisions_->step(*quadrotor_, step_, thingsIn, contact_events_, bodyIn);
  if (!contact_publisher_) return;
  contact_publisher_->publish(contact_events_);
  const TimeNs stamp = quadrotor_->state().stamp;
  if (stamp % ContactPublisher::kClearancePeriod != 0 || !contact_publisher_->wantsClearance()) {
    return;
  }
  contact_publisher_->publish(
      stamp, collisions_->clearance(*quadrotor_, ContactPublisher::kClearanceLimit, thingsIn));
}

void QuadrotorNode::takeStrikes() {
  for (const sim::Strike& strike : world_->takeStrikes()) {
    if (strike.stamp > reset_stamp_) collisions_->takeStrike(strike, *quadrotor_);
  }
}

void QuadrotorNode::publishToPeers() {
  peer_publisher_->publish(quadrotor_->state(), placements_, collisions_->strikes());
}

void QuadrotorNode::onMotorSpeeds(const marsim::MotorSpeedsConstPtr& message) {
  if (message->speeds.size() != vehicle::kRotors) {
    ROS_WARN_THROTTLE(kWarningPeriod, "motor_speeds ignored: %zu speeds, allowed: %d",
                      message->speeds.size(), vehicle::kRotors);
    return;
  }
  // One computed from a state before a reset must not act after it.
  const TimeNs computed_from = fromRos(message->header.stamp);
  const bool is_stamped = computed_from != 0;
  if (is_stamped && (computed_from <= reset_stamp_ || computed_from > quadrotor_->state().stamp)) {
    return;
  }
  const vehicle::RotorArray speeds = Eigen::Map<const vehicle::RotorArray>(message->speeds.data());
  if (!speeds.isFinite().all()) {
    ROS_WARN_THROTTLE(kWarningPeriod, "motor_speeds ignored: a speed is NaN or infinite");
    return;
  }
  quadrotor_->command(speeds);
  if (!is_stamped) return;
  control_wait_.onCommand(computed_from);
  advance();
}

bool QuadrotorNode::onReset(std_srvs::Trigger::Request&, std_srvs::Trigger::Response& response) {
  if (started_) start(quadrotor_->state().stamp);
  response.success = started_;
  response.message = started_ ? "back at the start" : "no clock received yet";
  return true;
}

bool QuadrotorNode::onTeleport(marsim::Teleport::Request& request,
                               marsim::Teleport::Response& response) {
  const Eigen::Vector3d p_WB = fromPoint(request.position);
  response.success = false;
  if (!started_) {
    response.message = "no clock received yet";
  } else if (!isPlace(p_WB) || !(std::abs(request.yaw) <= kLargestAngle)) {
    response.message =
        fmt::format("position or yaw is not finite or too large, allowed: {:.0f} m and {:.0f} rad",
                    kFarthestPlace, kLargestAngle);
  } else {
    place(p_WB, request.yaw, quadrotor_->state().stamp);
    response.success = true;
    response.message = quadrotor_->onGround() ? "on the ground" : "in the air";
  }
  return true;
}

void QuadrotorNode::publishState() {
  told_ = sim::VehicleReport{quadrotor_->state(), quadrotor_->onGround(), placements_};
  tellState();
}

void QuadrotorNode::tellState() {
  told_to_ = state_publisher_.joined();
  if (!state_publisher_.wanted()) return;
  const auto message = boost::make_shared<marsim::VehicleState>();
  toMessage(*told_, *message);
  message->header.frame_id = frames_.world;
  message->child_frame_id = frames_.base();
  message->commanded = command_keeper_->has();
  state_publisher_.publish(message);
}

void QuadrotorNode::publishOdometry() {
  const KinematicState& state = quadrotor_->state();
  if (odom_publisher_.wanted()) {
    const auto message = boost::make_shared<nav_msgs::Odometry>();
    message->header.stamp = toRos(state.stamp);
    message->header.frame_id = odom_frame_;
    message->child_frame_id = odom_child_frame_;
    message->pose.pose = toPose(state.X_WB);
    const Eigen::Quaterniond q_BW = state.X_WB.q.conjugate();
    message->twist.twist.linear = toVector3(twist_in_world_ ? state.v_WB : q_BW * state.v_WB);
    message->twist.twist.angular =
        toVector3(twist_in_world_ ? state.X_WB.q * state.w_WB_B : state.w_WB_B);
    odom_publisher_.publish(message);
  }
  if (tf_publisher_.wanted()) {
    const auto message = boost::make_shared<tf2_msgs::TFMessage>();
    message->transforms.push_back(
        toTransform(state.X_WB, frames_.world, tf_child_frame_, state.stamp));
    tf_publisher_.publish(message);
  }
  if (record_.is_open()) {
    const Pose X_WR = state.X_WB * X_BR_;
    const Eigen::Vector3d& p = X_WR.p;
    const Eigen::Quaterniond& q = X_WR.q;
    record_ << fmt::format("{:.9f} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g}\n",
                           toSeconds(state.stamp), p.x(), p.y(), p.z(), q.x(), q.y(), q.z(), q.w());
  }
}

void QuadrotorNode::publishImu() {
  // Drawn also where nobody listens, so that the noise does not depend on it.
  const vehicle::ImuSample sample = imu_->sample(quadrotor_->state(), quadrotor_->breaks());
  if (imu_publisher_.wanted()) imu_publisher_.publish(imuMessage(sample, true));
  if (imu_raw_publisher_.wanted()) imu_raw_publisher_.publish(imuMessage(sample, false));
  if (livox_imu_publisher_.wanted()) publishLivoxImu(sample);
}

boost::shared_ptr<sensor_msgs::Imu> QuadrotorNode::imuMessage(const vehicle::ImuSample& sample,
                                                              bool with_orientation) const {
  const vehicle::ImuConfig& config = imu_->config();
  const auto message = boost::make_shared<sensor_msgs::Imu>();
  message->header.stamp = toRos(sample.stamp);
  message->header.frame_id = imu_frame_;
  message->angular_velocity = toVector3(sample.angular_velocity);
  message->linear_acceleration = toVector3(sample.specific_force);
  if (with_orientation) {
    message->orientation = toQuaternion(sample.q_WI);
    setDiagonal(message->orientation_covariance, square(config.orientation_noise));
  } else {
    message->orientation_covariance[0] = -1.0;  // REP-145: no orientation
  }
  setDiagonal(message->angular_velocity_covariance,
              square(config.gyroscope.noise_density) * config.rate);
  setDiagonal(message->linear_acceleration_covariance,
              square(config.accelerometer.noise_density) * config.rate);
  return message;
}

// As the Livox drivers publish it: orientation and covariances are left empty.
void QuadrotorNode::publishLivoxImu(const vehicle::ImuSample& sample) {
  const auto message = boost::make_shared<sensor_msgs::Imu>();
  message->header.stamp = toRos(sample.stamp);
  message->header.frame_id = livox_imu_frame_;
  message->angular_velocity = toVector3(sample.angular_velocity);
  message->linear_acceleration = toVector3(sample.specific_force / kGravity);
  livox_imu_publisher_.publish(message);
}

void QuadrotorNode::publishMotors() {
  const vehicle::RotorArray& speeds = quadrotor_->motorSpeeds();
  const vehicle::RotorArray& commands = quadrotor_->motorCommands();
  const vehicle::RotorArray thrusts = quadrotor_->config().thrust_coefficient * speeds * speeds;
  marsim::MotorStates message;
  message.header.stamp = toRos(quadrotor_->state().stamp);
  message.header.frame_id = frames_.base();
  message.speeds.assign(speeds.data(), speeds.data() + speeds.size());
  message.commands.assign(commands.data(), commands.data() + commands.size());
  message.thrusts.assign(thrusts.data(), thrusts.data() + thrusts.size());
  motor_publisher_.publish(message);
}

void QuadrotorNode::publishPath() {
  const KinematicState& state = quadrotor_->state();
  if (record_.is_open() && !record_.flush()) {
    ROS_ERROR("record: the file cannot be written any more (%s), it ends here",
              std::strerror(errno));
    record_.close();
  }
  if (!path_.poses.empty() &&
      (fromPoint(path_.poses.back().pose.position) - state.X_WB.p).norm() < kPathSpacing) {
    return;
  }
  geometry_msgs::PoseStamped pose;
  pose.header.frame_id = frames_.world;
  pose.header.stamp = toRos(state.stamp);
  pose.pose = toPose(state.X_WB);
  if (path_.poses.size() >= kPathLength) path_.poses.erase(path_.poses.begin());
  path_.poses.push_back(pose);
  path_.header.stamp = pose.header.stamp;
  path_publisher_.publish(path_);
}

void QuadrotorNode::diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) {
  const ros::WallTime now = ros::WallTime::now();
  const TimeNs stamp = quadrotor_->state().stamp;
  const double wall = (now - reported_at_).toSec();
  diagnosed_at_ = ControlWait::WallClock::now();
  const double waited = control_wait_.waited(diagnosed_at_);
  status.summary(diagnostic_msgs::DiagnosticStatus::OK,
                 quadrotor_->onGround() ? "on the ground" : "flying");
  if (contact_publisher_) contact_publisher_->diagnose(*collisions_, *quadrotor_, status);
  if (waited > kLongWait) {
    status.mergeSummaryf(diagnostic_msgs::DiagnosticStatus::WARN,
                         "time waits for the controller for %.1f s", waited);
  }
  status.add("real-time factor", wall > 0.0 ? toSeconds(stamp - reported_stamp_) / wall : 0.0);
  status.add("simulated time [s]", toSeconds(stamp));
  reported_at_ = now;
  reported_stamp_ = stamp;
}

}  // namespace marsim::ros_nodes
