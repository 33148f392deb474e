// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "marsim/scene/obstacles.hpp"

namespace marsim::scene {

/// Drives the obstacles that follow commands, in steps of kPeriod: velocities in, states out. No
/// obstacle leaves its region.
class ObstacleDriver {
 public:
  static constexpr TimeNs kPeriod = kNsPerSecond / 50;

  /// An obstacle without a new command within `timeout` stops; 0: never.
  ObstacleDriver(std::shared_ptr<Obstacles> obstacles, TimeNs timeout);

  std::size_t size() const { return commanded_.size(); }
  std::string nameOf(std::size_t driven) const;
  /// Commands an obstacle from the next step on: v [m/s] in its frame, yaw rate [rad/s]. The
  /// time-out counts from `now`.
  void command(std::size_t driven, const Eigen::Vector3d& v, double yaw_rate, TimeNs now);
  /// Returns the driven obstacles' states at a multiple of kPeriod, in their order, and gives them
  /// to the obstacles. A time before the last one starts over, without the commands of later times.
  const std::vector<Obstacles::Driven>& step(TimeNs now);
  /// Makes all steps up to `now` (at the start, or after a jump back, the last one only) and hands
  /// each step's states to `tell`.
  void advanceTo(TimeNs now,
                 const std::function<void(TimeNs, const std::vector<Obstacles::Driven>&)>& tell);

 private:
  struct Commanded {
    std::size_t number;  ///< among the obstacles
    Obstacles::Driven start;
    Eigen::Vector3d v = Eigen::Vector3d::Zero();
    double yaw_rate = 0.0;
    TimeNs heard = 0;
  };

  std::shared_ptr<Obstacles> obstacles_;
  TimeNs timeout_;
  std::vector<Commanded> commanded_;
  std::vector<Obstacles::Driven> states_;
  TimeNs stepped_to_ = -1;  ///< < 0: no step yet
};

}  // namespace marsim::scene
