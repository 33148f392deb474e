// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/random.hpp"
#include "marsim/map/point_cloud.hpp"
#include "scene/shapes.hpp"

namespace marsim::scene {

/// The room that all known places stand in, its floor's middle at the origin.
constexpr double kRoomHalfLength = 5.0;  // [m] along x
constexpr double kRoomHalfWidth = 4.0;   // [m] along y
constexpr double kRoomHeight = 3.2;      // [m]

/// A unit vector, all directions alike.
Eigen::Vector3d evenDirection(RandomStream& random);

/// A closed room whose surfaces are known exactly, as a scanner meets it.
class KnownPlace {
 public:
  struct Hit {
    double range = kNoRange;  ///< [m]
    int part = -1;            ///< number of the solid
  };

  virtual ~KnownPlace() = default;
  /// The first surface that a ray from `origin` along the unit vector `direction` meets.
  virtual Hit cast(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction) const = 0;
  /// Distance [m] from a point to the nearest surface.
  virtual double clearance(const Eigen::Vector3d& point) const = 0;
};

/// A place of solids, each with a member `shape`.
template <class Solid>
class PlaceOf : public KnownPlace {
 public:
  Hit cast(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction) const override {
    Hit nearest;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const double range = rangeTo(parts_[i].shape, origin, direction);
      if (range < nearest.range) nearest = {range, static_cast<int>(i)};
    }
    return nearest;
  }

  double clearance(const Eigen::Vector3d& point) const override {
    double least = kNoRange;
    for (const Solid& part : parts_) least = std::min(least, distanceTo(part.shape, point));
    return least;
  }

  const std::vector<Solid>& parts() const { return parts_; }

 protected:
  std::vector<Solid> parts_;
};

/// The nearest place, on the way of pass number `pass` (any number: those that no scan used are
/// held out), to where the scanner is at the share `progress` (0 to 1) of that way, that keeps 0.35
/// m to every surface.
Eigen::Vector3d stationOn(const KnownPlace& place, int pass, double progress);

/// A handheld scanner carried through a place several times.
struct HandheldScan {
  std::uint64_t seed = 1;
  int passes = 8;
  std::int64_t beams_per_pass = 600'000;  ///< in all directions alike
  double range_noise = 0.02;              ///< [m] standard deviation along the beam
  double pass_offset = 0.01;  ///< [m] standard deviation of the shift of a whole pass, each axis

  void validate(const std::string& where) const;
};

/// The points of a scan with what is known of each.
struct KnownScan {
  map::PointCloud cloud;   ///< in W [m]
  std::vector<int> parts;  ///< the solid each point is of
  std::vector<int> passes;
};

/// The points of a scan of what the scanner sees; the same for the same configuration whatever the
/// number of cores. Throws ConfigError.
KnownScan knownScan(const KnownPlace& place, const HandheldScan& config);
/// Their places only.
map::PointCloud scan(const KnownPlace& place, const HandheldScan& config);

}  // namespace marsim::scene
