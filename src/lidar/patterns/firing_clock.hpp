// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "marsim/common/time.hpp"

namespace marsim::lidar {

/// Times of a pattern's shots: groups (columns, fans) follow one another at a fixed period for
/// ever, each with the same shots at fixed offsets. All arithmetic is in whole femtoseconds, so
/// that adjoining intervals never lose or double a shot, however late the simulated time.
class FiringClock {
 public:
  /// `offsets` [s] of a group's shots are not decreasing, not negative and below the period [s].
  FiringClock(double period, const std::vector<double>& offsets);
  /// `lines` shots a group, at one instant or evenly spaced; `rate` [Hz] counts all shots.
  static FiringClock ofLines(double rate, std::size_t lines, bool together);

  /// Part of a group that lies in an interval: the shots first <= shot < last.
  struct Group {
    TimeNs ns;        ///< start of the group, whole nanoseconds
    std::int64_t fs;  ///< the remainder in femtoseconds
    std::size_t first, last;
    std::int64_t number;  ///< groups since simulated time 0

    /// Start of the group [s].
    double seconds() const { return toSeconds(ns) + static_cast<double>(fs) * 1e-15; }
  };

  /// Calls visit(group) for the groups that have shots with begin <= stamp < end, in order.
  template <class Visit>
  void forEachGroup(TimeNs begin, TimeNs end, Visit&& visit) const {
    if (begin >= end) return;
    for (Group group = groupAtOrBefore(begin);; advance(group)) {
      group.first = 0;
      while (group.first < offsets_fs_.size() && stamp(group, group.first) < begin) ++group.first;
      group.last = group.first;
      while (group.last < offsets_fs_.size() && stamp(group, group.last) < end) ++group.last;
      if (group.first < group.last) visit(group);
      if (group.last < offsets_fs_.size() && stamp(group, group.last) >= end) return;
    }
  }

  /// Time of a shot: its exact time, rounded down to the nanosecond.
  TimeNs stamp(const Group& group, std::size_t shot) const {
    return group.ns + (group.fs + offsets_fs_[shot]) / kFsPerNs;
  }
  /// Number of another clock's group that is active at the exact time of a shot.
  std::int64_t numberIn(const FiringClock& other, const Group& group, std::size_t shot) const {
    if (other.period_fs_ == period_fs_) return group.number;
    return other.numberAt(group.ns, group.fs + offsets_fs_[shot]);
  }

 private:
  FiringClock() = default;
  /// A group that begins early enough that no shot at or after t precedes it.
  Group groupAtOrBefore(TimeNs t) const;
  std::int64_t numberAt(TimeNs ns, std::int64_t fs) const;
  void advance(Group& group) const {
    ++group.number;
    group.ns += period_fs_ / kFsPerNs;
    group.fs += period_fs_ % kFsPerNs;
    if (group.fs >= kFsPerNs) {
      group.fs -= kFsPerNs;
      ++group.ns;
    }
  }

  static constexpr std::int64_t kFsPerNs = 1'000'000;
  std::int64_t period_fs_ = 0;
  std::vector<std::int64_t> offsets_fs_;
};

}  // namespace marsim::lidar
