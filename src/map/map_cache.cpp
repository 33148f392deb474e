#include "marsim/map/map_cache.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include "file_descriptor.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map {
namespace {

namespace fs = std::filesystem;

/// Opens the file and hands it over. Throws Error where it is not good.
std::shared_ptr<const MapFile> takeFile(const CacheEntry& entry) {
  auto file = MapFile::open(entry.path);
  if (file->key() != entry.key) {
    throw FileError(entry.path.string(), "was made from another source or with other settings");
  }
  entry.take(file);
  return file;
}

/// The file where it is good; otherwise null and, unless it is merely missing, why.
std::shared_ptr<const MapFile> tryOpen(const CacheEntry& entry, std::string& why) {
  why.clear();
  std::error_code none;
  if (!fs::exists(fs::symlink_status(entry.path, none))) return nullptr;
  try {
    return takeFile(entry);
  } catch (const Error& error) {
    why = error.what();
    return nullptr;
  }
}

/// Held by the one process that builds; the kernel frees it with the process, however that ends.
/// The empty lock file stays: deleting it would let two processes hold locks of the same name.
class BuildLock {
 public:
  /// Waits for its turn. Throws FileError where the folder or the lock cannot be had.
  BuildLock(const fs::path& path, const Report& report) {
    std::error_code failure;
    fs::create_directories(path.parent_path(), failure);
    if (failure) throw FileError(path.parent_path().string(), failure.message());
    const fs::path lock = fs::path(path).concat(".lock");
    file_ = FileDescriptor(
        open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644));
    if (!file_.valid()) throw FileError(lock.string(), std::strerror(errno));
    if (flock(file_.get(), LOCK_EX | LOCK_NB) == 0) return;
    if (errno == EWOULDBLOCK) {
      report(fmt::format("{}: another process is making it, waiting", path.string()));
      while (flock(file_.get(), LOCK_EX) != 0) {
        if (errno != EINTR) throw FileError(lock.string(), std::strerror(errno));
      }
      return;
    }
    throw FileError(lock.string(), std::strerror(errno));
  }

 private:
  FileDescriptor file_;
};

/// Temporary files of builders that were killed; called with the lock held, so none is in use.
void removeRemains(const fs::path& path) {
  const std::string prefix = path.filename().string() + std::string(kTemporarySuffix);
  std::error_code failure;
  for (fs::directory_iterator it(path.parent_path(), failure), end; !failure && it != end;
       it.increment(failure)) {
    std::error_code ignored;
    if (it->path().filename().string().rfind(prefix, 0) == 0) fs::remove(it->path(), ignored);
  }
}

}  // namespace

void reportToStandardError(const std::string& line) { fmt::print(stderr, "marsim: {}\n", line); }

std::shared_ptr<const MapFile> openOrBuild(const CacheEntry& entry,
                                           const std::function<MapFileWriter()>& build,
                                           const Report& report) {
  std::string why;
  if (auto file = tryOpen(entry, why)) return file;
  const auto withoutCache = [&](const Error& error) {
    report(fmt::format("the map cache cannot be used, going on without it: {}", error.what()));
  };
  std::unique_ptr<BuildLock> lock;
  try {
    lock = std::make_unique<BuildLock>(entry.path, report);
  } catch (const Error& error) {
    if (!why.empty()) report(why);
    withoutCache(error);
    build();
    return nullptr;
  }
  // Someone else may have made it between the look and the lock.
  if (auto file = tryOpen(entry, why)) return file;
  if (!why.empty()) report(fmt::format("{}; making it anew", why));
  removeRemains(entry.path);
  const MapFileWriter writer = build();
  try {
    writer.write(entry.path);
    return takeFile(entry);
  } catch (const Error& error) {
    withoutCache(error);
    return nullptr;
  }
}

}  // namespace marsim::map
