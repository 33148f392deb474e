// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <Eigen/Core>

#include "marsim/collision/checker.hpp"
#include "marsim/common/time.hpp"
#include "marsim/geometry/kinematic_state.hpp"

namespace marsim::collision {

/// The fastest touch of a body by one object at one instant.
struct FastestTouch {
  std::uint32_t identity = scene::kMapIdentity;
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();        ///< [m] the point that is met fastest
  Eigen::Vector3d normal_W = Eigen::Vector3d::UnitZ();  ///< unit, from the object to the body
  Eigen::Vector3d v_rel_W =
      Eigen::Vector3d::Zero();                     ///< [m/s] of the body there, less the object's
  Eigen::Vector3d p_BV = Eigen::Vector3d::Zero();  ///< [m] centre of the body's cell, in B
};

/// Returns one hit per object; `touches` are sorted by identity.
std::vector<FastestTouch> fastestTouches(const std::vector<Touch>& touches, const BodyVoxels& body,
                                         const KinematicState& state);

/// The beginning or the end of a contact.
struct ContactEvent {
  bool begins = true;
  TimeNs stamp = 0;  ///< first touch of a contact that begins, last touch of one that ends
  FastestTouch hit;  ///< at `stamp`
};

/// Groups touches into contacts: one contact per object, from the first touch until none has
/// followed for a while. A body that bounces or scrapes along an object has one contact.
class ContactTracker {
 public:
  /// `release` [ns] without a touch ends a contact.
  explicit ContactTracker(TimeNs release) : release_(release) {}

  /// Takes the hits of an instant, at most one per object; appends contacts that begin or end.
  void update(TimeNs stamp, const std::vector<FastestTouch>& hits,
              std::vector<ContactEvent>& events);
  /// Ends all contacts, for a body that is placed elsewhere.
  void clear(std::vector<ContactEvent>& events);

  std::uint64_t begun() const { return begun_; }  ///< contacts so far
  std::size_t touching() const { return contacts_.size(); }

 private:
  struct Contact {
    TimeNs last;
    FastestTouch hit;
  };
  TimeNs release_;
  std::map<std::uint32_t, Contact> contacts_;  // by identity
  std::uint64_t begun_ = 0;
};

}  // namespace marsim::collision
