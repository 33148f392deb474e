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

/// Processes forked from this one, each in a process group of its own, that do their jobs side by
/// side. They end when this process is killed. To be used by a process without other threads and
/// inside of an InterruptGuard and an OrphanKeeper.
class ProcessPool {
 public:
  /// Done by the worker; its result is the exit code. What it prints to standard output or error
  /// comes here by lines. What it throws ends it, with the text for a failure.
  using Body = std::function<int()>;
  struct End {
    std::size_t id = 0;
    int exit_code = 0;    ///< 128 + signal where a signal ended it
    std::string failure;  ///< text of what it threw; empty: nothing
  };

  ProcessPool() = default;
  /// Kills those that are left.
  ~ProcessPool();
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;

  /// Throws Error where the system gives no process.
  void start(std::size_t id, const Body& body);
  /// Waits a moment for lines and hands them over; returns who has ended since.
  std::vector<End> serve(const std::function<void(std::size_t, const std::string&)>& on_line);
  /// Asks all to end: SIGINT, the next time SIGTERM, then SIGKILL.
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
