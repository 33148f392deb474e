// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// Runs other programs to their end.
namespace marsim::tools {

/// A TCP port of this machine that was free just now, outside the range from which the kernel takes
/// ports for outgoing connections (Linux: 32768 to 60999). Throws Error.
int freePort();

/// Whether PATH has a program of that name.
bool onPath(const std::string& program);

struct ChildCommand {
  std::vector<std::string> arguments;              ///< program (looked up in PATH) and arguments
  std::map<std::string, std::string> environment;  ///< added to this process's
  std::vector<std::string> unset;                  ///< removed from the environment
  double silence_limit = 0.0;  ///< [s] without a line of output before it is ended; 0: no limit
  /// Whether a line counts for that; none: every line does.
  std::function<bool(const std::string&)> breaks_silence = nullptr;
  /// Polled: true ends the program; none: it ends by itself.
  std::function<bool()> is_over = nullptr;
};

struct ChildResult {
  int exit_code = 0;         ///< 128 + signal if a signal ended it
  bool interrupted = false;  ///< the user asked for the end (SIGINT or SIGTERM)
  bool silent = false;       ///< ended because of silence_limit
  int orphans = 0;           ///< number of processes that it left behind, which were ended
};

/// Runs a command in a process group of its own and passes on every line of its output and standard
/// error. SIGINT and SIGTERM are sent to it as SIGINT at first, so that it can end cleanly, and as
/// SIGTERM after a second request; this process goes on when it has ended. Processes that it leaves
/// behind are ended, in whatever session. One run at a time in a process. Throws Error if it cannot
/// be started.
ChildResult runChild(const ChildCommand& command,
                     const std::function<void(const std::string&)>& on_line);

/// A line without the colours and titles of roslaunch for terminals.
std::string withoutColours(const std::string& line);

/// Throws Error if roslaunch is missing; `why` names the feature that needs it.
void requireRoslaunch(const std::string& why);

/// Runs roslaunch with a master of its own on `port`, reached without a name service; logs go to
/// the folder `log`. `words` are a file, or a package and a file, then NAME:=VALUE.
ChildCommand rosLaunch(const std::vector<std::string>& words, int port,
                       const std::filesystem::path& log);

}  // namespace marsim::tools
