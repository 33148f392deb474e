// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <poll.h>

#include "common/file_descriptor.hpp"

namespace marsim {

/// Waits until programs of this machine have nothing left to do: all their threads sleep, none has
/// run since it was looked at, and all data on TCP connections between them have been read.
/// Programs need not know of it: it reads /proc (schedstat counts how often a thread has run) and
/// looks at copies of their sockets (pidfd_getfd of Linux 5.6; the right to trace the program is
/// needed).
///
/// Some threads poll: those of ros::Timer and ros::Rate wake every millisecond while simulated time
/// stands. They are known by short runs while nothing else happens (findPollers()), do not count as
/// busy, and after a tick of time each must have run once. All calls come from one thread.
class IdleWatch {
 public:
  using WallClock = std::chrono::steady_clock;
  using WallTime = WallClock::time_point;
  /// A process with its descendants.
  struct Program {
    std::string name;  ///< for messages
    int pid;
    bool is_own;  ///< part of the simulator: its threads are no pollers
  };

  /// Throws Error if the system does not let it look into a program.
  explicit IdleWatch(std::vector<Program> programs);

  /// Lists descendants, threads and connections again. Throws Error as the constructor does.
  void refresh();
  /// Lists again the threads of processes that have begun or ended some.
  void refreshThreads();
  bool isGone(std::size_t program) const;
  /// Looks for threads that poll, for 20 ms of wall time, beside busy processes for up to 1 s. Call
  /// it while all are idle.
  void findPollers();
  /// Whether programs outside the simulator have threads that findPollers() has not looked at.
  bool hasNewThreads() const;

  /// Waits until all programs are idle. Returns nothing, or after `deadline` what was busy, such as
  /// "/planner (process 71): its thread 'planner' runs".
  std::optional<std::string> wait(WallTime deadline);
  /// Likewise after the program was told a new time: its pollers have looked at it, and neither it
  /// nor another program outside the simulator is busy.
  std::optional<std::string> waitAfterTick(std::size_t program, WallTime deadline);

 private:
  /// A thread's counts in schedstat.
  struct Runs {
    std::int64_t time = -1;   ///< [ns] on a processor
    std::int64_t delay = -1;  ///< [ns] of waiting for one
    std::int64_t count = -1;
    bool operator==(const Runs& other) const { return time == other.time && count == other.count; }
  };
  struct Thread {
    std::size_t program;
    int pid, tid;
    std::string name;
    FileDescriptor stat{}, schedstat{};
    bool is_new = true;  ///< findPollers() has not looked at it
    bool polls = false;
    Runs seen{};      ///< at the last look
    Runs first{};     ///< at the first change of a wait
    int changes = 0;  ///< between looks of a wait
  };
  struct Connection {
    std::size_t program;
    int pid;
    FileDescriptor socket;
    std::string from, to;  ///< addresses as bytes
    int peer = -1;         ///< its other end, if that is watched
  };
  /// Why programs do not count as idle.
  struct Busy {
    enum class Kind { kRuns, kHasRun, kUnread, kUnderWay, kDoesNotPoll } kind;
    std::size_t index;  ///< of the thread or the connection
  };
  using Among = std::function<bool(const Thread&)>;

  static Runs runsOf(const FileDescriptor& schedstat);
  void listProcesses();
  void listThreads();
  void listConnections();
  void listConnectionsOf(std::size_t program, int pid);
  std::optional<Busy> awake(const Among& among);
  std::optional<Busy> hasRun(const Among& among);
  std::optional<Busy> undelivered();
  std::optional<Busy> busy(const Among& among);
  std::optional<Busy> waitFor(const Among& among, WallTime deadline);
  std::optional<Busy> passPollers(std::size_t program, WallTime deadline, bool& others_ran);
  void noteChange(Thread& thread, const Runs& now);
  std::string text(const Busy& busy) const;

  std::vector<Program> programs_;
  std::vector<std::vector<int>> processes_;  ///< of each program; empty: it is gone
  std::vector<std::size_t> thread_counts_;   ///< of each process, one after another
  std::vector<Thread> threads_;
  std::vector<Connection> connections_;
  std::vector<pollfd> polled_;  ///< the sockets of connections_
  std::size_t hot_ = 0;         ///< the thread that was busy last is looked at first
};

}  // namespace marsim
