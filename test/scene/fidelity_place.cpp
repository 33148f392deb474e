#include "scene/fidelity_place.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <Eigen/Geometry>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;
using Kind = FidelityPlace::Kind;
using Solids = std::vector<FidelityPlace::Solid>;

constexpr double kHalfLength = 5.0;  // [m] of the room, along x
constexpr double kHalfWidth = 4.0;   // [m] along y
constexpr double kHeight = 3.2;      // [m]

Vector3d randomDirection(RandomStream& random) {
  const double z = random.uniform(-1.0, 1.0);
  const double angle = random.uniform(0.0, 2.0 * kPi);
  const double across = std::sqrt(std::max(0.0, 1.0 - z * z));
  return {across * std::cos(angle), across * std::sin(angle), z};
}

/// Rotation about z, then about the turned y axis.
Eigen::Matrix3d turned(double yaw, double pitch = 0.0) {
  return (Eigen::AngleAxisd(yaw, Vector3d::UnitZ()) * Eigen::AngleAxisd(pitch, Vector3d::UnitY()))
      .toRotationMatrix();
}

void addWalls(Solids& parts) {
  const Vector3d low(-kHalfLength, -kHalfWidth, 0.0);
  const Vector3d x(2.0 * kHalfLength, 0.0, 0.0), y(0.0, 2.0 * kHalfWidth, 0.0),
      z(0.0, 0.0, kHeight);
  for (const auto& [a, b, through] : {std::tuple(x, y, z), {y, z, x}, {z, x, y}}) {
    parts.push_back({Kind::kWall, Rectangle{low, a, b}});
    parts.push_back({Kind::kWall, Rectangle{low + through, a, b}});
  }
}

void addFlatObjects(Solids& parts) {
  const auto add = [&](Kind kind, const Vector3d& centre, const Eigen::Matrix3d& axes,
                       const Vector3d& size) {
    parts.push_back({kind, Box{centre, axes, 0.5 * size}});
  };
  // Boards at 20, 45 and 70 degrees to the floor.
  const Vector3d board(1.2, 0.8, 0.12);
  add(Kind::kBoard, {3.6, 2.6, 0.7}, turned(radians(10.0), radians(20.0)), board);
  add(Kind::kBoard, {3.8, 0.6, 0.8}, turned(radians(-50.0), radians(45.0)), board);
  add(Kind::kBoard, {-1.2, 2.8, 1.0}, turned(radians(75.0), radians(70.0)), board);
  add(Kind::kBox, {-4.3, 3.4, 0.7}, turned(0.0), {1.0, 0.6, 1.4});
  add(Kind::kBox, {3.6, -2.7, 0.4}, turned(radians(30.0)), {0.8, 0.8, 0.8});
  add(Kind::kBox, {-0.4, -3.3, 0.9}, turned(radians(-12.0)), {0.3, 0.5, 1.8});
  add(Kind::kPlate, {1.6, -1.9, 1.2}, turned(radians(65.0)), {1.2, 0.002, 1.0});
  add(Kind::kDoor, {-4.3, 0.5, 1.0}, turned(radians(35.0)), {0.9, 0.04, 2.0});
}

void addRods(Solids& parts) {
  const auto add = [&](double diameter, const Vector3d& from, const Vector3d& to) {
    parts.push_back({Kind::kRod, Cylinder{from, to, 0.5 * diameter}});
  };
  const auto upright = [&](double diameter, double x, double y) {
    add(diameter, {x, y, 0.0}, {x, y, kHeight});
  };
  upright(0.02, -2.2, 1.2);
  upright(0.02, 1.4, 0.7);
  upright(0.03, -1.5, -0.9);
  upright(0.05, 0.7, 2.3);
  upright(0.10, 2.6, -0.6);
  upright(0.20, -2.6, -1.4);
  upright(0.30, 1.9, 2.9);
  add(0.02, {-1.6, -2.2, 1.5}, {0.9, -2.6, 1.5});
  add(0.05, {-3.6, 2.1, 2.1}, {-1.4, 2.3, 2.1});
  add(0.10, {2.6, 1.7, 2.4}, {4.6, 1.3, 2.4});
  add(0.02, {2.4, -3.4, 0.6}, {0.9, -3.0, 2.4});
  add(0.03, {-3.2, -0.4, 0.4}, {-4.2, -1.3, 2.6});
  add(0.10, {0.2, 3.4, 0.3}, {1.0, 2.9, 2.8});
}

Foliage bush(std::uint64_t seed) {
  constexpr int kLeaves = 450;
  Foliage result;
  result.ball = {{-3.7, -2.9, 0.85}, 0.6};
  RandomStream random(seed, "bush");
  for (int i = 0; i < kLeaves; ++i) {
    const double radius = random.uniform(0.02, 0.04);
    const double out = (result.ball.radius - radius) * std::cbrt(random.uniform());
    const Vector3d at = result.ball.centre + out * randomDirection(random);
    const Vector3d normal = randomDirection(random);
    result.leaves.push_back({at, normal, radius});
  }
  return result;
}

/// The beams of one stretch of a pass, all from one station: their points, shifted.
void scanStretch(const FidelityPlace& place, const HandheldScan& config, const Vector3d& station,
                 std::int64_t beams, const Vector3d& shift, RandomStream random,
                 std::vector<Eigen::Vector3f>& points) {
  points.reserve(static_cast<std::size_t>(beams));
  for (std::int64_t i = 0; i < beams; ++i) {
    const Vector3d direction = randomDirection(random);
    const double noise = config.range_noise * random.normal();
    const FidelityPlace::Hit hit = place.cast(station, direction);
    if (hit.part < 0) continue;
    const Vector3d point = station + (hit.range + noise) * direction + shift;
    points.push_back(point.cast<float>());
  }
}

}  // namespace

FidelityPlace::FidelityPlace(std::uint64_t seed) {
  addWalls(parts_);
  addFlatObjects(parts_);
  addRods(parts_);
  parts_.push_back({Kind::kBall, Sphere{{0.2, 0.4, 0.35}, 0.35}});
  parts_.push_back({Kind::kBush, bush(seed)});
}

FidelityPlace::Hit FidelityPlace::cast(const Vector3d& origin, const Vector3d& direction) const {
  Hit nearest;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const double range = rangeTo(parts_[i].shape, origin, direction);
    if (range < nearest.range) nearest = {range, static_cast<int>(i)};
  }
  return nearest;
}

double FidelityPlace::clearance(const Vector3d& point) const {
  double least = kNoRange;
  for (const Solid& part : parts_) least = std::min(least, distanceTo(part.shape, point));
  return least;
}

Vector3d stationOn(const FidelityPlace& place, int pass, double progress) {
  constexpr double kClear = 0.35;   // [m]
  constexpr double kStep = 0.0037;  // of the way
  RandomStream random(static_cast<std::uint64_t>(pass), "way");
  const double x_phase = random.uniform(0.0, 2.0 * kPi);
  const double y_phase = random.uniform(0.0, 2.0 * kPi);
  const double z_phase = random.uniform(0.0, 2.0 * kPi);
  for (double at = progress;; at += kStep) {
    const double angle = 2.0 * kPi * at;
    const Vector3d station(0.88 * kHalfLength * std::sin(2.0 * angle + x_phase),
                           0.86 * kHalfWidth * std::sin(3.0 * angle + y_phase),
                           1.4 + 0.5 * std::sin(5.0 * angle + z_phase));
    if (place.clearance(station) >= kClear) return station;
  }
}

void HandheldScan::validate(const std::string& where) const {
  const Validator check(where);
  check.within("passes", passes, 1, 100);
  check.within("beams_per_pass", static_cast<double>(beams_per_pass), 1.0, 1e8);
  check.within("range_noise", range_noise, 0.0, 0.5, "m");
  check.within("pass_offset", pass_offset, 0.0, 0.5, "m");
}

map::PointCloud scan(const FidelityPlace& place, const HandheldScan& config) {
  config.validate("handheld scan");
  constexpr std::int64_t kBeamsPerStation = 2048;
  const std::int64_t stations = (config.beams_per_pass + kBeamsPerStation - 1) / kBeamsPerStation;
  std::vector<Vector3d> shifts;
  RandomStream random(config.seed, "shifts");
  for (int pass = 0; pass < config.passes; ++pass) {
    Vector3d shift;
    for (double& value : shift) value = config.pass_offset * random.normal();
    shifts.push_back(shift);
  }
  std::vector<std::vector<Eigen::Vector3f>> parts(
      static_cast<std::size_t>(config.passes * stations));
  tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t part) {
    const auto pass = static_cast<std::int64_t>(part) / stations;
    const std::int64_t station = static_cast<std::int64_t>(part) % stations;
    const double progress = (static_cast<double>(station) + 0.5) / static_cast<double>(stations);
    const std::int64_t beams =
        std::min(kBeamsPerStation, config.beams_per_pass - station * kBeamsPerStation);
    scanStretch(place, config, stationOn(place, static_cast<int>(pass), progress), beams,
                shifts[static_cast<std::size_t>(pass)], RandomStream(config.seed, part),
                parts[part]);
  });
  map::PointCloud cloud;
  for (const auto& part : parts) {
    cloud.points.insert(cloud.points.end(), part.begin(), part.end());
  }
  return cloud;
}

}  // namespace marsim::scene
