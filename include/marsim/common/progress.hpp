// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace marsim {

/// Progress of long work on standard error. Silent for the first second; then, on a terminal, one
/// line that rewrites itself with phase, share and time left, elsewhere a line every five seconds.
/// Phases follow one another; one object belongs to one thread.
class Progress {
 public:
  explicit Progress(std::string task);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Shows nothing; for any number of threads.
  static Progress& none();

  /// Starts a phase of `total` units (0: unknown).
  void phase(std::string name, std::size_t total = 0);
  /// Sets the number of the phase's units done so far.
  void update(std::size_t done);
  /// Ends the task, leaving its duration on the terminal if anything was shown. Idempotent.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  Progress() = default;
  void show(std::size_t done);

  std::string task_;
  std::string phase_;
  std::size_t total_ = 0;
  Clock::time_point started_, phase_started_, last_shown_;
  bool enabled_ = false;
  bool terminal_ = false;
  bool shown_ = false;
  bool finished_ = false;
};

}  // namespace marsim
