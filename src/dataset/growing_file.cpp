// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/growing_file.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "common/output_file.hpp"
#include "marsim/common/error.hpp"

namespace marsim::dataset {
namespace {

constexpr std::size_t kMostBuffered = std::size_t{1} << 16U;

}  // namespace

GrowingFile::GrowingFile(const std::filesystem::path& path)
    : path_(path),
      file_(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666)) {
  if (file_ < 0) fail(errno);
}

GrowingFile::~GrowingFile() {
  if (file_ >= 0) ::close(file_);
}

void GrowingFile::fail(int error) const {
  throw FileError(path_.string(), std::string("cannot be written: ") + std::strerror(error));
}

void GrowingFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kMostBuffered) flush();
  if (bytes.size() > kMostBuffered) {
    writeFully(file_, path_, bytes.data(), bytes.size());
  } else {
    buffer_ += bytes;
  }
}

void GrowingFile::flush() {
  writeFully(file_, path_, buffer_.data(), buffer_.size());
  buffer_.clear();
}

void GrowingFile::close() {
  flush();
  // Some file systems report a full disk only here.
  if (::close(std::exchange(file_, -1)) != 0 && errno != EINTR) fail(errno);
}

void writeNewFile(const std::filesystem::path& path, std::string_view bytes) {
  GrowingFile file(path);
  file.write(bytes);
  file.close();
}

}  // namespace marsim::dataset
