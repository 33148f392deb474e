// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/collision/clearance.hpp"

#include <algorithm>
#include <iterator>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "common/bounds.hpp"
#include "marsim/common/error.hpp"
#include "marsim/geometry/kd_tree.hpp"

namespace marsim::collision {
namespace {

constexpr double kFreeTolerance = 0.02;  // [m] tolerance of nearestFree
constexpr double kSideways = 1.0;        // [m] a start may lie outside the box

std::vector<Eigen::Vector3f> finitePoints(const map::PointCloud& cloud) {
  std::vector<Eigen::Vector3f> points;
  points.reserve(cloud.size());
  std::copy_if(cloud.points.begin(), cloud.points.end(), std::back_inserter(points),
               [](const Eigen::Vector3f& p) { return p.allFinite(); });
  return points;
}

// A box of space still to be searched, by the least distance a free place in it can have.
struct Candidate {
  double distance;
  Eigen::AlignedBox3d box;
  bool operator<(const Candidate& other) const { return distance > other.distance; }
};

}  // namespace

ClearanceMap::ClearanceMap(const map::PointCloud& cloud, double resolution)
    : resolution_(resolution) {
  const auto tree = std::make_shared<const KdTree>(finitePoints(cloud));
  for (const Eigen::Vector3f& p : tree->points()) bounds_.extend(p);
  nearest_ = [tree](const Eigen::Vector3d& p_W) -> NearestPoint {
    if (tree->points().empty()) return {};
    const KdTree::Neighbour neighbour = tree->nearest(p_W.cast<float>());
    const Eigen::Vector3d nearest = tree->points()[neighbour.index].cast<double>();
    return {(p_W - nearest).norm(), nearest};
  };
}

ClearanceMap::ClearanceMap(const std::shared_ptr<const map::SurfelMap>& map)
    : ClearanceMap(makeNeighbours(map), map->bounds()) {}

ClearanceMap::ClearanceMap(std::shared_ptr<const Neighbours> neighbours,
                           const Eigen::AlignedBox3f& bounds)
    : bounds_(bounds), resolution_(neighbours->resolution()) {
  nearest_ = [neighbours = std::move(neighbours)](const Eigen::Vector3d& p_W) -> NearestPoint {
    map::FoundSurfel found;
    const double distance =
        neighbours->nearest(p_W, std::numeric_limits<double>::infinity(), found);
    return {distance, neighbours->origin() + found.position.cast<double>()};
  };
}

// Branch and bound over boxes: the clearance changes by at most the distance moved, so a box whose
// middle lacks more than half its diagonal holds no free place.
std::optional<Eigen::Vector3d> ClearanceMap::nearestFree(const Eigen::Vector3d& p_W,
                                                         double clearance,
                                                         double search_radius) const {
  if (bounds_.isEmpty() || !p_W.allFinite()) return std::nullopt;
  const Eigen::AlignedBox3d bounds = bounds_.cast<double>();
  if (bounds.contains(p_W) && at(p_W).distance >= clearance) return p_W;

  const Eigen::Vector3d reach = Eigen::Vector3d::Constant(search_radius);
  const Eigen::AlignedBox3d root = bounds.intersection({p_W - reach, p_W + reach});
  std::optional<Eigen::Vector3d> best;
  // Distances of far places are no finer than this; a tie is no reason to continue.
  const double rounding = 4.0 * std::numeric_limits<double>::epsilon() * search_radius;
  double best_distance = search_radius + rounding;
  std::priority_queue<Candidate> open;
  if (!root.isEmpty()) open.push({root.exteriorDistance(p_W), root});
  const double tolerance = kFreeTolerance + rounding;
  while (!open.empty() && open.top().distance <= best_distance - (best ? tolerance : 0.0)) {
    const Eigen::AlignedBox3d box = open.top().box;
    open.pop();
    const Eigen::Vector3d middle = box.center();
    const double lacking = clearance - at(middle).distance;
    const double half_diagonal = 0.5 * box.diagonal().norm();
    if (lacking <= 0.0 && (middle - p_W).norm() <= best_distance) {
      best = middle;
      best_distance = (middle - p_W).norm();
    }
    if (lacking > half_diagonal || half_diagonal < 0.5 * kFreeTolerance) continue;
    for (int corner = 0; corner < 8; ++corner) {
      Eigen::AlignedBox3d child(middle);
      child.extend(box.corner(static_cast<Eigen::AlignedBox3d::CornerType>(corner)));
      const double distance = child.exteriorDistance(p_W);
      if (distance <= best_distance) open.push({distance, child});
    }
  }
  return best;
}

void requireFreeStart(const ClearanceMap& map, const Eigen::Vector3d& p_W, double radius) {
  if (!p_W.allFinite()) {
    throw Error(fmt::format("start is {}, allowed: three finite numbers", pointText(p_W)));
  }
  const Eigen::AlignedBox3d box = map.bounds().cast<double>();
  if (box.isEmpty()) return;
  const Eigen::Vector3d aside(kSideways, kSideways, 0.0);
  const bool inside = (p_W.array() >= (box.min() - aside).array()).all() &&
                      (p_W.head<2>().array() <= (box.max() + aside).head<2>().array()).all();
  // A little more than asked for, so that the place as printed, rounded to 1 cm, is free as well.
  const double asked = radius + 0.02;
  const auto suggest = [&](double search_radius) {
    const std::optional<Eigen::Vector3d> place = map.nearestFree(p_W, asked, search_radius);
    return place ? pointText(*place) : fmt::format("none within {:.0f} m", search_radius);
  };
  if (!inside) {
    throw Error(
        fmt::format("start {} lies outside the map's box {} to {}; nearest free place inside: {}",
                    pointText(p_W), pointText(box.min()), pointText(box.max()),
                    suggest(box.exteriorDistance(p_W) + 20.0)));
  }
  const ClearanceMap::NearestPoint clearance = map.at(p_W);
  if (clearance.distance < radius) {
    throw Error(fmt::format(
        "start {}: {:.2f} m from the map at {}, needs {:.2f} m; nearest free place: {}",
        pointText(p_W), clearance.distance, pointText(clearance.nearest), radius, suggest(20.0)));
  }
}

}  // namespace marsim::collision
