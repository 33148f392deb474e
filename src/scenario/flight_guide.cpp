// SPDX-License-Identifier: BSD-3-Clause
#include "scenario/flight_guide.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/geometry/pose_file.hpp"
#include "scenario/figure_eight.hpp"

namespace marsim::scenario {
namespace {

constexpr TimeNs kReferencePeriod = kNsPerSecond / 100;
constexpr double kTurns = 0.3;    // [m] the vehicle turns towards goals farther than this
constexpr double kTurned = 0.05;  // [rad] tolerance of a stage's yaw

}  // namespace

std::vector<Stage> stagesOf(const Flight& flight, double start_yaw) {
  std::vector<Stage> stages;
  for (const Way& way : flight.goals) stages.push_back({way, {}, 0, {}});
  if (flight.figure_eight) {
    const FigureEightPath eight(*flight.figure_eight, start_yaw);
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
  if (given != scenario.flights.end()) stages_ = stagesOf(given->second, scenario.yaw);
}

std::size_t FlightGuide::goalCount() const {
  return static_cast<std::size_t>(std::count_if(
      stages_.begin(), stages_.end(), [](const Stage& stage) { return !stage.way.empty(); }));
}

bool FlightGuide::hasPath() const {
  return std::any_of(stages_.begin(), stages_.end(),
                     [](const Stage& stage) { return stage.path != nullptr; });
}

FlightGuide::Commands FlightGuide::answer(const MotionSample& state) {
  Commands commands;
  if (!begin_) return commands;
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
