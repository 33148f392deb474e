// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/noise.hpp"

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/lidar/intensity.hpp"

namespace marsim::lidar {

bool NoiseConfig::any() const {
  for (const double value :
       {range_bias, range_bias_per_metre, unit_bias_sigma, channel_bias_sigma, range_sigma,
        range_sigma_per_metre, range_sigma_per_square_metre, range_resolution, slant_sigma,
        angular_sigma, dropout, false_returns}) {
    if (value != 0.0) return true;
  }
  return !dropout_by_range.empty() || !dropout_by_incidence.empty();
}

NoiseConfig NoiseConfig::ideal() const {
  NoiseConfig ideal;
  ideal.range_by_reflectivity = range_by_reflectivity;
  return ideal;
}

void NoiseConfig::declare(Settings& settings) {
  settings.optional("noise", [&](Settings& map) {
    map.optional("range_bias", range_bias, "m", {-10.0, 10.0});
    map.optional("range_bias_per_metre", range_bias_per_metre, "", {-0.5, 0.5});
    map.optional("unit_bias_sigma", unit_bias_sigma, "m", {0.0, 10.0});
    map.optional("channel_bias_sigma", channel_bias_sigma, "m", {0.0, 10.0});
    map.optional("range_sigma", range_sigma, "m", {0.0, 10.0});
    map.optional("range_sigma_per_metre", range_sigma_per_metre, "", {0.0, 0.5});
    map.optional("range_sigma_per_square_metre", range_sigma_per_square_metre, "", {0.0, 0.5});
    map.optional("range_resolution", range_resolution, "m", {0.0, 10.0});
    map.optional("slant_sigma", slant_sigma, "", {0.0, 10.0});
    map.optional("along", along, {{"beam", Along::kBeam}, {"axis", Along::kAxis}});
    map.optional("angular_sigma", angular_sigma, "rad", {0.0, 0.02});
    map.optional("dropout", dropout, "", kShare);
    map.optional("dropout_by_range", dropout_by_range, {"m", {0.0, 1e4}}, {"", kShare});
    map.optional("dropout_by_incidence", dropout_by_incidence, {"rad", {0.0, kPi / 2.0}},
                 {"", kShare});
    map.optional("range_by_reflectivity", range_by_reflectivity, {"", {1e-4, 100.0}},
                 {"m", {1e-2, 1e5}});
    map.optional("false_returns", false_returns, "", kShare);
  });
}

void NoiseConfig::validate(const std::string& where) const {
  checkSettings(where, *this);
  for (std::size_t i = 1; i < range_by_reflectivity.size(); ++i) {
    const double range = range_by_reflectivity[i].second;
    const double before = range_by_reflectivity[i - 1].second;
    if (range >= before) continue;
    throw ConfigError(where, fmt::format("noise.range_by_reflectivity[{}][1]", i),
                      fmt::format("{} m", range),
                      fmt::format("not less than the one before, {} m", before));
  }
}

void IntensityConfig::declare(Settings& settings) {
  if (constant || (settings.inFile("intensity") && !settings.isMap("intensity"))) {
    return settings.optional("intensity", constant, "", {0.0, 255.0});
  }
  settings.optional("intensity", [&](Settings& map) {
    map.optional("scale", scale, "", kNotNegative);
    map.optional("limit", limit, "", {1.0, 65535.0});
    map.optional("range_reference", range_reference, "m", kNotNegative);
  });
}

}  // namespace marsim::lidar
