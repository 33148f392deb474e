// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "planner.hpp"

namespace autonomy {

struct NavigatorConfig {
  LocalMapConfig map;
  PlannerConfig planner;
  Eigen::Vector3d low{-100.0, -100.0, 0.0};   ///< [m] corners of the region for goals
  Eigen::Vector3d high{100.0, 100.0, 100.0};  ///< [m]
  double replan_period = 0.1;                 ///< [s]
  double odometry_timeout = 0.5;              ///< [s]
  double yaw_rate = 2.0;                      ///< [rad/s]
};

/// State and yaw for the flight controller.
struct Command {
  State state;
  double yaw = 0.0;       ///< [rad]
  double yaw_rate = 0.0;  ///< [rad/s]
};

/// Why a goal was refused, and the nearest place that would not have been.
struct Refusal {
  std::string reason;
  std::optional<Eigen::Vector3d> nearest_free;  ///< [m]
};

/// Flies to goals: scans and odometry in, commands out. It plans at 10 Hz, and at once where a scan
/// shows an obstacle on the trajectory. Without a new trajectory it flies the old one as far as
/// this is free, and brakes along it in time. Times are in seconds by one clock.
class Navigator {
 public:
  explicit Navigator(const NavigatorConfig& config)
      : config_(config), map_(config.map), planner_(config.planner, map_) {}

  /// Flies to a goal, or refuses it and goes on as before.
  std::optional<Refusal> setGoal(const Eigen::Vector3d& goal_W);
  void addOdometry(double stamp, const Eigen::Vector3d& p_W, double yaw);
  void addScan(const Eigen::Vector3d& sensor_p_W, const std::vector<Eigen::Vector3d>& points_W);
  /// Moving obstacles, with their places and paths from the time `stamp` on.
  void setMovers(double stamp, std::vector<Mover> movers);
  /// The command for a time, no earlier than the last one; none before the first odometry.
  std::optional<Command> commandAt(double now);
  /// Places [m] of the UAV from now on, `step` [s] apart, as it has planned them. None before the
  /// first odometry.
  std::vector<Eigen::Vector3d> announcedPath(double step, int count) const;

  const LocalMap& map() const { return map_; }
  bool hasGoal() const { return goal_.has_value(); }
  std::function<void(const std::string&)> on_message;          ///< may be empty
  std::function<void(bool found, double seconds)> on_planned;  ///< may be empty

 private:
  std::optional<Refusal> refusalOf(const Eigen::Vector3d& goal_W) const;
  void tell(const std::string& text) const;
  void hold(const Eigen::Vector3d& p_W);
  void plan(double now);
  std::vector<Eigen::Vector3d> withoutMovers(const std::vector<Eigen::Vector3d>& points_W) const;
  void advance(double step);
  State stateNow() const;
  std::vector<Mover> moversAt(double time) const;
  bool mustBrake(double now) const;
  Command turned(const State& state, double step);

  NavigatorConfig config_;
  LocalMap map_;
  Planner planner_;
  std::optional<Eigen::Vector3d> goal_, odometry_p_;
  double odometry_stamp_ = 0.0;
  std::optional<Bspline> trajectory_;
  double on_it_ = 0.0;    ///< [s] time on the trajectory
  double rate_ = 1.0;     ///< at which it passes; less than 1 while braking
  double slowing_ = 0.0;  ///< [1/s] decrease of the rate
  double growth_ = 0.0;   ///< [1/s^2] of slowing_
  bool is_braking_ = false, ends_at_goal_ = false;
  std::vector<Mover> movers_;
  double movers_stamp_ = 0.0, planned_ = -1.0, now_ = 0.0;
  double yaw_ = 0.0, yaw_rate_ = 0.0;
  bool is_due_ = false, is_stale_ = false;
};

}  // namespace autonomy
