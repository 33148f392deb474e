// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "marsim/map/surfel_map.hpp"
#include "ros2/messages.hpp"
#include "ros2/participant.hpp"

namespace marsim::ros2 {

/// Publishes what all UAVs share: clock, transforms, map and diagnostics.
class WorldTopics {
 public:
  /// `epoch`: stamp of simulated time 0. The participant must outlive it.
  WorldTopics(Participant& participant, TimeNs epoch);

  Publication& tf() { return tf_; }
  /// Publishes the map for all later readers, too.
  void publishMap(const map::SurfelMap& map);
  /// Likewise all transforms that stay.
  void publishStatic(const std::vector<Transform>& transforms);
  /// Call it after each step.
  void publishClock(TimeNs now);
  void publishDiagnostics(const std::vector<Status>& all, TimeNs now);

 private:
  TimeNs epoch_;
  Publication &clock_, &tf_, &static_tf_, &map_, &diagnostics_;
};

}  // namespace marsim::ros2
