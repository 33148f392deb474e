// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/measure/field_of_view.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::lidar {
namespace {

constexpr float kTolerance = 1e-6F;

}  // namespace

FieldOfView::Sector::Sector(const AngularSector& sector, float tolerance)
    : tolerance_(tolerance),
      sine_min_(static_cast<float>(std::sin(sector.elevation_min)) - tolerance),
      sine_max_(static_cast<float>(std::sin(sector.elevation_max)) + tolerance),
      from_(std::cos(sector.azimuth_min), std::sin(sector.azimuth_min)),
      to_(std::cos(sector.azimuth_max), std::sin(sector.azimuth_max)) {
  const double span = sector.azimuth_max - sector.azimuth_min;
  all_round_ = span >= 2.0 * kPi - 1e-6;
  reflex_ = span > kPi;
}

FieldOfView::FieldOfView(const LidarConfig& config)
    : view_({config.azimuth_min, config.azimuth_max, config.elevation_min, config.elevation_max},
            kTolerance) {
  for (const AngularSector& zone : config.blind_zones) blind_zones_.emplace_back(zone, -kTolerance);
}

AngularSector viewInBody(const LidarConfig& config) {
  constexpr double kBack = 2.6;  // [rad] from the x axis
  const FieldOfView view(config);
  std::vector<Firing> firings;
  makePattern(config.pattern)->fire(0, toNs(1.0 / config.rate), firings);
  AngularSector sector{kPi, -kPi, kPi / 2.0, -kPi / 2.0};
  for (const Firing& firing : firings) {
    if (!view.contains(firing.direction)) continue;
    const Eigen::Vector3d d = config.X_BS.q * firing.direction.cast<double>();
    const double azimuth = std::atan2(d.y(), d.x());
    const double elevation = std::asin(std::clamp(d.z(), -1.0, 1.0));
    sector.azimuth_min = std::min(sector.azimuth_min, azimuth);
    sector.azimuth_max = std::max(sector.azimuth_max, azimuth);
    sector.elevation_min = std::min(sector.elevation_min, elevation);
    sector.elevation_max = std::max(sector.elevation_max, elevation);
  }
  if (std::max(-sector.azimuth_min, sector.azimuth_max) > kBack) {
    sector.azimuth_min = -kPi;
    sector.azimuth_max = kPi;
  }
  return sector;
}

void validateSector(const AngularSector& sector, const std::string& where,
                    const std::string& field) {
  const Validator check(where);
  check.within(field + ".azimuth[0]", sector.azimuth_min, -2.0 * kPi, 2.0 * kPi, "rad");
  check.within(field + ".azimuth[1]", sector.azimuth_max, -2.0 * kPi, 2.0 * kPi, "rad");
  const double span = sector.azimuth_max - sector.azimuth_min;
  check.require(span > 0.0 && span <= 2.0 * kPi + 1e-9, field + ".azimuth",
                fmt::format("[{}, {}] rad", sector.azimuth_min, sector.azimuth_max),
                "[min, max] with min below max, one turn apart at most");
  check.within(field + ".elevation[0]", sector.elevation_min, -kPi / 2.0, kPi / 2.0, "rad");
  check.within(field + ".elevation[1]", sector.elevation_max, -kPi / 2.0, kPi / 2.0, "rad");
  check.require(sector.elevation_max > sector.elevation_min, field + ".elevation",
                fmt::format("[{}, {}] rad", sector.elevation_min, sector.elevation_max),
                "[min, max] with min below max");
}

}  // namespace marsim::lidar
