// SPDX-License-Identifier: BSD-3-Clause
#include "common/output_file.hpp"

#include <fstream>
#include <future>
#include <iterator>

#include <sys/stat.h>

#include "common/input_file.hpp"
#include "marsim/common/error.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim {
namespace {

namespace fs = std::filesystem;

std::string contentOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string complaintOf(const fs::path& path) {
  std::string complaint = "none";
  try {
    writeFile(path, "text");
  } catch (const FileError& error) {
    complaint = error.what();
  }
  EXPECT_EQ(complaint == "none", path == "/dev/null") << complaint;
  return complaint;
}

std::size_t filesIn(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

class OutputFileTest : public testing::Test {
 protected:
  const tools::TemporaryFolder folder_;
  const fs::path path_ = folder_.path() / "out.txt";
};

TEST_F(OutputFileTest, AppearsAsAWholeOrNotAtAll) {
  {
    OutputFile file(path_);
    file.write("half");
    EXPECT_FALSE(fs::exists(path_));
  }
  EXPECT_EQ(filesIn(folder_.path()), 0U);
  writeFile(path_, "old");
  OutputFile file(path_);
  file.write("new");
  EXPECT_EQ(contentOf(path_), "old");
  file.commit();
  EXPECT_EQ(contentOf(path_), "new");
  EXPECT_EQ(filesIn(folder_.path()), 1U);
}

TEST_F(OutputFileTest, FoldersAreMadeUnlessAFileIsThere) {
  const fs::path folder = folder_.path() / "a" / "b";
  makeFolder(folder);
  EXPECT_TRUE(fs::is_directory(folder));
  makeFolder(folder);
  writeFile(folder / "file", "text");
  EXPECT_THROW(makeFolder(folder / "file" / "c"), FileError);
}

TEST_F(OutputFileTest, LinksAreFollowedAndStay) {
  folder_.write("target.txt", "old");
  fs::permissions(folder_.path() / "target.txt", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("target.txt", folder_.path() / "middle");
  fs::create_symlink(folder_.path() / "middle", path_);
  writeFile(path_, "new");
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_TRUE(fs::is_symlink(folder_.path() / "middle"));
  EXPECT_EQ(contentOf(folder_.path() / "target.txt"), "new");
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("not_yet", folder_.path() / "dangling");
  writeFile(folder_.path() / "dangling", "made");
  EXPECT_EQ(contentOf(folder_.path() / "not_yet"), "made");
  fs::create_symlink("b", folder_.path() / "a");
  fs::create_symlink("a", folder_.path() / "b");
  EXPECT_NE(complaintOf(folder_.path() / "a").find("symbolic links"), std::string::npos);
}

TEST_F(OutputFileTest, DevicesAreWrittenThroughAndStay) {
  EXPECT_EQ(complaintOf("/dev/null"), "none");
  EXPECT_EQ(complaintOf("/dev/full"), "/dev/full: cannot be written: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  fs::create_symlink("/dev/full", path_);
  EXPECT_EQ(complaintOf(path_), path_.string() + ": cannot be written: No space left on device");
  EXPECT_TRUE(fs::is_symlink(path_));
}

TEST_F(OutputFileTest, FifosAreWrittenThroughWhereSomebodyReads) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(complaintOf(path_),
            path_.string() + ": cannot be written: is a FIFO that nobody reads");
  EXPECT_THROW(OutputStream(path_).write("text"), FileError);
  for (const bool streamed : {false, true}) {
    std::ifstream reader;
    auto opened = std::async(std::launch::async, [&] { reader.open(path_); });
    while (true) {  // until the reader is there
      try {
        if (streamed) {
          OutputStream(path_).write("text");
        } else {
          writeFile(path_, "text");
        }
        break;
      } catch (const FileError&) {
      }
    }
    opened.get();
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "text");
  }
  EXPECT_TRUE(fs::is_fifo(path_));
}

TEST_F(OutputFileTest, PathsThatCannotBeFilesAreRefused) {
  const std::string folder = folder_.path();
  EXPECT_EQ(complaintOf(folder), folder + ": cannot be written: is a folder");
  EXPECT_EQ(complaintOf(folder + "/"), folder + "/: cannot be written: no name of a file");
  EXPECT_EQ(complaintOf(folder + "/no/x"),
            folder + "/no/x: cannot be written: its folder does not exist");
  EXPECT_THROW(requireWritable(folder + "/no/x"), FileError);
  EXPECT_NO_THROW(requireWritable(path_));
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(OutputFileTest, StreamsReplaceAFileWithTheirFirstWrite) {
  folder_.write("out.txt", "old and long");
  OutputStream stream(path_);
  EXPECT_EQ(contentOf(path_), "old and long");
  stream.write("new");
  EXPECT_EQ(contentOf(path_), "new");
  stream.write(" text");
  EXPECT_EQ(contentOf(path_), "new text");
}

TEST_F(OutputFileTest, StreamsReportAFullDiskWithTheWriteThatMeetsIt) {
  OutputStream stream("/dev/full");
  try {
    stream.write("x");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_STREQ(error.what(), "/dev/full: cannot be written: No space left on device");
  }
}

TEST_F(OutputFileTest, AnInputIsNoOutputByWhateverName) {
  folder_.write("map.pcd", "points");
  const fs::path map = folder_.path() / "map.pcd", link = folder_.path() / "link.pcd";
  fs::create_symlink("map.pcd", link);
  fs::create_hard_link(map, folder_.path() / "hard.pcd");
  EXPECT_EQ(readFile(map, 100), "points");
  requireWritable(link);
  for (const char* name : {"map.pcd", "link.pcd", "hard.pcd"}) {
    try {
      readFile(folder_.path() / name, 100);
      FAIL() << name;
    } catch (const FileError& error) {
      EXPECT_EQ(std::string(error.what()),
                (folder_.path() / name).string() +
                    ": is an input and an output, allowed: another file for the output");
    }
  }
  // Another file under the same name may be read.
  writeFile(map, "written");
  EXPECT_EQ(readFile(map, 100), "written");
}

TEST_F(OutputFileTest, ExtensionsSayTheFormat) {
  EXPECT_EQ(requireExtension("a.PLY", {".pcd", ".ply"}), ".ply");
  EXPECT_EQ(requireExtension("/dev/null", {".pcd", ".ply"}), ".pcd");
  try {
    requireExtension("a.las", {".pcd", ".ply"});
    FAIL();
  } catch (const FileError& error) {
    EXPECT_STREQ(error.what(), "a.las: extension is '.las', allowed: .pcd, .ply");
  }
}

}  // namespace
}  // namespace marsim
