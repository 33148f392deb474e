// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "marsim/geometry/kinematic_state.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/map/surfel_map.hpp"

/// Places and poses of the benchmarks.
namespace marsim::benchmarks {

struct Place {
  std::string name;   ///< "forest", "building"
  double resolution;  ///< [m] r of the map; the source's points lie 0.4 r apart on surfaces
};

constexpr int kPoses = 10;

/// The place's cloud, written as PCD into `folder` if it is not there yet.
std::filesystem::path cloudOf(const Place& place, const std::filesystem::path& folder);

/// The place's map; it is kept in `folder` as well.
std::shared_ptr<const map::SurfelMap> mapOf(const Place& place, const std::filesystem::path& folder,
                                            map::Surface surface = map::Surface::kBlended);

/// The sensor in W, at standing height on a ring about the start.
Pose poseOf(const Place& place, int index);

constexpr TimeNs kScan = 100'000'000;  ///< duration of a scan

/// A flight around a pose, at 5 m/s forward and turning at 2 rad/s: states at 500 Hz for a scan,
/// with the pose in its middle.
StateHistory flightFrom(const Pose& X_WB);

}  // namespace marsim::benchmarks
