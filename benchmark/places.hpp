#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "marsim/geometry/kinematic_state.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/map/surfel_map.hpp"

/// Where is rendered, and from which poses.
namespace marsim::benchmarks {

struct Place {
  std::string name;   ///< "forest", "building"
  double resolution;  ///< [m] r of the map; the source's points lie 0.4 r apart on surfaces
};

constexpr int kPoses = 10;

/// The place's cloud, written as PCD into `folder` if it is not there yet.
std::filesystem::path cloudOf(const Place& place, const std::filesystem::path& folder);

/// Its map; made maps are kept in `folder` as well.
std::shared_ptr<const map::SurfelMap> mapOf(const Place& place, const std::filesystem::path& folder,
                                            map::Surface surface = map::Surface::kBlended);

/// The sensor in W, at standing height on a ring about the start.
Pose poseOf(const Place& place, int index);

constexpr TimeNs kScan = 100'000'000;  ///< how long a scan takes

/// From there on 5 m/s forward, turning at 2 rad/s: states at 500 Hz for a scan, in whose middle
/// the body is at the pose.
StateHistory flightFrom(const Pose& X_WB);

}  // namespace marsim::benchmarks
