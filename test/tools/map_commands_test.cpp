// SPDX-License-Identifier: BSD-3-Clause
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "marsim/common/random.hpp"
#include "tools/process/child_process.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::tools {
namespace {

/// The program marsim-map in a folder of its own.
class MapCommands : public testing::Test {
 protected:
  struct Ended {
    int exit_code;
    std::string output;
  };

  /// A line for bash; $MAP is the program.
  Ended shell(const std::string& line) const {
    ChildCommand command;
    command.arguments = {"bash", "-c", "cd \"$0\" && " + line, folder_.path().string()};
    command.environment = {{"MAP", std::string(MARSIM_PROGRAMS) + "/marsim-map"},
                           {"XDG_CACHE_HOME", (folder_.path() / ".cache").string()}};
    command.unset = {"DISPLAY", "WAYLAND_DISPLAY"};
    std::string output;
    const ChildResult result =
        runChild(command, [&](const std::string& text) { output += text + "\n"; });
    return {result.exit_code, output};
  }
  void expectError(const std::string& line, const std::string& part) const {
    const Ended ended = shell(line);
    EXPECT_NE(ended.exit_code, 0) << line;
    EXPECT_NE(ended.output.find(part), std::string::npos) << line << "\n" << ended.output;
    EXPECT_EQ(std::count(ended.output.begin(), ended.output.end(), '\n'), 1) << ended.output;
  }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      if (entry.path().filename() != ".cache") names.insert(entry.path().filename().string());
    }
    return names;
  }
  /// A floor of 6 x 4 m, walls along x of 3 m, on average one point a square of 0.05 m, with noise
  /// of 1 cm, and `floating` points in the air, 0.3 m apart.
  void writeRoom(const std::string& name, int floating) const {
    RandomStream random(2);
    std::string text;
    const auto add = [&](double x, double y, double z) {
      text += fmt::format("{:.5f} {:.5f} {:.5f}\n", x, y, z);
    };
    for (int i = 0; i < 9600; ++i) {
      add(random.uniform(0, 6), random.uniform(0, 4), 0.01 * random.normal());
    }
    for (int i = 0; i < 14400; ++i) {
      add(random.uniform(0, 6), (i % 2 == 0 ? 0.0 : 4.0) + 0.01 * random.normal(),
          random.uniform(0, 3));
    }
    for (int i = 0; i < floating; ++i) {
      add(0.5 + 0.3 * (i % 17), 1.0 + 0.3 * (i / 17 % 5), 1.0 + 0.3 * (i / 85));
    }
    folder_.write(name, text);
  }

  TemporaryFolder folder_;
};

TEST_F(MapCommands, InfoSaysWhatTheMapIsFitFor) {
  writeRoom("room.xyz", 0);
  ASSERT_EQ(shell("$MAP import room.xyz --out room.pcd").exit_code, 0);
  const Ended ended = shell("$MAP info room.pcd --resolution 0.1 --json 2>/dev/null");
  ASSERT_EQ(ended.exit_code, 0) << ended.output;
  const nlohmann::json json = nlohmann::json::parse(ended.output);
  EXPECT_EQ(json.at("points"), 24000);
  EXPECT_NEAR(json.at("noise").get<double>(), 0.01, 0.002);
  EXPECT_GT(json.at("planar_share").get<double>(), 0.95);
  EXPECT_EQ(json.at("isolated_share"), 0.0);
  EXPECT_EQ(json.at("free_voxel"), 0.2);
  // Less a layer of voxels at the floor and at each wall.
  EXPECT_NEAR(json.at("free_volume").get<double>(), 6.0 * 3.6 * 2.8, 5.0);
  EXPECT_NEAR(json.at("free_share").get<double>(), 3.6 * 2.8 / 12.0, 0.07);
  EXPECT_TRUE(json.at("warnings").empty());
  EXPECT_TRUE(json.at("z_up").get<bool>() && json.at("metres").get<bool>());
  EXPECT_NE(shell("$MAP info room.pcd").output.find("z looks up, a unit looks like a metre"),
            std::string::npos);
}

TEST_F(MapCommands, EveryStepIsOneJsonObjectOnRequest) {
  writeRoom("room.xyz", 0);
  const auto json = [&](const std::string& command) {
    const Ended ended = shell("$MAP " + command + " --json 2>/dev/null");
    EXPECT_EQ(ended.exit_code, 0) << ended.output;
    return nlohmann::json::parse(ended.output);
  };
  const nlohmann::json import = json("import room.xyz room.xyz --resolution 0.2 --out room.pcd");
  EXPECT_EQ(import.at("files").size(), 2U);
  EXPECT_EQ(import.at("files")[1].at("points"), 24000);
  EXPECT_EQ(import.at("points_before_thinning"), 48000);
  EXPECT_EQ(import.at("written"), "room.pcd");
  const nlohmann::json clean =
      json("clean room.pcd --crop=0,0,0,3,9,9 --downsample 0.4 --out a.ply");
  EXPECT_EQ(clean.at("read"), import.at("points"));
  ASSERT_EQ(clean.at("steps").size(), 2U);
  EXPECT_EQ(clean.at("steps")[0].at("step"), "crop");
  EXPECT_EQ(clean.at("steps")[0].at("after"), clean.at("steps")[1].at("before"));
  EXPECT_EQ(clean.at("steps")[1].at("after"), clean.at("points"));
  EXPECT_EQ(json("export a.ply --out b.pcd").at("points"), clean.at("points"));
  const nlohmann::json slice = json("export a.ply --out a.yaml --slice 1 2 --resolution 0.4");
  EXPECT_EQ(slice.at("occupied").get<int>() + slice.at("free").get<int>() +
                slice.at("unknown").get<int>(),
            slice.at("width").get<int>() * slice.at("height").get<int>());
}

// A trajectory that nothing is placed by.
TEST_F(MapCommands, OptionsOfRecordingsNeedOne) {
  writeRoom("room.xyz", 0);
  ASSERT_EQ(shell("$MAP import room.xyz --out room.pcd").exit_code, 0);
  const std::set<std::string> before = files();
  expectError("$MAP import room.xyz --poses a.tum --out a.pcd",
              "--poses is 'a.tum', allowed: with a bag or a folder of scans");
  expectError("$MAP import room.xyz --lidar-pose 0,0,1 --out a.pcd", "--lidar-pose is '0,0,1'");
  expectError("$MAP import room.xyz --viewpoint --out a.pcd",
              "--viewpoint is given, allowed: with a PCD file among the files");
  expectError("$MAP clean room.pcd --outliers 8,3 --odometry /odom --out a.pcd",
              "--odometry is '/odom', allowed: with --moving");
  expectError("$MAP clean room.pcd --fill 9 --out a.pcd", "--fill is '9', allowed: 0.001 to 5 m");
  expectError("$MAP clean room.pcd --crop=50,50,50,60,60,60 --out a.pcd",
              "--crop leaves no point of the map");
  EXPECT_EQ(files(), before);
}

TEST_F(MapCommands, InfoAdvisesCleaningWhereItIsWorthIt) {
  writeRoom("room.xyz", 240);  // 1 %
  ASSERT_EQ(shell("$MAP import room.xyz --out room.pcd").exit_code, 0);
  const std::string text = shell("$MAP info room.pcd").output;
  EXPECT_NE(text.find("isolated      0.9"), std::string::npos) << text;
  EXPECT_NE(text.find("marsim map clean"), std::string::npos) << text;
  EXPECT_NE(text.find("noise"), std::string::npos) << text;
  EXPECT_NE(text.find("m3 reached from start"), std::string::npos) << text;
}

TEST_F(MapCommands, ExportSaysWhichPointsAndHowMany) {
  writeRoom("room.xyz", 0);
  ASSERT_EQ(shell("$MAP import room.xyz --out room.pcd").exit_code, 0);
  const Ended points = shell("$MAP export room.pcd --out copy.ply");
  EXPECT_EQ(points.exit_code, 0);
  EXPECT_NE(points.output.find("copy.ply: 24,000 of the file's 24,000 points"), std::string::npos)
      << points.output;
  const Ended surfels = shell("$MAP export room.pcd --resolution 0.2 --out surfels.pcd");
  EXPECT_EQ(surfels.exit_code, 0);
  EXPECT_NE(surfels.output.find(" surfels at 0.2 m, of 24,000 points"), std::string::npos)
      << surfels.output;
  const Ended slice =
      shell("$MAP export room.pcd --resolution 20cm --slice -0.3 1.5 --out room.yaml");
  EXPECT_EQ(slice.exit_code, 0) << slice.output;
  EXPECT_NE(slice.output.find("cells of 0.2 m between -0.3 and 1.5 m"), std::string::npos)
      << slice.output;
  const std::set<std::string> expected{"copy.ply", "room.pcd",  "room.pgm",
                                       "room.xyz", "room.yaml", "surfels.pcd"};
  EXPECT_EQ(files(), expected);
}

TEST_F(MapCommands, ExportNamesWhatIsWrong) {
  writeRoom("room.xyz", 0);
  ASSERT_EQ(shell("$MAP import room.xyz --out room.ply").exit_code, 0);
  const std::set<std::string> before = files();
  expectError("$MAP export room.ply --out room.stl", ".pcd, .ply, .bt, .ot, .yaml");
  expectError("$MAP export room.ply --out room.yaml", "--slice ZMIN ZMAX");
  expectError("$MAP export room.ply --out a.pcd --slice 0 1", "--slice");
  expectError("$MAP export room.ply --out a.yaml --slice 7 8", "the map reaches from");
  expectError("$MAP export room.ply --out a.yaml --slice 2 1", "ZMIN below ZMAX");
  expectError("$MAP export room.ply --out a.yaml --slice 0 tall", "--slice");
  expectError("$MAP export room.ply --out a.bt --resolution 0", "--resolution");
  expectError("$MAP export none.ply --out a.pcd", "none.ply");
  expectError("$MAP export room.ply --out nowhere/a.pcd", "nowhere/a.pcd");
  EXPECT_EQ(files(), before);
}

TEST_F(MapCommands, WindowWithoutDisplayNamesThePictures) {
  writeRoom("room.xyz", 0);
  ASSERT_EQ(shell("$MAP import room.xyz --out room.pcd").exit_code, 0);
  expectError("$MAP view room.pcd --window", "--out hall.png");
  expectError("DISPLAY=:98765 $MAP view room.pcd --window", "--out hall.png");
  expectError("$MAP view room.pcd", "--window");
}

TEST_F(MapCommands, FullDiskLeavesNothing) {
  writeRoom("room.xyz", 0);
  ASSERT_EQ(shell("$MAP import room.xyz --out room.pcd").exit_code, 0);
  const std::set<std::string> before = files();
  expectError("$MAP import room.xyz --out /dev/full", "/dev/full: cannot be written: No space");
  for (const char* command : {"import room.xyz --out a.ply", "export room.pcd --out a.pcd",
                              "export room.pcd --out a.yaml --resolution 0.01 --slice 1 2",
                              "view room.pcd --out a.png"}) {
    expectError(fmt::format("ulimit -f 1 && $MAP {}", command),
                "cannot be written: File too large");
    EXPECT_EQ(files(), before) << command;
  }
}

TEST_F(MapCommands, InterruptLeavesAWholeFileOrNone) {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += fmt::format("{} {} 0.123456\n", i % 400, i / 400);
  folder_.write("many.xyz", text);
  ASSERT_EQ(shell("$MAP import many.xyz --out whole.ply").exit_code, 0);
  const auto size = std::filesystem::file_size(folder_.path() / "whole.ply");
  const std::set<std::string> before = files();
  for (const char* seconds : {"0.01", "0.05", "0.1", "0.15", "0.2", "0.3"}) {
    const Ended ended =
        shell(fmt::format("timeout -s INT {} $MAP import many.xyz --out out.ply", seconds));
    const std::filesystem::path out = folder_.path() / "out.ply";
    const bool there = std::filesystem::exists(out);
    EXPECT_TRUE(there || ended.exit_code != 0);
    EXPECT_EQ(there ? std::filesystem::file_size(out) : size, size);
    std::filesystem::remove(out);
    EXPECT_EQ(files(), before) << seconds;
  }
}

TEST_F(MapCommands, ImportNamesFilesItCannotRead) {
  folder_.write("empty.las", "");
  folder_.write("packed.laz", "LASF");
  folder_.write("cut.pcd",
                "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 5\nHEIGHT 1\n"
                "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 5\nDATA binary\n0123456789");
  const std::set<std::string> before = files();
  expectError("$MAP import empty.las --out a.pcd", "empty.las: is empty");
  expectError("$MAP import packed.laz --out a.pcd", "'laszip' or 'las2las'");
  expectError("$MAP import cut.pcd --out a.pcd", "cut.pcd");
  expectError("$MAP import missing.las --out a.pcd", "does not exist");
  expectError("$MAP import cut.pcd --out a.xyz", "allowed: .pcd, .ply");
  EXPECT_EQ(files(), before);
}

}  // namespace
}  // namespace marsim::tools
