// SPDX-License-Identifier: BSD-3-Clause
#include "ros/uav/command_keeper.hpp"

#include <cmath>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

marsim::TrackedState toTracked(const control::Reference& reference, TimeNs stamp, bool moves) {
  marsim::TrackedState message;
  message.stamp = toRos(stamp);
  message.moves = moves;
  fillReference(reference, message);
  message.jerk = toVector3(reference.j_WB);
  return message;
}

control::Reference fromTracked(const marsim::TrackedState& message) {
  control::Reference reference = referenceOf(message);
  reference.j_WB = fromVector3(message.jerk);
  return reference;
}

bool isFinite(const control::Reference& r) {
  return r.p_WB.allFinite() && r.v_WB.allFinite() && r.a_WB.allFinite() && r.j_WB.allFinite() &&
         std::isfinite(r.yaw) && std::isfinite(r.yaw_rate);
}

bool isFinite(const control::ActiveCommand& command) {
  for (const auto& waiting : command.waiting) {
    if (!isFinite(waiting.point.reference)) return false;
  }
  return isFinite(command.from) && command.target_p_WB.allFinite() &&
         std::isfinite(command.target_yaw) && std::isfinite(command.yaw_acceleration);
}

}  // namespace

void toMessage(const control::ActiveCommand& command, marsim::ActiveCommand& message) {
  message.kind = static_cast<std::uint8_t>(command.kind);
  message.begin = toTracked(command.from, command.stamp, true);
  message.yaw_acceleration = command.yaw_acceleration;
  message.target = toPoint(command.target_p_WB);
  message.target_yaw = command.target_yaw;
  message.waiting.clear();
  for (const auto& [at, point] : command.waiting) {
    message.waiting.push_back(toTracked(point.reference, at, point.moves));
  }
}

control::ActiveCommand fromMessage(const marsim::ActiveCommand& message) {
  constexpr std::uint8_t kLast = marsim::ActiveCommand::LAND;
  static_assert(kLast == static_cast<std::uint8_t>(control::ActiveCommand::Kind::kLand));
  if (message.kind > kLast) {
    throw Error(fmt::format("kind is {}, allowed: 0 to {}", message.kind, kLast));
  }
  control::ActiveCommand command;
  command.kind = static_cast<control::ActiveCommand::Kind>(message.kind);
  command.stamp = fromRos(message.begin.stamp);
  command.from = fromTracked(message.begin);
  command.yaw_acceleration = message.yaw_acceleration;
  command.target_p_WB = fromPoint(message.target);
  command.target_yaw = message.target_yaw;
  for (const marsim::TrackedState& waiting : message.waiting) {
    control::TrajectoryPoint point;
    point.reference = fromTracked(waiting);
    point.moves = waiting.moves;
    command.waiting.push_back({fromRos(waiting.stamp), point});
  }
  if (!isFinite(command)) throw Error("a value is NaN or infinite");
  return command;
}

CommandTeller::CommandTeller(ros::NodeHandle& handle, std::string world_frame)
    : CommandTeller(handle.advertise<marsim::ActiveCommand>("command_taken", 1, true),
                    std::move(world_frame)) {}

void CommandTeller::tell(const control::Commander& commander, TimeNs now,
                         std::uint32_t placements) {
  if (!is_due_ || (told_at_ && now < *told_at_ + kPeriod)) return;
  const auto message = boost::make_shared<marsim::ActiveCommand>();
  toMessage(commander.active(), *message);
  message->header = toHeader(now, world_frame_);
  message->placements = placements;
  publisher_.publish(message);
  told_at_ = now;
  is_due_ = false;
}

CommandKeeper::CommandKeeper(ros::NodeHandle& handle, Inputs& inputs)
    : publisher_(handle.advertise<marsim::ActiveCommand>("active_command", 1, true)),
      subscriber_(inputs.subscribe("command_taken", 10, &CommandKeeper::onTaken, this)) {}

void CommandKeeper::forget(std::uint32_t placements, TimeNs stamp) {
  const bool had = has();
  command_ = marsim::ActiveCommand();
  command_.placements = placements;
  command_.header.stamp = placed_at_ = toRos(stamp);
  if (had) publisher_.publish(command_);
}

void CommandKeeper::onTaken(const marsim::ActiveCommandConstPtr& message) {
  const bool is_old =
      message->placements != command_.placements || message->header.stamp < placed_at_;
  if (is_old) return;  // from before the last placement
  command_ = *message;
  publisher_.publish(command_);
}

}  // namespace marsim::ros_nodes
