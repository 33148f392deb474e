#pragma once

#include <filesystem>
#include <functional>
#include <string>

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
  ~BuildLock();
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

 private:
  void wait(const std::filesystem::path& path, const std::filesystem::path& lock,
            const std::function<void(const std::string&)>& report) const;

  int file_ = -1;
};

}  // namespace marsim
