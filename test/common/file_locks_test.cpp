// SPDX-License-Identifier: BSD-3-Clause
#include "common/file_locks.hpp"

#include <optional>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "marsim/common/error.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim {
namespace {

TEST(FolderLock, IsOneProcesssAndNamesItToOthers) {
  const tools::TemporaryFolder folder;
  std::optional<FolderLock> lock(std::in_place, folder.path());
  const pid_t holder = getpid();
  const auto othersGetIt = [&] {
    const pid_t child = fork();
    if (child == 0) {
      int code = 2;
      try {
        const FolderLock own(folder.path());
        code = 0;
      } catch (const FileError& error) {
        const std::string begin =
            fmt::format("{}: in use by process {} since ", folder.path().string(), holder);
        code = std::string(error.what()).rfind(begin, 0) == 0 ? 1 : 2;
      }
      _exit(code);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(othersGetIt(), 1);
  lock.reset();
  EXPECT_EQ(othersGetIt(), 0);
}

}  // namespace
}  // namespace marsim
