#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace marsim {

/// Time of a clock that never goes back; handed in by the caller.
using WarningTime = std::chrono::steady_clock::time_point;

/// Counts events and knows how many of them happened in the last ten seconds, so that diagnostics
/// warn while something goes wrong and not for ever after.
class RecentCount {
 public:
  static constexpr int kLately = 10;  ///< [s]

  void add(WarningTime now, std::uint64_t events = 1);
  std::uint64_t total() const { return total_; }
  /// How many happened in the last kLately seconds, to a second.
  std::uint64_t lately(WarningTime now) const;

 private:
  struct Second {
    std::int64_t begin = -1;  ///< [s] of the clock
    std::uint64_t events = 0;
  };
  std::array<Second, kLately> seconds_{};
  std::uint64_t total_ = 0;
};

/// A log of repeated problems, by kind: counted, and said once in a while.
class WarningLog {
 public:
  struct Entry {
    RecentCount count;
    std::string last;  ///< what was wrong the last time
  };

  /// `period` [s] of wall time between two warnings of one kind.
  explicit WarningLog(double period) : period_(period) {}

  /// Takes note of something; whether it is due to be said. What differs up to its first digit is
  /// said by itself.
  bool add(const std::string& kind, const std::string& text, WarningTime now);
  const std::map<std::string, Entry>& entries() const { return entries_; }
  std::uint64_t total(const std::string& kind) const;

 private:
  std::chrono::duration<double> period_;
  std::map<std::string, Entry> entries_;
  std::map<std::string, WarningTime> said_;  ///< by kind and beginning of the text
};

}  // namespace marsim
