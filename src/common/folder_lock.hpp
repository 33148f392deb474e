#pragma once

#include <filesystem>

#include "common/file_descriptor.hpp"

namespace marsim {

constexpr char kLockFile[] = ".marsim-lock";  ///< in the folder

/// Held by the one process that may write into a folder; the kernel frees it with the process,
/// however that ends. The file `.marsim-lock`, which says who holds it, stays in the folder.
class FolderLock {
 public:
  /// Throws FileError that names the holder and since when, and where the lock cannot be had.
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  FileDescriptor file_;
};

}  // namespace marsim
