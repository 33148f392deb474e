// SPDX-License-Identifier: BSD-3-Clause
#include "sim/command_input.hpp"

#include <cmath>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim::sim {
namespace {

constexpr char kNotFinite[] = "a value is NaN or infinite";

bool isUsablePose(const Pose& X) { return X.p.allFinite() && X.q.coeffs().allFinite(); }

// Whether the required fields of a reference are finite.
bool hasRequiredFields(const control::Reference& reference) {
  return reference.p_WB.allFinite() && reference.v_WB.allFinite() && std::isfinite(reference.yaw);
}

}  // namespace

bool isUnset(const Eigen::Quaterniond& q) { return q.norm() < 1e-6; }

double yawOrPresent(const Eigen::Quaterniond& q, double present) {
  return isUnset(q) ? present : yawOf(q.normalized());
}

bool isFrame(const std::string& frame, const std::string& name) {
  return frame == name || (!frame.empty() && frame.front() == '/' && frame.substr(1) == name);
}

bool isWorldFrame(const std::string& frame, const std::string& world) {
  return frame.empty() || isFrame(frame, world);
}

WarningTime wallTime() { return WarningTime::clock::now(); }

TrajectoryCommand checkTrajectory(std::vector<control::TrajectoryPoint> points) {
  if (points.empty()) throw Error("points is empty, allowed: at least one");
  TrajectoryCommand command;
  const TimeNs first = points.front().after;
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].after -= first;
    if (!hasRequiredFields(points[i].reference)) {
      throw Error(
          fmt::format("points[{}] has a place, yaw or velocity that is NaN or infinite", i));
    }
    const auto dropped =
        control::dropUnusable(points[i].reference, {"accelerations", "", "velocities.angular.z"});
    command.not_given.insert(dropped.begin(), dropped.end());
  }
  command.points = std::move(points);
  return command;
}

CommandInput::CommandInput(Pilot& pilot, control::CommandWatch& watch, const std::string& world,
                           const std::string& base, Hooks hooks)
    : pilot_(pilot), watch_(watch), world_(world), base_(base), hooks_(std::move(hooks)) {}

bool CommandInput::flyTo(const char* topic, const PoseRequest& goal, bool keeps_altitude) {
  const auto refused = [&](const std::string& reason) {
    refuse(topic, reason);
    return false;
  };
  if (!isUsablePose(goal.X_FG)) return refused("pose has a value that is NaN or infinite");
  const bool in_body = isBase(goal.frame);
  if (!in_body && !isWorldFrame(goal.frame, world_)) {
    return refused(fmt::format("header.frame_id is '{}', allowed: '{}' or '{}'",
                               clipped(goal.frame), world_, base_));
  }
  // A refused goal must not end the wait for an earlier command (see isOpen).
  if ((in_body || keeps_altitude) && !isOpen(topic)) return false;
  Pose X_WG = goal.X_FG;
  const bool keeps_yaw = isUnset(X_WG.q);
  if (keeps_yaw) {
    X_WG.q.setIdentity();
  } else {
    X_WG.q.normalize();
  }
  if (in_body) X_WG = state().X_WB * X_WG;
  if (keeps_altitude) X_WG.p.z() = reference().p_WB.z();
  const std::string problem = watch_.goalProblem(X_WG.p);
  if (!problem.empty()) return refused(problem);
  if (!isOpen(topic)) return false;
  watch_.placed(topic, X_WG.p, wallTime());
  pilot_.commander().setGoal(X_WG.p, keeps_yaw ? reference().yaw : yawOf(X_WG.q), state().stamp);
  taken(topic);
  return true;
}

void CommandInput::hold(const char* topic, const PoseRequest& pose) {
  if (!isInWorld(topic, pose.frame)) return;
  if (!isUsablePose(pose.X_FG)) return refuse(topic, kNotFinite);
  if (!isOpen(topic)) return;
  watch_.placed(topic, pose.X_FG.p, wallTime());
  pilot_.commander().setPose(pose.X_FG.p, yawOrPresent(pose.X_FG.q, reference().yaw),
                             state().stamp);
  taken(topic);
}

void CommandInput::track(const char* topic, const std::string& frame,
                         control::Reference reference) {
  if (!hasRequiredFields(reference)) {
    return refuse(topic, "position, velocity or yaw is NaN or infinite");
  }
  if (!isInWorld(topic, frame) || !isOpen(topic)) return;
  for (const std::string& field : control::dropUnusable(reference)) watch_.notGiven(topic, field);
  watch_.checkYawRate(topic, reference, state().stamp);
  watch_.tracked(topic, reference, state(), wallTime());
  pilot_.commander().setReference(reference, state().stamp);
  taken(topic);
}

void CommandInput::followTrajectory(
    const char* topic, const std::string& frame,
    const std::function<TrajectoryCommand(double present_yaw)>& decode) {
  if (!isInWorld(topic, frame)) return;
  try {
    decode(reference().yaw);  // a refused command must not end a wait (see isOpen)
    if (!isOpen(topic)) return;
    const TrajectoryCommand command = decode(reference().yaw);
    for (const std::string& field : command.not_given) watch_.notGiven(topic, field);
    watch_.tracked(topic, command.points, state(), wallTime());
    pilot_.commander().setTrajectory(command.points, state().stamp);
    taken(topic);
  } catch (const Error& error) {
    refuse(topic, error.what());
  }
}

void CommandInput::move(const char* topic, const VelocityRequest& request, bool is_body_default) {
  if (!request.v.allFinite() || !request.w.allFinite()) return refuse(topic, kNotFinite);
  control::VelocityCommand command{request.v, request.w.z(), false};
  command.in_heading_frame = request.frame.empty() ? is_body_default : isBase(request.frame);
  if (!command.in_heading_frame && !isWorld(request.frame)) {
    return refuseFrame(topic, request.frame, fmt::format("'{}', ", base_));
  }
  if (pilot_.drives() && !command.in_heading_frame) {
    return refuse(topic, fmt::format("a vehicle on wheels moves along its heading: "
                                     "header.frame_id is '{}', allowed: '{}'",
                                     clipped(request.frame), base_));
  }
  if (!isOpen(topic, true)) return;
  if (request.w.x() != 0.0 || request.w.y() != 0.0) {
    watch_.notFollowed(topic, "angular.x and angular.y");
  }
  if (pilot_.drives() && (request.v.y() != 0.0 || request.v.z() != 0.0)) {
    watch_.notFollowed(topic, "linear.y and linear.z");
    command.velocity = {request.v.x(), 0.0, 0.0};
  }
  watch_.moved(topic, command, state(), wallTime());
  pilot_.commander().setVelocity(command, state().stamp);
  taken(topic);
}

void CommandInput::setInner(const char* topic, const control::InnerSetpoint& setpoint) {
  if (!isOpen(topic, std::holds_alternative<control::MotorSetpoint>(setpoint))) return;
  watch_.setInner(topic, setpoint, wallTime());
  pilot_.commander().setInner(setpoint, state().stamp);
  taken(topic);
}

bool CommandInput::isOpen(const char* topic, bool is_for_wheels) {
  const auto refused = [&](const char* reason) {
    refuse(topic, reason);
    return false;
  };
  if (!hasState()) return refused("no state of the vehicle received yet");
  if (pilot_.drives() && !is_for_wheels) {
    return refused("a vehicle on wheels follows velocities and motor speeds only (cmd_vel)");
  }
  if (pilot_.isLost()) return refused("the estimate that it flies on is lost");
  if (!pilot_.isArmed()) return refused("the motors are disarmed (services arm and take_off)");
  return true;
}

bool CommandInput::hasState() {
  hooks_.endWait();
  return pilot_.report().has_value();
}

bool CommandInput::isInWorld(const char* topic, const std::string& frame) {
  if (isWorld(frame)) return true;
  refuseFrame(topic, frame, "");
  return false;
}

// Planners write `world` whatever its name here.
bool CommandInput::isWorld(const std::string& frame) const {
  return isWorldFrame(frame, world_) || isFrame(frame, "world");
}

void CommandInput::refuse(const char* topic, const std::string& reason) {
  watch_.refused(topic, reason, wallTime());
}

// `allowed`: a frame other than the world frame, which is named first.
void CommandInput::refuseFrame(const char* topic, const std::string& frame,
                               const std::string& allowed) {
  const std::string world = world_ == "world" ? "" : fmt::format("'{}', ", world_);
  watch_.refusedAlways(topic,
                       fmt::format("header.frame_id is '{}', allowed: {}{}'world' or empty",
                                   clipped(frame), allowed, world),
                       wallTime());
}

void CommandInput::taken(const char* topic) {
  watch_.taken(topic, state().stamp, wallTime());
  hooks_.taken();
}

}  // namespace marsim::sim
