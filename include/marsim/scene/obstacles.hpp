// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/common/settings.hpp"
#include "marsim/common/time.hpp"
#include "marsim/scene/calibration_target.hpp"
#include "marsim/scene/moving_object.hpp"
#include "marsim/scene/vehicle_body.hpp"

namespace marsim::scene {

/// The kind of an obstacle's motion. An obstacle of the first three kinds that leaves its region is
/// replaced by a new one at a random free place; these pass through the map and each other.
enum class ObstacleKind {
  kUav,        ///< "uav": straight on at constant speed
  kSphere,     ///< "sphere": free fall
  kBox,        ///< "box": random walk, straight on for a while in one direction, then in another
  kWalker,     ///< "walker": on the ground, from one free place in sight to another
  kWaypoints,  ///< "waypoints": along a path of straight lines, round and round or back and forth
  kOrbit,      ///< "orbit": a level circle
  kDriven,     ///< "driven": as commanded
  kFixed,      ///< "fixed": in one place and any orientation, at rest or turning to and fro
};

enum class ObstacleShape {
  kUav,
  kSphere,
  kBox,
  kCapsule,
  kPerson,         ///< "person": a body with a head and limbs that walk while it moves
  kSittingPerson,  ///< "sitting_person": such a body on a chair, which is not part of it
  kChessboard,     ///< "chessboard": a plate to calibrate cameras with
  kAprilGrid,      ///< "aprilgrid": likewise, with the tags of Kalibr
};

/// Obstacles of one kind. Each obstacle draws its values evenly from the intervals.
struct ObstacleGroup {
  std::string name;  ///< obstacle number i is named "<name>_<i>"
  ObstacleKind kind = ObstacleKind::kSphere;
  ObstacleShape shape = ObstacleShape::kSphere;
  int number = 1;
  /// [m] a sphere's diameter, a cube's side, a capsule's or standing person's height; not of UAVs.
  /// Four sizes at most are drawn from, so that obstacles share their surfels.
  double size_min = 0.3, size_max = 0.3;
  /// A capsule's diameter as a share of its height; for a person, the diameter kept free around it.
  double width_ratio = 0.3;
  BodyConfig body;          ///< of UAVs
  Chessboard chessboard;    ///< of chessboards
  AprilGrid aprilgrid;      ///< of AprilGrids
  double resolution = 0.0;  ///< [m] r of the surfels; 0: a tenth of the size, at most 5 cm;
                            ///< of a UAV a thirtieth, 3 mm to 2 cm; of a person a
                            ///< sixtieth; of a calibration target a sixtieth, 5 mm to 2 cm
  /// 0 to 1 (100 %), kept as a map's, in steps of 1/255; none: the LiDAR's default.
  std::optional<double> reflectivity;
  /// See map::semantic. None: a walker is a person, a UAV a vehicle, the others are objects.
  std::optional<std::uint8_t> semantic_class;
  /// [m/s] for spheres, horizontally at the start
  double speed_min = 1.0, speed_max = 1.0;
  /// [m] in W. Centres stay inside; walkers find the ground in it, from below.
  Eigen::AlignedBox3d region;
  double turn_min = 1.0, turn_max = 4.0;    ///< [s] a random walk's time straight on
  double orbit_min = 2.0, orbit_max = 2.0;  ///< [m] radius of orbits
  /// [m] in W: a path's corners, or the first starts of driven obstacles (others: random places).
  std::vector<Eigen::Vector3d> points;
  Pose X_WM;  ///< of a fixed obstacle
  /// [rad] A fixed obstacle turns at a constant rate about its own z axis, to this angle on either
  /// side of X_WM. Not of calibration targets.
  double swing = 0.0;
  double swing_period = 5.0;  ///< [s] to the other side and back
  bool loop = true;           ///< from the last corner to the first; else back and forth

  std::uint8_t semanticClass() const;
  /// Returns null unless the shape is a calibration target.
  const CalibrationTarget* target() const;
  /// Declares the settings except body, region and the kind, on which the others depend.
  void declare(Settings& settings);
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// The groups of obstacles of a world, as in a file of config/obstacles.
struct ObstaclesConfig {
  std::uint64_t seed = 1;
  std::vector<ObstacleGroup> groups;

  /// Throws ConfigError.
  void validate(const std::string& where) const;
  std::size_t count() const;
};

/// A group of a kind with the defaults for it: shape, sizes and speeds.
ObstacleGroup usualGroup(ObstacleKind kind);

/// Most obstacles of a world.
constexpr std::size_t kMaxObstacles = 10'000;

/// Returns the distance [m] from a place in W to the nearest point of the map; any number from
/// `most` on if the point is farther than that.
using MapDistance = std::function<double(const Eigen::Vector3d& p_W, double most)>;

struct Obstacle;
struct TrackLeg;
struct ObstaclePlaces;
class WalkingPerson;

/// A set of obstacles. Their motion, except that of driven ones, is a function of seed and time:
/// the same on every machine, independent of earlier queries. Each obstacle draws its motion anew,
/// from a stream of its own, every 2^40 ns (18 minutes; each at another time), so that a late start
/// costs the draws of at most that time. Decisions about the motion use only arithmetic and square
/// roots, which are exact everywhere; only obstacles that turn use sines and cosines, whose last
/// digit depends on the C library.
///
/// Calls are safe from several threads.
class Obstacles final : public ObjectSource {
 public:
  /// Looks for free places in the map; without `clearance` every place counts as free. Throws
  /// ConfigError, also if a region has no free place.
  Obstacles(const ObstaclesConfig& config, const MapDistance& clearance, const std::string& where);
  ~Obstacles() override;

  /// A motion that bends or starts over gives several objects of one identity, each for its time.
  void appendObjects(TimeNs begin, TimeNs end, std::vector<MovingObject>& objects) const override {
    appendKnownObjects(begin, end, kAllKnown, objects);
  }
  void appendKnownObjects(TimeNs begin, TimeNs end, TimeNs known_until,
                          std::vector<MovingObject>& objects) const override;

  const ObstaclesConfig& config() const { return config_; }
  std::size_t size() const;
  std::uint32_t identityOf(std::size_t number) const {
    return kFirstObstacleIdentity + static_cast<std::uint32_t>(number);
  }
  /// "<group>_<number in the group>".
  std::string nameOf(std::size_t number) const;
  /// Returns the number of the obstacle with a name, if any.
  std::optional<std::size_t> numberOf(const std::string& name) const;
  const ObstacleGroup& groupOf(std::size_t number) const;
  /// [m] see ObstacleGroup::size_min; for a UAV the diameter of its body, for a calibration
  /// target the diagonal of its plate.
  double sizeOf(std::size_t number) const;
  Pose poseAt(std::size_t number, TimeNs time) const;
  /// A hash of the free places found in the map.
  std::uint64_t digest() const;

  /// The state of a driven obstacle at an instant; it goes on at these velocities.
  struct Driven {
    TimeNs stamp = 0;
    Eigen::Vector3d p = Eigen::Vector3d::Zero();  ///< [m] in W
    Eigen::Vector3d v = Eigen::Vector3d::Zero();  ///< [m/s] in W
    double yaw = 0.0;                             ///< [rad]
    double yaw_rate = 0.0;                        ///< [rad/s]
  };
  bool isDriven(std::size_t number) const;
  /// Takes a state of a driven obstacle. Motion is interpolated between states and goes on after
  /// the last one for at most 0.3 s. A state of the past voids all later ones. Throws Error for an
  /// obstacle that is not driven and for a state that is not finite.
  void drive(std::size_t number, const Driven& state);
  /// The last state given to drive(), or the start.
  Driven driven(std::size_t number) const;
  bool hasDriven() const;

 private:
  struct Look;
  static Look lookOf(const WalkingPerson& person, const Obstacle& obstacle, const TrackLeg& leg,
                     TimeNs time);

  ObstaclesConfig config_;
  std::vector<std::unique_ptr<ObstaclePlaces>> places_;  // of each group
  std::vector<Obstacle> obstacles_;
  mutable std::mutex mutex_;  // guards the obstacles' tracks
};

}  // namespace marsim::scene
