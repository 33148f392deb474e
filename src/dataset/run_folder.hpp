// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/file_locks.hpp"

namespace marsim::dataset {

/// The folder of one run. A text, the run's key, states everything that determines its files. Files
/// are written to the folder `unfinished` and moved beside it when all are complete, the summary
/// last: a folder without summary.json is not complete. The file `.marsim-files` names the moved
/// entries; no others are ever removed. One process at a time writes.
class RunFolder {
 public:
  /// Makes the folder if it is missing; clears an unfinished run of the same key, to start it
  /// again. Throws FileError if the folder holds anything else, or is in use.
  RunFolder(std::filesystem::path folder, const std::string& key);

  /// Whether the folder holds this run, complete.
  bool isComplete() const { return is_complete_; }
  /// The folder to write files to.
  std::filesystem::path unfinished() const;
  /// Moves all files to their place and writes the summary. Throws FileError if the folder holds
  /// anything else by now.
  void complete(const std::string& summary);
  const std::filesystem::path& path() const { return folder_; }

 private:
  bool look(const std::string& key) const;
  void begin(const std::string& key) const;

  std::filesystem::path folder_;
  bool is_complete_ = false;
  std::optional<FolderLock> lock_;
};

/// Throws FileError if the folder cannot be made or written into, or holds an entry that neither an
/// interrupted run wrote nor is in the folder of a complete one. Changes nothing.
void requireRunFolder(const std::filesystem::path& folder);

}  // namespace marsim::dataset
