#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "common/file_descriptor.hpp"

namespace marsim {

/// Held by the one process that makes a file which several may want; the kernel frees it with the
/// process, however that ends. An empty lock file stays beside the file: deleting it would let two
/// processes hold locks of the same name.
class BuildLock {
 public:
  /// Makes the folder and waits for its turn; `report` gets a line where another process is at it.
  /// Throws FileError where the folder or the lock cannot be had.
  BuildLock(const std::filesystem::path& path,
            const std::function<void(const std::string&)>& report);

 private:
  FileDescriptor file_;
};

}  // namespace marsim
