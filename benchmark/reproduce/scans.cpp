// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "marsim/collision/start.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/load_map.hpp"
#include "reproduce/experiment.hpp"
#include "reproduce/memory.hpp"
#include "sensors.hpp"
#include "timing.hpp"

namespace marsim::reproduce {
namespace {

constexpr int kScanPoses = 10, kRepeats = 3;
constexpr double kBudget = 100.0;   // [ms] of a scan at 10 Hz
constexpr double kClearance = 0.5;  // [m] of a random place

/// A place of the paper's Table II with the memory [GB] that it states at 0.2 and 0.05 m; 0: it
/// states none.
struct PaperPlace {
  const char* name;
  double gazebo[2], cpu[2];
};

constexpr PaperPlace kPlaces[] = {
    {"historical_building", {1.64, 6.97}, {1.01, 4.04}},
    {"complex_parking_garage", {1.46, 6.72}, {1.10, 3.51}},
    {"large_office", {1.68, 4.93}, {1.04, 2.87}},
    {"common_forest", {1.48, 16.88}, {1.37, 7.35}},
    {"indoor_2", {2.09, 3.73}, {0.94, 2.51}},
    {"indoor_1", {}, {}},
    {"indoor_3", {}, {}},
    {"simple_forest", {}, {}},
    {"dense_forest", {}, {}},
    {"simple_parking_garage", {}, {}},
};
constexpr std::size_t kWithMemory = 5;  // of the places

Pose randomPose(const collision::ClearanceMap& map, RandomStream& random) {
  const Eigen::AlignedBox3f& box = map.bounds();
  for (int tries = 0; tries < 100; ++tries) {
    Eigen::Vector3d middle = box.center().cast<double>();
    for (int axis = 0; axis < 2; ++axis) {
      middle[axis] = random.uniform(static_cast<double>(box.min()[axis]),
                                    static_cast<double>(box.max()[axis]));
    }
    const double yaw = random.uniform(-kPi, kPi);
    if (const auto place = collision::placeOverGround(map, middle, kClearance)) {
      return {fromRollPitchYaw(0.0, 0.0, yaw), *place};
    }
  }
  throw Error("the map has no free place over ground");
}

/// The least processor time [ms] of a few scans at each pose.
std::vector<double> timesOf(const std::shared_ptr<const map::SurfelMap>& map) {
  const benchmarks::Sensor sensor = benchmarks::sensorOf("avia_image");
  const auto renderer = lidar::makeDepthImageRenderer(map);
  const collision::ClearanceMap clearance(map);
  RandomStream random(1, "poses");
  std::vector<double> times;
  std::vector<lidar::Hit> hits;
  for (int pose = 0; pose < kScanPoses; ++pose) {
    const Pose X_WS = randomPose(clearance, random);
    double least = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      least = std::min(least, benchmarks::processorMilliseconds([&] {
                         renderer->renderImage(sensor.image, X_WS, benchmarks::kRangeMax, hits);
                       }));
    }
    times.push_back(least);
  }
  std::sort(times.begin(), times.end());
  return times;
}

std::string orDash(double gigabytes) {
  return gigabytes == 0.0 ? "-" : fmt::format("{:.2f}", gigabytes);
}

}  // namespace

Reproduction reproduceScans(Extent extent, Progress& progress) {
  Reproduction result;
  FigureTable table{
      "Processor time of one thread at ten random places and yaws, the least of three scans at "
      "each",
      {"place", "r [m]", "surfels", "median [ms]", "largest [ms]", "memory [GB]", "paper, CPU [GB]",
       "paper, Gazebo [GB]"},
      {}};
  const std::size_t places = extent == Extent::kFull ? std::size(kPlaces) : kWithMemory;
  result.skipped.emplace_back("OpenGL; on a graphics card: ./marsim bench --renderer opengl");
  if (extent == Extent::kQuick) result.skipped.emplace_back("places without memory in Table II");
  for (std::size_t i = 0; i < (extent == Extent::kTest ? 1 : places); ++i) {
    const PaperPlace& place = kPlaces[extent == Extent::kTest ? kWithMemory - 1 : i];
    for (const int fine : {0, 1}) {
      if (fine == 1 && extent == Extent::kTest) continue;
      map::SurfelMapConfig config;
      config.resolution = fine == 1 ? 0.05 : 0.2;
      const auto map = map::loadSurfelMap(config::resolveMap(place.name), config, progress).map;
      const std::vector<double> times = timesOf(map);
      const double memory = residentGigabytes();
      table.rows.push_back(
          {place.name, fmt::format("{:g}", config.resolution), fmt::format("{}", map->size()),
           fmt::format("{:.1f}", times[times.size() / 2]), fmt::format("{:.1f}", times.back()),
           fmt::format("{:.3f}", memory), orDash(place.cpu[fine]), orDash(place.gazebo[fine])});
      const std::string name = fmt::format("{} at {:g} m: ", place.name, config.resolution);
      if (fine == 1)
        result.criteria.push_back({name + "largest time [ms]", times.back(), 0.0, kBudget});
      if (place.cpu[fine] > 0.0) {
        result.criteria.push_back({name + "memory [GB]", memory, 0.0, place.cpu[fine]});
      }
    }
  }
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace marsim::reproduce
