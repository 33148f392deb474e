// SPDX-License-Identifier: BSD-3-Clause
#include "clock/idle_watch.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "marsim/common/error.hpp"

// Older headers lack them; the numbers are those of every architecture.
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

namespace marsim {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::microseconds kNap{40};  // between two looks
constexpr int kPollerChanges = 8;              // runs in a wait that make a poller
constexpr std::int64_t kPollerRun = 100'000;   // [ns] a poller's runs are shorter on average
constexpr std::chrono::milliseconds kPollerSearch{20};
constexpr std::chrono::milliseconds kLongestSearch{1000};  // where threads wait for a processor
constexpr std::int64_t kPollerSleep = 4'000'000;  // [ns] a poller sleeps for less between its runs
constexpr std::int64_t kSleepSeen = 10'000'000;   // [ns] of sleep that tell a poller from others
constexpr std::chrono::milliseconds kPollerRest{50};  // a thread that sleeps longer is no poller

void nap() {
  const timespec time{0, std::chrono::nanoseconds(kNap).count()};
  nanosleep(&time, nullptr);
}

// Reads a small file of /proc from its beginning; empty if its thread is gone.
std::string_view readStart(const FileDescriptor& file, char (&buffer)[256]) {
  const ssize_t size = pread(file.get(), buffer, sizeof(buffer) - 1, 0);
  if (size <= 0) return {};
  buffer[size] = '\0';
  return {buffer, static_cast<std::size_t>(size)};
}

// The letter after the name, which may hold any characters; 'X' of a thread that is gone.
char stateOf(const FileDescriptor& stat) {
  char buffer[256];
  const std::string_view text = readStart(stat, buffer);
  const std::size_t end = text.rfind(')');
  return end == std::string_view::npos || end + 2 >= text.size() ? 'X' : text[end + 2];
}

bool sleeps(char state) { return std::strchr("SIXZ", state) != nullptr; }

FileDescriptor openInProc(int pid, int tid, const char* name) {
  const std::string path = fmt::format("/proc/{}/task/{}/{}", pid, tid, name);
  return FileDescriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

std::vector<int> numbersIn(const fs::path& folder) {
  std::vector<int> numbers;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    numbers.push_back(std::atoi(entry.path().filename().c_str()));
  }
  return numbers;
}

fs::path inProc(int pid, const char* name) {
  return fs::path("/proc") / std::to_string(pid) / name;
}

// Number of threads: folders below task. 0: it is gone.
std::size_t threadCount(int pid) {
  struct stat status {};
  return stat(inProc(pid, "task").c_str(), &status) == 0 ? status.st_nlink - 2 : 0;
}

// Whether it has ended; its parent may not have looked yet.
bool hasEnded(int pid) {
  const FileDescriptor stat = openInProc(pid, pid, "stat");
  return !stat.valid() || std::strchr("XZ", stateOf(stat)) != nullptr;
}

// A process and all that descend from it; nothing if it is gone.
std::vector<int> processTree(int root) {
  std::vector<int> tree;
  if (hasEnded(root)) return tree;
  tree.push_back(root);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    for (const int tid : numbersIn(inProc(tree[i], "task"))) {
      std::ifstream children(fmt::format("/proc/{}/task/{}/children", tree[i], tid));
      for (int child = 0; children >> child;) tree.push_back(child);
    }
  }
  return tree;
}

std::string nameOfThread(int pid, int tid) {
  std::ifstream file(fmt::format("/proc/{}/task/{}/comm", pid, tid));
  std::string name;
  std::getline(file, name);
  return name;
}

// An end of a connection as bytes; empty if it is none.
std::string addressOf(int socket, decltype(&getsockname) get) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (get(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  if (address.ss_family == AF_INET) {
    const auto& ip = reinterpret_cast<const sockaddr_in&>(address);
    return std::string(reinterpret_cast<const char*>(&ip.sin_addr), sizeof(ip.sin_addr)) +
           std::to_string(ntohs(ip.sin_port));
  }
  if (address.ss_family == AF_INET6) {
    const auto& ip = reinterpret_cast<const sockaddr_in6&>(address);
    return std::string(reinterpret_cast<const char*>(&ip.sin6_addr), sizeof(ip.sin6_addr)) +
           std::to_string(ntohs(ip.sin6_port));
  }
  return "";
}

bool readTcpInfo(int socket, tcp_info& info) {
  socklen_t size = sizeof(info);
  std::memset(&info, 0, sizeof(info));
  return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0;
}

// Whether the peer has received all that was sent: only its acknowledgement is still missing.
bool isReceived(int socket, int peer) {
  tcp_info sent, received;
  return readTcpInfo(socket, sent) && readTcpInfo(peer, received) && sent.tcpi_notsent_bytes == 0 &&
         sent.tcpi_bytes_sent - sent.tcpi_bytes_retrans == received.tcpi_bytes_received;
}

[[noreturn]] void refuse(const IdleWatch::Program& program, int pid, int error) {
  const char* hint = error == ENOSYS  ? "it needs Linux 5.6"
                     : error == EPERM ? "it needs the same user and the right to trace (see "
                                        "/proc/sys/kernel/yama/ptrace_scope)"
                                      : "";
  throw Error(fmt::format("cannot look at the sockets of {} (process {}): {}{}{}", program.name,
                          pid, std::strerror(error), *hint == '\0' ? "" : ", ", hint));
}

}  // namespace

IdleWatch::IdleWatch(std::vector<Program> programs) : programs_(std::move(programs)) {
  prctl(PR_SET_TIMERSLACK, 1);  // short naps
  refresh();
}

void IdleWatch::refresh() {
  listProcesses();
  listThreads();
  listConnections();
}

void IdleWatch::listProcesses() {
  processes_.clear();
  for (const Program& program : programs_) processes_.push_back(processTree(program.pid));
}

bool IdleWatch::isGone(std::size_t program) const { return processes_[program].empty(); }

void IdleWatch::refreshThreads() {
  std::size_t process = 0;
  for (const std::vector<int>& pids : processes_) {
    for (const int pid : pids) {
      if (threadCount(pid) != thread_counts_[process++]) {
        listProcesses();
        return listThreads();
      }
    }
  }
}

// Threads that are known already keep what is known of them.
void IdleWatch::listThreads() {
  std::map<int, Thread> known;
  for (Thread& thread : threads_) known.emplace(thread.tid, std::move(thread));
  threads_.clear();
  thread_counts_.clear();
  const int self = static_cast<int>(syscall(SYS_gettid));
  for (std::size_t program = 0; program < programs_.size(); ++program) {
    for (const int pid : processes_[program]) {
      thread_counts_.push_back(threadCount(pid));
      for (const int tid : numbersIn(inProc(pid, "task"))) {
        if (tid == self) continue;
        const auto before = known.find(tid);
        if (before != known.end()) {
          threads_.push_back(std::move(before->second));
          continue;
        }
        threads_.push_back({program, pid, tid, nameOfThread(pid, tid), openInProc(pid, tid, "stat"),
                            openInProc(pid, tid, "schedstat")});
      }
    }
  }
  hot_ = 0;
}

void IdleWatch::listConnections() {
  connections_.clear();
  polled_.clear();
  for (std::size_t program = 0; program < programs_.size(); ++program) {
    for (const int pid : processes_[program]) listConnectionsOf(program, pid);
  }
  std::map<std::string, int> by_ends;
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    by_ends[connections_[i].from + '>' + connections_[i].to] = static_cast<int>(i);
  }
  for (Connection& connection : connections_) {
    const auto peer = by_ends.find(connection.to + '>' + connection.from);
    if (peer != by_ends.end()) connection.peer = peer->second;
    polled_.push_back({connection.socket.get(), POLLIN, 0});
  }
}

void IdleWatch::listConnectionsOf(std::size_t program, int pid) {
  const bool is_self = pid == getpid();
  const FileDescriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!process.valid()) {
    if (errno == ESRCH || errno == EINVAL) return;  // it has just ended
    refuse(programs_[program], pid, errno);
  }
  if (access(inProc(pid, "fd").c_str(), R_OK | X_OK) != 0 && errno == EACCES) {
    refuse(programs_[program], pid, EPERM);
  }
  for (const int number : numbersIn(inProc(pid, "fd"))) {
    std::error_code error;
    const fs::path link = fs::read_symlink(inProc(pid, "fd") / std::to_string(number), error);
    if (error || link.string().rfind("socket:", 0) != 0) continue;
    FileDescriptor copy(is_self
                            ? fcntl(number, F_DUPFD_CLOEXEC, 0)
                            : static_cast<int>(syscall(SYS_pidfd_getfd, process.get(), number, 0)));
    if (!copy.valid()) {
      if (errno == EPERM || errno == ENOSYS) refuse(programs_[program], pid, errno);
      continue;  // closed meanwhile
    }
    std::string from = addressOf(copy.get(), getsockname), to = addressOf(copy.get(), getpeername);
    if (from.empty() || to.empty()) continue;
    connections_.push_back({program, pid, std::move(copy), std::move(from), std::move(to)});
  }
}

IdleWatch::Runs IdleWatch::runsOf(const FileDescriptor& schedstat) {
  char buffer[256];
  if (readStart(schedstat, buffer).empty()) return {};
  Runs runs;
  char* end = buffer;
  runs.time = std::strtoll(end, &end, 10);
  runs.delay = std::strtoll(end, &end, 10);
  runs.count = std::strtoll(end, &end, 10);
  return runs;
}

// All counts before all states: a thread that wakes another one and then sleeps either has run
// since its count was read, or woke it before its state is read. The other may still wait for a
// processor, which its own count does not tell.
std::optional<IdleWatch::Busy> IdleWatch::awake(const Among& among) {
  const auto runs = [&](std::size_t i) {
    return among(threads_[i]) && !sleeps(stateOf(threads_[i].stat));
  };
  if (hot_ < threads_.size() && runs(hot_)) return Busy{Busy::Kind::kRuns, hot_};
  for (Thread& thread : threads_) {
    if (among(thread)) thread.seen = runsOf(thread.schedstat);
  }
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (!runs(i)) continue;
    hot_ = i;
    return Busy{Busy::Kind::kRuns, i};
  }
  return std::nullopt;
}

std::optional<IdleWatch::Busy> IdleWatch::hasRun(const Among& among) {
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    if (!among(thread) || thread.polls) continue;
    const Runs now = runsOf(thread.schedstat);
    if (now == thread.seen) continue;
    noteChange(thread, now);
    return Busy{Busy::Kind::kHasRun, i};
  }
  return std::nullopt;
}

// A thread that keeps running shortly while all others rest polls.
void IdleWatch::noteChange(Thread& thread, const Runs& now) {
  if (programs_[thread.program].is_own) return;
  if (thread.changes++ == 0) thread.first = thread.seen;
  const std::int64_t runs = now.count - thread.first.count;
  thread.polls = thread.changes >= kPollerChanges && runs >= kPollerChanges &&
                 (now.time - thread.first.time) / runs < kPollerRun;
}

// Beside busy processes a thread may wait for a processor for longer than it sleeps, so the search
// goes on until it has seen enough of each thread's sleep.
void IdleWatch::findPollers() {
  for (Thread& thread : threads_) thread.first = runsOf(thread.schedstat);
  const WallTime begin = WallClock::now();
  bool enough = false;
  while (!enough && WallClock::now() - begin < kLongestSearch) {
    std::this_thread::sleep_for(kPollerSearch);
    enough = true;
    for (Thread& thread : threads_) {
      if (programs_[thread.program].is_own) continue;
      const bool rests =
          sleeps(stateOf(thread.stat));  // else it has waited for longer than is told
      const Runs now = runsOf(thread.schedstat);
      const std::int64_t elapsed = std::chrono::nanoseconds(WallClock::now() - begin).count();
      const std::int64_t runs = now.count - thread.first.count, time = now.time - thread.first.time;
      const std::int64_t sleep = elapsed - time - (now.delay - thread.first.delay);
      enough = enough && (now.count < 0 || (rests && sleep > kSleepSeen));
      if (!rests || runs < 2) continue;
      if (sleep < runs * kPollerSleep && time < runs * kPollerRun) thread.polls = true;
    }
  }
  for (Thread& thread : threads_) thread.is_new = false;
}

bool IdleWatch::hasNewThreads() const {
  return std::any_of(threads_.begin(), threads_.end(), [this](const Thread& thread) {
    return thread.is_new && !programs_[thread.program].is_own;
  });
}

// Data under way first: what arrives meanwhile is then seen as unread.
std::optional<IdleWatch::Busy> IdleWatch::undelivered() {
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    const Connection& connection = connections_[i];
    int unsent = 0;
    if (connection.peer < 0 || ioctl(connection.socket.get(), SIOCOUTQ, &unsent) != 0 ||
        unsent <= 0) {
      continue;
    }
    const Connection& peer = connections_[static_cast<std::size_t>(connection.peer)];
    if (!isReceived(connection.socket.get(), peer.socket.get())) {
      return Busy{Busy::Kind::kUnderWay, i};
    }
  }
  if (poll(polled_.data(), polled_.size(), 0) > 0) {
    for (std::size_t i = 0; i < polled_.size(); ++i) {
      if ((polled_[i].revents & POLLIN) == 0 || (polled_[i].revents & (POLLHUP | POLLERR)) != 0) {
        continue;
      }
      int unread = 0;
      if (ioctl(polled_[i].fd, SIOCINQ, &unread) == 0 && unread > 0) {
        return Busy{Busy::Kind::kUnread, i};
      }
    }
  }
  return std::nullopt;
}

// Looks at the data between two looks at the threads: they are the same ones.
std::optional<IdleWatch::Busy> IdleWatch::busy(const Among& among) {
  if (auto found = awake(among)) return found;
  if (auto found = hasRun(among)) return found;
  if (auto found = undelivered()) return found;
  return hasRun(among);
}

std::optional<IdleWatch::Busy> IdleWatch::waitFor(const Among& among, WallTime deadline) {
  for (Thread& thread : threads_) thread.changes = 0;
  while (true) {
    const std::optional<Busy> found = busy(among);
    if (!found || WallClock::now() > deadline) return found;
    nap();
  }
}

// Waits until each poller has run once more, from a count that was read while it slept: one read
// while it runs may be of a run that began before the tick.
std::optional<IdleWatch::Busy> IdleWatch::passPollers(std::size_t program, WallTime deadline,
                                                      bool& others_ran) {
  std::vector<std::size_t> pollers;
  std::vector<std::pair<std::size_t, Runs>> others;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    if (thread.program != program) continue;
    if (!thread.polls) {
      others.emplace_back(i, thread.seen);
      continue;
    }
    while (!sleeps(stateOf(thread.stat))) {
      if (WallClock::now() > deadline) return Busy{Busy::Kind::kRuns, i};
      nap();
    }
    thread.seen = runsOf(thread.schedstat);
    pollers.push_back(i);
  }
  const WallTime since = WallClock::now();
  for (const std::size_t i : pollers) {
    Thread& thread = threads_[i];
    while (thread.polls) {
      const bool has_run = runsOf(thread.schedstat).count > thread.seen.count;
      const bool rests = sleeps(stateOf(thread.stat));
      if (has_run && rests) break;
      const WallTime now = WallClock::now();
      if (rests && now - since > kPollerRest) {
        thread.polls = runsOf(thread.schedstat).count > thread.seen.count;
        continue;
      }
      if (now > deadline) return Busy{Busy::Kind::kDoesNotPoll, i};
      nap();
    }
  }
  others_ran = std::any_of(others.begin(), others.end(), [this](const auto& other) {
    return !(runsOf(threads_[other.first].schedstat) == other.second);
  });
  // Another poller may have to see the effect of the first.
  others_ran = others_ran && pollers.size() > 1;
  return std::nullopt;
}

std::optional<std::string> IdleWatch::wait(WallTime deadline) {
  const auto found = waitFor([](const Thread&) { return true; }, deadline);
  return found ? std::optional(text(*found)) : std::nullopt;
}

std::optional<std::string> IdleWatch::waitAfterTick(std::size_t program, WallTime deadline) {
  const int self = getpid();
  const auto told = [&](const Thread& thread) {
    return thread.program == program || thread.pid == self;
  };
  const auto foreign = [this](const Thread& thread) { return !programs_[thread.program].is_own; };
  bool again = true;
  std::optional<Busy> found;
  while (!found && again) {
    found = waitFor(told, deadline);
    if (!found) found = passPollers(program, deadline, again);
  }
  if (!found) found = waitFor(foreign, deadline);
  return found ? std::optional(text(*found)) : std::nullopt;
}

std::string IdleWatch::text(const Busy& busy) const {
  const bool is_thread = busy.kind != Busy::Kind::kUnread && busy.kind != Busy::Kind::kUnderWay;
  const std::size_t program =
      is_thread ? threads_[busy.index].program : connections_[busy.index].program;
  const int pid = is_thread ? threads_[busy.index].pid : connections_[busy.index].pid;
  const std::string who = fmt::format("{} (process {})", programs_[program].name, pid);
  if (is_thread) {
    const Thread& thread = threads_[busy.index];
    const char* does = busy.kind == Busy::Kind::kRuns     ? "does not sleep"
                       : busy.kind == Busy::Kind::kHasRun ? "keeps running"
                                                          : "no longer looks at the time";
    return fmt::format("{}: its thread '{}' {} (state {})", who, thread.name, does,
                       stateOf(thread.stat));
  }
  const int peer = connections_[busy.index].peer;
  const std::string other =
      peer < 0 ? "another program"
               : programs_[connections_[static_cast<std::size_t>(peer)].program].name;
  return busy.kind == Busy::Kind::kUnread
             ? fmt::format("{}: it does not read what {} sent", who, other)
             : fmt::format("{}: data for {} are under way", who, other);
}

}  // namespace marsim
