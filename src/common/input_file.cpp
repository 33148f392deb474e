// SPDX-License-Identifier: BSD-3-Clause
#include "common/input_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/output_file.hpp"
#include "marsim/common/error.hpp"

namespace marsim {
namespace {

thread_local ReadLog* read_log = nullptr;

std::string sizeText(std::size_t bytes) {
  constexpr std::size_t kMebi = std::size_t{1} << 20;
  return bytes % kMebi == 0 ? fmt::format("{} MiB", bytes / kMebi) : fmt::format("{} bytes", bytes);
}

}  // namespace

FileDescriptor openRegularFile(const std::filesystem::path& path, std::size_t& size) {
  // O_NONBLOCK: opening a FIFO would otherwise wait for a writer.
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!file.valid() || fstat(file.get(), &status) != 0) {
    if (errno == ENOENT) throw FileError(path.string(), "no such file");
    throw FileError(path.string(), fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  if (S_ISDIR(status.st_mode)) throw FileError(path.string(), "is a folder");
  if (!S_ISREG(status.st_mode)) throw FileError(path.string(), "is no regular file");
  if (willBeReplaced(status)) {
    throw FileError(path.string(),
                    "is an input and an output, allowed: another file for the output");
  }
  size = static_cast<std::size_t>(status.st_size);
  return file;
}

std::string readFile(const std::filesystem::path& path, std::size_t most) {
  std::size_t size = 0;
  const FileDescriptor file = openRegularFile(path, size);
  const auto refuse = [&] {
    throw FileError(path.string(),
                    fmt::format("is larger than {}, which is the limit", sizeText(most)));
  };
  if (size > most) refuse();
  // Files of /proc have no size, and others may grow.
  std::string text;
  char buffer[65536];
  while (true) {
    const ssize_t got = read(file.get(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      throw FileError(path.string(), fmt::format("cannot be read: {}", std::strerror(errno)));
    }
    if (got == 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > most) refuse();
  }
  if (read_log != nullptr) read_log->note(path);
  return text;
}

ReadLog::ReadLog() : before_(read_log) { read_log = this; }

ReadLog::~ReadLog() { read_log = before_; }

void ReadLog::note(const std::filesystem::path& path) {
  if (std::find(files_.begin(), files_.end(), path) == files_.end()) files_.push_back(path);
}

}  // namespace marsim
