// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "common/file_descriptor.hpp"

namespace marsim {

constexpr char kLockFile[] = ".marsim-lock";  ///< in the folder

/// A lock of the one process that may write into a folder; the kernel frees it when the process
/// ends, however it ends. The file `.marsim-lock`, which names the holder, stays in the folder.
class FolderLock {
 public:
  /// Throws FileError naming the holder and the time it began, or if the lock cannot be had.
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  FileDescriptor file_;
};

}  // namespace marsim
