// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/common/random.hpp"
#include "marsim/scene/obstacles.hpp"
#include "scene/movers/obstacle_places.hpp"

namespace marsim::scene {

/// A stretch of motion: at constant acceleration, or on a level circle.
struct TrackLeg {
  TimeNs begin = std::numeric_limits<TimeNs>::min();
  TimeNs end = std::numeric_limits<TimeNs>::max();  ///< end of the leg
  Eigen::Vector3d p = Eigen::Vector3d::Zero();      ///< [m] at the beginning; centre of a circle
  Eigen::Vector3d v = Eigen::Vector3d::Zero();      ///< [m/s]
  Eigen::Vector3d a = Eigen::Vector3d::Zero();      ///< [m/s^2]
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();  ///< at the beginning
  double yaw_rate = 0.0;                                  ///< [rad/s]
  double radius = 0.0;  ///< [m] of a circle, which begins at `angle`
  double angle = 0.0;   ///< [rad] grows with the yaw's rate

  Pose at(TimeNs time) const;
  bool still() const;
  /// Whether two poses describe all of it.
  bool straight() const { return radius == 0.0 && a.isZero(); }
};

/// Heading along a direction; the identity for a vertical or zero direction.
Eigen::Quaterniond headingOf(const Eigen::Vector3d& direction);

/// The motion of one obstacle. Not safe from several threads.
class ObstacleTrack {
 public:
  virtual ~ObstacleTrack() = default;
  /// The leg with begin <= time < end.
  virtual TrackLeg legAt(TimeNs time) = 0;
};

/// Randomly drawn motion: legs one after another, started anew every epoch.
class RandomTrack final : public ObstacleTrack {
 public:
  /// `seed`: of this obstacle alone. `lift` [m]: height of the centre above its starting place.
  RandomTrack(const ObstacleGroup& group, const ObstaclePlaces& places, std::uint64_t seed,
              double lift);

  TrackLeg legAt(TimeNs time) override;

  /// 2^40 ns, 18 minutes.
  static constexpr int kEpochBits = 40;

 private:
  void beginEpoch(std::int64_t epoch);
  void addLeg();
  template <class Draw>
  TrackLeg longestLeg(const Draw& draw);
  TrackLeg straightLeg();
  TrackLeg fallingLeg();
  TrackLeg wanderingLeg();
  TrackLeg walkingLeg();
  const Eigen::Vector3d& anyPlace();
  double anySpeed();

  const ObstacleGroup& group_;
  const ObstaclePlaces& places_;
  const std::uint64_t seed_;
  const double lift_;

  RandomStream random_;
  std::int64_t epoch_ = std::numeric_limits<std::int64_t>::min();
  TimeNs epoch_begin_ = 0, epoch_end_ = 0;
  std::deque<TrackLeg> legs_;  // the last few of the epoch, each beginning at the last one's end
  // A random walk: whether it goes on from its place. A walker: its way and place on it.
  bool goes_on_ = false;
  std::uint32_t place_ = 0, came_from_ = 0;
  const ObstaclePlaces::Way* way_ = nullptr;
  std::size_t corner_ = 0;
  double speed_ = 0.0;
};

/// Straight lines from corner to corner, without end.
class PathTrack final : public ObstacleTrack {
 public:
  /// `part`, 0 to 1: part of the path that is behind it at time 0.
  PathTrack(const ObstacleGroup& group, double speed, double part);

  TrackLeg legAt(TimeNs time) override;

 private:
  std::vector<TrackLeg> legs_;  // of the first round, from time 0 on
  TimeNs period_ = 0, ahead_ = 0;
};

class OrbitTrack final : public ObstacleTrack {
 public:
  /// rate [rad/s], counter-clockwise; angle [rad] at time 0.
  OrbitTrack(const Eigen::Vector3d& middle, double radius, double rate, double angle);

  TrackLeg legAt(TimeNs time) override;

 private:
  TrackLeg leg_;
  TimeNs period_ = 0;
};

/// Rest in one place, or turns to and fro.
class FixedTrack final : public ObstacleTrack {
 public:
  explicit FixedTrack(const ObstacleGroup& group) : group_(group) {}

  TrackLeg legAt(TimeNs time) override;

 private:
  const ObstacleGroup& group_;
};

class DrivenTrack final : public ObstacleTrack {
 public:
  explicit DrivenTrack(const Eigen::Vector3d& start) { start_.p = start; }

  TrackLeg legAt(TimeNs time) override { return knownLegAt(time, kAllKnown); }
  /// The leg by the states with stamps up to `known_until`.
  TrackLeg knownLegAt(TimeNs time, TimeNs known_until) const;
  void drive(const Obstacles::Driven& state);
  const Obstacles::Driven& last() const { return states_.empty() ? start_ : states_.back(); }

 private:
  Obstacles::Driven start_;
  std::deque<Obstacles::Driven> states_;  // sorted by stamp
};

}  // namespace marsim::scene
