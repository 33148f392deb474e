// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>

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

/// A lock of the one process that makes a file wanted by several; the kernel frees it when the
/// process ends, however it ends. An empty lock file stays beside the file: deleting it would let
/// two processes hold locks of the same name.
class BuildLock {
 public:
  /// Makes the folder and waits for the lock; `report` gets a line if another process has it.
  /// Throws FileError if the folder or the lock cannot be had.
  BuildLock(const std::filesystem::path& path,
            const std::function<void(const std::string&)>& report);

 private:
  FileDescriptor file_;
};

}  // namespace marsim
