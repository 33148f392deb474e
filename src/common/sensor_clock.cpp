// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/common/sensor_clock.hpp"

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim {

void ClockErrors::declare(Settings& settings) {
  settings.optional("offset", offset, "s", {-1.0, 1.0});
  settings.optional("drift", drift, "", {-0.01, 0.01});
  settings.optional("jitter", jitter, "s", kNotNegative);
  settings.optional("drops", drops, "", {0.0, 0.99});
}

void ClockErrors::validate(const std::string& where, double rate) const {
  checkSettings(where, *this, "clock.");
  Validator(where).require(jitter <= 0.5 / rate, "clock.jitter", fmt::format("{} s", jitter),
                           fmt::format("0 to {} s, half the period", 0.5 / rate));
}

SensorClock::SensorClock(const ClockErrors& errors, std::uint64_t seed, std::string_view name)
    : errors_(errors), key_(RandomStream(seed, name).next()) {}

std::optional<TimeNs> SensorClock::stampOf(TimeNs t) const {
  if (!errors_.any()) return t;
  RandomStream random(key_, static_cast<std::uint64_t>(t));
  const double jitter = random.uniform(-errors_.jitter, errors_.jitter);
  const bool is_lost = random.uniform() < errors_.drops;
  const TimeNs stamp = t + toNs(errors_.offset + errors_.drift * toSeconds(t) + jitter);
  if (is_lost || stamp < 0) return std::nullopt;
  return stamp;
}

}  // namespace marsim
