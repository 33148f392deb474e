// SPDX-License-Identifier: BSD-3-Clause
#include "tools/process/process_pool.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "marsim/common/error.hpp"

namespace marsim::tools {
namespace {

constexpr int kPoolPollMs = 100;
constexpr int kFailed = 125;       // exit code of a worker that threw
const char* const kMark = "\x1d";  // mark of the line with the text of an exception

[[noreturn]] void work(const ProcessPool::Body& body, int output, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kFailed);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  int code = kFailed;
  try {
    code = body();
  } catch (const std::exception& error) {
    std::printf("\n%s%s\n", kMark, error.what());
  }
  std::fflush(nullptr);
  _exit(code);
}

}  // namespace

ProcessPool::~ProcessPool() {
  for (auto& [id, worker] : workers_) {
    kill(-worker.process, SIGKILL);
    waitpid(worker.process, nullptr, 0);
    close(worker.output);
  }
}

void ProcessPool::start(std::size_t id, const Body& body) {
  int output[2];
  if (pipe2(output, O_CLOEXEC) != 0) throw Error(fmt::format("pipe: {}", std::strerror(errno)));
  fcntl(output[0], F_SETFL, O_NONBLOCK);
  std::fflush(nullptr);  // buffered output would be printed twice
  const pid_t self = getpid();
  const pid_t process = fork();
  if (process == 0) work(body, output[1], self);
  const int reason = errno;
  close(output[1]);
  if (process < 0) {
    close(output[0]);
    throw Error(fmt::format("fork: {}", std::strerror(reason)));
  }
  setpgid(process, process);
  auto heard = std::make_shared<std::vector<std::string>>();
  workers_.emplace(id,
                   Worker{process, output[0], heard,
                          LineCutter([heard](const std::string& line) { heard->push_back(line); }),
                          Ender(process), ""});
}

void ProcessPool::readLines(Worker& worker) {
  char buffer[4096];
  ssize_t size = 0;
  while ((size = read(worker.output, buffer, sizeof(buffer))) > 0) {
    worker.lines.add(buffer, static_cast<std::size_t>(size));
  }
}

std::vector<ProcessPool::End> ProcessPool::serve(
    const std::function<void(std::size_t, const std::string&)>& on_line) {
  std::vector<pollfd> ready;
  for (const auto& [id, worker] : workers_) ready.push_back({worker.output, POLLIN, 0});
  const int events = poll(ready.data(), ready.size(), kPoolPollMs);
  // A worker that has closed its output but not ended yet is always ready.
  if (events > 0) usleep(1000 * kPoolPollMs / 10);
  std::vector<End> ends;
  for (auto i = workers_.begin(); i != workers_.end();) {
    Worker& worker = i->second;
    worker.ender.insist();
    int status = 0;
    const bool ended = waitpid(worker.process, &status, WNOHANG) == worker.process;
    readLines(worker);
    if (ended) worker.lines.flush();
    for (const std::string& line : *worker.heard) {
      if (line.compare(0, 1, kMark) == 0) {
        worker.failure = line.substr(1);
      } else {
        on_line(i->first, line);
      }
    }
    worker.heard->clear();
    if (!ended) {
      ++i;
      continue;
    }
    close(worker.output);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    ends.push_back({i->first, code, worker.failure});
    i = workers_.erase(i);
  }
  return ends;
}

void ProcessPool::ask() {
  for (auto& [id, worker] : workers_) worker.ender.ask();
}

}  // namespace marsim::tools
