// SPDX-License-Identifier: BSD-3-Clause
#include "tools/process/launcher.hpp"

#include <fstream>
#include <iterator>
#include <regex>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tools/process/child_process.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::tools {
namespace {

struct ProgramRun {
  int exit_code;
  std::string output;
};

ProgramRun run(std::vector<std::string> arguments) {
  arguments[0] = std::string(MARSIM_PROGRAMS) + "/" + arguments[0];
  ChildCommand command;
  command.arguments = std::move(arguments);
  std::string output;
  const ChildResult result =
      runChild(command, [&](const std::string& line) { output += line + "\n"; });
  return {result.exit_code, output};
}

TEST(Launcher, ListsKnownSubcommandsFirstThenWhatElseIsInstalled) {
  const TemporaryFolder folder;
  folder.write("marsim-extra", "#!/bin/sh\n", true);
  folder.write("marsim-demo", "#!/bin/sh\n", true);
  folder.write("marsim-data.txt", "not a program");
  folder.write("other", "#!/bin/sh\n", true);
  const auto known = parseSubcommands("test: runs tests\ndemo:  flies\n");
  const auto all = listSubcommands(known, folder.path());
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].name, "test");
  EXPECT_EQ(all[1].summary, "flies");
  EXPECT_EQ(all[2].name, "extra");
}

TEST(Launcher, HelpListsEverySubcommandAndEachHasHelp) {
  const ProgramRun help = run({"marsim", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* name : {"demo", "gallery", "map", "place", "run", "scan", "sensors"}) {
    EXPECT_NE(help.output.find(std::string("\n  ") + name), std::string::npos) << help.output;
    const ProgramRun own = run({"marsim", name, "--help"});
    EXPECT_EQ(own.exit_code, 0) << name;
    EXPECT_NE(own.output.find(std::string("marsim ") + name), std::string::npos) << own.output;
  }
}

// ./marsim in a clone of its own; a cmake that takes its time and does not stand another beside it.
TEST(SourceTreeScript, TwoBuildsAtOnceFollowOneAnother) {
  const TemporaryFolder clone;
  const char* source = std::getenv("MARSIM_TEST_SOURCE_DIR");
  ASSERT_NE(source, nullptr);
  std::filesystem::create_directories(clone.path() / "src" / "tools");
  std::filesystem::create_directories(clone.path() / "bin");
  std::filesystem::copy_file(std::filesystem::path(source) / "marsim", clone.path() / "marsim");
  clone.write("bin/cmake",
              "#!/bin/sh\n"
              "[ \"$1\" = --build ] || { sleep 0.2; : > build.ninja; exit 0; }\n"
              "mkdir other || exit 1\nsleep 0.5; rmdir other; echo built >> log\n",
              true);
  ChildCommand command;
  command.arguments = {"bash", "-c",
                       "cd \"$0\"; ./marsim build & first=$!; ./marsim build; second=$?; "
                       "wait $first; echo \"codes $? $second\"; cat log; ls -A build",
                       clone.path()};
  command.environment = {{"MARSIM_NO_INSTALL", "1"},
                         {"MARSIM_BUILD_DIR", (clone.path() / "build").string()},
                         {"PATH", (clone.path() / "bin").string() + ":" + std::getenv("PATH")}};
  std::string output;
  runChild(command, [&](const std::string& line) { output += line + "\n"; });
  EXPECT_NE(output.find("codes 0 0\nbuilt\nbuilt\n"), std::string::npos) << output;
  EXPECT_TRUE(std::regex_search(
      output, std::regex("marsim: process [0-9]+, since [-0-9]+ [:0-9]+, builds in .*; waiting")))
      << output;
  EXPECT_EQ(output.find("marsim_building"), std::string::npos) << output;
  EXPECT_NE(output.find(".marsim_built_all"), std::string::npos) << output;
}

// ROS 1's setup file names another distribution than the ROS 2 that fly2 is to serve.
TEST(SourceTreeScript, Fly2KeepsRosDistro) {
  const TemporaryFolder clone;
  const char* source = std::getenv("MARSIM_TEST_SOURCE_DIR");
  ASSERT_NE(source, nullptr);
  for (const char* folder : {"bin", "build/devel/lib/marsim"}) {
    std::filesystem::create_directories(clone.path() / folder);
  }
  std::filesystem::copy_file(std::filesystem::path(source) / "marsim", clone.path() / "marsim");
  clone.write("bin/cmake", "#!/bin/sh\n", true);
  clone.write("build/devel/setup.bash", "export ROS_DISTRO=Debian\n");
  clone.write("build/devel/lib/marsim/marsim", "#!/bin/sh\necho \"$1 $ROS_DISTRO\"\n", true);
  ChildCommand command;
  command.arguments = {"bash", "-c", "cd \"$0\"; ./marsim fly2; ./marsim demo", clone.path()};
  command.environment = {{"MARSIM_NO_INSTALL", "1"},
                         {"MARSIM_BUILD_DIR", (clone.path() / "build").string()},
                         {"ROS_DISTRO", "humble"},
                         {"PATH", (clone.path() / "bin").string() + ":" + std::getenv("PATH")}};
  std::string output;
  runChild(command, [&](const std::string& line) { output += line + "\n"; });
  EXPECT_NE(output.find("fly2 humble\n"), std::string::npos) << output;
  EXPECT_NE(output.find("demo Debian\n"), std::string::npos) << output;
}

TEST(Launcher, UnknownSubcommandSuggestsTheNearest) {
  const ProgramRun unknown = run({"marsim", "dmo"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.output.find("did you mean 'demo'"), std::string::npos) << unknown.output;
  EXPECT_EQ(run({"marsim", "../marsim"}).exit_code, 2);
}

// A launcher by itself, as after `./marsim build marsim`.
TEST(Launcher, SaysThatAKnownSubcommandIsNotBuilt) {
  const TemporaryFolder folder;
  std::filesystem::copy_file(std::string(MARSIM_PROGRAMS) + "/marsim", folder.path() / "marsim");
  ChildCommand command;
  command.arguments = {folder.path() / "marsim", "scan"};
  std::string output;
  EXPECT_EQ(runChild(command, [&](const std::string& line) { output += line + "\n"; }).exit_code,
            1);
  EXPECT_EQ(output, fmt::format("marsim: 'scan' is not built or not installed: {}: No such file or "
                                "directory\n",
                                (folder.path() / "marsim-scan").string()));
}

TEST(Launcher, WrongOptionIsOneClearLineAndCode2) {
  const ProgramRun wrong = run({"marsim", "demo", "--spede", "3"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.output.find("--spede"), std::string::npos) << wrong.output;
}

TEST(Map, SaysWhatAFileHolds) {
  const TemporaryFolder folder;
  const auto path =
      folder.write("ten.pcd",
                   "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n"
                   "WIDTH 5\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 5\nDATA ascii\n"
                   "0 0 0\n1 0 0\n1 0 0\nnan 0 0\n0 2 0.5\n");
  const ProgramRun described = run({"marsim", "map", path.string(), "--resolution", "10cm"});
  EXPECT_EQ(described.exit_code, 0) << described.output;
  EXPECT_NE(described.output.find("1 not finite, 1 duplicates"), std::string::npos)
      << described.output;
  EXPECT_NE(described.output.find("1.00 x 2.00 x 0.50 m"), std::string::npos) << described.output;
  EXPECT_NE(described.output.find("3 at 0.1 m"), std::string::npos) << described.output;
  const ProgramRun missing = run({"marsim", "map", (folder.path() / "none.pcd").string()});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(missing.output.find("none.pcd"), std::string::npos) << missing.output;
  const ProgramRun zero = run({"marsim", "map", path.string(), "--resolution", "0"});
  EXPECT_EQ(zero.exit_code, 2);
  EXPECT_NE(zero.output.find("--resolution is '0', allowed: more than 0, up to 10000 m"),
            std::string::npos)
      << zero.output;
}

TEST(Sensors, ListsThoseAskedFor) {
  const ProgramRun all = run({"marsim", "sensors", "--json"});
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_EQ(all.output.front(), '[') << all.output;
  EXPECT_NE(all.output.find("\"name\": \"mid360\""), std::string::npos) << all.output;
  const ProgramRun one = run({"marsim", "sensors", "vlp16"});
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_NE(one.output.find("Velodyne VLP-16"), std::string::npos) << one.output;
  EXPECT_EQ(one.output.find("Livox"), std::string::npos) << one.output;
  const ProgramRun unknown = run({"marsim", "sensors", "vlp17"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_NE(unknown.output.find("did you mean 'vlp16'"), std::string::npos) << unknown.output;
}

TEST(Scan, WrongOptionsAreNamed) {
  const ProgramRun pose = run({"marsim", "scan", "--pose", "1,2"});
  EXPECT_EQ(pose.exit_code, 1);
  EXPECT_NE(pose.output.find("--pose is '1,2', allowed: x,y,z,yaw,pitch,roll"), std::string::npos)
      << pose.output;
  EXPECT_EQ(run({"marsim", "scan", "--frame", "body"}).exit_code, 2);
}

TEST(Gallery, SaysWhereItCannotWrite) {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "");
  const ProgramRun refused = run({"marsim", "gallery", "--out", (file / "below").string()});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.output.find("file: is no folder"), std::string::npos) << refused.output;
}

TEST(Place, WritesTheSameFileForTheSameSeed) {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, const char* seed) {
    const auto path = (folder.path() / name).string();
    const ProgramRun made = run({"marsim", "place", "forest", "--out", path, "--seed", seed,
                                 "--size-x", "12", "--size-y", "12", "--spacing", "0.2"});
    EXPECT_EQ(made.exit_code, 0) << made.output;
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string first = write("a.pcd", "3");
  EXPECT_GT(first.size(), 1000U);
  EXPECT_EQ(first, write("b.pcd", "3"));
  EXPECT_NE(first, write("c.pcd", "4"));
  EXPECT_EQ(run({"marsim", "place", "forest", "--out", (folder.path() / "d.pcd").string(),
                 "--spacing", "-1"})
                .exit_code,
            2);
}

TEST(Place, IsMadeFromAFile) {
  const TemporaryFolder folder;
  setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  const auto config =
      folder.write("my.yaml", "place: building\nseed: 2\nspacing: 20cm\nroom_width: 4m\n");
  const auto path = folder.path() / "my.pcd";
  const ProgramRun made = run({"marsim", "place", "file", config.string(), "--out", path.string()});
  EXPECT_EQ(made.exit_code, 0) << made.output;
  EXPECT_GT(std::filesystem::file_size(path), 1000U);
  const ProgramRun missing = run({"marsim", "place", "file", "none.yaml", "--out", path.string()});
  EXPECT_EQ(missing.exit_code, 1) << missing.output;
}

}  // namespace
}  // namespace marsim::tools
