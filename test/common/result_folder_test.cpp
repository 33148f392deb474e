// SPDX-License-Identifier: BSD-3-Clause
#include "common/result_folder.hpp"

#include <fstream>

#include "common/input_file.hpp"
#include "common/output_file.hpp"
#include "marsim/common/error.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim {
namespace {

namespace fs = std::filesystem;

std::string complaintOf(const fs::path& folder, const std::string& command = "marsim demo") {
  try {
    ResultFolder results(folder, command);
    results.begin({"a.txt"});
  } catch (const FileError& error) {
    return std::string(error.what()).substr(folder.string().size());
  }
  return "none";
}

const std::string kAllowed = ", allowed: a new or empty folder, or results of 'marsim demo' alone";

TEST(ResultFolder, IsMadeAndUsedAgain) {
  const tools::TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "a" / "b";
  {
    ResultFolder results(folder, "marsim demo");
    EXPECT_FALSE(fs::exists(temporary.path() / "a")) << "checking changes nothing";
    results.begin({"a.txt", "log"});
    EXPECT_EQ(readFile(folder / ".marsim-files", 100), "marsim demo\na.txt\nlog\n");
  }
  writeFile(folder / "a.txt", "first");
  makeFolder(folder / "log");
  // A killed process may have written less than its manifest names, and remnants.
  writeFile(folder / ".marsim-1-0.tmp", "half");
  ResultFolder results(folder, "marsim demo");
  results.begin({"b.txt"});
  EXPECT_EQ(readFile(folder / ".marsim-files", 100), "marsim demo\na.txt\nb.txt\nlog\n");
  EXPECT_FALSE(fs::exists(folder / ".marsim-1-0.tmp"));
  EXPECT_EQ(readFile(folder / "a.txt", 100), "first");
}

TEST(ResultFolder, OtherContentIsRefusedAndNamed) {
  const tools::TemporaryFolder folder;
  folder.write("a.txt", "another's");
  EXPECT_EQ(complaintOf(folder.path()),
            ": holds 'a.txt', which the command did not write" + kAllowed);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  fs::remove(folder.path() / "a.txt");
  EXPECT_EQ(complaintOf(folder.path()), "none");
  folder.write("note", "");
  EXPECT_EQ(complaintOf(folder.path()),
            ": holds 'note', which the command did not write" + kAllowed);
}

TEST(ResultFolder, ResultsOfAnotherCommandAreRefused) {
  const tools::TemporaryFolder folder;
  EXPECT_EQ(complaintOf(folder.path(), "marsim calibration"), "none");
  EXPECT_EQ(complaintOf(folder.path()), ": holds results of 'marsim calibration'" + kAllowed);
}

TEST(ResultFolder, FilesAreNoFolders) {
  const tools::TemporaryFolder folder;
  folder.write("file", "");
  EXPECT_EQ(complaintOf(folder.path() / "file"), ": is no folder");
  EXPECT_THROW(ResultFolder(folder.path() / "file" / "below", "marsim demo"), FileError);
  fs::create_symlink("nowhere", folder.path() / "dangling");
  EXPECT_EQ(complaintOf(folder.path() / "dangling"), ": is no folder");
}

}  // namespace
}  // namespace marsim
