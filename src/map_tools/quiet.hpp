#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace marsim::map_tools {

/// Keeps liboctomap's reports of its progress and errors off standard error while it lives.
class QuietStandardError {
 public:
  QuietStandardError() : kept_(dup(STDERR_FILENO)) {
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0) return;
    dup2(null, STDERR_FILENO);
    close(null);
  }
  ~QuietStandardError() {
    if (kept_ < 0) return;
    dup2(kept_, STDERR_FILENO);
    close(kept_);
  }
  QuietStandardError(const QuietStandardError&) = delete;
  QuietStandardError& operator=(const QuietStandardError&) = delete;

 private:
  int kept_;
};

}  // namespace marsim::map_tools
