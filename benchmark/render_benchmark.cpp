// Times the renderers on a procedural wood of about 700,000 surfels at r = 0.1 m: 24,000 rays in a
// Livox Avia's field of view (70.4 x 77.2 degrees, Livox Avia user manual) and an image of 385 x
// 350 cells of it, up to 30 m, from ten poses in turn.

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {
namespace {

constexpr double kResolution = 0.1;  // [m]
constexpr double kRangeMax = 30.0;   // [m]
constexpr double kSizeX = 48.0, kSizeY = 27.0;
constexpr int kTrees = 64;
constexpr int kLeavesPerTree = 8400;
constexpr int kPoses = 10;

class Wood {
 public:
  std::shared_ptr<const map::SurfelMap> make() {
    addGround();
    for (int i = 0; i < kTrees; ++i) addTree();
    map::SurfelMapConfig config;
    config.resolution = kResolution;
    return std::make_shared<const map::SurfelMap>(std::move(surfels_), config);
  }

 private:
  Eigen::Vector3d jitter() {
    return {random_.uniform(-0.03, 0.03), random_.uniform(-0.03, 0.03),
            random_.uniform(-0.03, 0.03)};
  }
  Eigen::Vector3d anywhere() {
    return Eigen::Vector3d(random_.normal(), random_.normal(), random_.normal()).normalized();
  }
  void add(const Eigen::Vector3d& position, const Eigen::Vector3d& normal, bool planar) {
    const double thickness = (planar ? 0.1 : 0.4) * kResolution;
    surfels_.push_back({(position + jitter()).cast<float>(), normal.cast<float>().normalized(),
                        static_cast<float>(thickness)});
  }

  void addGround() {
    for (double x = -0.5 * kSizeX; x < 0.5 * kSizeX; x += kResolution) {
      for (double y = -0.5 * kSizeY; y < 0.5 * kSizeY; y += kResolution) {
        const double height = 0.3 * std::sin(0.4 * x) * std::cos(0.3 * y);
        add({x, y, height}, Eigen::Vector3d::UnitZ() + 0.1 * anywhere(), random_.uniform() < 0.8);
      }
    }
  }

  // A trunk with a crown of leaves round its upper half.
  void addTree() {
    const Eigen::Vector3d foot(random_.uniform(-0.5, 0.5) * kSizeX,
                               random_.uniform(-0.5, 0.5) * kSizeY, 0.0);
    const double height = random_.uniform(9.0, 15.0);
    constexpr double kRadius = 0.2;
    for (double z = 0.0; z < height; z += kResolution) {
      for (double angle = 0.0; angle < 2.0 * kPi; angle += kResolution / kRadius) {
        const Eigen::Vector3d out(std::cos(angle), std::sin(angle), 0.0);
        add(foot + kRadius * out + Eigen::Vector3d(0.0, 0.0, z), out, true);
      }
    }
    const double crown = random_.uniform(1.5, 3.0);
    for (int i = 0; i < kLeavesPerTree; ++i) {
      const Eigen::Vector3d offset = std::cbrt(random_.uniform()) * anywhere();
      const Eigen::Vector3d scaled(crown * offset.x(), crown * offset.y(),
                                   0.35 * height * offset.z());
      add(foot + scaled + Eigen::Vector3d(0.0, 0.0, 0.65 * height), anywhere(),
          random_.uniform() < 0.15);
    }
  }

  RandomStream random_{1, "wood"};
  std::vector<map::Surfel> surfels_;
};

std::shared_ptr<const map::SurfelMap> wood() {
  static const auto map = Wood().make();
  return map;
}

Pose poseOf(int index) {
  const double angle = 2.0 * kPi * index / kPoses;
  return {fromRollPitchYaw(0.0, 0.0, angle + 2.0),
          Eigen::Vector3d(10.0 * std::cos(angle), 6.0 * std::sin(angle), 1.8)};
}

// Six beams side by side on a rosette, as prisms that turn at two speeds draw it.
std::vector<Ray> raysFrom(const Pose& X_WS) {
  constexpr int kRays = 24000, kLines = 6;
  std::vector<Ray> rays;
  for (int i = 0; i < kRays; ++i) {
    const double t = static_cast<double>(i / kLines) / (kRays / kLines);
    const double radius = std::cos(2.0 * kPi * 61.7 * t), angle = 2.0 * kPi * 9.3 * t;
    const double azimuth = radians(35.2) * radius * std::cos(angle);
    const double elevation = radians(36.0) * radius * std::sin(angle) +
                             radians(0.45) * (i % kLines - 0.5 * (kLines - 1));
    const Eigen::Vector3d direction_S(std::cos(elevation) * std::cos(azimuth),
                                      std::cos(elevation) * std::sin(azimuth), std::sin(elevation));
    rays.push_back({X_WS.p.cast<float>(), static_cast<float>(kRangeMax),
                    (X_WS.q * direction_S).cast<float>(), 0.0F});
  }
  return rays;
}

ImageGrid grid() {
  ImageGrid image;
  image.width = 350;
  image.height = 385;
  image.azimuth_min = radians(-35.2);
  image.azimuth_max = radians(35.2);
  image.elevation_min = radians(-38.6);
  image.elevation_max = radians(38.6);
  return image;
}

void countHits(benchmark::State& state, const std::vector<Hit>& hits) {
  int valid = 0;
  for (const Hit& hit : hits) valid += hit.valid() ? 1 : 0;
  state.counters["hits"] = valid;
  state.counters["surfels"] = static_cast<double>(wood()->size());
}

void castRays(benchmark::State& state) {
  const auto renderer = makeRayCaster(wood(), {static_cast<int>(state.range(0))});
  std::vector<std::vector<Ray>> scans;
  for (int i = 0; i < kPoses; ++i) scans.push_back(raysFrom(poseOf(i)));
  std::vector<Hit> hits;
  std::size_t i = 0;
  for (auto _ : state) renderer->cast(scans[i++ % scans.size()], hits);
  countHits(state, hits);
}
BENCHMARK(castRays)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(0)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

template <auto make>
void renderImage(benchmark::State& state) {
  const auto renderer = make(wood(), {static_cast<int>(state.range(0))});
  std::vector<Hit> hits;
  int i = 0;
  for (auto _ : state) renderer->renderImage(grid(), poseOf(i++ % kPoses), kRangeMax, hits);
  countHits(state, hits);
}
BENCHMARK_TEMPLATE(renderImage, makeRayCaster)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(0)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_TEMPLATE(renderImage, makeDepthImageRenderer)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(0)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void buildTree(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(makeRayCaster(wood(), {1}));
  countHits(state, {});
}
BENCHMARK(buildTree)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace marsim::lidar

BENCHMARK_MAIN();
