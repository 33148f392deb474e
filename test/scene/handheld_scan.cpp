// SPDX-License-Identifier: BSD-3-Clause
#include "scene/handheld_scan.hpp"

#include <cmath>

#include <tbb/parallel_for.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;

/// The beams of one stretch of a pass, all from one station: their points, shifted.
void scanStretch(const KnownPlace& place, const HandheldScan& config, const Vector3d& station,
                 std::int64_t beams, const Vector3d& shift, RandomStream random,
                 KnownScan& result) {
  result.cloud.points.reserve(static_cast<std::size_t>(beams));
  result.parts.reserve(static_cast<std::size_t>(beams));
  for (std::int64_t i = 0; i < beams; ++i) {
    const Vector3d direction = evenDirection(random);
    const double noise = config.range_noise * random.normal();
    const KnownPlace::Hit hit = place.cast(station, direction);
    if (hit.part < 0) continue;
    const Vector3d point = station + (hit.range + noise) * direction + shift;
    result.cloud.points.push_back(point.cast<float>());
    result.parts.push_back(hit.part);
  }
}

template <class T>
void append(const std::vector<T>& from, std::vector<T>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

Vector3d evenDirection(RandomStream& random) {
  const double z = random.uniform(-1.0, 1.0);
  const double angle = random.uniform(0.0, 2.0 * kPi);
  const double across = std::sqrt(std::max(0.0, 1.0 - z * z));
  return {across * std::cos(angle), across * std::sin(angle), z};
}

Vector3d stationOn(const KnownPlace& place, int pass, double progress) {
  constexpr double kClear = 0.35;   // [m]
  constexpr double kStep = 0.0037;  // of the way
  RandomStream random(static_cast<std::uint64_t>(pass), "way");
  const double x_phase = random.uniform(0.0, 2.0 * kPi);
  const double y_phase = random.uniform(0.0, 2.0 * kPi);
  const double z_phase = random.uniform(0.0, 2.0 * kPi);
  for (double at = progress;; at += kStep) {
    const double angle = 2.0 * kPi * at;
    const Vector3d station(0.88 * kRoomHalfLength * std::sin(2.0 * angle + x_phase),
                           0.86 * kRoomHalfWidth * std::sin(3.0 * angle + y_phase),
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

KnownScan knownScan(const KnownPlace& place, const HandheldScan& config) {
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
  std::vector<KnownScan> stretches(static_cast<std::size_t>(config.passes * stations));
  tbb::parallel_for(std::size_t{0}, stretches.size(), [&](std::size_t stretch) {
    const auto pass = static_cast<std::int64_t>(stretch) / stations;
    const std::int64_t station = static_cast<std::int64_t>(stretch) % stations;
    const double progress = (static_cast<double>(station) + 0.5) / static_cast<double>(stations);
    const std::int64_t beams =
        std::min(kBeamsPerStation, config.beams_per_pass - station * kBeamsPerStation);
    KnownScan& part = stretches[stretch];
    scanStretch(place, config, stationOn(place, static_cast<int>(pass), progress), beams,
                shifts[static_cast<std::size_t>(pass)], RandomStream(config.seed, stretch), part);
    part.passes.assign(part.parts.size(), static_cast<int>(pass));
  });
  KnownScan result;
  for (const KnownScan& stretch : stretches) {
    append(stretch.cloud.points, result.cloud.points);
    append(stretch.parts, result.parts);
    append(stretch.passes, result.passes);
  }
  return result;
}

map::PointCloud scan(const KnownPlace& place, const HandheldScan& config) {
  return knownScan(place, config).cloud;
}

}  // namespace marsim::scene
