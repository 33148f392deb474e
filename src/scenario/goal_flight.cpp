#include "scenario/goal_flight.hpp"

#include <utility>

namespace marsim::scenario {

GoalFlight::GoalFlight(std::vector<Eigen::Vector3d> goals, double tolerance)
    : goals_(std::move(goals)), tolerance_(tolerance) {}

const Eigen::Vector3d* GoalFlight::next(const MotionSample& state) {
  if (is_under_way_) {
    const bool rests = (state.X_WB.p - records_.back().position).norm() <= tolerance_ &&
                       state.v_WB.norm() <= kRestSpeed;
    if (!rests) rests_since_ = -1;
    if (rests && rests_since_ < 0) rests_since_ = state.stamp;
    if (!rests || state.stamp - rests_since_ < kSettle) return nullptr;
    records_.back().reached = rests_since_;
    is_under_way_ = false;
    rests_since_ = -1;
  }
  if (over()) return nullptr;
  const Eigen::Vector3d& goal = goals_[records_.size()];
  records_.push_back({goal, state.stamp, {}});
  is_under_way_ = true;
  return &goal;
}

}  // namespace marsim::scenario
