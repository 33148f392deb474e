#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <string>

#include <sys/types.h>

/// Requests of the user to end, and passing them on.
namespace marsim::tools {

/// Counts SIGINT, SIGTERM, SIGHUP (a terminal that was closed) and SIGPIPE (a reader of the output
/// that went) instead of dying of them, while it lives. One inside of another goes on counting.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Since the outermost was made.
  static int count();

 private:
  std::array<struct sigaction, 4> old_{};
};

/// Sets the signals that are counted back to what they usually do, in a child before it becomes
/// another program.
void uncountInterrupts();

/// Passes requests to end on to a child's process group, more firmly each time.
class Ender {
 public:
  explicit Ender(pid_t child) : child_(child) {}
  void ask();
  /// Asks again where the child takes no notice for half a minute.
  void insist();

 private:
  pid_t child_;
  int asked_ = 0;
  std::chrono::steady_clock::time_point last_;
};

/// Cuts a stream into lines; a carriage return ends one, too, and so does kLongest. Empty ones are
/// left out.
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
