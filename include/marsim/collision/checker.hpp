// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "marsim/collision/body_voxels.hpp"
#include "marsim/collision/moving_tree.hpp"
#include "marsim/collision/neighbours.hpp"
#include "marsim/common/time.hpp"
#include "marsim/scene/moving_object.hpp"

namespace marsim::collision {

/// A point of the map or of an object in an occupied cell of the body.
struct Touch {
  std::uint32_t identity = scene::kMapIdentity;  ///< of the object; kMapIdentity: the map's
  std::uint32_t surfel = 0;                      ///< number in the map or the object's shape
  Eigen::Vector3i cell = Eigen::Vector3i::Zero();
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();  ///< [m]
  /// Unit, towards the body: a planar surfel's normal; else from the point to the body's origin.
  Eigen::Vector3d normal_W = Eigen::Vector3d::UnitZ();
  Eigen::Vector3d v_W = Eigen::Vector3d::Zero();  ///< [m/s] of the point
};

/// Least distance from a point of map or objects to the body's occupied cells.
struct Clearance {
  double distance = std::numeric_limits<double>::infinity();  ///< [m] 0 while they touch
  std::uint32_t identity = scene::kMapIdentity;
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();  ///< [m] the nearest point
};

/// The moving objects about a body: all, or at least those whose bounding sphere meets the body's.
struct NearbyObjects {
  NearbyObjects(std::vector<scene::MovingObject> all) : objects(std::move(all)) {}  // NOLINT
  NearbyObjects(std::vector<scene::MovingObject> near, double gap)
      : objects(std::move(near)), others_gap(gap) {}

  std::vector<scene::MovingObject> objects;
  /// Least gap [m] from the body's bounding sphere to those of all other objects, at the end.
  double others_gap = std::numeric_limits<double>::infinity();
};

/// The collision check of one body: finds the points of map and objects in its occupied cells. The
/// answer is exact, as if every point were tried. While the body has moved less than its free
/// distance at the last search, nothing is searched. Objects are asked for again once one at
/// kFastestObject could have come near, and at least every kLongestRest.
class CollisionChecker {
 public:
  static constexpr double kFastestObject = 100.0;  ///< [m/s]
  static constexpr TimeNs kLongestRest = 20 * (kNsPerSecond / 1000);

  /// Returns the objects during an interval, about the body at its end; empty: none.
  using ObjectsNear = std::function<NearbyObjects(TimeNs begin, TimeNs end)>;

  /// `map` may be null: objects only. Ignores objects with the identity `self`.
  CollisionChecker(BodyVoxels body, std::shared_ptr<const Neighbours> map,
                   std::optional<std::uint32_t> self = std::nullopt);

  /// The touches at a pose and an instant: the map's first, sorted by identity and surfel. Valid
  /// until the next call.
  const std::vector<Touch>& check(const Pose& X_WB, TimeNs stamp,
                                  const ObjectsNear& objectsNear = {});
  /// The touches with the map only.
  const std::vector<Touch>& checkMap(const Pose& X_WB);
  /// Lower bound [m], from the last search, of a place's distance to the map's nearest point.
  double leastDistance(const Eigen::Vector3d& p_W) const {
    return nearest_ - (p_W - X_WB_searched_.p).norm();
  }

  /// The least distance, searched up to `limit` [m]; infinite where nothing is nearer.
  /// `objectsNear` must give all objects within `limit`.
  Clearance clearance(const Pose& X_WB, TimeNs stamp, double limit,
                      const ObjectsNear& objectsNear = {});

  const BodyVoxels& body() const { return body_; }
  /// Number of searches for neighbours so far.
  std::uint64_t searches() const { return searches_; }

 private:
  double searchMap(const Pose& X_WB);
  void askObjects(const Pose& X_WB, TimeNs stamp, const ObjectsNear& objectsNear);
  void searchObjects(const Pose& X_WB);
  double moved(const Pose& X_WB) const;

  BodyVoxels body_;
  std::shared_ptr<const Neighbours> map_;
  std::optional<std::uint32_t> self_;
  std::vector<Touch> touches_;
  std::uint64_t searches_ = 0;

  // At X_WB_searched_ the body was free of the map by free_ [m]; less than 0: not searched.
  Pose X_WB_searched_;
  double free_ = -1.0;
  double nearest_ = 0.0;            // [m] from its origin to the map's points, lower bound
  std::vector<Touch> map_touches_;  // at X_WB_searched_

  MovingTree objects_;
  std::optional<TimeNs> asked_;  // when objects were asked for
  Eigen::Vector3d p_WB_asked_ = Eigen::Vector3d::Zero();
  double objects_gap_ = 0.0;  // [m] between the body's sphere and theirs, at that place

  std::vector<map::FoundSurfel> found_;  // kept between searches
  std::vector<MovingTree::Point> found_objects_;
};

}  // namespace marsim::collision
