#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "marsim/scene/obstacles.hpp"

namespace marsim::scene {

/// A driver of the obstacles that follow commands, in steps of kPeriod: velocities in, states out.
/// None leaves its region.
class ObstacleDriver {
 public:
  static constexpr TimeNs kPeriod = kNsPerSecond / 50;

  /// One that is not commanded again within `timeout` stops; 0: never.
  ObstacleDriver(std::shared_ptr<Obstacles> obstacles, TimeNs timeout);

  std::size_t size() const { return commanded_.size(); }
  std::string nameOf(std::size_t driven) const;
  /// From the next step on; v [m/s] in the obstacle's frame, yaw rate [rad/s]. `now` is what the
  /// timeout counts from.
  void command(std::size_t driven, const Eigen::Vector3d& v, double yaw_rate, TimeNs now);
  /// The driven ones' states at a multiple of kPeriod, in their order, which the obstacles have
  /// heard of, too. A time before the last one begins anew, without the commands of later times.
  const std::vector<Obstacles::Driven>& step(TimeNs now);
  /// Takes the steps that have come by `now`, the last one only where it begins, and hands each
  /// one's states to `tell`.
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
  TimeNs stepped_to_ = -1;  ///< < 0: not at all
};

}  // namespace marsim::scene
