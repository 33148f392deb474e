// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/file_locks.hpp"

namespace marsim {

/// The folder for a command's results. Its manifest, the file `.marsim-files`, names the command
/// and the entries that the command made there; no other entry is ever replaced. One process at a
/// time writes.
class ResultFolder {
 public:
  /// Checks the folder and changes nothing. `command` is e.g. "marsim demo". Throws FileError if
  /// the folder cannot be made or written into, holds an entry that its manifest does not name, or
  /// holds the results of another command. Names that begin with ".marsim-" are ignored.
  ResultFolder(std::filesystem::path folder, std::string command);

  /// Makes and locks the folder, adds `entries` to the manifest and removes unfinished files of
  /// killed processes. Throws FileError, also if another process holds the lock.
  void begin(const std::vector<std::string>& entries);

  const std::filesystem::path& path() const { return folder_; }

 private:
  void check();
  std::filesystem::path manifest() const { return folder_ / ".marsim-files"; }

  std::filesystem::path folder_;
  std::string command_;
  std::set<std::string> entries_;  ///< in the manifest
  std::optional<FolderLock> lock_;
};

/// Names of a folder's entries, without this program's own (".marsim-..."); none if there is no
/// folder. Throws FileError if it cannot be read.
std::vector<std::string> foreignEntries(const std::filesystem::path& folder);

/// Removes temporary files that killed processes left in a folder. Its lock must be held: a living
/// process would lose its own.
void removeTemporaryFiles(const std::filesystem::path& folder);

}  // namespace marsim
