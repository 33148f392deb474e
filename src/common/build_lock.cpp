// SPDX-License-Identifier: BSD-3-Clause
#include "common/build_lock.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include "marsim/common/error.hpp"

namespace marsim {

namespace fs = std::filesystem;

BuildLock::BuildLock(const fs::path& path, const std::function<void(const std::string&)>& report) {
  std::error_code failure;
  fs::create_directories(path.parent_path(), failure);
  if (failure) throw FileError(path.parent_path().string(), failure.message());
  const fs::path lock = fs::path(path).concat(".lock");
  file_ = FileDescriptor(
      open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644));
  if (!file_.valid()) throw FileError(lock.string(), std::strerror(errno));
  if (flock(file_.get(), LOCK_EX | LOCK_NB) == 0) return;
  if (errno != EWOULDBLOCK) throw FileError(lock.string(), std::strerror(errno));
  report(fmt::format("{}: another process is making it, waiting", path.string()));
  while (flock(file_.get(), LOCK_EX) != 0) {
    if (errno != EINTR) throw FileError(lock.string(), std::strerror(errno));
  }
}

}  // namespace marsim
