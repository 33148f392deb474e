// SPDX-License-Identifier: BSD-3-Clause
#include "common/result_folder.hpp"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "common/input_file.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLargestManifest = 1U << 20U;  // bytes

bool isOwn(const fs::directory_entry& entry) {
  return entry.path().filename().string().rfind(".marsim-", 0) == 0;
}

template <class Take>
void forEachEntry(const fs::path& folder, const Take& take) {
  std::error_code error;
  if (!fs::exists(folder, error)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) take(entry);
  if (error) throw FileError(folder.string(), "cannot be read: " + error.message());
}

}  // namespace

std::vector<std::string> foreignEntries(const fs::path& folder) {
  std::vector<std::string> names;
  forEachEntry(folder, [&](const fs::directory_entry& entry) {
    if (!isOwn(entry)) names.push_back(entry.path().filename().string());
  });
  return names;
}

void removeTemporaryFiles(const fs::path& folder) {
  forEachEntry(folder, [](const fs::directory_entry& entry) {
    std::error_code none;
    if (isOwn(entry) && entry.path().extension() == ".tmp") fs::remove(entry.path(), none);
  });
}

ResultFolder::ResultFolder(fs::path folder, std::string command)
    : folder_(std::move(folder)), command_(std::move(command)) {
  requireFolder(folder_);
  check();
}

void ResultFolder::check() {
  const auto refuse = [this](const std::string& what) {
    throw FileError(
        folder_.string(),
        fmt::format("holds {}, allowed: a new or empty folder, or results of '{}' alone", what,
                    command_));
  };
  entries_.clear();
  if (fs::exists(manifest())) {
    const std::vector<std::string> lines = split(readFile(manifest(), kLargestManifest), '\n');
    if (lines.front() != command_) refuse(fmt::format("results of '{}'", clipped(lines.front())));
    entries_.insert(lines.begin() + 1, lines.end());
  }
  for (const std::string& name : foreignEntries(folder_)) {
    if (entries_.count(name) > 0) continue;
    refuse(fmt::format("'{}', which the command did not write", clipped(name)));
  }
}

void ResultFolder::begin(const std::vector<std::string>& entries) {
  makeFolder(folder_);
  if (!lock_) lock_.emplace(folder_);
  check();
  removeTemporaryFiles(folder_);
  entries_.insert(entries.begin(), entries.end());
  entries_.erase("");
  writeFile(manifest(),
            fmt::format("{}\n{}\n", command_, join({entries_.begin(), entries_.end()}, "\n")));
}

}  // namespace marsim
