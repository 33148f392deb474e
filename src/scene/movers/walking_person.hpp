// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "marsim/map/surfel_map.hpp"

namespace marsim::scene {

/// A walking person as a sequence of shapes: head, trunk and limbs of capsules, whose lengths in
/// body heights are those of Drillis and Contini (Body segment parameters, 1966; in Winter,
/// Biomechanics and Motor Control of Human Movement). Hips and shoulders swing as cosines of the
/// stride, a knee bends while its leg swings forward, and the lower foot is on the ground.
///
/// Frame M: x forward, z up, the origin half a height above the ground.
class WalkingPerson {
 public:
  /// Shapes per stride.
  static constexpr std::size_t kPhases = 24;
  /// A stride's length in body heights.
  static constexpr double kStride = 0.8;

  /// `height` [m]; `outfit`: colours of the clothes, of any number. `resolution` [m] is r.
  WalkingPerson(double height, std::size_t outfit, double resolution);

  /// A stride begins with the left leg in front.
  const std::shared_ptr<const map::SurfelMap>& at(std::size_t phase) const {
    return strides_[phase % kPhases];
  }
  const std::shared_ptr<const map::SurfelMap>& standing() const { return standing_; }

 private:
  std::vector<std::shared_ptr<const map::SurfelMap>> strides_;
  std::shared_ptr<const map::SurfelMap> standing_;
};

/// The shape of a person on a chair: thighs level, shanks and trunk upright, hands before it. In
/// the frame M of the same person upright.
std::shared_ptr<const map::SurfelMap> sittingPerson(double height, std::size_t outfit,
                                                    double resolution);

}  // namespace marsim::scene
