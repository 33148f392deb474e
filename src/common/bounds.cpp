// SPDX-License-Identifier: BSD-3-Clause
#include "common/bounds.hpp"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim {

const char* const kAllowedSeeds = "a whole number from 0 to 18446744073709551615";

bool Bounds::hold(double value) const {
  return std::isfinite(value) && value <= high && (above ? value > low : value >= low);
}

std::string Bounds::text(std::string_view unit) const {
  std::string text = "a finite number";
  if (std::isfinite(high)) {
    text = fmt::format(above ? "more than {}, up to {}" : "{} to {}", low, high);
  } else if (std::isfinite(low)) {
    text = fmt::format(above ? "more than {}" : "{} or more", low);
  }
  return unit.empty() ? text : fmt::format("{} {}", text, unit);
}

void Bounds::require(std::string_view where, std::string_view field, double value,
                     std::string_view unit) const {
  if (!hold(value)) throw ConfigError(where, field, fmt::format("{}", value), text(unit));
}

bool isPlace(const Eigen::Vector3d& p_W) {
  return p_W.allFinite() && p_W.cwiseAbs().maxCoeff() <= kFarthestPlace;
}

void requirePlace(std::string_view where, std::string_view field, const Eigen::Vector3d& p_W) {
  if (isPlace(p_W)) return;
  throw ConfigError(
      where, field, fmt::format("({:g}, {:g}, {:g})", p_W.x(), p_W.y(), p_W.z()),
      fmt::format("{:.0f} to {:.0f} m along each axis", -kFarthestPlace, kFarthestPlace));
}

void requireAngle(std::string_view where, std::string_view field, double angle) {
  kAngles.require(where, field, angle, "rad");
}

std::string pointText(const Eigen::Vector3d& point) {
  return fmt::format("({:.2f}, {:.2f}, {:.2f})", point.x(), point.y(), point.z());
}

std::string degreesHint(std::string_view text, Quantity quantity) {
  if (quantity != Quantity::kAngle) return {};
  const std::string number(trimmed(text));
  char* end = nullptr;
  const double angle = std::strtod(number.c_str(), &end);
  const bool is_bare = end != number.c_str() && *end == '\0';
  if (!is_bare || !std::isfinite(angle) || std::abs(angle) <= 2.0 * kPi) return {};
  return fmt::format("{0} rad is more than a turn: were degrees meant ({0}deg)?", clipped(number));
}

}  // namespace marsim
