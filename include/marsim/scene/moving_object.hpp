// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "marsim/common/time.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::scene {

// Ids (`identity`): uav3 has 3, obstacle 17 has this constant plus 17.
constexpr std::uint32_t kFirstObstacleIdentity = 1U << 16U;
/// Identity of the map, which does not move.
constexpr std::uint32_t kMapIdentity = std::numeric_limits<std::uint32_t>::max();

/// Returns an object's name for messages: "map", "uav 3", "obstacle 17", "plant 5".
std::string identityName(std::uint32_t identity);

class Print;

/// A sphere that holds a body or a shape.
struct BoundingSphere {
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< [m]
  double radius = 0.0;                               ///< [m]
};

/// A rigid object that moves for a while, during a scan for instance: a small set of surfels in its
/// own frame M.
struct MovingObject {
  std::shared_ptr<const map::SurfelMap> shape;
  std::uint32_t identity = 0;  ///< not kMapIdentity
  /// Poses at begin, begin + step, ...; between them positions go straight and rotations by the
  /// shortest way at constant speed; the first and the last hold outside. At least one.
  std::vector<Pose> X_WM;
  double begin = 0.0;  ///< [s] since the start of the scan or other interval
  double step = 0.0;   ///< [s] > 0 where there are several poses

  /// [s] The object exists from `from` until before `until`. One that appears, disappears or jumps
  /// in between is represented by several objects with the same identity.
  double from = -std::numeric_limits<double>::infinity();
  double until = std::numeric_limits<double>::infinity();

  /// Reflectivity of all its surfels, 255 for 100 %; none: the shape's own.
  std::optional<std::uint8_t> reflectivity = std::nullopt;
  /// Class of all its surfels, see map::semantic; none: the shape's own.
  std::optional<std::uint8_t> semantic_class = std::nullopt;
  /// Print on the front of a plate, see calibration_target.hpp; null: none.
  std::shared_ptr<const Print> print = nullptr;

  Pose at(double time) const;
  bool isThere(double time) const { return time >= from && time < until; }
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// Samples an object's motion during [begin, end] from `poseAt`, with poses no more than 10 ms
/// apart: straight motion between them errs by 0.13 mm at an acceleration of 10 m/s^2. Times of the
/// result count from `begin`.
MovingObject movingObject(std::shared_ptr<const map::SurfelMap> shape, std::uint32_t identity,
                          TimeNs begin, TimeNs end, const std::function<Pose(TimeNs)>& poseAt);

/// Returns the objects with times that count from `seconds` later.
std::vector<MovingObject> countedFrom(double seconds, std::vector<MovingObject> objects);

/// A source of moving objects, such as a set of obstacles or the other UAVs.
class ObjectSource {
 public:
  virtual ~ObjectSource() = default;
  /// Appends the objects as they move during [begin, end]. Their times count from `begin`. An
  /// interval of no length asks for the poses of an instant.
  virtual void appendObjects(TimeNs begin, TimeNs end,
                             std::vector<MovingObject>& objects) const = 0;
  /// Appends the objects as known from reports stamped up to `known_until`; later ones are ignored.
  virtual void appendKnownObjects(TimeNs begin, TimeNs end, TimeNs /*known_until*/,
                                  std::vector<MovingObject>& objects) const {
    appendObjects(begin, end, objects);
  }
};

/// Value of `known_until` for all motion reported so far.
constexpr TimeNs kAllKnown = std::numeric_limits<TimeNs>::max();

}  // namespace marsim::scene
