#include "tools/child_process.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <regex>

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <boost/asio/ip/tcp.hpp>
#include <boost/process.hpp>
#include <boost/process/extend.hpp>

#include "marsim/common/error.hpp"
#include "tools/orphans.hpp"

namespace marsim::tools {

namespace bp = boost::process;

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kPollMs = 100;
constexpr double kPatience = 30.0;        // [s] for an orderly end before it is insisted on
constexpr double kOrphansPatience = 3.0;  // [s] the same for what a child leaves behind

constexpr std::array<int, 4> kSignals{SIGINT, SIGTERM, SIGHUP, SIGPIPE};

volatile std::sig_atomic_t interrupts = 0;

void countInterrupt(int /*signal*/) { interrupts = interrupts + 1; }
// Comes with every line that nobody reads any more: one request to end.
void noteClosedPipe(int /*signal*/) {
  if (interrupts == 0) interrupts = 1;
}

// Counts SIGINT, SIGTERM, SIGHUP (a terminal that was closed) and SIGPIPE (a reader of the output
// that went) instead of dying of them, while it lives.
class InterruptGuard {
 public:
  InterruptGuard() {
    interrupts = 0;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction action {};
      action.sa_handler = kSignals[i] == SIGPIPE ? noteClosedPipe : countInterrupt;
      sigaction(kSignals[i], &action, &old_[i]);
    }
  }
  ~InterruptGuard() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &old_[i], nullptr);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  std::array<struct sigaction, kSignals.size()> old_{};
};

// Cuts a stream into lines; a carriage return ends one, too.
class LineCutter {
 public:
  explicit LineCutter(const std::function<void(const std::string&)>& on_line) : on_line_(on_line) {}
  void add(const char* data, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      if (data[i] == '\n' || data[i] == '\r') {
        flush();
      } else {
        line_.push_back(data[i]);
      }
    }
  }
  void flush() {
    if (!line_.empty()) on_line_(line_);
    line_.clear();
  }

 private:
  const std::function<void(const std::string&)>& on_line_;
  std::string line_;
};

// Passes requests to end on to the child's group, more firmly each time.
class Ender {
 public:
  explicit Ender(pid_t child) : child_(child) {}
  void ask() {
    kill(-child_, asked_ == 0 ? SIGINT : asked_ == 1 ? SIGTERM : SIGKILL);
    ++asked_;
    last_ = Clock::now();
  }
  // Asks again where the child takes no notice.
  void insist() {
    if (asked_ > 0 && std::chrono::duration<double>(Clock::now() - last_).count() > kPatience) {
      ask();
    }
  }

 private:
  pid_t child_;
  int asked_ = 0;
  Clock::time_point last_;
};

// In a group of its own; ended with this process, so that no simulation is left behind.
bp::child start(const ChildCommand& command, bp::pipe& output, bp::group& group) {
  const std::string& name = command.arguments.at(0);
  const bool is_path = name.find('/') != std::string::npos;
  const std::string program = is_path ? name : bp::search_path(name).string();
  if (program.empty()) throw Error(name + " cannot be started: it is not on the PATH");
  bp::environment environment = boost::this_process::environment();
  for (const std::string& variable : command.unset) environment.erase(variable);
  for (const auto& [variable, value] : command.environment) environment[variable] = value;
  const auto become = [parent = getpid()](auto&) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(127);
    for (const int caught : kSignals) std::signal(caught, SIG_DFL);
  };
  try {
    return bp::child(
        bp::exe = program,
        bp::args = std::vector<std::string>(command.arguments.begin() + 1, command.arguments.end()),
        environment, group, bp::std_in<bp::null, (bp::std_out & bp::std_err)> output,
        bp::extend::on_exec_setup(become));
  } catch (const bp::process_error& error) {
    throw Error(fmt::format("{} cannot be started: {}", name, error.code().message()));
  }
}

}  // namespace

int freePort() {
  using boost::asio::ip::tcp;
  try {
    boost::asio::io_context context;
    const tcp::endpoint any(boost::asio::ip::address_v4::loopback(), 0);
    return tcp::acceptor(context, any).local_endpoint().port();
  } catch (const boost::system::system_error& error) {
    throw Error(fmt::format("no free TCP port: {}", error.code().message()));
  }
}

bool onPath(const std::string& program) { return !bp::search_path(program).empty(); }

ChildResult runChild(const ChildCommand& command,
                     const std::function<void(const std::string&)>& on_line) {
  const InterruptGuard guard;
  const OrphanKeeper orphans;
  bp::pipe output;
  bp::group group;
  bp::child child = start(command, output, group);

  ChildResult result;
  Ender ender(child.id());
  LineCutter lines(on_line);
  int passed_on = 0;
  bool open = true, running = true;
  Clock::time_point heard = Clock::now();
  // Also ends when the child has ended while something it started keeps the pipe open.
  while (running || open) {
    pollfd ready{output.native_source(), POLLIN, 0};
    const int events = open ? poll(&ready, 1, running ? kPollMs : 0) : 0;
    if (events > 0) {
      char buffer[4096];
      const ssize_t size = read(output.native_source(), buffer, sizeof(buffer));
      if (size > 0) {
        lines.add(buffer, static_cast<std::size_t>(size));
        heard = Clock::now();
      } else if (size == 0) {
        open = false;
      }
    } else if (!running) {
      break;
    } else if (!open) {
      usleep(1000 * kPollMs);
    }
    if (passed_on < interrupts) {
      result.interrupted = true;
      ++passed_on;
      if (running) ender.ask();
    }
    if (command.silence_limit > 0.0 && !result.silent && !result.interrupted &&
        std::chrono::duration<double>(Clock::now() - heard).count() > command.silence_limit) {
      result.silent = true;
      if (running) ender.ask();
    }
    if (running) {
      ender.insist();
      running = child.running();
    }
  }
  lines.flush();
  result.orphans = orphans.end(kOrphansPatience);
  const int status = child.native_exit_code();
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string withoutColours(const std::string& line) {
  static const std::regex codes("\x1b(\\[[0-9;]*[A-Za-z]|\\][^\x07]*\x07)");
  return std::regex_replace(line, codes, "");
}

void requireRoslaunch(const std::string& why) {
  if (onPath("roslaunch")) return;
  throw Error(fmt::format(
      "no roslaunch on the PATH: {}; use ./marsim in the source tree, or install ROS 1 and source "
      "the package's setup file",
      why));
}

ChildCommand rosLaunch(const std::string& file, const std::vector<std::string>& arguments, int port,
                       const std::filesystem::path& log) {
  ChildCommand command;
  command.arguments = {"roslaunch", "-p", std::to_string(port), "marsim", file};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.environment = {{"ROS_MASTER_URI", "http://127.0.0.1:" + std::to_string(port)},
                         {"ROS_IP", "127.0.0.1"},
                         {"ROS_LOG_DIR", log.string()},
                         {"ROS_HOME", log.string()}};
  command.unset = {"ROS_HOSTNAME", "ROS_NAMESPACE"};
  return command;
}

}  // namespace marsim::tools
