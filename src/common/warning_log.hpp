// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace marsim {

/// Time of a clock that never runs backwards; the caller gives it.
using WarningTime = std::chrono::steady_clock::time_point;

/// Counts events, and those of the last ten seconds, so that diagnostics warn while something goes
/// wrong and not for ever after.
class RecentCount {
 public:
  static constexpr int kLately = 10;  ///< [s]

  void add(WarningTime now, std::uint64_t events = 1);
  std::uint64_t total() const { return total_; }
  /// The number of events in the last kLately seconds, to a second.
  std::uint64_t lately(WarningTime now) const;

 private:
  struct Second {
    std::int64_t begin = -1;  ///< [s] of the clock
    std::uint64_t events = 0;
  };
  std::array<Second, kLately> seconds_{};
  std::uint64_t total_ = 0;
};

/// A log of repeated problems by kind, which counts all and reports some.
class WarningLog {
 public:
  struct Entry {
    RecentCount count;
    std::string last;  ///< text of the last problem
  };

  /// `period` [s] of wall time between two warnings of one kind.
  explicit WarningLog(double period) : period_(period) {}

  /// Records a problem; returns whether to report it. Texts that differ before their first digit
  /// are reported separately.
  bool add(const std::string& kind, const std::string& text, WarningTime now);
  const std::map<std::string, Entry>& entries() const { return entries_; }
  std::uint64_t total(const std::string& kind) const;

 private:
  std::chrono::duration<double> period_;
  std::map<std::string, Entry> entries_;
  std::map<std::string, WarningTime> said_;  ///< by kind and beginning of the text
};

}  // namespace marsim
