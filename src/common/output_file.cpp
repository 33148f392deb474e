// SPDX-License-Identifier: BSD-3-Clause
#include "common/output_file.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kUsualMode = 0666;  // reduced by the process's umask
constexpr int kMostLinks = 40;       // as many as Linux follows

/// The target file of a path.
struct Target {
  fs::path path;  ///< after following all symbolic links
  mode_t mode = kUsualMode;
  bool exists = false;
  bool through = false;  ///< it is a device or FIFO, written directly
};

/// Files that this process will replace, by device and inode. Each is held open, so that its inode
/// is not given to another file.
class ClaimedFiles {
 public:
  void add(const fs::path& path) {
    FileDescriptor file(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat status {};
    if (!file.valid() || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    files_.emplace(std::make_pair(status.st_dev, status.st_ino), std::move(file));
  }
  bool has(const struct stat& status) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return files_.count({status.st_dev, status.st_ino}) > 0;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<dev_t, ino_t>, FileDescriptor> files_;
};

ClaimedFiles& claimedFiles() {
  static ClaimedFiles files;
  return files;
}

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw FileError(path.string(), "cannot be written: " + reason);
}

fs::path folderOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// The target of a chain of links, whether it exists or not.
fs::path followed(const fs::path& path) {
  fs::path at = path;
  std::error_code none;
  for (int links = 0; fs::is_symlink(fs::symlink_status(at, none)); ++links) {
    if (links == kMostLinks) refuse(path, std::strerror(ELOOP));
    const fs::path to = fs::read_symlink(at, none);
    if (to.empty()) refuse(path, "its symbolic link cannot be read");
    at = folderOf(at) / to;
  }
  return at;
}

Target targetOf(const fs::path& path) {
  if (path.filename().empty()) refuse(path, "no name of a file");
  Target target;
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) refuse(path, "is a folder");
    if (S_ISBLK(status.st_mode)) refuse(path, "is a block device");
    if (S_ISSOCK(status.st_mode)) refuse(path, "is a socket");
    target.exists = true;
    target.through = !S_ISREG(status.st_mode);
    target.mode = status.st_mode & 07777;
  } else if (errno != ENOENT) {
    refuse(path, std::strerror(errno));
  }
  target.path = target.through ? path : followed(path);
  if (target.through) return target;
  std::error_code none;
  const fs::path folder = folderOf(target.path);
  if (!fs::is_directory(folder, none)) refuse(path, "its folder does not exist");
  if (target.exists && access(target.path.c_str(), W_OK) != 0) refuse(path, std::strerror(errno));
  return target;
}

/// Descriptor of a device, FIFO or existing file; a FIFO without a reader does not block.
int openExisting(const fs::path& path, int flags) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
  if (file < 0 && errno == ENXIO) refuse(path, "is a FIFO that nobody reads");
  if (file < 0) refuse(path, std::strerror(errno));
  fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
  return file;
}

}  // namespace

OutputFile::OutputFile(const fs::path& path) : path_(path) {
  const Target target = targetOf(path);
  target_ = target.path;
  if (target.through) {
    file_ = openExisting(path, 0);
    return;
  }
  open(target.mode);
  // A file keeps its permissions when its content is replaced.
  if (target.exists) static_cast<void>(fchmod(file_, target.mode));
}

void OutputFile::open(mode_t mode) {
  static std::atomic<unsigned> counter{0};
  // A short name of its own, since the target's may have the greatest length.
  temporary_ = folderOf(target_) / fmt::format(".marsim-{}-{}.tmp", getpid(), counter++);
  file_ =
      ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode & 0777);
  if (file_ >= 0) return;
  const int error = errno;
  temporary_.clear();  // not this object's
  fail(error);
}

OutputFile::~OutputFile() {
  if (file_ >= 0) close(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::fail(int error) const { refuse(path_, std::strerror(error)); }

void writeFully(int file, const fs::path& path, const void* data, std::size_t size) {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // Linux writes at most 2 GiB at a time
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(file, bytes, std::min(size, kMost));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) refuse(path, std::strerror(written < 0 ? errno : ENOSPC));
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

void OutputFile::write(const void* data, std::size_t size) { writeFully(file_, path_, data, size); }

void OutputFile::commit() {
  const int file = file_;
  file_ = -1;
  if (close(file) != 0 && errno != EINTR) fail(errno);
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

void writeFile(const fs::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

void requireWritable(const fs::path& path) {
  const Target target = targetOf(path);
  if (!target.through) {
    const OutputFile probe(path);  // for files of /proc permissions are not enough
  } else if (access(path.c_str(), W_OK) != 0) {
    refuse(path, std::strerror(errno));
  }
  claimedFiles().add(path);
}

bool willBeReplaced(const struct stat& status) { return claimedFiles().has(status); }

void makeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw FileError(folder.string(), "cannot be made: " + error.message());
}

OutputStream::OutputStream(fs::path path) : path_(std::move(path)) { requireWritable(path_); }

void OutputStream::write(std::string_view text) {
  if (!file_.valid()) {
    const Target target = targetOf(path_);
    file_ = FileDescriptor(target.exists
                               ? openExisting(path_, O_TRUNC)
                               : open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kUsualMode));
    if (!file_.valid()) refuse(path_, std::strerror(errno));
  }
  writeFully(file_.get(), path_, text.data(), text.size());
}

void requireFolder(const fs::path& folder) {
  std::error_code none;
  fs::path there = folder;  // the part of its path that exists
  while (!fs::exists(fs::symlink_status(there, none)) && there.has_relative_path()) {
    there = there.has_parent_path() ? there.parent_path() : fs::path(".");
  }
  if (!fs::is_directory(there, none)) throw FileError(there.string(), "is no folder");
  if (there == folder && access(there.c_str(), W_OK | X_OK) == 0) return;
  // For folders of /proc permissions are not enough.
  std::string probe = (there / ".marsim-XXXXXX").string();
  if (there != folder && mkdtemp(probe.data()) != nullptr && rmdir(probe.c_str()) == 0) return;
  throw FileError(there.string(), fmt::format("cannot be written into: {}", std::strerror(errno)));
}

std::string lowerExtension(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

std::string requireExtension(const fs::path& path, const std::vector<std::string>& allowed) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  if (fs::is_character_file(status) || fs::is_fifo(status)) return allowed.front();
  const std::string extension = lowerExtension(path);
  if (std::find(allowed.begin(), allowed.end(), extension) != allowed.end()) return extension;
  throw FileError(path.string(),
                  fmt::format("extension is '{}', allowed: {}", clipped(extension), join(allowed)));
}

}  // namespace marsim
