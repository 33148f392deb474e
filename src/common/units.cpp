// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/common/units.hpp"

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/settings.hpp"

namespace marsim {
namespace {

struct UnitSuffix {
  const char* suffix;
  double factor;  // to SI
};

const std::vector<UnitSuffix>& unitsOf(Quantity quantity) {
  static const std::vector<UnitSuffix> none;
  static const std::vector<UnitSuffix> length{{"m", 1.0}, {"cm", 1e-2}, {"mm", 1e-3}, {"km", 1e3}};
  static const std::vector<UnitSuffix> angle{{"rad", 1.0}, {"mrad", 1e-3}, {"deg", kPi / 180.0}};
  static const std::vector<UnitSuffix> time{{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
  static const std::vector<UnitSuffix> frequency{{"Hz", 1.0}, {"kHz", 1e3}, {"MHz", 1e6}};
  static const std::vector<UnitSuffix> angular_speed{
      {"rad/s", 1.0}, {"deg/s", kPi / 180.0}, {"rpm", kPi / 30.0}};
  static const std::vector<UnitSuffix> speed{{"m/s", 1.0}, {"km/h", 1.0 / 3.6}};
  static const std::vector<UnitSuffix> mass{{"kg", 1.0}, {"g", 1e-3}};
  switch (quantity) {
    case Quantity::kNumber:
      return none;
    case Quantity::kLength:
      return length;
    case Quantity::kAngle:
      return angle;
    case Quantity::kTime:
      return time;
    case Quantity::kFrequency:
      return frequency;
    case Quantity::kAngularSpeed:
      return angular_speed;
    case Quantity::kSpeed:
      return speed;
    case Quantity::kMass:
      return mass;
  }
  return none;
}

}  // namespace

Quantity quantityOf(std::string_view unit) {
  for (int i = 0; i <= static_cast<int>(Quantity::kMass); ++i) {
    const auto quantity = static_cast<Quantity>(i);
    const std::vector<UnitSuffix>& units = unitsOf(quantity);
    if (!units.empty() && unit == units.front().suffix) return quantity;
  }
  return Quantity::kNumber;
}

std::string unitList(Quantity quantity) {
  std::vector<std::string> names;
  for (const UnitSuffix& unit : unitsOf(quantity)) names.emplace_back(unit.suffix);
  return join(names);
}

double parseQuantity(std::string_view text, Quantity quantity) {
  const std::string body(trimmed(text));
  char* end = nullptr;
  const double number = std::strtod(body.c_str(), &end);
  if (end == body.c_str() || !std::isfinite(number)) {
    throw Error(fmt::format("'{}' is not a finite number", clipped(text)));
  }
  const std::string_view suffix = trimmed(std::string_view(end));
  if (suffix.empty()) return number;
  for (const UnitSuffix& unit : unitsOf(quantity)) {
    if (suffix == unit.suffix) return number * unit.factor;
  }
  const std::string allowed = unitList(quantity);
  throw Error(fmt::format("'{}' has the unit '{}', allowed: {}", clipped(text), clipped(suffix),
                          allowed.empty() ? "no unit" : allowed));
}

}  // namespace marsim
