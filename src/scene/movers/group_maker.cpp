// SPDX-License-Identifier: BSD-3-Clause
#include "scene/movers/group_maker.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "marsim/common/units.hpp"
#include "scene/movers/obstacle_shapes.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;

constexpr int kSizes = 4;  // in a group

double resolutionOf(const ObstacleGroup& group, double size) {
  if (group.resolution > 0.0) return group.resolution;
  // Arms are thin; this gives about a thousand surfels.
  if (group.shape == ObstacleShape::kUav) return std::clamp(size / 30.0, 0.003, 0.02);
  if (group.shape == ObstacleShape::kPerson || group.shape == ObstacleShape::kSittingPerson)
    return std::clamp(size / 60.0, 0.005, 0.05);
  if (group.target() != nullptr) return std::clamp(size / 60.0, 0.005, 0.02);
  return std::min(0.1 * (group.shape == ObstacleShape::kCapsule ? group.width_ratio * size : size),
                  0.05);
}

double ballOf(const std::shared_ptr<const map::SurfelMap>& shape) {
  double radius = 0.0;
  for (const map::Surfel& surfel : shape->surfels()) {
    radius = std::max(radius, surfel.position.cast<double>().norm());
  }
  return radius;
}

}  // namespace

GroupMaker::GroupMaker(const ObstacleGroup& group, std::uint64_t seed)
    : group_(group), seed_(RandomStream(seed, group.name).next()) {
  if (group.shape == ObstacleShape::kUav) {
    sizes_ = {2.0 * group.body.radius()};
  } else if (const CalibrationTarget* const target = group.target()) {
    sizes_ = {target->size().norm()};
    print_ = std::make_shared<const Print>(target->print());
  } else {
    const int sizes = group.size_max > group.size_min ? kSizes : 1;
    for (int i = 0; i < sizes; ++i) {
      const double part = sizes == 1 ? 0.0 : static_cast<double>(i) / (sizes - 1);
      sizes_.push_back(group.size_min + part * (group.size_max - group.size_min));
    }
  }
  shapes_.resize(sizes_.size());
  people_.resize(sizes_.size());
}

Room GroupMaker::room() const {
  const double size = sizes_.back();
  switch (group_.shape) {
    case ObstacleShape::kUav:
      return {ballOf(shape(0)), size};
    case ObstacleShape::kBox:
      return {0.5 * std::sqrt(3.0) * size, size};
    case ObstacleShape::kCapsule:
    case ObstacleShape::kPerson:
      if (group_.kind == ObstacleKind::kWalker) return {0.5 * size * group_.width_ratio, size};
      return {0.5 * size, size};
    default:
      return {0.5 * size, size};
  }
}

Obstacle GroupMaker::make(int number, const ObstaclePlaces& places) {
  RandomStream random(seed_, static_cast<std::uint64_t>(number));
  const std::uint64_t own_seed = random.next();
  const std::size_t size = random.index(sizes_.size());
  Obstacle made;
  made.number = number;
  made.size = sizes_[size];
  made.print = print_;
  if (group_.shape == ObstacleShape::kPerson) {
    made.person = person(size);
  } else {
    made.shape = shape(size);
  }
  const double speed = random.uniform(group_.speed_min, group_.speed_max);
  const double part = static_cast<double>(number) / group_.number;
  switch (group_.kind) {
    case ObstacleKind::kWaypoints:
      made.track = std::make_unique<PathTrack>(group_, speed, part);
      break;
    case ObstacleKind::kOrbit:
      made.track = orbit(speed, random);
      break;
    case ObstacleKind::kFixed:
      made.track = std::make_unique<FixedTrack>(group_);
      break;
    case ObstacleKind::kDriven: {
      const auto i = static_cast<std::size_t>(number);
      auto told = std::make_unique<DrivenTrack>(
          i < group_.points.size() ? group_.points[i]
                                   : places.free[random.index(places.free.size())]);
      made.driven = told.get();
      made.track = std::move(told);
      break;
    }
    default:
      made.track = std::make_unique<RandomTrack>(
          group_, places, own_seed, group_.kind == ObstacleKind::kWalker ? 0.5 * made.size : 0.0);
  }
  return made;
}

std::unique_ptr<ObstacleTrack> GroupMaker::orbit(double speed, RandomStream& random) const {
  const double radius = random.uniform(group_.orbit_min, group_.orbit_max);
  // Inside the region if it is large enough.
  Vector3d middle;
  for (int axis = 0; axis < 3; ++axis) {
    const double low = group_.region.min()[axis], high = group_.region.max()[axis];
    const double away = axis < 2 ? std::min(radius, 0.5 * (high - low)) : 0.0;
    middle[axis] = random.uniform(low + away, high - away);
  }
  const double side = random.uniform();
  const double rate = (side < 0.5 ? -speed : speed) / radius;
  return std::make_unique<OrbitTrack>(middle, radius, rate, random.uniform(-kPi, kPi));
}

const std::shared_ptr<const map::SurfelMap>& GroupMaker::shape(std::size_t i) const {
  if (shapes_[i] != nullptr) return shapes_[i];
  const double size = sizes_[i], r = resolutionOf(group_, size);
  switch (group_.shape) {
    case ObstacleShape::kUav:
      shapes_[i] = bodyShape(group_.body, r);
      break;
    case ObstacleShape::kBox:
      shapes_[i] = cubeShape(size, r);
      break;
    case ObstacleShape::kCapsule:
      shapes_[i] = capsuleShape(size, group_.width_ratio * size, r);
      break;
    case ObstacleShape::kSittingPerson:
      shapes_[i] = sittingPerson(size, i, r);
      break;
    case ObstacleShape::kChessboard:
    case ObstacleShape::kAprilGrid:
      shapes_[i] = plateShape(group_.target()->size().x(), group_.target()->size().y(), r);
      break;
    default:
      shapes_[i] = sphereShape(size, r);
  }
  return shapes_[i];
}

const std::shared_ptr<const WalkingPerson>& GroupMaker::person(std::size_t i) {
  if (people_[i] == nullptr) {
    const double height = sizes_[i];
    people_[i] = std::make_shared<const WalkingPerson>(height, i, resolutionOf(group_, height));
  }
  return people_[i];
}

}  // namespace marsim::scene
