// SPDX-License-Identifier: BSD-3-Clause
#include "tools/process/child_process.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "tools/process/interrupts.hpp"
#include "tools/process/orphans.hpp"

namespace marsim::tools {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kPollMs = 100;

[[noreturn]] void becomeChild(const ChildCommand& command, int output, int failure, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // no simulation stays behind if this process is killed
  if (getppid() != parent) _exit(127);
  uncountInterrupts();
  for (const std::string& name : command.unset) unsetenv(name.c_str());
  for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& argument : command.arguments) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int reason = errno;
  if (write(failure, &reason, sizeof(reason)) < 0) _exit(126);
  _exit(127);
}

// Bytes of the escape sequence of a colour or a title that begins at `at`; 0: none begins there.
std::size_t sizeOfCode(const std::string& line, std::size_t at) {
  const char kind = at + 1 < line.size() ? line[at + 1] : '\0';
  std::size_t end = std::string::npos;
  if (kind == '[') {
    end = line.find_first_not_of("0123456789;", at + 2);
    if (end != std::string::npos && std::isalpha(static_cast<unsigned char>(line[end])) == 0) {
      return 0;
    }
  } else if (kind == ']') {
    end = line.find('\a', at + 2);
  }
  return end == std::string::npos ? 0 : end + 1 - at;
}

void closeAll(std::initializer_list<int> files) {
  for (const int file : files) close(file);
}

}  // namespace

int freePort() {
  // The kernel gives outgoing connections ports from 32768 on: such a port may be gone before its
  // user opens it.
  constexpr int kFirst = 20000, kAfterLast = 32768, kTries = 1000;
  std::random_device random;
  std::uniform_int_distribution<int> some(kFirst, kAfterLast - 1);
  int reason = 0;
  for (int i = 0; i < kTries; ++i) {
    const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0) throw Error(fmt::format("no TCP socket: {}", std::strerror(errno)));
    const int port = some(random);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    const bool bound = bind(file, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    reason = errno;
    close(file);
    if (bound) return port;
  }
  throw Error(fmt::format("no free TCP port: {}", std::strerror(reason)));
}

bool onPath(const std::string& program) {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    if (!folder.empty() && access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

ChildResult runChild(const ChildCommand& command,
                     const std::function<void(const std::string&)>& on_line) {
  int output[2], failure[2];
  if (pipe2(output, O_CLOEXEC) != 0) throw Error(fmt::format("pipe: {}", std::strerror(errno)));
  if (pipe2(failure, O_CLOEXEC) != 0) throw Error(fmt::format("pipe: {}", std::strerror(errno)));
  const InterruptGuard guard;
  const OrphanKeeper orphans;
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) becomeChild(command, output[1], failure[1], self);
  closeAll({output[1], failure[1]});
  if (child < 0) {
    closeAll({output[0], failure[0]});
    throw Error(fmt::format("fork: {}", std::strerror(errno)));
  }
  setpgid(child, child);

  int reason = 0;
  const bool failed = read(failure[0], &reason, sizeof(reason)) == sizeof(reason);
  close(failure[0]);

  ChildResult result;
  Ender ender(child);
  Clock::time_point heard = Clock::now();
  LineCutter lines([&](const std::string& line) {
    on_line(line);
    if (!command.breaks_silence || command.breaks_silence(line)) heard = Clock::now();
  });
  int passed_on = 0, status = 0;
  bool open = true, running = true, ended = false;
  // Also ends if the child has ended while another process keeps the pipe open.
  while (running || open) {
    pollfd ready{output[0], POLLIN, 0};
    const int events = open ? poll(&ready, 1, running ? kPollMs : 0) : 0;
    if (events > 0) {
      char buffer[4096];
      const ssize_t size = read(output[0], buffer, sizeof(buffer));
      if (size > 0) {
        lines.add(buffer, static_cast<std::size_t>(size));
      } else if (size == 0) {
        open = false;
      }
    } else if (!running) {
      break;
    } else if (!open) {
      usleep(1000 * kPollMs);
    }
    if (passed_on < InterruptGuard::count()) {
      result.interrupted = true;
      ++passed_on;
      if (running) ender.ask();
    }
    if (!ended && command.is_over && command.is_over()) {
      ended = true;
      if (running) ender.ask();
    }
    if (command.silence_limit > 0.0 && !result.silent && !result.interrupted &&
        std::chrono::duration<double>(Clock::now() - heard).count() > command.silence_limit) {
      result.silent = true;
      if (running) ender.ask();
    }
    if (running) {
      ender.insist();
      running = waitpid(child, &status, WNOHANG) != child;
    }
  }
  lines.flush();
  close(output[0]);
  result.orphans = orphans.end(kOrphansPatience);
  if (failed) {
    throw Error(
        fmt::format("{} cannot be started: {}", command.arguments.at(0), std::strerror(reason)));
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string withoutColours(const std::string& line) {
  std::string plain;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t size = line[i] == '\x1b' ? sizeOfCode(line, i) : 0;
    if (size == 0) plain += line[i];
    i += std::max<std::size_t>(size, 1);
  }
  return plain;
}

void requireRoslaunch(const std::string& why) {
  if (onPath("roslaunch")) return;
  throw Error(fmt::format(
      "no roslaunch on the PATH: {}; use ./marsim in the source tree, or install ROS 1 and source "
      "the package's setup file",
      why));
}

ChildCommand rosLaunch(const std::vector<std::string>& words, int port,
                       const std::filesystem::path& log) {
  ChildCommand command;
  command.arguments = {"roslaunch", "-p", std::to_string(port)};
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  command.environment = {{"ROS_MASTER_URI", "http://127.0.0.1:" + std::to_string(port)},
                         {"ROS_IP", "127.0.0.1"},
                         {"ROS_LOG_DIR", log.string()},
                         {"ROS_HOME", log.string()}};
  command.unset = {"ROS_HOSTNAME", "ROS_NAMESPACE"};
  return command;
}

}  // namespace marsim::tools
