// SPDX-License-Identifier: BSD-3-Clause
#include "tools/process/orphans.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace marsim::tools {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kPollUs = 20000;

// The parent of a process, from /proc/PID/stat: "pid (name) state parent ...". The name may contain
// blanks and brackets. 0 if the process has gone.
pid_t parentOf(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 4 >= line.size()) return 0;
  return static_cast<pid_t>(std::strtol(line.c_str() + name_end + 4, nullptr, 10));
}

std::set<pid_t> children() {
  std::set<pid_t> found;
  std::error_code error;
  const pid_t self = getpid();
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    const bool number = std::all_of(name.begin(), name.end(),
                                    [](unsigned char letter) { return std::isdigit(letter) != 0; });
    if (number && parentOf(name) == self) found.insert(std::stoi(name));
  }
  return found;
}

}  // namespace

OrphanKeeper::OrphanKeeper() : before_(children()) {
  prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper_);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

OrphanKeeper::~OrphanKeeper() { prctl(PR_SET_CHILD_SUBREAPER, was_subreaper_); }

int OrphanKeeper::end(double patience) const {
  const int firmness[] = {SIGINT, SIGTERM, SIGKILL};
  std::set<pid_t> met;
  std::set<pid_t> asked;  // with the present signal
  std::size_t step = 0;
  Clock::time_point since = Clock::now();
  for (;;) {
    bool any = false;
    for (const pid_t child : children()) {
      if (before_.count(child) > 0 || waitpid(child, nullptr, WNOHANG) == child) continue;
      any = true;
      met.insert(child);
      if (asked.insert(child).second) kill(child, firmness[step]);
    }
    if (!any) return static_cast<int>(met.size());
    usleep(kPollUs);
    if (std::chrono::duration<double>(Clock::now() - since).count() > patience) {
      if (++step == 3) return static_cast<int>(met.size());  // held by the kernel
      asked.clear();
      since = Clock::now();
    }
  }
}

}  // namespace marsim::tools
