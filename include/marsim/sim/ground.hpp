// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "marsim/collision/checker.hpp"
#include "marsim/collision/support.hpp"
#include "marsim/common/units.hpp"
#include "marsim/vehicle/platform.hpp"

namespace marsim::sim {

/// Limits of what counts as ground and as a landing. The defaults are choices, as no published
/// figures were found.
struct LandingConfig {
  double ground_margin = 0.2;   ///< [m] map points up to this far above the plane are ground
  double speed = 1.0;           ///< [m/s] of a landing, at most, down or sideways
  double tilt = radians(45.0);  ///< [rad] of a landing, at most

  /// Throws ConfigError.
  void validate(const std::string& where) const;
  /// Whether reaching the ground in this state is a landing: no faster than `speed`, down or
  /// sideways, and tilted by no more than `tilt`.
  bool isGentle(const KinematicState& state) const;
};

/// The ground that can carry a vehicle: the plane z = `ground_z`, if that is finite, and the map's
/// surface below the vehicle if collision::carryingSurface() finds one. The surface begins to carry
/// a vehicle that lands on it gently, from above, and more downwards than sideways. With responses
/// to collisions other than "report" it carries any vehicle that comes from above. Once it carries
/// the vehicle, it does so until the body is a voxel above it or the surface ends. A vehicle on
/// wheels stands on the plane through the lowest points of its wheels; obstacles low enough to
/// climb belong to its ground.
class Ground {
 public:
  /// `map` may be null; `ground_z` [m] may be -inf: no plane. Throws as scene::bodyCloud does.
  Ground(const LandingConfig& config, const vehicle::VehicleConfig& vehicle,
         std::shared_ptr<const collision::Neighbours> map, double ground_z);

  /// Searches for the map's surface below a vehicle after a step. `touches` are the points of map
  /// and objects in the body's cells; no map point is nearer to the vehicle's origin than `nearest`
  /// [m]. `solid`: the response to collisions is not "report".
  void findSurface(const KinematicState& before, const vehicle::Platform& platform, bool solid,
                   const std::vector<collision::Touch>& touches, double nearest);
  /// Forgets the surface, for a vehicle that is placed elsewhere.
  void forgetSurface();

  /// Points of the body less than `height` [m] above its ground, as touches of the map.
  std::vector<collision::Touch> touches(const Pose& X_WB, double height = 0.0) const;
  /// Points of the body below the surface that findSurface() found, as touches of the map. None
  /// while that surface carries the vehicle.
  std::vector<collision::Touch> touchesBelowSurface(const Pose& X_WB) const;
  /// Moves a body up until it is out of the ground. Returns whether it had to.
  bool raise(Pose& X_WB) const;
  /// Returns the pose in which a vehicle stands; none unless it rests on the ground, tilted by at
  /// most LandingConfig::tilt, with its thrust below its weight. If all its feet are on a plane,
  /// the pose is made level with that plane. Otherwise it is the vehicle's own, after 0.1 s of
  /// rest.
  std::optional<Pose> standing(const vehicle::Platform& platform);

  /// Whether a point of the map belongs to the ground plane.
  bool isOnPlane(const collision::Touch& touch) const;
  /// Whether a touched point belongs to the surface that findSurface() found. Such a touch is no
  /// contact if the vehicle is slow and upright enough for a landing (LandingConfig::isGentle()).
  /// Returns false for every point if the body reaches below the surface without being carried: it
  /// has flown into it, and all its touches are contacts.
  bool isOnSurface(const collision::Touch& touch) const;

 private:
  /// The planes that carry a vehicle: the ground plane, the map's surface, both or none.
  class Planes {
   public:
    void add(const collision::Plane& plane) { planes_[count_++] = plane; }
    const collision::Plane* begin() const { return planes_.data(); }
    const collision::Plane* end() const { return planes_.data() + count_; }

   private:
    std::array<collision::Plane, 2> planes_;
    std::size_t count_ = 0;
  };

  Planes planes() const;
  std::vector<collision::Touch> touchesOf(const collision::Plane& plane, const Pose& X_WB,
                                          double height) const;

  LandingConfig config_;
  collision::BodyHull hull_;
  std::shared_ptr<const collision::Neighbours> map_;
  double ground_z_;
  double surface_height_;               // [m] above surface_: points below it belong to the surface
  std::optional<double> under_wheels_;  // [m] from B down to the ground, of a vehicle on wheels
  std::optional<collision::Plane> surface_;  // of the map, below the vehicle
  bool holds_ = false;                       // whether surface_ carries the vehicle
  double over_surface_ = 0.0;                // [m] height of the body's lowest point
  std::optional<TimeNs> rests_since_;        // begin of its rest, upright on the ground
};

}  // namespace marsim::sim
