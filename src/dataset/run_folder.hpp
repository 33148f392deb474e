#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/folder_lock.hpp"

namespace marsim::dataset {

/// The folder of one run. A run is told by a text, its key, that says all that its files follow
/// from. Its files arise in the folder `unfinished` and appear beside it when all are there, the
/// summary last: a folder without summary.json is not complete. One process at a time writes.
class RunFolder {
 public:
  /// Makes the folder where it is missing; a run of the same key that broke off is cleared away, to
  /// be done anew. Throws FileError where the folder holds anything else, or is in use.
  RunFolder(std::filesystem::path folder, const std::string& key);

  /// Whether it holds this run, complete: there is nothing to do.
  bool isComplete() const { return is_complete_; }
  /// Where the files are to be written.
  std::filesystem::path unfinished() const { return folder_ / "unfinished"; }
  /// Moves everything to its place and writes the summary.
  void complete(const std::string& summary);
  const std::filesystem::path& path() const { return folder_; }

 private:
  bool look(const std::string& key) const;
  void begin(const std::string& key) const;

  std::filesystem::path folder_;
  bool is_complete_ = false;
  std::optional<FolderLock> lock_;
};

/// Throws FileError where the folder cannot be made or written into, or holds files but no run.
/// Changes nothing.
void requireRunFolder(const std::filesystem::path& folder);

}  // namespace marsim::dataset
