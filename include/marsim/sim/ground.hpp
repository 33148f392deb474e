#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "marsim/collision/checker.hpp"
#include "marsim/collision/support.hpp"
#include "marsim/common/units.hpp"
#include "marsim/vehicle/quadrotor.hpp"

namespace marsim::sim {

/// Limits of what counts as ground, and as landing on it. Figures for them were not found: the
/// defaults are choices.
struct LandingConfig {
  double ground_margin = 0.2;   ///< [m] above the plane: points of the map there are ground
  double speed = 1.0;           ///< [m/s]
  double tilt = radians(45.0);  ///< [rad]

  /// Throws ConfigError.
  void validate(const std::string& where) const;
  /// Whether who comes to the ground like this lands: no faster than `speed`, down or
  /// sideways, and tilted by no more than `tilt`.
  bool isGentle(const KinematicState& state) const;
};

/// The ground that can carry a vehicle: the plane, always, and the map's surface below it where
/// that carries (collision::carryingSurface). The surface holds who lands on it: comes down from
/// above, gently, more downwards than sideways. With `solid` surfaces it holds whoever comes from
/// above. It holds until the vehicle is clear of it or it ends.
class Ground {
 public:
  /// `map` may be null; `ground_z` [m] may be -inf: no plane. Throws as scene::bodyCloud does.
  Ground(const LandingConfig& config, const vehicle::VehicleConfig& vehicle,
         std::shared_ptr<const collision::Neighbours> map, double ground_z);

  /// Looks for the map's surface below a vehicle that has just made a step. `touches` are the map's
  /// points in its cells; none of its points is nearer to the vehicle's origin than `nearest` [m].
  void look(const KinematicState& before, const vehicle::Quadrotor& quadrotor, bool solid,
            const std::vector<collision::Touch>& touches, double nearest);
  /// The vehicle is put somewhere else.
  void leave();

  /// Points of the body at less than `height` [m] over what holds it, as touches of the map.
  std::vector<collision::Touch> touches(const Pose& X_WB, double height = 0.0) const;
  /// The same of the surface that does not hold it, since it flies through it.
  std::vector<collision::Touch> passed(const Pose& X_WB) const;
  /// Moves a body up until it is out of what holds it. Whether it had to.
  bool raise(Pose& X_WB) const;
  /// Where the vehicle, which is touched by what holds it, stands if it has come to rest upright,
  /// its thrust below its weight: at once where it is on all its feet, else, as on a slope, after
  /// it has rested for a moment.
  std::optional<Pose> standing(const vehicle::Quadrotor& quadrotor);

  /// Whether a point of the map belongs to the ground plane.
  bool isOnPlane(const collision::Touch& touch) const;
  /// Whether it belongs to a surface that holds the vehicle, or that the body's cells reach only
  /// because they are larger than the body.
  bool isOnSurface(const collision::Touch& touch) const;

 private:
  /// What holds a vehicle: the plane, the map's surface, both or none.
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
  std::optional<collision::Plane> surface_;  // of the map, below the vehicle
  bool holds_ = false;                       // surface_
  double over_surface_ = 0.0;                // [m] of the body's lowest point
  std::optional<TimeNs> rests_since_;        // upright, touched by what holds it
};

}  // namespace marsim::sim
