#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "marsim/geometry/pose.hpp"

/// Where is rendered, and from which poses.
namespace marsim::benchmarks {

struct Place {
  std::string name;   ///< "forest", "building"
  double resolution;  ///< [m] r of the map; the source's points lie 0.4 r apart on surfaces
};

constexpr int kPoses = 10;

/// The place's cloud, written as PCD into `folder` if it is not there yet.
std::filesystem::path cloudOf(const Place& place, const std::filesystem::path& folder);

/// The sensor in W, at standing height on a ring about the start.
Pose poseOf(const Place& place, int index);

}  // namespace marsim::benchmarks
