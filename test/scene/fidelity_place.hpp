#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/map/point_cloud.hpp"
#include "scene/shapes.hpp"

namespace marsim::scene {

/// A furnished room whose surfaces are known exactly, to hold simulated ranges against: walls at
/// right angles, boards at several inclinations, boxes, a thin plate, a door of 4 cm, rods and
/// columns of 2 to 30 cm upright, level and oblique, a ball, and a bush of small leaves. 10 m x 8 m
/// x 3.2 m, its floor's middle at the origin.
class FidelityPlace {
 public:
  enum class Kind { kWall, kBoard, kBox, kPlate, kDoor, kRod, kBall, kBush };

  struct Solid {
    Kind kind;
    Shape shape;
  };

  /// `seed` decides the bush's leaves; all else is the same for every seed.
  explicit FidelityPlace(std::uint64_t seed = 1);

  struct Hit {
    double range = kNoRange;  ///< [m]
    int part = -1;            ///< into parts()
  };

  /// The first surface that a ray from `origin` along the unit vector `direction` meets.
  Hit cast(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction) const;
  /// Distance [m] from a point to the nearest surface.
  double clearance(const Eigen::Vector3d& point) const;
  const std::vector<Solid>& parts() const { return parts_; }

 private:
  std::vector<Solid> parts_;
};

/// The nearest place, on the way of pass number `pass` (any number: those that no scan used are
/// held out), to where the scanner is at the share `progress` (0 to 1) of that way, that keeps 0.35
/// m to every surface.
Eigen::Vector3d stationOn(const FidelityPlace& place, int pass, double progress);

/// A handheld scanner carried through a place several times.
struct HandheldScan {
  std::uint64_t seed = 1;
  int passes = 8;
  std::int64_t beams_per_pass = 600'000;  ///< in all directions alike
  double range_noise = 0.02;              ///< [m] standard deviation along the beam
  double pass_offset = 0.01;  ///< [m] standard deviation of the shift of a whole pass, each axis

  void validate(const std::string& where) const;
};

/// The points of a scan of what the scanner sees, in W [m]; the same for the same configuration
/// whatever the number of cores. Throws ConfigError.
map::PointCloud scan(const FidelityPlace& place, const HandheldScan& config);

}  // namespace marsim::scene
