// SPDX-License-Identifier: BSD-3-Clause
#include "ros/nodes/controller_node.hpp"

#include <cmath>

#include "config/launch_words.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "ros/common/swarm_params.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr std::uint32_t kCommandQueue = 100;       // messages of a burst after a stall
constexpr std::uint32_t kStatesBetweenLooks = 64;  // between looks for planners that came or left
constexpr double kLongestWait = 1.0;               // [s] of wall time for `active_command`

}  // namespace

ControllerNode::ControllerNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : inputs_(handle), diagnostics_(handle, private_handle) {
  Params params(private_handle);
  frames_ = readFrames(params, handle);
  vehicle::VehicleConfig vehicle = readVehicle(params, handle);
  const std::string lidar = given(readSwarmPlace(params, handle).lidar, params.text("lidar"));
  vehicle.imu = config::chooseImu(params.text("imu"), vehicle.imu, lidar);
  const std::string estimate_word = params.text("estimate");
  const auto estimate = EstimateInput::read(params, estimate_word, vehicle, lidar);
  const bool on_estimate = estimate.has_value();
  control::ControllerConfig config = config::chooseController(
      config::controllerName(params.text("controller"), on_estimate), on_estimate, params.where());
  config.goal.speed = params.number("goal_speed", config.goal.speed, Quantity::kSpeed);
  config.goal.acceleration =
      params.number("goal_acceleration", config.goal.acceleration, Quantity::kNumber);
  ground_z_ = params.numberOrAuto("ground_z", Quantity::kLength);
  config.validate(params.where());
  const control::VehicleModel model = sim::vehicleModel(vehicle);
  pilot_ = std::make_unique<sim::Pilot>(config, model);
  const std::uint64_t seed = readSeed(params, handle);
  if (estimate) {
    pilot_->flyOn({*estimate, config.estimator, vehicle.imu, seed});
    const std::string topic = estimate->slam ? "" : estimate_word;
    estimates_ = std::make_unique<EstimateInput>(handle, inputs_, frames_, topic,
                                                 *pilot_->estimates(), [this] { onImu(); });
  }
  in_lockstep_ = params.flag("lockstep");
  params.finish();

  watch_ = std::make_unique<control::CommandWatch>(
      config, model, [](const std::string& text) { ROS_WARN("%s", text.c_str()); });
  if (std::isfinite(ground_z_)) watch_->setGround(ground_z_);

  motor_publisher_ = {handle, "motor_speeds", kCommandQueue};
  reference_publisher_ = {handle, "reference", kCommandQueue};
  error_publisher_ = {handle, "tracking_error", kCommandQueue};
  diagnostics_.setHardwareID("simulation");
  diagnostics_.add("controller", this, &ControllerNode::diagnose);

  gate_ = std::make_unique<CommandGate>(
      *pilot_, *watch_, frames_, in_lockstep_,
      CommandGate::Hooks{[this] { answerUnanswered(); }, [this] { tellCommand(); }});
  references_ = std::make_unique<ReferenceInput>(handle, *gate_, config.goal);
  streams_ =
      std::make_unique<StreamInput>(handle, *gate_, static_cast<std::size_t>(model.motorCount()));
  services_ = offerFlightServices(handle, *gate_);
  map_info_subscriber_ = inputs_.subscribe("/map_info", 1, &ControllerNode::onMapInfo, this);
  teller_ = CommandTeller(handle, frames_.world);
  kept_subscriber_ = inputs_.subscribe("active_command", 1, &ControllerNode::onActiveCommand, this);
  state_subscriber_ =
      inputs_.subscribeToStream("state", kCommandQueue, &ControllerNode::onState, this);
}

void ControllerNode::lookForPublishers() {
  if (++states_ % kStatesBetweenLooks != 0) return;
  references_->lookForPlanners();
  streams_->lookForPublishers();
}

void ControllerNode::onState(const marsim::VehicleStateConstPtr& message) {
  lookForPublishers();
  if (resumes_ && !knowsWhatToFollow(*message)) {
    unanswered_ = message;
    return;
  }
  if (estimates_ && mustAwaitImu(message)) return;
  answerOnce(*message);
}

// States are answered in order. States from before a placement need no answer.
bool ControllerNode::mustAwaitImu(const marsim::VehicleStateConstPtr& message) {
  if (!await_imu_.empty() && await_imu_.back()->placements != message->placements) {
    await_imu_.clear();
  }
  if (await_imu_.empty() && estimates_->isReady(fromMessage(*message))) return false;
  const bool is_told_again =
      !await_imu_.empty() && await_imu_.back()->header.stamp == message->header.stamp;
  if (!is_told_again) await_imu_.push_back(message);
  if (await_imu_.size() > kCommandQueue) await_imu_.pop_front();
  return true;
}

void ControllerNode::answerOnce(const marsim::VehicleState& message) {
  const bool is_known = has_state_ && message.placements == placements_ &&
                        fromRos(message.header.stamp) == state_.stamp;
  if (!is_known) {
    answer(message);
  } else if (motors_ && (in_lockstep_ || !motors_->speeds.empty()) &&
             motors_->header.stamp == message.header.stamp) {
    motor_publisher_.publish(motors_);  // the first answer may have been lost
    if (!motors_->speeds.empty()) publishReference(motors_->header.stamp);  // with ideal dynamics
  }
}

// The vehicle publishes a state before its IMU sample, which may come after the next state.
void ControllerNode::onImu() {
  while (!await_imu_.empty() && estimates_->isReady(fromMessage(*await_imu_.front()))) {
    const marsim::VehicleStateConstPtr state = await_imu_.front();
    await_imu_.pop_front();
    answerOnce(*state);
  }
}

// A controller started in place of another one must know the followed command before it answers;
// the vehicle waits for that.
bool ControllerNode::knowsWhatToFollow(const marsim::VehicleState& message) {
  if (message.commanded) {
    const WarningTime now = wallTime();
    if (!waits_since_) waits_since_ = now;
    const bool has_come = kept_ && kept_->placements == message.placements;
    if (has_come) {
      resume(*kept_, fromRos(message.header.stamp));
    } else if (now - *waits_since_ < std::chrono::duration<double>(kLongestWait)) {
      return false;
    } else {
      ROS_WARN("what the vehicle follows (active_command) did not come: it is brought to rest");
    }
  }
  endWait();
  return true;
}

void ControllerNode::endWait() {
  resumes_ = false;
  unanswered_.reset();
  kept_.reset();
  kept_subscriber_.shutdown();
}

// A newer command takes its place.
void ControllerNode::answerUnanswered() {
  if (const marsim::VehicleStateConstPtr state = unanswered_) {
    endWait();
    answer(*state);
  }
}

void ControllerNode::onActiveCommand(const marsim::ActiveCommandConstPtr& message) {
  if (!resumes_) return;
  kept_ = message;
  if (const marsim::VehicleStateConstPtr state = unanswered_) onState(state);
}

void ControllerNode::resume(const marsim::ActiveCommand& message, TimeNs now) {
  try {
    const control::ActiveCommand command = fromMessage(message);
    pilot_->commander().resume(command, now);
    watch_->resumed();
    ROS_INFO("goes on with the command of %.3f s", toSeconds(command.stamp));
    if (command.kind == control::ActiveCommand::Kind::kGoal) references_->publishPlannedPath();
  } catch (const Error& error) {
    gate_->refuse("active_command", error.what());
  }
}

void ControllerNode::answer(const marsim::VehicleState& message) {
  const sim::VehicleReport report = fromMessage(message);
  if (pilot_->notice(report)) {
    watch_->reset();
    teller_.reset();
  }
  placements_ = report.placements;
  state_ = report.motion;
  has_state_ = true;
  const bool was_commanded = pilot_->commander().commanded();
  const auto speeds = pilot_->answer(report);
  state_ = pilot_->motion();
  if (estimates_) estimates_->answered();
  reference_ = pilot_->reference();
  if (const auto ended = pilot_->commander().takeEndedStream()) {
    watch_->ended(*ended, wallTime());
    teller_.taken();
  }
  if (was_commanded && !pilot_->commander().commanded()) teller_.taken();  // the vehicle has landed
  teller_.tell(pilot_->commander(), state_.stamp, placements_);
  diagnostics_.update();

  motors_ = boost::make_shared<marsim::MotorSpeeds>();
  motors_->header.stamp = message.header.stamp;
  motors_->header.frame_id = frames_.base();
  if (speeds) motors_->speeds.assign(speeds->data(), speeds->data() + speeds->size());
  motors_->placements = placements_;
  if (speeds || in_lockstep_) motor_publisher_.publish(motors_);
  if (!speeds) return;  // the motors rest until the first command
  watch_->followed(reference_, state_, wallTime());
  publishTracking(report.motion);
}

// Announces the command after every change.
void ControllerNode::tellCommand() {
  teller_.taken();
  teller_.tell(pilot_->commander(), state_.stamp, placements_);
}

void ControllerNode::publishReference(const ros::Time& stamp) {
  if (!reference_publisher_.wanted()) return;
  const auto reference = boost::make_shared<marsim::StateReference>();
  toMessage(reference_, fromRos(stamp), *reference);
  reference->header.frame_id = frames_.world;
  reference->placements = placements_;
  reference_publisher_.publish(reference);
}

void ControllerNode::publishTracking(const KinematicState& truth) {
  publishReference(toRos(truth.stamp));
  if (error_publisher_.wanted()) {
    const auto error = boost::make_shared<marsim::TrackingError>();
    error->header.stamp = toRos(truth.stamp);
    error->header.frame_id = frames_.world;
    error->position = toVector3(reference_.p_WB - truth.X_WB.p);
    error->velocity = toVector3(reference_.v_WB - truth.v_WB);
    error->yaw = wrapAngle(reference_.yaw - yawOf(truth.X_WB.q));
    error_publisher_.publish(error);
  }
}

void ControllerNode::onMapInfo(const marsim::MapInfoConstPtr& message) {
  watch_->setMap({fromPoint(message->min), fromPoint(message->max)});
  if (!std::isfinite(ground_z_)) watch_->setGround(message->min.z);
}

void ControllerNode::diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) {
  using diagnostic_msgs::DiagnosticStatus;
  const control::CommandWatch::Report report = watch_->report(wallTime());
  status.summary(report.warns ? DiagnosticStatus::WARN : DiagnosticStatus::OK, report.summary);
  for (const auto& [key, value] : report.values) status.add(key, value);
  if (estimates_) status.add("flies on", nameOf(estimates_->phase()));
  inputs_.addTo(status);
}

}  // namespace marsim::ros_nodes
