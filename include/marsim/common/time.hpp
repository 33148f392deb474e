// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>

/// Simulated time: whole nanoseconds since the start of the simulation, so that fixed steps add up
/// exactly.
namespace marsim {

using TimeNs = std::int64_t;

constexpr TimeNs kNsPerSecond = 1'000'000'000;

/// Nanoseconds to seconds.
constexpr double toSeconds(TimeNs t) { return static_cast<double>(t) * 1e-9; }

/// Seconds to nanoseconds, rounded to the nearest.
inline TimeNs toNs(double seconds) { return std::llround(seconds * 1e9); }

/// Period of a rate [Hz] in nanoseconds, rounded to the nearest.
inline TimeNs periodNs(double rate_hz) { return toNs(1.0 / rate_hz); }

}  // namespace marsim
