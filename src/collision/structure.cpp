// SPDX-License-Identifier: BSD-3-Clause
#include "collision/structure.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "marsim/collision/goals.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/pose.hpp"

namespace marsim::collision {
namespace {

constexpr int kRays = 96;
constexpr double kGoldenRatio = 0.61803398874989484820;
constexpr std::uint64_t kChoices = 4;  // of goals
constexpr double kPlaceSpacing = 1.0;  // [m] between checked places along the way
constexpr int kHeadings = 8;
constexpr double kHardlyBetter = 0.01;

// The normal of the surface that a ray meets: towards the place where the ray comes close to it,
// from the map's nearest point.
std::optional<Eigen::Vector3d> normalMet(const ClearanceMap& map, const Eigen::Vector3d& from,
                                         const Eigen::Vector3d& direction, double reach) {
  const double close = std::max(0.3, 2.0 * map.resolution());
  const Eigen::AlignedBox3d box = map.bounds().cast<double>();
  for (double along = 0.0; along < reach;) {
    const Eigen::Vector3d at = from + along * direction;
    const ClearanceMap::NearestPoint clearance = map.at(at);
    if (clearance.distance <= close) {
      const Eigen::Vector3d normal = at - clearance.nearest;
      return normal.norm() > 1e-6 ? normal.normalized() : Eigen::Vector3d(-direction);
    }
    if (!box.contains(at) && along > 0.0 && box.exteriorDistance(at) > close) return std::nullopt;
    along += clearance.distance - 0.9 * close;
  }
  return std::nullopt;
}

// Least structure along a way at one heading; stops where it is no more than `enough`.
double leastAlong(const ClearanceMap& map, Eigen::Vector3d from,
                  const std::vector<Eigen::Vector3d>& waypoints, double yaw, double enough,
                  const ViewLimits& view) {
  double least = structureInView(map, from, yaw, view);
  for (const Eigen::Vector3d& to : waypoints) {
    const Eigen::Vector3d step = to - from;
    const int places = 1 + static_cast<int>(step.norm() / kPlaceSpacing);
    for (int i = 1; i <= places && least > enough; ++i) {
      const Eigen::Vector3d at = from + static_cast<double>(i) / places * step;
      least = std::min(least, structureInView(map, at, yaw, view));
    }
    from = to;
  }
  return least;
}

}  // namespace

double structureInView(const ClearanceMap& map, const Eigen::Vector3d& p_W, double yaw,
                       const ViewLimits& view) {
  Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
  const double low = std::sin(view.elevation_min), high = std::sin(view.elevation_max);
  for (int i = 0; i < kRays; ++i) {
    // Evenly spaced in the sine of the elevation and, by the golden ratio, in azimuth.
    const double z = low + (high - low) * (i + 0.5) / kRays;
    const double turn = std::fmod(i * kGoldenRatio, 1.0);
    const double azimuth = yaw + view.azimuth_min + (view.azimuth_max - view.azimuth_min) * turn;
    const double level = std::sqrt(std::max(0.0, 1.0 - z * z));
    const Eigen::Vector3d direction(level * std::cos(azimuth), level * std::sin(azimuth), z);
    if (const auto normal = normalMet(map, p_W, direction, view.reach)) {
      sum += *normal * normal->transpose();
    }
  }
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(sum / kRays, Eigen::EigenvaluesOnly)
      .eigenvalues()[0];
}

SlamRoute planSlamRoute(const ClearanceMap& map, const Eigen::Vector3d& start, double yaw,
                        int count, double clearance, double lowest_z, const ViewLimits& view) {
  SlamRoute best;
  best.least_structure = -1.0;
  for (std::uint64_t seed = 1; seed <= kChoices; ++seed) {
    const std::vector<Eigen::Vector3d> waypoints =
        chooseGoals(map, start, count, clearance, seed, lowest_z);
    if (waypoints.empty()) continue;
    for (int i = 0; i < kHeadings; ++i) {
      const double heading = wrapAngle(yaw + 2.0 * kPi * i / kHeadings);
      const double enough = best.least_structure + (i == 0 ? 0.0 : kHardlyBetter);
      const double least = leastAlong(map, start, waypoints, heading, enough, view);
      if (least > enough) best = {waypoints, heading, least};
    }
  }
  if (best.waypoints.empty()) {
    throw Error(fmt::format(
        "no way point can be reached from ({:.2f}, {:.2f}, {:.2f}) in a straight line that keeps "
        "{:.2f} m from the map; start elsewhere (x:= y:= z:=)",
        start.x(), start.y(), start.z(), clearance));
  }
  return best;
}

}  // namespace marsim::collision
