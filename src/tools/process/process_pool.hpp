// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tools/process/interrupts.hpp"

namespace marsim::tools {

/// Processes forked from this one, each in a process group of its own, that work side by side. They
/// end when this process is killed. For a process without other threads and inside an
/// InterruptGuard and an OrphanKeeper.
class ProcessPool {
 public:
  /// The worker's function; its result is the exit code. Its output and standard error arrive here
  /// line by line. An exception ends it, with the text as the failure.
  using Body = std::function<int()>;
  struct End {
    std::size_t id = 0;
    int exit_code = 0;    ///< 128 + signal if a signal ended it
    std::string failure;  ///< text of the exception; empty: none
  };

  ProcessPool() = default;
  /// Kills the remaining processes.
  ~ProcessPool();
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;

  /// Throws Error if the system cannot make a process.
  void start(std::size_t id, const Body& body);
  /// Waits a moment for lines and passes them on; returns the workers that have ended since.
  std::vector<End> serve(const std::function<void(std::size_t, const std::string&)>& on_line);
  /// Asks all to end: SIGINT at first, then SIGTERM, then SIGKILL.
  void ask();
  std::size_t running() const { return workers_.size(); }

 private:
  struct Worker {
    pid_t process = 0;
    int output = -1;
    std::shared_ptr<std::vector<std::string>> heard;  // since the last serve()
    LineCutter lines;
    Ender ender;
    std::string failure;
  };
  static void readLines(Worker& worker);

  std::map<std::size_t, Worker> workers_;
};

}  // namespace marsim::tools
