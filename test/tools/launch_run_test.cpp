// SPDX-License-Identifier: BSD-3-Clause
#include "tools/process/launch_run.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"

namespace marsim::tools {
namespace {

using Words = std::vector<std::string>;

std::string refusal(const Words& words) {
  try {
    splitLaunchWords(words);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(LaunchWords, FileThenArguments) {
  const LaunchWords own = splitLaunchWords({"sim.launch", "map:=forest", "lidar:=mid360"});
  EXPECT_EQ(own.file, Words{"sim.launch"});
  ASSERT_EQ(own.arguments.size(), 2U);
  EXPECT_EQ(own.arguments[1].first, "lidar");
  EXPECT_EQ(own.arguments[1].second, "mid360");
  EXPECT_EQ(splitLaunchWords({"pkg", "a.launch"}).file, (Words{"pkg", "a.launch"}));
  EXPECT_EQ(splitLaunchWords({"a.launch", "eq:=a:=b"}).arguments[0].second, "a:=b");
}

TEST(LaunchWords, RefusesWhatIsNoArgument) {
  EXPECT_NE(refusal({"sim.launch", "lidar=mid360"}).find("'lidar:=mid360'"), std::string::npos);
  EXPECT_NE(refusal({"sim.launch", "lidar:=", "mid360"}).find("without blanks"), std::string::npos);
  EXPECT_NE(refusal({"sim.launch", "x:=1", "x:=2"}).find("x:= is given twice"), std::string::npos);
  EXPECT_NE(refusal({"x:=1"}).find("LAUNCH"), std::string::npos);
}

TEST(LaunchWords, PathsOfFilesBecomeAbsolute) {
  const auto value = [](const std::string& word) {
    return splitLaunchWords({"a.launch", "map:=" + word}).arguments[0].second;
  };
  const std::string here = std::filesystem::current_path().string() + "/";
  for (const char* kept : {"forest", "0.1", "1.5m", "", "/abs.pcd", "camera/odom", "-2", "1e3"}) {
    EXPECT_EQ(value(kept), kept);
  }
  EXPECT_EQ(value("hall.pcd"), here + "hall.pcd");
  EXPECT_EQ(value("my/hall.pcd"), here + "my/hall.pcd");
}

std::string failureOf(const std::vector<std::string>& lines, int exit_code = 0) {
  RunJournal journal;
  for (const std::string& line : lines) journal.add(line);
  return journal.failure(exit_code);
}

TEST(RunJournal, RequiredNodesCountFatalMessagesSayWhy) {
  const std::string died = "================REQUIRED process [uav0/lidar-4] has died!";
  EXPECT_EQ(failureOf({died, "process has died [pid 5, exit code 1, cmd /a/lidar].",
                       "Initiating shutdown!"}),
            "uav0/lidar ended with exit code 1");
  EXPECT_EQ(failureOf({"[FATAL] [176.5, 0.1]: no map", "[FATAL] [176.6]: later", died,
                       "process has died [pid 5, exit code -11, cmd /a/lidar]."}),
            "uav0/lidar was ended by signal 11: no map");
  EXPECT_EQ(failureOf({died, "process has finished cleanly", "log file: x"}), "");
  EXPECT_EQ(failureOf({"[FATAL] [176.5]: no map"}), "no map");
}

TEST(RunJournal, OtherNodesCountWhereNoneIsLeft) {
  const std::string other = "[my_planner-2] process has died [pid 7, exit code 3, cmd x].";
  EXPECT_EQ(failureOf({other}), "");
  EXPECT_EQ(failureOf({other, "All processes on machine have died, roslaunch will exit"}),
            "my_planner ended with exit code 3");
  EXPECT_EQ(failureOf({}, 1), "roslaunch ended with code 1");
  EXPECT_EQ(failureOf({"[ INFO] [176.5]: all is well"}), "");
}

TEST(RunJournal, MarksTimesAndColonsAreNoPartOfAMessage) {
  const auto message = [](const std::string& line) {
    RunJournal journal;
    journal.add(line);
    return journal.firstError();
  };
  for (const char* line : {"[ERROR] [176.5, 0.1]: no [map]", "[FATAL]: no [map]",
                           "RLException: no [map]", "roslaunch: error: no [map]"}) {
    EXPECT_EQ(message(line), "no [map]") << line;
  }
  EXPECT_EQ(message("Resource not found: x"), "Resource not found: x");
  EXPECT_EQ(message("[ WARN] [176.5]: no map"), "");
  EXPECT_EQ(message("[ERROR] ["), "[");
  EXPECT_EQ(message(""), "");
}

// Longer than what a regular expression's recursion survives.
TEST(RunJournal, LongLinesAreClipped) {
  const std::string much(1U << 20U, 'x');
  RunJournal journal;
  for (const std::string& line : std::vector<std::string>{
           much, "RLException: " + much + ":", "", much, "[FATAL] [" + much, "[FATAL] " + much,
           "ERROR: cannot launch node of type [" + much + "]: " + much,
           "[" + much + "] process has"}) {
    journal.add(line);
  }
  EXPECT_LE(journal.firstError().size(), 500U);
  EXPECT_LE(journal.failure(1).size(), 500U);
  EXPECT_LE(journal.lost().size(), 600U);
}

TEST(RunJournal, TheReasonOfABadLaunchFileStandsInTheNextLine) {
  RunJournal journal;
  for (const char* line :
       {"RLException: while processing /a.launch:", "while processing /b.launch:",
        "Invalid roslaunch XML syntax: no element found: line 1, column 0", "The traceback is x"}) {
    journal.add(line);
  }
  EXPECT_EQ(journal.firstError(),
            "while processing /a.launch: while processing /b.launch: Invalid roslaunch XML syntax: "
            "no element found: line 1, column 0");
}

TEST(RunJournal, NodesThatCannotBeStartedOrDieAreLost) {
  const auto lost = [](const std::vector<std::string>& lines) {
    RunJournal journal;
    for (const std::string& line : lines) journal.add(line);
    return journal.lost();
  };
  const std::string died = "[my_planner-2] process has died [pid 7, exit code 3, cmd x].";
  EXPECT_EQ(lost({"ERROR: cannot launch node of type [no_such/x]: no_such", died}),
            "no_such/x cannot be started: ROS does not find that package; source its workspace's "
            "setup.bash");
  EXPECT_EQ(lost({died}), "my_planner ended with exit code 3");
  // A node that is ended with the flight may exit with an error.
  EXPECT_EQ(lost({"====REQUIRED process [scenario_runner-6] has died!",
                  "process has finished cleanly", died}),
            "");
}

}  // namespace
}  // namespace marsim::tools
