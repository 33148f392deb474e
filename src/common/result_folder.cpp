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

std::vector<std::string> entriesOf(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> names;
  if (!fs::exists(folder, error)) return names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    names.push_back(entry.path().filename().string());
  }
  if (error) throw FileError(folder.string(), "cannot be read: " + error.message());
  return names;
}

bool isOwn(const std::string& name) { return name.rfind(".marsim-", 0) == 0; }

}  // namespace

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
  for (const std::string& name : entriesOf(folder_)) {
    if (!isOwn(name) && entries_.count(name) == 0) {
      refuse(fmt::format("'{}', which the command did not write", clipped(name)));
    }
  }
}

void ResultFolder::begin(const std::vector<std::string>& entries) {
  makeFolder(folder_);
  if (!lock_) lock_.emplace(folder_);
  check();
  for (const std::string& name : entriesOf(folder_)) {
    std::error_code none;
    if (isOwn(name) && fs::path(name).extension() == ".tmp") fs::remove(folder_ / name, none);
  }
  entries_.insert(entries.begin(), entries.end());
  entries_.erase("");
  writeFile(manifest(),
            fmt::format("{}\n{}\n", command_, join({entries_.begin(), entries_.end()}, "\n")));
}

}  // namespace marsim
