// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/collision/checker.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace marsim::collision {
namespace {

using Eigen::Vector3d;

constexpr double kLook = 0.06;      // [m] around the body in which its distance is exact
constexpr double kFarthest = 20.0;  // [m] that a search looks ahead
constexpr double kRounding = 1e-9;  // [m] of distances
constexpr TimeNs kSpeedTime = 2 * (kNsPerSecond / 1000);  // over which speeds are measured

bool same(const Pose& a, const Pose& b) { return a.p == b.p && a.q.coeffs() == b.q.coeffs(); }

// Unit vector from a point to the body.
Vector3d towards(const Vector3d& body, const Vector3d& point) {
  const Vector3d way = body - point;
  const double length = way.norm();
  return length > 1e-9 ? Vector3d(way / length) : Vector3d::UnitZ();
}

}  // namespace

CollisionChecker::CollisionChecker(BodyVoxels body, std::shared_ptr<const Neighbours> map,
                                   std::optional<std::uint32_t> self)
    : body_(std::move(body)),
      map_(std::move(map)),
      self_(self),
      objects_(map_ ? map_->spacing() : std::numeric_limits<double>::infinity()) {}

// A point of the body moves no farther than its origin plus the farthest point's rotation.
double CollisionChecker::moved(const Pose& X_WB) const {
  const double half_angle_sine = (X_WB_searched_.q.conjugate() * X_WB.q).vec().norm();
  return (X_WB.p - X_WB_searched_.p).norm() + 2.0 * half_angle_sine * body_.radius();
}

const std::vector<Touch>& CollisionChecker::check(const Pose& X_WB, TimeNs stamp,
                                                  const ObjectsNear& objectsNear) {
  touches_ = checkMap(X_WB);
  if (!objectsNear) return touches_;
  const double seconds = asked_ ? toSeconds(stamp - *asked_) : 0.0;
  const bool asks = !asked_ || stamp < *asked_ || stamp - *asked_ >= kLongestRest ||
                    objects_gap_ - (X_WB.p - p_WB_asked_).norm() - kFastestObject * seconds <= 0.0;
  if (!asks) return touches_;
  askObjects(X_WB, stamp, objectsNear);
  if (objects_gap_ <= 0.0) searchObjects(X_WB);
  return touches_;
}

const std::vector<Touch>& CollisionChecker::checkMap(const Pose& X_WB) {
  if (map_ == nullptr) return map_touches_;
  const bool searched = free_ >= 0.0;
  if (searched && (moved(X_WB) < free_ || same(X_WB, X_WB_searched_))) return map_touches_;
  free_ = std::max(searchMap(X_WB) - kRounding, 0.0);
  X_WB_searched_ = X_WB;
  return map_touches_;
}

// Fills map_touches_ and returns the body's free distance [m].
double CollisionChecker::searchMap(const Pose& X_WB) {
  ++searches_;
  map_touches_.clear();
  const double radius = body_.radius();
  nearest_ = 0.0;
  if (free_ < 0.0 || free_ > 0.5 * kLook) {
    map::FoundSurfel nearest;
    nearest_ = map_->nearest(X_WB.p, radius + kFarthest, nearest);
    if (nearest_ - radius > kLook) return nearest_ - radius;
  }
  const Vector3d p_WO = map_->origin();
  const Eigen::Matrix3d R_BW = X_WB.q.conjugate().toRotationMatrix();
  const Vector3d p_BO = R_BW * (p_WO - X_WB.p);
  // A body that touched will probably touch again, and then no distance is needed.
  for (const double look : {free_ == 0.0 ? 0.0 : kLook, kLook}) {
    found_.clear();
    const Vector3d spare = Vector3d::Constant(look + kRounding);
    map_->inBox(X_WB, {body_.box().min() - spare, body_.box().max() + spare}, found_);
    for (const map::FoundSurfel& point : found_) {
      const Vector3d p_B = p_BO + R_BW * point.position.cast<double>();
      if (!body_.contains(p_B)) continue;
      Touch touch;
      touch.surfel = point.number;
      touch.cell = body_.cellOf(p_B);
      touch.p_W = p_WO + point.position.cast<double>();
      touch.normal_W = towards(X_WB.p, touch.p_W);
      if (point.planar) {
        const Vector3d normal = point.normal.cast<double>().normalized();
        touch.normal_W = normal.dot(touch.normal_W) < 0.0 ? Vector3d(-normal) : normal;
      }
      map_touches_.push_back(touch);
    }
    if (!map_touches_.empty()) {
      std::sort(map_touches_.begin(), map_touches_.end(),
                [](const Touch& a, const Touch& b) { return a.surfel < b.surfel; });
      return 0.0;
    }
    if (look > 0.0) break;
  }
  double free = kLook;
  for (const map::FoundSurfel& point : found_) {
    free = body_.distance(p_BO + R_BW * point.position.cast<double>(), free);
  }
  return free;
}

void CollisionChecker::askObjects(const Pose& X_WB, TimeNs stamp, const ObjectsNear& objectsNear) {
  const TimeNs begin = std::max<TimeNs>(stamp - kSpeedTime, 0);
  NearbyObjects about = objectsNear(begin, stamp);
  std::vector<scene::MovingObject>& objects = about.objects;
  objects.erase(std::remove_if(objects.begin(), objects.end(),
                               [this](const auto& object) { return object.identity == self_; }),
                objects.end());
  objects_.setObjects(std::move(objects), toSeconds(stamp - begin));
  asked_ = stamp;
  p_WB_asked_ = X_WB.p;
  objects_gap_ = std::min(objects_.gap(X_WB.p) - body_.radius(), about.others_gap);
}

void CollisionChecker::searchObjects(const Pose& X_WB) {
  const double radius = body_.radius();
  objects_.rebuild(X_WB, body_.box());
  found_objects_.clear();
  objects_.within(X_WB.p, radius, found_objects_);
  const Pose X_BW = X_WB.inverse();
  const auto map_end = static_cast<std::ptrdiff_t>(touches_.size());
  for (const MovingTree::Point& point : found_objects_) {
    const Vector3d p_B = X_BW * point.p_W;
    if (!body_.contains(p_B)) continue;
    Touch touch{
        point.identity, point.surfel, body_.cellOf(p_B), point.p_W, towards(X_WB.p, point.p_W),
        point.v_W};
    if (point.planar) {
      const bool behind = point.normal_W.dot(touch.normal_W) < 0.0;
      touch.normal_W = behind ? Vector3d(-point.normal_W) : point.normal_W;
    }
    touches_.push_back(touch);
  }
  std::sort(touches_.begin() + map_end, touches_.end(), [](const Touch& a, const Touch& b) {
    return std::tie(a.identity, a.surfel) < std::tie(b.identity, b.surfel);
  });
}

Clearance CollisionChecker::clearance(const Pose& X_WB, TimeNs stamp, double limit,
                                      const ObjectsNear& objectsNear) {
  Clearance clearance;
  double best = limit;
  const double radius = body_.radius();
  if (map_ != nullptr) {
    const Pose X_BW = X_WB.inverse();
    const auto consider = [&](const map::FoundSurfel& point) {
      const Vector3d p_W = map_->origin() + point.position.cast<double>();
      const double here = body_.distance(X_BW * p_W, best);
      if (here >= best) return;
      best = here;
      clearance = {here, scene::kMapIdentity, p_W};
    };
    map::FoundSurfel nearest;
    if (map_->nearest(X_WB.p, radius + limit, nearest) < radius + limit) {
      consider(nearest);
      found_.clear();
      map_->within(X_WB.p, radius + best, found_);
      std::for_each(found_.begin(), found_.end(), consider);
    }
  }
  if (!objectsNear) return clearance;
  askObjects(X_WB, stamp, objectsNear);
  std::uint32_t identity = 0;
  Vector3d p_W;
  const double to_objects = objects_.distanceTo(body_, X_WB, best, identity, p_W);
  if (to_objects < best) clearance = {to_objects, identity, p_W};
  return clearance;
}

}  // namespace marsim::collision
