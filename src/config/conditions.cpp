// SPDX-License-Identifier: BSD-3-Clause
#include <map>

#include <fmt/format.h>

#include "common/text.hpp"
#include "config/launch_words.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::config {
namespace {

constexpr double kKnot = 1852.0 / 3600.0;  // [m/s]
// Light, moderate and severe turbulence (MIL-F-8785C).
const std::map<std::string, double> kGusts = {
    {"none", 0.0}, {"light", 15.0 * kKnot}, {"moderate", 30.0 * kKnot}, {"severe", 45.0 * kKnot}};

bool isNone(const std::string& text) { return text.empty() || text == "none"; }

// ROTOR@TIME or ROTOR@TIME:EFFECTIVENESS
sim::MotorFailure failureOf(const std::string& text) {
  sim::MotorFailure failure;
  const std::vector<std::string> parts = split(text, '@');
  if (parts.size() != 2) throw Error("no time");
  const auto rotor = parseWhole(trimmed(parts[0]));
  if (!rotor || *rotor >= kMostRotors) throw Error("no rotor");
  failure.rotor = static_cast<int>(*rotor);
  const std::vector<std::string> after = split(parts[1], ':');
  if (after.size() > 2) throw Error("more than an effectiveness");
  const double time = parseQuantity(trimmed(after[0]), Quantity::kTime);
  if (!(time >= 0.0 && time <= 1e9)) throw Error("no time");
  failure.at = toNs(time);
  if (after.size() == 2) {
    failure.effectiveness = parseQuantity(trimmed(after[1]), Quantity::kNumber);
    if (failure.effectiveness < 0.0 || failure.effectiveness > 1.0) throw Error("no share");
  }
  return failure;
}

}  // namespace

vehicle::WindConfig windOf(const std::string& mean, const std::string& gusts,
                           const std::string& where) {
  vehicle::WindConfig wind;
  if (!isNone(mean)) {
    const std::vector<std::string> parts = split(mean, ',');
    try {
      if (parts.size() != 3) throw Error("not three");
      for (std::size_t i = 0; i < 3; ++i) {
        wind.mean_W[static_cast<Eigen::Index>(i)] =
            parseQuantity(trimmed(parts[i]), Quantity::kSpeed);
      }
    } catch (const Error&) {
      throw ConfigError(where, "wind", fmt::format("'{}'", mean), "none | x,y,z in W [m/s]");
    }
  }
  const auto named = kGusts.find(gusts.empty() ? "none" : gusts);
  try {
    wind.gusts = named != kGusts.end() ? named->second : parseQuantity(gusts, Quantity::kSpeed);
  } catch (const Error&) {
    throw ConfigError(where, "gusts", fmt::format("'{}'", gusts),
                      "none | light | moderate | severe | a speed W20 [m/s]");
  }
  wind.validate(where);
  return wind;
}

std::vector<sim::MotorFailure> motorFailuresOf(const std::string& text, const std::string& where) {
  std::vector<sim::MotorFailure> failures;
  if (isNone(text)) return failures;
  for (const std::string& part : split(text, ',')) {
    try {
      failures.push_back(failureOf(part));
    } catch (const Error&) {
      throw ConfigError(
          where, "motor_failure", fmt::format("'{}'", text),
          fmt::format("none | ROTOR@TIME or ROTOR@TIME:EFFECTIVENESS, comma-separated: a rotor of "
                      "the vehicle's file from 0 on (at most {}), simulated time [s], 0 to 1",
                      kMostRotors - 1));
    }
  }
  return failures;
}

}  // namespace marsim::config
