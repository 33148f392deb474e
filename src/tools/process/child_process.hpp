#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// Running another program to its end.
namespace marsim::tools {

/// A TCP port of this machine that was free a moment ago. Throws Error.
int freePort();

/// Whether a program of that name can be found through PATH.
bool onPath(const std::string& program);

struct ChildCommand {
  std::vector<std::string> arguments;              ///< program (looked up in PATH) and arguments
  std::map<std::string, std::string> environment;  ///< set on top of this process's
  std::vector<std::string> unset;                  ///< taken out of the environment
  double silence_limit = 0.0;  ///< [s] without a line of output until it is ended; 0: no limit
  /// Which lines count for that; none: every line does.
  std::function<bool(const std::string&)> breaks_silence = nullptr;
  /// Asked again and again: true ends it; none: it ends by itself.
  std::function<bool()> is_over = nullptr;
};

struct ChildResult {
  int exit_code = 0;         ///< 128 + signal where a signal ended it
  bool interrupted = false;  ///< the user asked for the end (SIGINT or SIGTERM)
  bool silent = false;       ///< ended because of silence_limit
  int orphans = 0;           ///< processes that it left behind, which were ended
};

/// Runs a command in a process group of its own and hands over every line of its output, standard
/// error included. SIGINT and SIGTERM are passed on to it once as SIGINT, so that it can end in
/// good order, and as SIGTERM if it is asked again; this process goes on when it has ended. What it
/// leaves behind is ended, in whatever session. One run at a time in a process. Throws Error where
/// it cannot be started.
ChildResult runChild(const ChildCommand& command,
                     const std::function<void(const std::string&)>& on_line);

/// A line without the colours and titles that roslaunch writes for terminals.
std::string withoutColours(const std::string& line);

/// Throws Error where there is no roslaunch; `why` says what needs it.
void requireRoslaunch(const std::string& why);

/// roslaunch with a master of its own on `port`, reached without any name service; logs go to the
/// folder `log`. `words` are a file, or a package and a file, then NAME:=VALUE.
ChildCommand rosLaunch(const std::vector<std::string>& words, int port,
                       const std::filesystem::path& log);

}  // namespace marsim::tools
