// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "common/file_descriptor.hpp"

namespace marsim {

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
