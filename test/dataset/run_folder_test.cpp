// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/run_folder.hpp"

#include <string>

#include <gtest/gtest.h>

#include "common/input_file.hpp"
#include "common/output_file.hpp"
#include "marsim/common/error.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::dataset {
namespace {

namespace fs = std::filesystem;

const std::string kKey = "all inputs";

std::string complaintOf(const fs::path& folder) {
  try {
    const RunFolder run(folder, kKey);
  } catch (const FileError& error) {
    return std::string(error.what()).substr(folder.string().size());
  }
  return "none";
}

std::string refusalOf(const std::string& name) {
  return ": holds '" + name +
         "', which the command did not write, allowed: an empty folder, a new one, or that of the "
         "same run";
}

class RunFolders : public testing::Test {
 protected:
  /// Leaves a run that was interrupted after it wrote two files.
  void interrupt() const {
    const RunFolder run(folder_, kKey);
    write("unfinished/tum/truth.txt", "half");
    write("unfinished/report.html", "half");
  }
  void write(const std::string& name, const std::string& text) const {
    makeFolder((folder_ / name).parent_path());
    writeFile(folder_ / name, text);
  }
  std::string read(const std::string& name) const { return readFile(folder_ / name, 100); }

  const tools::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path() / "run";
};

TEST_F(RunFolders, AnInterruptedRunIsClearedAndDoneAgain) {
  interrupt();
  RunFolder run(folder_, kKey);
  EXPECT_FALSE(run.isComplete());
  EXPECT_TRUE(fs::is_empty(run.unfinished()));
  write("unfinished/tum/truth.txt", "whole");
  run.complete("{}");
  EXPECT_EQ(read("tum/truth.txt"), "whole");
  EXPECT_EQ(read("summary.json"), "{}");
  EXPECT_EQ(read(".marsim-files"), "marsim dataset\ntum\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 4);  // run.json, too
  EXPECT_TRUE(RunFolder(folder_, kKey).isComplete());
  fs::remove(folder_ / "summary.json");  // as Snakemake does to run it again
  EXPECT_EQ(complaintOf(folder_), "none");
  EXPECT_FALSE(fs::exists(folder_ / "tum"));
}

// Under the name of a result, too.
TEST_F(RunFolders, AnothersFileInAnInterruptedRunIsRefusedAndNamed) {
  for (const char* name : {"report.html", "tum/notes.txt", "notes.txt"}) {
    interrupt();
    write(name, "another's");
    EXPECT_EQ(complaintOf(folder_), refusalOf(*fs::path(name).begin()));
    EXPECT_EQ(read(name), "another's");
    EXPECT_EQ(read("unfinished/report.html"), "half") << "nothing is changed";
    fs::remove_all(folder_ / *fs::path(name).begin());
    EXPECT_EQ(complaintOf(folder_), "none");
  }
}

// A process that is killed while it writes run.json or summary.json leaves a temporary file.
TEST_F(RunFolders, TemporaryFilesOfAKilledProcessAreRemoved) {
  interrupt();
  write(".marsim-27980-0.tmp", "");
  EXPECT_EQ(complaintOf(folder_), "none");
  EXPECT_FALSE(fs::exists(folder_ / ".marsim-27980-0.tmp"));
}

TEST_F(RunFolders, AFileThatComesDuringTheRunIsNotReplaced) {
  RunFolder run(folder_, kKey);
  write("unfinished/report.html", "ours");
  write("report.html", "another's");
  EXPECT_THROW(run.complete("{}"), FileError);
  EXPECT_EQ(read("report.html"), "another's");
  EXPECT_EQ(read("unfinished/report.html"), "ours");
}

// Killed while entries are moved: those that were moved are the command's own.
TEST_F(RunFolders, MovedEntriesAreReplacedAndNoOthers) {
  const auto killed = [&] {
    interrupt();
    write(".marsim-files", "marsim dataset\ntum\nreport.html\n");
    fs::rename(folder_ / "unfinished/tum", folder_ / "tum");
  };
  killed();
  write("report.html", "another's");  // ours is still in `unfinished`
  EXPECT_EQ(complaintOf(folder_), refusalOf("report.html"));
  EXPECT_EQ(read("tum/truth.txt"), "half");
  fs::remove(folder_ / "report.html");
  EXPECT_EQ(complaintOf(folder_), "none");
  EXPECT_FALSE(fs::exists(folder_ / "tum"));
  EXPECT_FALSE(fs::exists(folder_ / ".marsim-files"));

  killed();  // after the last entry was moved
  fs::rename(folder_ / "unfinished/report.html", folder_ / "report.html");
  fs::remove_all(folder_ / "unfinished");
  EXPECT_EQ(complaintOf(folder_), "none");
  EXPECT_FALSE(fs::exists(folder_ / "report.html"));
}

}  // namespace
}  // namespace marsim::dataset
