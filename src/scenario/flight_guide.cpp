// SPDX-License-Identifier: BSD-3-Clause
#include "scenario/flight_guide.hpp"

#include <algorithm>
#include <cmath>

#include "control/paths/excitation.hpp"
#include "marsim/geometry/pose_file.hpp"
#include "scenario/figure_eight.hpp"

namespace marsim::scenario {
namespace {

constexpr TimeNs kReferencePeriod = kNsPerSecond / 100;
constexpr double kTurns = 0.3;              // [m] the vehicle turns towards goals farther than this
constexpr double kTurned = 0.05;            // [rad] tolerance of a stage's yaw
constexpr double kClimbAcceleration = 4.0;  // [m/s^2] largest
constexpr double kSteepest = 5.7735;        // largest second derivative of 10 u^3 - 15 u^4 + 6 u^5
constexpr TimeNs kHover = kNsPerSecond;     // after a climb
constexpr double kFlare = 0.4;              // [m] above the ground, passed before a landing
constexpr double kBelow = 0.05;             // [m] below the ground, where a landing ends

/// The motion that a reference describes. Its attitude is the yaw alone.
KinematicState motionOf(const control::Reference& reference) {
  KinematicState state;
  state.X_WB = {fromRollPitchYaw(0.0, 0.0, reference.yaw), reference.p_WB};
  state.v_WB = reference.v_WB;
  state.a_WB = reference.a_WB;
  state.w_WB_B.z() = reference.yaw_rate;
  return state;
}

}  // namespace

Stage climb(const Pose& X_WB, double height) {
  const double duration = std::sqrt(kSteepest * height / kClimbAcceleration);
  return {{}, {}, toNs(duration) + kHover, [=](TimeNs t) {
            const double u = std::min(1.0, toSeconds(t) / duration);
            KinematicState state;
            state.X_WB = X_WB;
            state.X_WB.p.z() += height * u * u * u * (10.0 - u * (15.0 - 6.0 * u));
            state.v_WB.z() = height / duration * 30.0 * u * u * (1.0 - u) * (1.0 - u);
            state.a_WB.z() = height / (duration * duration) * u * (60.0 - u * (180.0 - 120.0 * u));
            return state;
          }};
}

Stage excite(const Pose& X_WB, double reach) {
  const control::Excitation excitation(X_WB.p, yawOf(X_WB.q), reach);
  return {{}, {}, toNs(control::Excitation::kDuration + 0.5), [excitation](TimeNs t) {
            return motionOf(excitation.at(toSeconds(t)));
          }};
}

Stage landing(const Eigen::Vector3d& p_WB) {
  const Eigen::Vector3d up = Eigen::Vector3d::UnitZ();
  return {{p_WB + kFlare * up, p_WB - kBelow * up}, {}, 0, {}};
}

std::vector<Stage> stagesOf(const Flight& flight, const Pose& X_WB) {
  std::vector<Stage> stages;
  if (flight.rest > 0.0) stages.push_back({{}, {}, toNs(flight.rest), {}});
  Pose X_WB_air = X_WB;
  if (flight.take_off > 0.0) {
    stages.push_back(climb(X_WB, flight.take_off));
    X_WB_air.p.z() += flight.take_off;
  }
  if (flight.excitation > 0.0) stages.push_back(excite(X_WB_air, flight.excitation));
  for (const Goal& goal : flight.goals) stages.push_back({goal.way, goal.yaw, 0, {}});
  if (flight.land) {
    Eigen::Vector3d place = flight.goals.back().way.back();
    place.z() = X_WB.p.z();
    stages.push_back(landing(place));
  }
  if (flight.figure_eight) {
    const FigureEightPath eight(*flight.figure_eight, yawOf(X_WB.q));
    stages.push_back({{}, {}, eight.duration(), [eight](TimeNs t) { return eight.at(t); }});
  } else if (!flight.trajectory.empty()) {
    const PoseTrack track(readPoseFile(flight.trajectory), flight.trajectory);
    stages.push_back({{}, {}, track.end() - track.begin(), [track](TimeNs t) {
                        return track.at(track.begin() + t);
                      }});
  }
  return stages;
}

FlightGuide::FlightGuide(const Scenario& scenario, const std::string& uav)
    : FlightGuide({}, scenario.goal_tolerance, scenario.yaw) {
  const auto given = scenario.flights.find(uav);
  if (given == scenario.flights.end()) return;
  stages_ = stagesOf(given->second, {fromRollPitchYaw(0.0, 0.0, scenario.yaw), {}});
  if (given->second.hasOwnMoves()) flight_ = given->second;
}

std::size_t FlightGuide::goalCount() const {
  return static_cast<std::size_t>(std::count_if(
      stages_.begin(), stages_.end(), [](const Stage& stage) { return !stage.way.empty(); }));
}

bool FlightGuide::hasSentGoals() const {
  if (flight_ || goals_.size() < goalCount()) return false;
  return !place_ || *place_ + 1 == stages_[stage_].way.size();
}

bool FlightGuide::hasPath() const {
  return std::any_of(stages_.begin(), stages_.end(),
                     [](const Stage& stage) { return stage.path != nullptr; });
}

FlightGuide::Commands FlightGuide::answer(const MotionSample& state) {
  Commands commands;
  if (!begin_) return commands;
  if (flight_ && state.stamp >= *begin_) {
    stages_ = stagesOf(*flight_, {fromRollPitchYaw(0.0, 0.0, goal_yaw_), state.X_WB.p});
    flight_.reset();
  }
  while (stage_ < stages_.size() && state.stamp >= *begin_) {
    const Stage& stage = stages_[stage_];
    const bool is_over =
        stage.way.empty() ? follow(stage, state, commands) : approach(stage, state, commands);
    if (!is_over) break;
    ++stage_;
    begin_ = state.stamp;
  }
  if (!flown_at_ && stage_ == stages_.size()) flown_at_ = state.stamp;
  return commands;
}

// Whether the goal is reached.
bool FlightGuide::approach(const Stage& stage, const MotionSample& state, Commands& commands) {
  if (!place_) {
    goals_.push_back({stage.way.back(), state.stamp, {}});
    place_ = 0;
    send(stage, state, commands);
    return false;
  }
  const double distance = (state.X_WB.p - stage.way[*place_]).norm();
  if (*place_ + 1 < stage.way.size()) {
    if (distance >= kPassRadius) return false;
    ++*place_;
    send(stage, state, commands);
    return false;
  }
  const bool rests =
      distance <= tolerance_ && state.v_WB.norm() <= kRestSpeed &&
      (!stage.yaw || std::abs(wrapAngle(yawOf(state.X_WB.q) - *stage.yaw)) <= kTurned);
  if (!rests) rests_since_ = -1;
  if (rests && rests_since_ < 0) rests_since_ = state.stamp;
  if (!rests || state.stamp - rests_since_ < kSettle) return false;
  goals_.back().reached = rests_since_;
  rests_since_ = -1;
  place_.reset();
  return true;
}

// Whether the path or rest is over.
bool FlightGuide::follow(const Stage& stage, const MotionSample& state, Commands& commands) {
  const TimeNs until = std::min(state.stamp + kLead - *begin_, stage.duration);
  const TimeNs first = path_sent_ < 0 ? kLead : path_sent_ + kReferencePeriod;
  for (TimeNs t = first; stage.path && t <= until; t += kReferencePeriod) {
    commands.references.push_back(stage.path(t));
    commands.references.back().stamp = *begin_ + t;
    path_sent_ = t;
  }
  if (state.stamp < *begin_ + stage.duration) return false;
  path_sent_ = -1;
  return true;
}

void FlightGuide::send(const Stage& stage, const MotionSample& state, Commands& commands) {
  const Eigen::Vector3d& place = stage.way[*place_];
  const Eigen::Vector3d ahead = place - state.X_WB.p;
  if (ahead.head<2>().norm() > kTurns) goal_yaw_ = std::atan2(ahead.y(), ahead.x());
  if (stage.yaw) goal_yaw_ = *stage.yaw;
  commands.goal = StampedPose{state.stamp + kLead, {fromRollPitchYaw(0.0, 0.0, goal_yaw_), place}};
}

}  // namespace marsim::scenario
