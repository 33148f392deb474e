// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "marsim/collision/start.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/lidar_gl/renderer.hpp"
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

/// Measures the time [ms] of work.
using Stopwatch = double (*)(const std::function<void()>& work);

double processorTime(const std::function<void()>& work) {
  return benchmarks::processorMilliseconds(work);
}

/// The least time [ms] of a few scans at each pose, in rising order.
std::vector<double> timesOf(const std::shared_ptr<const map::SurfelMap>& map,
                            const lidar::ImageRenderer& renderer, int repeats, Stopwatch timeOf) {
  const benchmarks::Sensor sensor = benchmarks::sensorOf("avia_image");
  const collision::ClearanceMap clearance(map);
  RandomStream random(1, "poses");
  std::vector<double> times;
  std::vector<lidar::Hit> hits;
  for (int pose = 0; pose < kScanPoses; ++pose) {
    const Pose X_WS = randomPose(clearance, random);
    double least = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < repeats; ++repeat) {
      least = std::min(least, timeOf([&] {
                         renderer.renderImage(sensor.image, X_WS, benchmarks::kRangeMax, hits);
                       }));
    }
    times.push_back(least);
  }
  std::sort(times.begin(), times.end());
  return times;
}

/// The median wall time [ms] of scans on OpenGL, and the device in words; a dash where OpenGL
/// fails.
std::string openGlTime(const std::shared_ptr<const map::SurfelMap>& map, std::string& device) {
  try {
    const auto renderer =
        lidar_gl::makeImageRenderer(lidar_gl::RendererChoice::kOpenGl, map, {},
                                    [&](const std::string& line, bool) { device = line; });
    const std::vector<double> times = timesOf(map, *renderer, 1, benchmarks::millisecondsOf);
    return fmt::format("{:.1f}", times[times.size() / 2]);
  } catch (const lidar_gl::GlError& error) {
    device = error.what();
    return "-";
  }
}

/// Calls `visit` with each place and resolution, fine or not, and its map.
template <class Visit>
void forEachMap(Extent extent, Progress& progress, const Visit& visit) {
  const std::size_t places = extent == Extent::kFull ? std::size(kPlaces) : kWithMemory;
  for (std::size_t i = 0; i < (extent == Extent::kTest ? 1 : places); ++i) {
    const PaperPlace& place = kPlaces[extent == Extent::kTest ? kWithMemory - 1 : i];
    for (const int fine : {0, 1}) {
      if (fine == 1 && extent == Extent::kTest) continue;
      map::SurfelMapConfig config;
      config.resolution = fine == 1 ? 0.05 : 0.2;
      visit(place, fine, map::loadSurfelMap(config::resolveMap(place.name), config, progress).map);
    }
  }
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
       "paper, Gazebo [GB]", "OpenGL, median wall time [ms]"},
      {}};
  if (extent == Extent::kQuick) {
    result.skipped.emplace_back("places without memory in Table II, OpenGL");
  }
  forEachMap(extent, progress, [&](const PaperPlace& place, int fine, const auto& map) {
    const std::vector<double> times =
        timesOf(map, *lidar::makeDepthImageRenderer(map), kRepeats, processorTime);
    const double memory = residentGigabytes(), resolution = map->resolution();
    table.rows.push_back(
        {place.name, fmt::format("{:g}", resolution), fmt::format("{}", map->size()),
         fmt::format("{:.1f}", times[times.size() / 2]), fmt::format("{:.1f}", times.back()),
         fmt::format("{:.3f}", memory), orDash(place.cpu[fine]), orDash(place.gazebo[fine]), "-"});
    const std::string name = fmt::format("{} at {:g} m: ", place.name, resolution);
    if (fine == 1)
      result.criteria.push_back({name + "largest time [ms]", times.back(), 0.0, kBudget});
    if (place.cpu[fine] > 0.0) {
      result.criteria.push_back({name + "memory [GB]", memory, 0.0, place.cpu[fine]});
    }
  });
  if (extent != Extent::kQuick) {  // afterwards: it takes memory of its own
    std::string device;
    auto row = table.rows.begin();
    forEachMap(extent, progress, [&](const PaperPlace&, int, const auto& map) {
      (row++)->back() = openGlTime(map, device);
    });
    table.caption += "; " + device;
  }
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace marsim::reproduce
