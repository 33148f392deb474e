// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/run_folder.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "common/input_file.hpp"
#include "common/output_file.hpp"
#include "common/result_folder.hpp"
#include "marsim/common/error.hpp"

namespace marsim::dataset {
namespace fs = std::filesystem;
namespace {

constexpr char kSummary[] = "summary.json";
constexpr char kKey[] = "run.json";             // exists from the first moment on
constexpr std::size_t kLargestKey = 1U << 24U;  // bytes

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

}  // namespace

void requireRunFolder(const fs::path& folder) {
  requireFolder(folder);
  if (!fs::exists(folder) || fs::exists(folder / kKey)) return;
  if (!foreignEntries(folder).empty()) refuse(folder, "holds files that are no run's");
}

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
  removeAll(unfinished());
  writeFile(folder_ / kKey, key);
  makeFolder(unfinished());
}

void RunFolder::complete(const std::string& summary) {
  toDisk(unfinished());
  for (const std::string& name : foreignEntries(unfinished())) {
    removeAll(folder_ / name);  // left by a run that ended here
    move(unfinished() / name, folder_ / name);
  }
  removeAll(unfinished());
  writeFile(folder_ / kSummary, summary);
  std::error_code none;
  fs::remove(folder_ / kLockFile, none);  // two runs must give the same files
  is_complete_ = true;
}

}  // namespace marsim::dataset
