#include "tools/launch_log.hpp"

#include <csignal>

namespace marsim::tools {

void LaunchLog::add(const std::string& line) {
  if (failure_) return;
  try {
    file_.write(line + "\n");
  } catch (const FileError& error) {
    failure_ = error;
    std::raise(SIGINT);
  }
}

}  // namespace marsim::tools
