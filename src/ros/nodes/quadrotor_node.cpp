// SPDX-License-Identifier: BSD-3-Clause
#include "ros/nodes/quadrotor_node.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "common/bounds.hpp"
#include "config/launch_words.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "marsim/geometry/pose_file.hpp"
#include "ros/common/map_params.hpp"
#include "ros/common/swarm_params.hpp"
#include "ros/messages/conversions.hpp"
#include "sim/obstacle_plants.hpp"
#include "sim/start.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr TimeNs kPathPeriod = kNsPerSecond / 2;    // of `path`
constexpr TimeNs kGrantPeriod = kNsPerSecond / 50;  // of simulated time
constexpr double kStandstill = 0.1;                 // [s] of wall time without a step
constexpr double kLongWait = 0.5;                   // [s] of wall time; a longer wait is reported
constexpr double kDiagnosticPeriod = 1.0;           // [s] of wall time, while time does not advance
const char* const kReplays = "its motion is replayed from a file";
constexpr TimeNs kAfterReplay = kNsPerSecond / 2;  // time for the last scans and images

std::optional<sim::Replay> readReplay(Params& params) {
  const std::string file = params.text("replay");
  const double lead_in = params.number("replay_lead_in", 0.0, Quantity::kTime);
  Validator(params.where()).within("replay_lead_in", lead_in, 0.0, 3600.0, "s");
  if (file.empty() || file == "none") return std::nullopt;
  return sim::Replay{std::make_shared<const PoseTrack>(readPoseFile(file), file), toNs(lead_in)};
}

void readConditions(Params& params, sim::VehicleSetup& setup) {
  const std::string dynamics = params.choice("dynamics", {"rigid_body", "ideal"});
  if (dynamics == "ideal") setup.dynamics = sim::Dynamics::kIdeal;
  setup.wind = config::windOf(params.text("wind"), params.text("gusts"), params.where());
  setup.motor_failures = config::motorFailuresOf(params.text("motor_failure"), params.where());
}

}  // namespace

QuadrotorNode::QuadrotorNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : inputs_(handle), diagnostics_(handle, private_handle) {
  Params params(private_handle);
  frames_ = readFrames(params, handle);
  const SwarmPlace place = readSwarmPlace(params, handle);
  vehicle::VehicleConfig vehicle =
      config::loadVehicle(given(place.vehicle, params.text("vehicle")));
  const std::string imu = params.text("imu");
  const std::string lidar = given(place.lidar, params.text("lidar"));
  vehicle.imu = config::chooseImu(imu, vehicle.imu, lidar);
  if (imu == "auto" && lidar != "none" && !config::hasImu(lidar)) {
    ROS_WARN(
        "%s has no IMU of its own in its file: the vehicle's is used, and extrinsics are those "
        "of `marsim calibration --lidar %s --vehicle ...`",
        lidar.c_str(), lidar.c_str());
  }
  sim::VehicleSetup setup{vehicle, {}, {}, readSeed(params, handle)};
  sim::RateConfig& rates = setup.rates;
  rates.dynamics = params.positive("dynamics_rate", rates.dynamics, Quantity::kFrequency);
  rates.state = params.positive("state_rate", rates.state, Quantity::kFrequency);
  rates.odometry = params.positive("odom_rate", rates.odometry, Quantity::kFrequency);
  motion_publisher_ = std::make_unique<MotionPublisher>(params, frames_, vehicle, lidar);
  start_p_WB_ = {params.number("x", Quantity::kLength), params.number("y", Quantity::kLength),
                 params.number("z", Quantity::kLength)};
  start_yaw_ = params.number("yaw", Quantity::kAngle);
  if (place.start) {
    start_p_WB_ = place.start->p_WB;
    start_yaw_ = place.start->yaw;
  }
  requirePlace(params.where(), "start (x, y, z)", start_p_WB_);
  requireAngle(params.where(), "yaw", start_yaw_);
  const bool respawns = params.choice("on_crash", {"end", "respawn"}) == "respawn";
  setup.collision = readCollisionConfig(params);
  setup.replay = readReplay(params);
  readConditions(params, setup);
  ends_with_replay_ = params.choice("replay_then", {"hold", "end"}) == "end";
  world_ = std::make_unique<WorldInput>(handle, params, [this] {
    if (!is_made_) return;
    takePart();
    advance();
  });
  peer_publisher_ = std::make_unique<PeerPublisher>(handle, params);
  peer_publisher_->setBody(vehicle);
  makeVehicle(params, setup);
  params.finish();
  const Lockstep& lockstep = world_->lockstep();
  const double patience = respawns ? ControlWait::kRespawnPatience : ControlWait::kPatience;
  control_wait_ =
      ControlWait(vehicle_->reportPeriod(), vehicle.control_latency,
                  lockstep.on ? ControlWait::kShareOfPatience * lockstep.patience : patience,
                  lockstep.on && !vehicle_->replays());
  diagnostics_.setHardwareID(vehicle.name);
  diagnostics_.add("dynamics", this, &QuadrotorNode::diagnose);
  advertise(handle, private_handle);
  navigation_sensors_ = std::make_unique<NavigationSensors>(vehicle, frames_, handle);
  is_made_ = true;
}

void QuadrotorNode::makeVehicle(Params& params, const sim::VehicleSetup& setup) {
  const MapParams map(params);
  const std::string vegetation = params.text("vegetation");
  const double ground_z = params.numberOrAuto("ground_z", Quantity::kLength);
  const bool check_start = params.flag("check_start");
  setup.validate(params.where());
  if (world_->lockstep().on) {
    Validator(params.where())
        .require(
            sim::kPeerPeriod % periodNs(setup.rates.dynamics) == 0, "dynamics_rate",
            fmt::format("{} Hz", setup.rates.dynamics),
            "in lockstep whole multiples of 50 Hz, at which UAVs tell each other of themselves");
  }
  double ground = std::isfinite(ground_z) ? ground_z : -std::numeric_limits<double>::infinity();
  std::shared_ptr<const collision::Neighbours> neighbours;
  if (!map.source.empty()) {
    const map::LoadedMap loaded = map.load("quadrotor");
    if (!std::isfinite(ground_z)) ground = static_cast<double>(loaded.source.box.min().z());
    world_->useMap(loaded.map);
    const bool starts_free = check_start && !setup.replay;
    const bool drives = setup.vehicle.differential_drive.has_value();
    if (setup.collision.on || starts_free || drives) {
      neighbours = sim::neighboursIn(loaded.map, config::loadVegetation(vegetation), vegetation);
    }
    if (starts_free) {
      sim::requireFreeStart({neighbours, loaded.map->bounds()}, start_p_WB_, setup.vehicle, ground);
    }
    if (!setup.collision.on && !drives) neighbours = nullptr;
  }
  vehicle_ = std::make_unique<sim::Vehicle>(setup, ground, neighbours, world_->uavId());
}

void QuadrotorNode::advertise(ros::NodeHandle& handle, const ros::NodeHandle& private_handle) {
  state_publisher_ = {handle, "state", world_->lockstep().stateQueue()};
  motion_publisher_->begin(handle);
  if (vehicle_->setup().collision.on)
    contact_publisher_ = std::make_unique<ContactPublisher>(handle, frames_.world);
  reset_service_ = handle.advertiseService("reset", &QuadrotorNode::onReset, this);
  teleport_service_ = handle.advertiseService("teleport", &QuadrotorNode::onTeleport, this);

  command_keeper_ = std::make_unique<CommandKeeper>(handle, inputs_);
  clock_grants_ = std::make_unique<ClockGrants>(handle, private_handle);
  motor_subscriber_ = inputs_.subscribe("motor_speeds", 10, &QuadrotorNode::onMotorSpeeds, this);
  if (vehicle_->isIdeal()) {
    reference_subscriber_ = inputs_.subscribe("reference", 10, &QuadrotorNode::onReference, this);
  }
  clock_subscriber_ = inputs_.subscribeToStream("/clock", 1000, &QuadrotorNode::onClock, this);
  timer_ = handle.createSteadyTimer(ros::WallDuration(kStandstill),
                                    [this](const ros::SteadyTimerEvent&) { onTimer(); });
}

void QuadrotorNode::start(TimeNs now) {
  place(start_p_WB_, start_yaw_, now);
  started_ = true;
  reported_at_ = ros::WallTime::now();
  reported_stamp_ = vehicle_->state().stamp;
}

void QuadrotorNode::place(const Eigen::Vector3d& p_WB, double yaw, TimeNs stamp) {
  const std::vector<collision::ContactEvent> ended = vehicle_->place(p_WB, yaw, stamp);
  if (contact_publisher_) contact_publisher_->publish(ended);
  onPlaced();
  if (vehicle_->reportsNow()) publishState();
  peer_publisher_->publish(vehicle_->state(), vehicle_->placements());
}

void QuadrotorNode::onPlaced() {
  const TimeNs stamp = vehicle_->state().stamp;
  control_wait_.reset(stamp);
  told_.reset();
  command_keeper_->forget(vehicle_->placements(), stamp);
  motion_publisher_->forgetPath();
}

// Returns a sentence for the user on the placement.
std::string QuadrotorNode::placeAt(const Eigen::Vector3d& p_WB, double yaw, TimeNs stamp) {
  if (!world_->lockstep().on) {
    place(p_WB, yaw, vehicle_->state().stamp);
    return vehicle_->report().on_ground ? "on the ground" : "in the air";
  }
  const TimeNs now = vehicle_->state().stamp;
  const bool is_near = vehicle_->placeAt(p_WB, yaw, stamp);
  if (!is_near) {
    ROS_WARN_ONCE("teleport at %.3f s acts at the next state, %.3f s: it is more than %.1f s ahead",
                  toSeconds(stamp), toSeconds(now), toSeconds(sim::kFarthestAhead));
  }
  if (stamp <= now || !is_near) return "at the next state";
  return fmt::format("at the first state from {:.3f} s on", toSeconds(stamp));
}

// In lockstep: begins when no message of others can be missed any more.
void QuadrotorNode::takePart() {
  if (!world_->lockstep().on || takes_part_ || !started_ || !world_->hasMet()) return;
  takes_part_ = true;
  clock_grants_->grant(vehicle_->state().stamp + kClockLead);
}

void QuadrotorNode::onClock(const rosgraph_msgs::ClockConstPtr& message) {
  if (!is_made_) return;
  const TimeNs before = clock_;
  clock_ = fromRos(message->clock);
  if (!started_ || clock_ < before) start(clock_);
  takePart();
  advance();
  diagnostics_.update();
}

// Does the work that must go on while /clock stands still.
void QuadrotorNode::onTimer() {
  if (!is_made_) return;
  const auto now = ControlWait::WallClock::now();
  const auto since = [now](ControlWait::WallClock::time_point then) {
    return std::chrono::duration<double>(now - then).count();
  };
  // An awaited controller may have come too late for the last state, or its answer too early; time
  // may wait for a sensor that has just come.
  const bool has_joined = since(moved_at_) > kStandstill && state_publisher_.joined() != told_to_;
  if (told_ && (has_joined || control_wait_.waited(now) > kStandstill)) tellState();
  if (world_->lockstep().on && since(moved_at_) > kStandstill) {
    peer_publisher_->repeat();
    clock_grants_->repeat();
    takePart();
    advance();  // a time-out may have ended
  }
  if (control_wait_.waited(now) > kLongWait && since(diagnosed_at_) > kDiagnosticPeriod) {
    diagnostics_.force_update();
  }
}

bool QuadrotorNode::mayStep() {
  const TimeNs to = vehicle_->state().stamp + vehicle_->dynamicsStep();
  return to <= clock_ &&
         !control_wait_.mustWait(vehicle_->state().stamp, std::chrono::steady_clock::now()) &&
         world_->knows(to);
}

void QuadrotorNode::advance() {
  while (mayStep()) {
    const sim::VehicleStep& due = move();
    moved_at_ = ControlWait::WallClock::now();
    if (due.placed) onPlaced();
    if (contact_publisher_) contact_publisher_->publish(due.contacts);
    if (due.report) publishState();
    peer_publisher_->publish(vehicle_->state(), vehicle_->placements(),
                             vehicle_->collisions().impacts());
    if (due.odometry) motion_publisher_->publishOdometry(vehicle_->state());
    if (due.imu) motion_publisher_->publishImu(*due.imu);
    navigation_sensors_->publish(vehicle_->state().stamp, due);
    const TimeNs stamp = vehicle_->state().stamp;
    if (stamp % MotionPublisher::kMotorPeriod == 0)
      motion_publisher_->publishMotors(stamp, vehicle_->platform());
    if (stamp % kPathPeriod == 0) motion_publisher_->publishPath(vehicle_->state());
    if (stamp % ContactPublisher::kClearancePeriod == 0) publishClearance();
    if (stamp % kGrantPeriod == 0) clock_grants_->grant(stamp + kClockLead);
    if (vehicle_->replays()) tellReplay(stamp);
    tellFailures(stamp);
  }
  if (control_wait_.gaveUp()) {
    ROS_WARN("no answer from the controller for %.0f s: motor commands are held",
             control_wait_.patience());
  }
}

// Reports the motors whose failure acted in the last step.
void QuadrotorNode::tellFailures(TimeNs stamp) const {
  const TimeNs from = stamp - vehicle_->dynamicsStep();
  for (const sim::MotorFailure& failure : vehicle_->setup().motor_failures) {
    if (failure.at > from || failure.at <= from - vehicle_->dynamicsStep()) continue;
    ROS_WARN("motor %d has failed at %.3f s: it keeps %.0f %% of its thrust", failure.rotor,
             toSeconds(failure.at), 100.0 * failure.effectiveness);
  }
}

void QuadrotorNode::tellReplay(TimeNs stamp) {
  const TimeNs end = vehicle_->setup().replay->end();
  const TimeNs step = vehicle_->dynamicsStep();
  if (stamp >= end && stamp - step < end) {
    ROS_INFO("the replayed trajectory is over at %.3f s", toSeconds(end));
  }
  if (ends_with_replay_ && stamp >= end + kAfterReplay) ros::requestShutdown();
}

const sim::VehicleStep& QuadrotorNode::move() {
  const TimeNs to = vehicle_->state().stamp + vehicle_->dynamicsStep();
  for (const sim::Impact& impact : world_->takeImpacts(to)) vehicle_->takeImpact(impact);
  return vehicle_->step(
      [this](TimeNs begin, TimeNs end) {
        return world_->objectsNear(vehicle_->ball(), begin, end);
      },
      [this](std::uint32_t identity) { return world_->bodyAt(identity, vehicle_->state().stamp); });
}

void QuadrotorNode::publishClearance() {
  if (!contact_publisher_ || !contact_publisher_->wantsClearance()) return;
  const auto objectsIn = [this](TimeNs begin, TimeNs end) { return world_->objects(begin, end); };
  contact_publisher_->publish(
      vehicle_->state().stamp,
      vehicle_->collisions().clearance(vehicle_->platform(), ContactPublisher::kClearanceLimit,
                                       objectsIn));
}

void QuadrotorNode::onMotorSpeeds(const marsim::MotorSpeedsConstPtr& message) {
  if (!is_made_ || vehicle_->replays()) return;
  const TimeNs computed_from = fromRos(message->header.stamp);
  if (message->speeds.empty()) {  // an answer that leaves the motors unchanged
    if (!vehicle_->isAnswer(computed_from, message->placements)) return;
    control_wait_.onCommand(computed_from);
    return advance();
  }
  if (vehicle_->isIdeal()) return;  // the reference is the answer then
  const int motors = vehicle_->platform().motorCount();
  if (message->speeds.size() != static_cast<std::size_t>(motors)) {
    inputs_.refuse("motor_speeds",
                   fmt::format("{} speeds, allowed: {}", message->speeds.size(), motors));
    return;
  }
  const vehicle::RotorArray speeds =
      Eigen::Map<const vehicle::RotorArray>(message->speeds.data(), motors);
  if (!speeds.isFinite().all()) {
    inputs_.refuse("motor_speeds", "a speed is NaN or infinite");
    return;
  }
  const bool has_stamp = !message->header.stamp.isZero() || message->placements != 0;
  if (!has_stamp) {
    vehicle_->command(speeds);
    return;
  }
  if (!vehicle_->command({speeds, computed_from, message->placements})) return;
  control_wait_.onCommand(computed_from);
  advance();
}

// For ideal dynamics.
void QuadrotorNode::onReference(const marsim::StateReferenceConstPtr& message) {
  if (!is_made_ || vehicle_->replays()) return;
  control::Reference reference = fromMessage(*message);
  control::dropUnusable(reference);
  if (!reference.p_WB.allFinite() || !reference.v_WB.allFinite() || !std::isfinite(reference.yaw)) {
    inputs_.refuse("reference", "a value is NaN or infinite");
    return;
  }
  const TimeNs computed_from = fromRos(message->header.stamp);
  if (!vehicle_->track(reference, computed_from, message->placements)) return;
  control_wait_.onCommand(computed_from);
  advance();
}

bool QuadrotorNode::onReset(std_srvs::Trigger::Request&, std_srvs::Trigger::Response& response) {
  response.success = started_;
  response.message = "no clock received yet";
  if (!started_) return true;
  if (vehicle_->replays()) {
    response.success = false;
    response.message = kReplays;
    return true;
  }
  if (world_->lockstep().on) {
    response.message = "back at the start " + placeAt(start_p_WB_, start_yaw_, 0);
  } else {
    start(vehicle_->state().stamp);
    response.message = "back at the start";
  }
  return true;
}

bool QuadrotorNode::onTeleport(marsim::Teleport::Request& request,
                               marsim::Teleport::Response& response) {
  const Eigen::Vector3d p_WB = fromPoint(request.position);
  response.success = false;
  if (!started_) {
    response.message = "no clock received yet";
  } else if (vehicle_->replays()) {
    response.message = kReplays;
  } else if (!isPlace(p_WB) || !(std::abs(request.yaw) <= kLargestAngle)) {
    response.message =
        fmt::format("position or yaw is not finite or too large, allowed: {:.0f} m and {:.0f} rad",
                    kFarthestPlace, kLargestAngle);
  } else {
    response.success = true;
    response.message = placeAt(p_WB, request.yaw, fromRos(request.stamp));
  }
  return true;
}

void QuadrotorNode::publishState() {
  told_ = vehicle_->report();
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

void QuadrotorNode::diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) {
  const ros::WallTime now = ros::WallTime::now();
  const TimeNs stamp = vehicle_->state().stamp;
  const double wall = (now - reported_at_).toSec();
  diagnosed_at_ = ControlWait::WallClock::now();
  const double waited = control_wait_.waited(diagnosed_at_);
  status.summary(diagnostic_msgs::DiagnosticStatus::OK, vehicle_->replays() ? "replaying"
                                                        : vehicle_->report().on_ground
                                                            ? "on the ground"
                                                            : "flying");
  if (contact_publisher_)
    contact_publisher_->diagnose(vehicle_->collisions(), vehicle_->platform(), status);
  if (waited > kLongWait) {
    status.mergeSummaryf(diagnostic_msgs::DiagnosticStatus::WARN,
                         "time waits for the controller for %.1f s", waited);
  }
  if (const std::string others = world_->waitsFor(kLongWait); !others.empty()) {
    status.mergeSummary(diagnostic_msgs::DiagnosticStatus::WARN, "time waits for " + others);
  }
  inputs_.addTo(status);
  status.add("real-time factor", wall > 0.0 ? toSeconds(stamp - reported_stamp_) / wall : 0.0);
  status.add("simulated time [s]", toSeconds(stamp));
  reported_at_ = now;
  reported_stamp_ = stamp;
}

}  // namespace marsim::ros_nodes
