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

/// Makes the obstacles of one group, which must outlive it.
class GroupMaker {
 public:
  GroupMaker(const ObstacleGroup& group, std::uint64_t seed);

  std::uint64_t seed() const { return seed_; }
  const std::shared_ptr<const Print>& print() const { return print_; }
  Room room() const;

  /// Sets everything of the group's obstacle `number` and returns its size [m]; sets `driven` for a
  /// driven one.
  double make(int number, const ObstaclePlaces& places,
              std::shared_ptr<const map::SurfelMap>& of_shape,
              std::shared_ptr<const WalkingPerson>& person, std::unique_ptr<ObstacleTrack>& track,
              DrivenTrack*& driven);

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
