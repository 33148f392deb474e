#include "tools/process/launch_log.hpp"

#include <csignal>

#include "common/line_reader.hpp"

namespace marsim::tools {

void LaunchLog::add(const std::string& line) {
  if (failure_) return;
  try {
    file_.write(line.substr(0, LineReader::kLongest - 1) + "\n");
  } catch (const FileError& error) {
    failure_ = error;
    std::raise(SIGINT);
  }
}

}  // namespace marsim::tools
