// SPDX-License-Identifier: BSD-3-Clause
#include "map/cache/map_cache.hpp"

#include <csignal>
#include <functional>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "map/map_file_bytes.hpp"
#include "map/test_files.hpp"

namespace marsim::map {
namespace {

/// A cache entry of a few numbers that counts its builds and keeps what is reported. Small enough
/// that no thread is started, so that it may be used after fork().
struct Numbers {
  explicit Numbers(const std::filesystem::path& file) {
    entry.path = file;
    entry.key = {1, 2};
  }
  std::shared_ptr<const MapFile> get() {
    return openOrBuild(
        entry,
        [this] {
          ++builds;
          if (on_build) on_build();
          MapFileWriter writer(entry.key);
          writer.add("numbers", View<int>(values));
          return writer;
        },
        [this](const std::string& line) { lines.push_back(line); });
  }

  CacheEntry entry;
  std::vector<int> values = {3, 1, 4};
  std::function<void()> on_build;
  int builds = 0;
  std::vector<std::string> lines;
};

std::size_t filesIn(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator files(folder);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST(MapCache, BuildsOnceAndMakesItsFolder) {
  const TestFolder folder;
  Numbers numbers(folder / "a/b/c");
  const auto first = numbers.get();
  ASSERT_NE(first, nullptr);
  const auto second = numbers.get();
  EXPECT_EQ(second->section<int>("numbers")[2], 4);
  EXPECT_EQ(numbers.builds, 1);
  EXPECT_TRUE(numbers.lines.empty());
  EXPECT_EQ(filesIn(folder / "a/b"), 2U);  // and the lock
}

TEST(MapCache, ReplacesWhatIsNoGoodAndSaysWhy) {
  const TestFolder folder;
  const std::filesystem::path path = folder / "a";
  const auto expectRebuilt = [&](const std::string& why) {
    Numbers numbers(path);
    ASSERT_NE(numbers.get(), nullptr);
    EXPECT_EQ(numbers.builds, 1);
    ASSERT_EQ(numbers.lines.size(), 1U);
    EXPECT_EQ(numbers.lines[0], path.string() + ": " + why + "; making it anew");
    EXPECT_NE(numbers.get(), nullptr);
    EXPECT_EQ(numbers.builds, 1);
  };
  folder.write("a", "no map");
  expectRebuilt("is damaged: 6 bytes are no map file");
  const std::string good = contentOf(path);
  std::string bytes = good;
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  folder.write("a", bytes);
  expectRebuilt("is damaged: the checksum of section numbers is wrong");
  bytes = good;
  bytes[kVersionOffset] = 9;
  folder.write("a", bytes);
  expectRebuilt("is of format version 9, this program's is 3");
  Numbers other(path);
  other.entry.key = {1, 3};
  other.get();
  expectRebuilt("was made from another source or with other settings");
}

TEST(MapCache, AFileThatTheTakerRefusesIsMadeAnew) {
  const TestFolder folder;
  Numbers(folder / "a").get();
  Numbers numbers(folder / "a");
  numbers.entry.take = [&](const auto& file) {
    if (file->template section<int>("numbers").size() != 4) throw Error("not four");
  };
  numbers.values.push_back(1);
  EXPECT_NE(numbers.get(), nullptr);
  EXPECT_EQ(numbers.lines, std::vector<std::string>{"not four; making it anew"});
}

TEST(MapCache, BuildersErrorsPassAndFreeTheLock) {
  const TestFolder folder;
  Numbers numbers(folder / "a");
  numbers.on_build = [] { throw Error("no source"); };
  EXPECT_THROW(numbers.get(), Error);
  numbers.on_build = nullptr;
  EXPECT_NE(numbers.get(), nullptr);
}

TEST(MapCache, RemainsOfAKilledBuilderGo) {
  const TestFolder folder;
  folder.write("a.tmp123-0", "half a map");
  folder.write("b.tmp123-0", "another's");
  Numbers(folder / "a").get();
  EXPECT_FALSE(std::filesystem::exists(folder / "a.tmp123-0"));
  EXPECT_TRUE(std::filesystem::exists(folder / "b.tmp123-0"));
}

void expectWorksWithout(Numbers& numbers) {
  EXPECT_EQ(numbers.get(), nullptr);
  EXPECT_EQ(numbers.builds, 1);
  ASSERT_EQ(numbers.lines.size(), 1U);
  EXPECT_EQ(numbers.lines[0].rfind("the map cache cannot be used, going on without it: ", 0), 0U)
      << numbers.lines[0];
}

TEST(MapCache, WorksWithoutAFolder) {
  const TestFolder folder;
  folder.write("file", "");
  Numbers below_a_file(folder / "file/maps/a");
  expectWorksWithout(below_a_file);
  Numbers in_proc("/proc/marsim/a");
  expectWorksWithout(in_proc);
  std::filesystem::create_directories(folder / "taken/a/b");
  Numbers folder_in_its_place(folder / "taken/a");
  EXPECT_EQ(folder_in_its_place.get(), nullptr);
  EXPECT_EQ(folder_in_its_place.lines.size(), 2U);
}

TEST(MapCache, WorksWithAFullDisk) {
  const TestFolder folder;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 100;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  Numbers numbers(folder / "a");
  expectWorksWithout(numbers);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(filesIn(folder.path()), 1U) << "more than the lock is left";
}

/// Runs a check in a process of its own; true where it returned true.
bool inChild(const std::function<bool()>& check) {
  const pid_t child = fork();
  if (child == 0) _exit(check() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(MapCache, ReadOnlyFolder) {
  const TestFolder folder;
  Numbers(folder / "made").get();
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  EXPECT_TRUE(inChild([&] {
    constexpr uid_t kNobody = 65534;  // for the super-user nothing is read-only
    if (geteuid() == 0 && setresuid(kNobody, kNobody, kNobody) != 0) return false;
    Numbers made(folder / "made"), missing(folder / "missing");
    const auto file = made.get();
    return file != nullptr && made.builds == 0 && made.lines.empty() && missing.get() == nullptr &&
           missing.builds == 1 && missing.lines.size() == 1;
  }));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
}

TEST(MapCache, OneOfManyProcessesBuilds) {
  const TestFolder folder;
  constexpr int kProcesses = 8;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = fork();
    if (child != 0) {
      children.push_back(child);
      continue;
    }
    Numbers numbers(folder / "a");
    numbers.on_build = [&] {
      const int log = open((folder / "builds").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
      if (write(log, "x", 1) != 1) _exit(1);
      usleep(100000);
    };
    const auto file = numbers.get();
    const bool good = file != nullptr && file->section<int>("numbers")[0] == 3;
    const bool waited =
        numbers.lines.size() == 1 &&
        numbers.lines[0].find("another process is making it, waiting") != std::string::npos;
    _exit(good && (waited || numbers.lines.empty()) ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(contentOf(folder / "builds"), "x");
}

TEST(MapCache, TheNextProcessBuildsIfTheBuilderIsKilled) {
  const TestFolder folder;
  EXPECT_FALSE(inChild([&] {
    Numbers numbers(folder / "a");
    numbers.on_build = [] { raise(SIGKILL); };
    numbers.get();
    return true;
  }));
  Numbers numbers(folder / "a");
  EXPECT_NE(numbers.get(), nullptr);
  EXPECT_EQ(numbers.builds, 1);
}

}  // namespace
}  // namespace marsim::map
