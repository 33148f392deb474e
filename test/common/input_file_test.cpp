// SPDX-License-Identifier: BSD-3-Clause
#include "common/input_file.hpp"

#include <sys/stat.h>

#include "marsim/common/error.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim {
namespace {

std::string complaintOf(const std::filesystem::path& path, std::size_t most = 1 << 20) {
  try {
    readFile(path, most);
  } catch (const FileError& error) {
    return std::string(error.what()).substr(path.string().size());
  }
  return "none";
}

TEST(ReadFile, RegularFilesOnlyAndNoLargerThanAllowed) {
  const tools::TemporaryFolder folder;
  EXPECT_EQ(readFile(folder.write("a", std::string("a\0b", 3)), 3), std::string("a\0b", 3));
  EXPECT_EQ(complaintOf(folder.path() / "a", 2), ": is larger than 2 bytes, which is the limit");
  std::ofstream(folder.path() / "large").seekp(1 << 20) << 'x';
  EXPECT_EQ(complaintOf(folder.path() / "large"), ": is larger than 1 MiB, which is the limit");
  EXPECT_EQ(complaintOf(folder.path() / "none"), ": no such file");
  EXPECT_EQ(complaintOf(folder.path()), ": is a folder");
  ASSERT_EQ(mkfifo((folder.path() / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(complaintOf(folder.path() / "fifo"), ": is no regular file");
  EXPECT_EQ(complaintOf("/dev/zero"), ": is no regular file");
  EXPECT_EQ(complaintOf("/proc/self/status", 16), ": is larger than 16 bytes, which is the limit")
      << "a file that tells no size";
}

TEST(ReadLog, NotesEachFileOnceWhileItLives) {
  const tools::TemporaryFolder folder;
  const std::filesystem::path a = folder.write("a", "1"), b = folder.write("b", "2");
  readFile(a, 1);
  ReadLog log;
  for (const auto& path : {b, a, b}) readFile(path, 1);
  EXPECT_EQ(complaintOf(folder.path() / "none"), ": no such file");
  EXPECT_EQ(log.files(), (std::vector<std::filesystem::path>{b, a}));
  {
    ReadLog inner;
    readFile(a, 1);
    EXPECT_EQ(inner.files().size(), 1U);
  }
  EXPECT_EQ(log.files().size(), 2U);
}

}  // namespace
}  // namespace marsim
