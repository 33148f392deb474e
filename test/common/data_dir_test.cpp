// SPDX-License-Identifier: BSD-3-Clause
#include "common/data_dir.hpp"

#include <cstdlib>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "marsim/common/error.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim {
namespace {

namespace fs = std::filesystem;

class CacheDir : public testing::Test {
 protected:
  CacheDir() {
    setenv("XDG_CACHE_HOME", usual_.parent_path().c_str(), 1);
    setenv("TMPDIR", (folder_.path() / "tmp").c_str(), 1);
    fs::create_directory(folder_.path() / "tmp");
  }
  ~CacheDir() override {
    unsetenv("XDG_CACHE_HOME");
    unsetenv("TMPDIR");
  }
  fs::path get() {
    said_.clear();
    return cacheDir([this](const std::string& line) { said_ += line; });
  }
  static mode_t modeOf(const fs::path& path) {
    struct stat status {};
    EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 07777;
  }
  void makeUsual(mode_t mode) {
    fs::create_directories(usual_);
    ASSERT_EQ(chmod(usual_.c_str(), mode), 0);
  }

  const tools::TemporaryFolder folder_;
  const fs::path usual_ = folder_.path() / "cache" / "marsim";
  const fs::path instead_ = folder_.path() / "tmp" / fmt::format("marsim-{}", geteuid());
  std::string said_;
};

TEST_F(CacheDir, IsMadeForItsUserAlone) {
  EXPECT_EQ(get(), usual_);
  EXPECT_EQ(said_, "");
  EXPECT_EQ(modeOf(usual_), 0700U);
}

TEST_F(CacheDir, OneThatItsGroupCanWriteIsClosed) {
  makeUsual(0775);
  EXPECT_EQ(get(), usual_);
  EXPECT_EQ(modeOf(usual_), 0755U);
}

TEST_F(CacheDir, OneThatEverybodyCanWriteIsNotUsed) {
  makeUsual(0777);
  EXPECT_EQ(get(), instead_);
  EXPECT_EQ(said_, fmt::format("cache: {} can be written by everybody; using {} instead",
                               usual_.string(), instead_.string()));
  EXPECT_EQ(modeOf(instead_), 0700U);
  get();
  EXPECT_EQ(said_, "") << "once a process";
}

TEST_F(CacheDir, AnothersIsNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "root alone can give folders away";
  makeUsual(0755);
  ASSERT_EQ(chown(usual_.c_str(), 12345, 12345), 0);
  EXPECT_EQ(get(), instead_);
  EXPECT_NE(said_.find("belongs to the user of number 12345"), std::string::npos) << said_;
  ASSERT_EQ(chown(instead_.c_str(), 12345, 12345), 0);
  EXPECT_THROW(get(), FileError);
}

TEST_F(CacheDir, NorATemporaryOneThatOthersMade) {
  makeUsual(0777);
  fs::create_directory(folder_.path() / "elsewhere");
  fs::create_symlink(folder_.path() / "elsewhere", instead_);
  EXPECT_THROW(get(), FileError);
  fs::remove(instead_);
  fs::create_directory(instead_);
  ASSERT_EQ(chmod(instead_.c_str(), 0777), 0);
  EXPECT_THROW(get(), FileError);
}

TEST(ProgramFile, OneThatIsMissingIsNamed) {
  try {
    programFile("no_such_program");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).rfind("no program marsim/no_such_program in /", 0), 0U);
  }
}

}  // namespace
}  // namespace marsim
