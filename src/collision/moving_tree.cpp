// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/collision/moving_tree.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "collision/disc_points.hpp"
#include "marsim/scene/vehicle_body.hpp"

namespace marsim::collision {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3f;

constexpr double kBefore = 2e-3;           // [s] over which speeds are taken
constexpr double kFastest = 100.0;         // [m/s]
constexpr std::size_t kUnusedShapes = 64;  // kept before shapes without other holders are dropped
constexpr double kSingleRounding = 1e-6;   // relative, of single precision, in distances

constexpr double kSpare = 1e-6;  // [m] margin of boxes, for rounding

}  // namespace

const MovingTree::Shape& MovingTree::shapeOf(const std::shared_ptr<const map::SurfelMap>& map) {
  std::unique_ptr<Shape>& shape = shapes_[map.get()];
  if (shape == nullptr) {
    shape = std::make_unique<Shape>();
    shape->map = map;
    shape->surfels = map::decodeSurfels(map->tree());
    for (map::Surfel& surfel : shape->surfels) {
      surfel.position = (surfel.position.cast<double>() + map->origin()).cast<float>();
    }
    shape->radii = map->radii();
    for (std::size_t i = 0; i < shape->radii.size(); ++i) {
      if (!map->isPlanar(shape->surfels[i])) shape->radii[i] = 0.0F;
    }
    shape->radius = scene::radiusOf(*map);
  }
  return *shape;
}

void MovingTree::setObjects(std::vector<scene::MovingObject> objects, double time) {
  objects_.clear();
  for (const scene::MovingObject& object : objects) {
    if (!object.isThere(time)) continue;
    const double moving_since = object.X_WM.size() > 1 ? object.begin : time;
    const double before = std::max(time - kBefore, moving_since);
    Placed placed{&shapeOf(object.shape), object.identity, object.at(time), object.at(before),
                  std::max(time - before, 0.0)};
    // An object that jumped was placed there: it has no speed.
    const double way = (placed.X_WM.p - placed.X_WM_before.p).norm();
    if (way > kFastest * placed.seconds) placed.seconds = 0.0;
    objects_.push_back(placed);
  }
  if (shapes_.size() > objects_.size() + kUnusedShapes) {
    objects.clear();
    std::vector<const map::SurfelMap*> used;
    for (const Placed& object : objects_) used.push_back(object.shape->map.get());
    std::sort(used.begin(), used.end());
    for (auto it = shapes_.begin(); it != shapes_.end();) {
      it = std::binary_search(used.begin(), used.end(), it->first) ? std::next(it)
                                                                   : shapes_.erase(it);
    }
  }
}

double MovingTree::gap(const Vector3d& p_W) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Placed& object : objects_) {
    least = std::min(least, (object.X_WM.p - p_W).norm() - object.shape->radius);
  }
  return std::max(least, 0.0);
}

double MovingTree::distanceTo(const BodyVoxels& body, const Pose& X_WB, double limit,
                              std::uint32_t& identity, Vector3d& p_W) const {
  double best = limit;
  for (const Placed& object : objects_) {
    const Pose X_BM = X_WB.inverse() * object.X_WM;
    if (X_BM.p.norm() - object.shape->radius - body.radius() >= best) continue;
    const Eigen::Matrix3d R_BM = X_BM.q.toRotationMatrix();
    for (std::size_t i = 0; i < object.shape->surfels.size(); ++i) {
      const map::Surfel& surfel = object.shape->surfels[i];
      const float radius = object.shape->radii[i];
      const double most = best + static_cast<double>(radius);
      if (body.distance(X_BM.p + R_BM * surfel.position.cast<double>(), most) >= most) continue;
      visitDiscPoints(surfel.normal, radius, spacing_, [&](const Vector3f& way) {
        const Vector3d p_B = X_BM.p + R_BM * (surfel.position + way).cast<double>();
        const double here = body.distance(p_B, best);
        if (here >= best) return;
        best = here;
        identity = object.identity;
        p_W = X_WB * p_B;
      });
    }
  }
  return best;
}

void MovingTree::rebuild(const Pose& X_WB, const Eigen::AlignedBox3d& box_B) {
  points_.clear();
  centre_ = X_WB.p;
  const Vector3d spare = Vector3d::Constant(kSpare);
  const Eigen::AlignedBox3d box(box_B.min() - spare, box_B.max() + spare);
  std::vector<Eigen::Vector3f> positions;
  for (const Placed& object : objects_) {
    const Pose X_BM = X_WB.inverse() * object.X_WM;
    if (box.exteriorDistance(X_BM.p) > object.shape->radius) continue;
    const Eigen::Matrix3d R_WM = object.X_WM.q.toRotationMatrix();
    const Eigen::Matrix3d R_BM = X_BM.q.toRotationMatrix();
    for (std::size_t i = 0; i < object.shape->surfels.size(); ++i) {
      const map::Surfel& surfel = object.shape->surfels[i];
      const float radius = object.shape->radii[i];
      const Vector3d middle_B = X_BM.p + R_BM * surfel.position.cast<double>();
      if (box.exteriorDistance(middle_B) > static_cast<double>(radius)) continue;
      visitDiscPoints(surfel.normal, radius, spacing_, [&](const Vector3f& way) {
        const Vector3d place = (surfel.position + way).cast<double>();
        if (!box.contains(X_BM.p + R_BM * place)) return;
        Point point;
        point.identity = object.identity;
        point.surfel = static_cast<std::uint32_t>(i);
        point.planar = object.shape->map->isPlanar(surfel);
        point.p_W = object.X_WM.p + R_WM * place;
        point.normal_W = R_WM * surfel.normal.cast<double>();
        if (object.seconds > 0.0) {
          point.v_W = (point.p_W - object.X_WM_before * place) / object.seconds;
        }
        positions.push_back((point.p_W - centre_).cast<float>());
        points_.push_back(point);
      });
    }
  }
  tree_ = KdTree(std::move(positions));
}

void MovingTree::within(const Vector3d& p_W, double radius, std::vector<Point>& found) const {
  if (points_.empty()) return;
  const Vector3d p = p_W - centre_;
  const double slack = kSingleRounding * (p.norm() + radius) + 1e-9;
  for (const KdTree::Neighbour& neighbour :
       tree_.within(p.cast<float>(), static_cast<float>(radius + slack))) {
    const Point& point = points_[neighbour.index];
    if ((point.p_W - p_W).squaredNorm() <= radius * radius) found.push_back(point);
  }
}

}  // namespace marsim::collision
