#include "scenario/flight_guide.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/geometry/pose_file.hpp"
#include "scenario/figure_eight.hpp"

namespace marsim::scenario {
namespace {

constexpr TimeNs kReferencePeriod = kNsPerSecond / 100;
constexpr double kTurns = 0.3;  // [m] a goal farther than that is looked at on the way

}  // namespace

FlightGuide::FlightGuide(const Flight& flight, double goal_tolerance, double start_yaw)
    : goals_(flight.goals, goal_tolerance), goal_yaw_(start_yaw) {
  setPath(flight, start_yaw);
}

void FlightGuide::setPath(const Flight& flight, double start_yaw) {
  if (flight.figure_eight) {
    const FigureEightPath eight(*flight.figure_eight, start_yaw);
    path_duration_ = eight.duration();
    path_ = [eight](TimeNs t) { return eight.at(t); };
  } else if (!flight.trajectory.empty()) {
    const PoseTrack track(readPoseFile(flight.trajectory), flight.trajectory);
    path_duration_ = track.end() - track.begin();
    path_ = [track](TimeNs t) { return track.at(track.begin() + t); };
  }
}

FlightGuide::Commands FlightGuide::answer(const MotionSample& state) {
  Commands commands;
  if (!begin_) return commands;
  const bool is_on = state.stamp >= *begin_;
  const Eigen::Vector3d* goal = is_on ? goals_.next(state) : nullptr;
  if (goal != nullptr) commands.goal = towards(*goal, state);
  if (path_ && is_on) {
    const TimeNs until = std::min(state.stamp + kLead - *begin_, path_duration_);
    const TimeNs first = path_sent_ < 0 ? kLead : path_sent_ + kReferencePeriod;
    for (TimeNs t = first; t <= until; t += kReferencePeriod) {
      commands.references.push_back(path_(t));
      commands.references.back().stamp = *begin_ + t;
      path_sent_ = t;
    }
  }
  const bool path_over = !path_ || state.stamp >= *begin_ + path_duration_;
  if (!flown_at_ && goals_.over() && path_over) flown_at_ = state.stamp;
  return commands;
}

StampedPose FlightGuide::towards(const Eigen::Vector3d& goal, const MotionSample& state) {
  const Eigen::Vector3d ahead = goal - state.X_WB.p;
  if (ahead.head<2>().norm() > kTurns) goal_yaw_ = std::atan2(ahead.y(), ahead.x());
  return {state.stamp + kLead, {fromRollPitchYaw(0.0, 0.0, goal_yaw_), goal}};
}

}  // namespace marsim::scenario
