#include "marsim/lidar/noise.hpp"

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/lidar/intensity.hpp"

namespace marsim::lidar {
namespace {

/// Bounds: first elements rise within [low, high], second ones lie within [least, most].
struct TableBounds {
  double low, high, least, most;
  const char *first_unit, *second_unit;
};

void validateTable(const Validator& check, const std::string& field,
                   const NoiseConfig::Table& table, const TableBounds& bounds) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::string first = fmt::format("{}[{}][0]", field, i);
    check.within(first, table[i].first, bounds.low, bounds.high, bounds.first_unit);
    check.within(fmt::format("{}[{}][1]", field, i), table[i].second, bounds.least, bounds.most,
                 bounds.second_unit);
    if (i == 0) continue;
    check.require(table[i].first > table[i - 1].first, first, fmt::format("{}", table[i].first),
                  fmt::format("more than the one before, {}", table[i - 1].first));
  }
}

}  // namespace

bool NoiseConfig::any() const {
  for (const double value :
       {range_bias, range_bias_per_metre, range_sigma, range_sigma_per_metre,
        range_sigma_per_square_metre, range_resolution, angular_sigma, dropout, false_returns}) {
    if (value != 0.0) return true;
  }
  return !dropout_by_range.empty() || !dropout_by_incidence.empty() ||
         !range_by_reflectivity.empty();
}

void NoiseConfig::validate(const std::string& where) const {
  const Validator check(where);
  check.within("noise.range_bias", range_bias, -10.0, 10.0, "m");
  check.within("noise.range_bias_per_metre", range_bias_per_metre, -0.5, 0.5);
  check.within("noise.range_sigma", range_sigma, 0.0, 10.0, "m");
  check.within("noise.range_sigma_per_metre", range_sigma_per_metre, 0.0, 0.5);
  check.within("noise.range_sigma_per_square_metre", range_sigma_per_square_metre, 0.0, 0.5);
  check.within("noise.range_resolution", range_resolution, 0.0, 10.0, "m");
  check.within("noise.angular_sigma", angular_sigma, 0.0, 0.02, "rad");
  check.within("noise.dropout", dropout, 0.0, 1.0);
  check.within("noise.false_returns", false_returns, 0.0, 1.0);
  validateTable(check, "noise.dropout_by_range", dropout_by_range, {0.0, 1e4, 0.0, 1.0, "m", ""});
  validateTable(check, "noise.dropout_by_incidence", dropout_by_incidence,
                {0.0, kPi / 2.0, 0.0, 1.0, "rad", ""});
  const std::string field = "noise.range_by_reflectivity";
  validateTable(check, field, range_by_reflectivity, {1e-4, 100.0, 1e-2, 1e5, "", "m"});
  for (std::size_t i = 1; i < range_by_reflectivity.size(); ++i) {
    const double range = range_by_reflectivity[i].second;
    const double before = range_by_reflectivity[i - 1].second;
    check.require(range >= before, fmt::format("{}[{}][1]", field, i), fmt::format("{} m", range),
                  fmt::format("not less than the one before, {} m", before));
  }
}

void IntensityConfig::validate(const std::string& where) const {
  const Validator check(where);
  if (constant) check.within("intensity", *constant, 0.0, 255.0);
  check.notNegative("intensity.scale", scale);
  check.within("intensity.limit", limit, 1.0, 65535.0);
  check.notNegative("intensity.range_reference", range_reference, "m");
}

}  // namespace marsim::lidar
