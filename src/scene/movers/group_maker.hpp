// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "marsim/common/random.hpp"
#include "marsim/scene/obstacles.hpp"
#include "scene/movers/obstacle_places.hpp"
#include "scene/movers/obstacle_track.hpp"
#include "scene/movers/walking_person.hpp"

namespace marsim::scene {

/// An obstacle of a group, with its shape and its way.
struct Obstacle {
  std::size_t group = 0;
  int number = 0;                               ///< in the group
  double size = 0.0;                            ///< [m]
  std::shared_ptr<const map::SurfelMap> shape;  ///< null: a person's
  std::shared_ptr<const WalkingPerson> person;  ///< null: another shape
  std::shared_ptr<const Print> print;           ///< null: none
  std::unique_ptr<ObstacleTrack> track;
  DrivenTrack* driven = nullptr;  ///< the track of a driven obstacle, else null
};

/// Makes the obstacles of one group, which must outlive it.
class GroupMaker {
 public:
  GroupMaker(const ObstacleGroup& group, std::uint64_t seed);

  std::uint64_t seed() const { return seed_; }
  Room room() const;

  /// Makes the group's obstacle `number`. The caller sets Obstacle::group.
  Obstacle make(int number, const ObstaclePlaces& places);

 private:
  std::unique_ptr<ObstacleTrack> orbit(double speed, RandomStream& random) const;
  const std::shared_ptr<const map::SurfelMap>& shape(std::size_t i) const;
  const std::shared_ptr<const WalkingPerson>& person(std::size_t i);

  const ObstacleGroup& group_;
  const std::uint64_t seed_;
  std::vector<double> sizes_;
  mutable std::vector<std::shared_ptr<const map::SurfelMap>> shapes_;  // made when needed
  std::vector<std::shared_ptr<const WalkingPerson>> people_;           // likewise
  std::shared_ptr<const Print> print_;                                 // null: none
};

}  // namespace marsim::scene
