// SPDX-License-Identifier: BSD-3-Clause
#include "ros2/world_topics.hpp"

#include <algorithm>

#include "dataset/writer.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::ros2 {
namespace {

namespace types = dataset::ros2_types;

constexpr std::size_t kMostMapPoints = 2'000'000;
constexpr double kLeastMapSpacing = 0.1;  // [m] of the points of `/map`

}  // namespace

WorldTopics::WorldTopics(Participant& participant, TimeNs epoch)
    : epoch_(epoch),
      clock_(participant.advertise("/clock", types::kClock, {})),
      tf_(participant.advertise("/tf", types::kTFMessage, {100})),
      static_tf_(participant.advertise("/tf_static", types::kTFMessage, {1, true})),
      map_(participant.advertise("/map", types::kPointCloud2, {1, true, true})),
      diagnostics_(participant.advertise("/diagnostics", types::kDiagnosticArray, {})) {}

void WorldTopics::publishMap(const map::SurfelMap& map) {
  double spacing = std::max(kLeastMapSpacing, map.resolution());
  map::PointCloud points = map.positions();
  if (spacing > map.resolution()) points = map::downsample(points, spacing);
  while (points.size() > kMostMapPoints) points = map::downsample(points, spacing *= 1.5);
  layouts::Cloud cloud = layouts::mapCloud(points, dataset::kFrames.world);
  cloud.stamp = epoch_;
  map_.write(message(cloud));
}

void WorldTopics::publishStatic(const std::vector<Transform>& transforms) {
  static_tf_.write(tfMessage(transforms));
}

void WorldTopics::publishClock(TimeNs now) {
  if (clock_.wanted()) clock_.write(clockMessage(now + epoch_));
}

void WorldTopics::publishDiagnostics(const std::vector<Status>& all, TimeNs now) {
  diagnostics_.write(diagnosticsMessage(all, now + epoch_));
}

}  // namespace marsim::ros2
