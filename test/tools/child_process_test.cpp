// SPDX-License-Identifier: BSD-3-Clause
#include "tools/process/child_process.hpp"

#include <csignal>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "marsim/common/error.hpp"
#include "tools/process/interrupts.hpp"

namespace marsim::tools {
namespace {

std::vector<std::string> linesOf(const std::string& script, ChildResult& result,
                                 double silence_limit = 0.0) {
  ChildCommand command;
  command.arguments = {"sh", "-c", script};
  command.environment = {{"MARSIM_TEST_VALUE", "some value"}};
  command.unset = {"MARSIM_TEST_GONE"};
  command.silence_limit = silence_limit;
  std::vector<std::string> lines;
  result = runChild(command, [&](const std::string& line) { lines.push_back(line); });
  return lines;
}

TEST(ChildProcess, HandsOverOutputEnvironmentAndExitCode) {
  setenv("MARSIM_TEST_GONE", "here", 1);
  ChildResult result;
  const auto lines = linesOf(
      "echo \"$MARSIM_TEST_VALUE\"; echo \"[$MARSIM_TEST_GONE]\" >&2; printf 'a\\rb'; exit 3",
      result);
  EXPECT_EQ(lines, (std::vector<std::string>{"some value", "[]", "a", "b"}));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_FALSE(result.interrupted);
}

TEST(ChildProcess, ColoursAndTitlesAreTakenOut) {
  EXPECT_EQ(withoutColours("\x1b[1;31m[ERROR]\x1b[0m a\x1b]2;title\x07"
                           "b"),
            "[ERROR] ab");
  for (const char* kept :
       {"", "plain", "\x1b", "\x1b[", "\x1b[1;", "\x1b[1;?", "\x1b]2;x", "\x1bX"}) {
    EXPECT_EQ(withoutColours(kept), kept);
  }
  const std::string much(LineCutter::kLongest, ';');
  EXPECT_EQ(withoutColours("\x1b[" + much + "ma\x1b]" + much + "\x07"), "a");
}

TEST(LineCutter, ALineWithoutAnEndIsCut) {
  std::vector<std::size_t> sizes;
  LineCutter cutter([&](const std::string& line) { sizes.push_back(line.size()); });
  const std::string much(2 * LineCutter::kLongest + 5, 'x');
  cutter.add(much.data(), much.size());
  cutter.flush();
  EXPECT_EQ(sizes, (std::vector<std::size_t>{LineCutter::kLongest, LineCutter::kLongest, 5}));
}

TEST(ChildProcess, InterruptIsPassedOnOnceAndTheEndAwaited) {
  ChildResult result;
  const auto lines = linesOf(
      "trap 'echo asked; exit 7' INT; kill -INT $PPID; while :; do sleep 0.05; done", result);
  EXPECT_EQ(lines, std::vector<std::string>{"asked"});
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.exit_code, 7);
}

TEST(ChildProcess, SilenceEndsIt) {
  ChildResult result;
  linesOf("trap 'exit 4' INT; while :; do sleep 0.05; done", result, 0.3);
  EXPECT_TRUE(result.silent);
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(result.exit_code, 4);
}

TEST(ChildProcess, NothingIsLeftBehind) {
  ChildResult result;
  // One in a session of its own that takes no notice of SIGINT, and one below another.
  const auto lines = linesOf(
      "setsid sh -c 'trap \"\" INT; echo $$; exec sleep 100' & "
      "setsid sh -c 'sleep 100 & echo $!; wait' & sleep 0.3; exit 5",
      result);
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_GE(result.orphans, 2);
  ASSERT_EQ(lines.size(), 2U);
  for (const std::string& process : lines) EXPECT_EQ(kill(std::stoi(process), 0), -1) << process;
}

TEST(ChildProcess, MissingProgramIsAnError) {
  ChildCommand command;
  command.arguments = {"marsim-no-such-program"};
  EXPECT_THROW(runChild(command, [](const std::string&) {}), Error);
  EXPECT_FALSE(onPath("marsim-no-such-program"));
  EXPECT_TRUE(onPath("sh"));
}

// An outgoing connection can take a port of the kernel's range before its user opens it.
TEST(ChildProcess, FreePortsAreNeitherPrivilegedNorTheUsualMasterNorForConnections) {
  int first = 0, last = 0;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> first >> last;
  if (first < 32768) GTEST_SKIP() << "this kernel's range begins at " << first;
  for (int i = 0; i < 20; ++i) {
    const int port = freePort();
    EXPECT_GT(port, 1024);
    EXPECT_NE(port, 11311);
    EXPECT_TRUE(port < first || port > last) << port;
  }
}

}  // namespace
}  // namespace marsim::tools
