#pragma once

#include <filesystem>

namespace marsim {

/// Held by the one process that may write into a folder; the kernel frees it with the process,
/// however that ends. The file `.marsim-lock`, which says who holds it, stays in the folder.
class FolderLock {
 public:
  /// Throws FileError that names the holder and since when, and where the lock cannot be had.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace marsim
