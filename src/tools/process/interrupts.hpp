// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <string>

#include <sys/types.h>

/// The user's requests to end, and passing them on.
namespace marsim::tools {

/// Exit code of a program that was asked to end, as shells have it.
constexpr int kInterrupted = 130;

/// Counts SIGINT, SIGTERM, SIGHUP (a closed terminal) and SIGPIPE (a lost reader of the output)
/// during its life instead of dying from them. A nested guard continues the count.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Count since the outermost guard was made.
  static int count();

 private:
  std::array<struct sigaction, 4> old_{};
};

/// Restores the default action of the counted signals, in a child before it becomes another
/// program.
void uncountInterrupts();

/// Passes requests to end to a child's process group, harder each time.
class Ender {
 public:
  explicit Ender(pid_t child) : child_(child) {}
  void ask();
  /// Asks again if the child has not reacted for half a minute.
  void insist();

 private:
  pid_t child_;
  int asked_ = 0;
  std::chrono::steady_clock::time_point last_;
};

/// Cuts a stream into lines, at line feeds, carriage returns and after kLongest. Skips empty ones.
class LineCutter {
 public:
  static constexpr std::size_t kLongest = 1U << 16U;  ///< bytes

  explicit LineCutter(std::function<void(const std::string&)> on_line);
  void add(const char* data, std::size_t size);
  /// Text without an end of line so far counts as a line.
  void flush();

 private:
  std::function<void(const std::string&)> on_line_;
  std::string line_;
};

}  // namespace marsim::tools
