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
  /// Unit, towards the body: of a planar surfel its own, of others from it to the body's origin.
  Eigen::Vector3d normal_W = Eigen::Vector3d::UnitZ();
  Eigen::Vector3d v_W = Eigen::Vector3d::Zero();  ///< [m/s] of the point
};

/// Least distance from a point of map or objects to the body's occupied cells.
struct Clearance {
  double distance = std::numeric_limits<double>::infinity();  ///< [m] 0 while they touch
  std::uint32_t identity = scene::kMapIdentity;
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();  ///< [m] the nearest point
};

/// The moving objects about a body: all of them, or at least those whose ball meets the body's.
struct ObjectsAbout {
  ObjectsAbout(std::vector<scene::MovingObject> all) : objects(std::move(all)) {}  // NOLINT
  ObjectsAbout(std::vector<scene::MovingObject> near, double gap)
      : objects(std::move(near)), others_gap(gap) {}

  std::vector<scene::MovingObject> objects;
  /// [m] at the end of the interval, at least, from the body's ball to those of all others.
  double others_gap = std::numeric_limits<double>::infinity();
};

/// The collision check of one body: which points of map and objects lie in its occupied cells. The
/// answer is exact: it is as if every point were tried; but while the body has moved less since the
/// last search than it was free then, nothing is searched. Objects are asked for when one could
/// have come near since the last time, at the most kFastestObject fast, and every kLongestRest.
class CollisionChecker {
 public:
  static constexpr double kFastestObject = 100.0;  ///< [m/s]
  static constexpr TimeNs kLongestRest = 20 * (kNsPerSecond / 1000);

  /// Objects during an interval, about the body at its end; empty: none.
  using ObjectsIn = std::function<ObjectsAbout(TimeNs begin, TimeNs end)>;

  /// `map` may be null: objects only. Objects of the identity `self` are passed over.
  CollisionChecker(BodyVoxels body, std::shared_ptr<const Neighbours> map,
                   std::optional<std::uint32_t> self = std::nullopt);

  /// The touches at a pose and an instant, those of the map first, by identity and surfel. Valid
  /// until the next call.
  const std::vector<Touch>& check(const Pose& X_WB, TimeNs stamp, const ObjectsIn& objectsIn = {});
  /// The touches of the map only.
  const std::vector<Touch>& checkMap(const Pose& X_WB);
  /// How far [m] the nearest point of the map is from one at least, by the last search.
  double leastDistance(const Eigen::Vector3d& p_W) const {
    return nearest_ - (p_W - X_WB_searched_.p).norm();
  }

  /// The least distance, searched up to `limit` [m]; infinite where there is nothing nearer.
  /// `objectsIn` must give all objects up to there.
  Clearance clearance(const Pose& X_WB, TimeNs stamp, double limit,
                      const ObjectsIn& objectsIn = {});

  const BodyVoxels& body() const { return body_; }
  /// How often neighbours have been searched.
  std::uint64_t searches() const { return searches_; }

 private:
  double searchMap(const Pose& X_WB);
  void askObjects(const Pose& X_WB, TimeNs stamp, const ObjectsIn& objectsIn);
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
  double nearest_ = 0.0;            // [m] from its origin to a point of the map at least
  std::vector<Touch> map_touches_;  // there

  MovingTree objects_;
  std::optional<TimeNs> asked_;  // when objects were asked for
  Eigen::Vector3d p_WB_asked_ = Eigen::Vector3d::Zero();
  double objects_gap_ = 0.0;  // [m] between the body's ball and theirs, there

  std::vector<map::FoundSurfel> found_;  // room for searches
  std::vector<MovingTree::Point> found_objects_;
};

}  // namespace marsim::collision
