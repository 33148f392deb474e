// SPDX-License-Identifier: BSD-3-Clause
#include "common/file_locks.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim {
namespace fs = std::filesystem;
namespace {

FileDescriptor openLock(const fs::path& lock) {
  FileDescriptor file(
      open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644));
  if (!file.valid()) throw FileError(lock.string(), std::strerror(errno));
  return file;
}

std::string now() {
  const std::time_t time = std::time(nullptr);
  std::tm local{};
  localtime_r(&time, &local);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local)};
}

/// The text in which the holder names itself.
std::string holderIn(int file) {
  std::array<char, 128> text{};
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  const std::string_view line(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  return line.empty() ? "another process" : clipped(trimmed(line));
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder) {
  const fs::path lock = folder / kLockFile;
  file_ = openLock(lock);
  if (flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    const bool held = errno == EWOULDBLOCK;
    throw FileError(folder.string(),
                    held ? "in use by " + holderIn(file_.get()) : std::strerror(errno));
  }
  const std::string holder = fmt::format("process {} since {}\n", getpid(), now());
  if (ftruncate(file_.get(), 0) != 0 ||
      pwrite(file_.get(), holder.data(), holder.size(), 0) != static_cast<ssize_t>(holder.size())) {
    throw FileError(lock.string(), "cannot be written");
  }
}

BuildLock::BuildLock(const fs::path& path, const std::function<void(const std::string&)>& report) {
  std::error_code failure;
  fs::create_directories(path.parent_path(), failure);
  if (failure) throw FileError(path.parent_path().string(), failure.message());
  const fs::path lock = fs::path(path).concat(".lock");
  file_ = openLock(lock);
  if (flock(file_.get(), LOCK_EX | LOCK_NB) == 0) return;
  if (errno != EWOULDBLOCK) throw FileError(lock.string(), std::strerror(errno));
  report(fmt::format("{}: another process is making it, waiting", path.string()));
  while (flock(file_.get(), LOCK_EX) != 0) {
    if (errno != EINTR) throw FileError(lock.string(), std::strerror(errno));
  }
}

}  // namespace marsim
