// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/patterns/firing_clock.hpp"

#include <cmath>

namespace marsim::lidar {
namespace {

__extension__ typedef __int128 Int128;

constexpr double kFsPerSecond = 1e15;

}  // namespace

FiringClock::FiringClock(double period, const std::vector<double>& offsets)
    : period_fs_(std::llround(period * kFsPerSecond)) {
  for (const double offset : offsets) offsets_fs_.push_back(std::llround(offset * kFsPerSecond));
}

FiringClock FiringClock::ofLines(double rate, std::size_t lines, bool together) {
  FiringClock clock;
  const auto count = static_cast<std::int64_t>(lines);
  clock.period_fs_ = std::llround(kFsPerSecond * static_cast<double>(count) / rate);
  for (std::int64_t line = 0; line < count; ++line) {
    clock.offsets_fs_.push_back(together ? 0 : clock.period_fs_ * line / count);
  }
  return clock;
}

FiringClock::Group FiringClock::groupAtOrBefore(TimeNs t) const {
  // The group's last shot may lag its start by almost a period: begin with the one before.
  const Int128 t_fs = static_cast<Int128>(t) * kFsPerNs;
  const Int128 remainder = t_fs % period_fs_;
  const Int128 start = t_fs - remainder - (remainder < 0 ? 2 : 1) * static_cast<Int128>(period_fs_);
  const Int128 rest = start % kFsPerNs;
  const Int128 fs = rest < 0 ? rest + kFsPerNs : rest;
  return {static_cast<TimeNs>((start - fs) / kFsPerNs), static_cast<std::int64_t>(fs), 0, 0,
          static_cast<std::int64_t>(start / period_fs_)};
}

std::int64_t FiringClock::numberAt(TimeNs ns, std::int64_t fs) const {
  const Int128 t_fs = static_cast<Int128>(ns) * kFsPerNs + fs;
  const Int128 remainder = t_fs % period_fs_;
  return static_cast<std::int64_t>((t_fs - remainder) / period_fs_) - (remainder < 0 ? 1 : 0);
}

}  // namespace marsim::lidar
