// SPDX-License-Identifier: BSD-3-Clause
#include "common/folder_lock.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim {
namespace {

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

FolderLock::FolderLock(const std::filesystem::path& folder) {
  const std::filesystem::path lock = folder / kLockFile;
  file_ = FileDescriptor(
      open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644));
  if (!file_.valid()) throw FileError(lock.string(), std::strerror(errno));
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

}  // namespace marsim
