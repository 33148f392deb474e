// SPDX-License-Identifier: BSD-3-Clause
#include "map/cache/map_cache.hpp"

#include <system_error>

#include <fmt/format.h>

#include "common/file_locks.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map {
namespace {

namespace fs = std::filesystem;

/// Opens the file and calls `take` with it. Throws Error if it is not good.
std::shared_ptr<const MapFile> takeFile(const CacheEntry& entry) {
  auto file = MapFile::open(entry.path);
  if (file->key() != entry.key) {
    throw FileError(entry.path.string(), "was made from another source or with other settings");
  }
  entry.take(file);
  return file;
}

/// The file if it is good; otherwise null and, unless it is merely missing, the reason.
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

/// Removes temporary files of killed builders; the lock is held, so none is in use.
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
                                           const LineSink& report) {
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
  // Another process may have made it between the look and the lock.
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
