// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/run_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "common/input_file.hpp"
#include "common/output_file.hpp"
#include "common/result_folder.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim::dataset {
namespace fs = std::filesystem;
namespace {

constexpr char kSummary[] = "summary.json";
constexpr char kUnfinished[] = "unfinished";
constexpr char kManifest[] = ".marsim-files";  // names of entries moved to their place
constexpr char kCommand[] = "marsim dataset";
constexpr char kKey[] = "run.json";             // exists from the first moment on
constexpr std::size_t kLargestKey = 1U << 24U;  // bytes
constexpr std::size_t kLargestManifest = 1U << 20U;

[[noreturn]] void refuse(const fs::path& folder, const std::string& what) {
  throw FileError(folder.string(), what +
                                       ", allowed: an empty folder, a new one, or that of the "
                                       "same run");
}

void removeAll(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) throw FileError(path.string(), "cannot be removed: " + error.message());
}

void move(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) throw FileError(to.string(), "cannot be written: " + error.message());
}

// Flushes all written files, so that after a power cut no summary stands beside incomplete ones.
void toDisk(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_written = descriptor >= 0 && syncfs(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!is_written) {
    throw FileError(folder.string(), std::string("cannot be written: ") + std::strerror(error));
  }
}

/// Entries that a run moved to their place before it was killed or its summary was removed.
std::set<std::string> movedEntries(const fs::path& folder) {
  std::set<std::string> moved;
  if (!fs::exists(folder / kManifest)) return moved;
  const std::vector<std::string> names =
      split(readFile(folder / kManifest, kLargestManifest), '\n');
  for (const std::string& name : foreignEntries(folder)) {
    const bool is_named = std::find(names.begin(), names.end(), name) != names.end();
    if (is_named && !fs::exists(folder / kUnfinished / name)) moved.insert(name);
  }
  return moved;
}

}  // namespace

void requireRunFolder(const fs::path& folder) {
  requireFolder(folder);
  const bool has_run = fs::exists(folder / kKey);
  if (has_run && fs::exists(folder / kSummary)) return;
  std::set<std::string> own = movedEntries(folder);
  if (has_run) own.insert({kKey, kUnfinished});
  for (const std::string& name : foreignEntries(folder)) {
    if (own.count(name) > 0) continue;
    refuse(folder, fmt::format("holds '{}', which the command did not write", clipped(name)));
  }
}

fs::path RunFolder::unfinished() const { return folder_ / kUnfinished; }

RunFolder::RunFolder(fs::path folder, const std::string& key) : folder_(std::move(folder)) {
  makeFolder(folder_);
  is_complete_ = look(key);  // a refused or complete run gets no lock
  if (is_complete_) return;
  lock_.emplace(folder_);
  is_complete_ = look(key);
  if (!is_complete_) begin(key);
}

// Whether the run exists and is complete.
bool RunFolder::look(const std::string& key) const {
  requireRunFolder(folder_);
  const bool has_run = fs::exists(folder_ / kKey);
  if (has_run && readFile(folder_ / kKey, kLargestKey) != key) {
    refuse(folder_, "holds another run (run.json)");
  }
  return has_run && fs::exists(folder_ / kSummary);
}

// Removes everything of an unfinished run.
void RunFolder::begin(const std::string& key) const {
  for (const std::string& name : movedEntries(folder_)) removeAll(folder_ / name);
  removeAll(folder_ / kManifest);
  removeAll(unfinished());
  removeTemporaryFiles(folder_);
  writeFile(folder_ / kKey, key);
  makeFolder(unfinished());
}

void RunFolder::complete(const std::string& summary) {
  toDisk(unfinished());
  requireRunFolder(folder_);  // somebody may have put a file there during the flight
  std::vector<std::string> names = foreignEntries(unfinished());
  std::sort(names.begin(), names.end());  // two runs must give the same files
  writeFile(folder_ / kManifest, fmt::format("{}\n{}\n", kCommand, join(names, "\n")));
  for (const std::string& name : names) move(unfinished() / name, folder_ / name);
  removeAll(unfinished());
  writeFile(folder_ / kSummary, summary);
  std::error_code none;
  fs::remove(folder_ / kLockFile, none);
  is_complete_ = true;
}

}  // namespace marsim::dataset
