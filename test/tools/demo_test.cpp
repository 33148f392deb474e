// SPDX-License-Identifier: BSD-3-Clause
#include "tools/demo/demo.hpp"

#include <fstream>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "marsim/map/cloud_io.hpp"
#include "tools/process/child_process.hpp"
#include "tools/temporary_folder.hpp"
#include "tools/test_room.hpp"

namespace marsim::tools {
namespace {

namespace fs = std::filesystem;

// Stands for roslaunch: notes how it was called, then `flight` runs with $out, the output folder.
std::string fakeRoslaunch(const std::string& flight) {
  return R"(#!/bin/sh
out=$(dirname "$3")
echo "$@" > "$out/log/arguments"
echo "$ROS_MASTER_URI $ROS_LOG_DIR" > "$out/log/environment"
record() {  # goals reached, scans, contacts
  echo "{\"goals\": 1, \"goals_reached\": $1, \"rms_tracking_error_m\": 0.02, \"scans\": $2,
    \"points_per_scan_mean\": 2.0, \"render_ms_mean\": 1.5, \"real_time_factor\": 1.0,
    \"simulated_s\": 2.0, \"contacts\": ${3:-0}, \"worst_contact_speed_mps\": 1.5, \"scan_origin\": [2, 2, 1.5], \"completed\": true}" > "$out/flight.json"
}
fly() {  # y...
  row=0
  for y in "$@"; do
    row=$((row+1))
    echo "1700000000.$row 2 $y 1.5 0 0 0 1" >> "$out/trajectory.tum"
  done
  printf 'VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 1\n' \
    > "$out/scan.pcd"
  printf 'VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\nDATA ascii\n0 2 1.5\n2 0 1.5\n' >> "$out/scan.pcd"
}
)" + flight;
}

// A room on disk, a fake roslaunch in front of the PATH, and `marsim demo` run as a program.
class Demo : public ::testing::Test {
 protected:
  Demo() {
    map::PointCloud cloud;
    cloud.points = roomPoints(4.0);  // door closed
    map::savePcd(folder_.path() / "room.pcd", cloud);
    fs::create_directory(folder_.path() / "bin");
  }

  void install(const std::string& flight) {
    folder_.write("bin/roslaunch", fakeRoslaunch(flight), true);
  }

  int run(std::vector<std::string> options, const char* path = std::getenv("PATH")) {
    ChildCommand command;
    command.arguments = {std::string(MARSIM_PROGRAMS) + "/marsim-demo", "--map", map_.string(),
                         "--out", out().string()};
    command.arguments.insert(command.arguments.end(), options.begin(), options.end());
    command.environment = environment_;
    command.environment["PATH"] = fmt::format("{}/bin:{}", folder_.path().string(), path);
    output_.clear();
    return runChild(command, [&](const std::string& line) { output_ += line + "\n"; }).exit_code;
  }

  bool said(const std::string& text) const { return output_.find(text) != std::string::npos; }
  fs::path out() const { return out_; }
  std::string read(const std::string& name) const {
    std::ifstream file(out() / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  nlohmann::json summary() const { return nlohmann::json::parse(read("summary.json")); }

  const std::vector<std::string> there_ = {"--start", "2,2,1.5", "--goals", "2,4,1.5"};
  TemporaryFolder folder_;
  fs::path map_ = folder_.path() / "room.pcd", out_ = folder_.path() / "out";
  std::string output_;
  std::map<std::string, std::string> environment_;
};

TEST_F(Demo, GoodFlightGivesSummaryPicturesAndCode0) {
  install("echo 'scenario 1.0 s of 9.0 s, goal 1 of 1'; echo chatter; fly 2 3 4; record 1 20");
  EXPECT_EQ(run(there_), 0) << output_;
  EXPECT_EQ(summary().at("goals_reached"), 1);
  EXPECT_EQ(summary().at("collisions"), 0);
  EXPECT_NEAR(summary().at("min_clearance_m").get<double>(), 1.5, 1e-3);
  for (const char* name : {"flight_top.png", "flight_oblique.png", "flight_side.png"}) {
    EXPECT_GT(fs::file_size(out() / name), 1000U) << name;
  }
  EXPECT_TRUE(said("goal 1 of 1"));
  EXPECT_FALSE(said("chatter"));
  EXPECT_NE(read("scenario.log").find("chatter"), std::string::npos);
}

TEST_F(Demo, FilesOfOthersAreNotReplaced) {
  install("fly 2 3 4; record 1 20");
  out_ = folder_.path();
  folder_.write("scan.pcd", "another's");
  EXPECT_EQ(run(there_), 1);
  EXPECT_TRUE(said("which the command did not write, allowed: a new or empty folder")) << output_;
  EXPECT_EQ(read("scan.pcd"), "another's");
  EXPECT_TRUE(fs::exists(map_));
  EXPECT_FALSE(fs::exists(out() / "log"));
}

TEST_F(Demo, AnEarlierFlightsResultsAreReplacedButNotFlownThrough) {
  install("fly 2 3 4; record 1 20");
  EXPECT_EQ(run(there_), 0) << output_;
  EXPECT_EQ(run(there_), 0) << output_;
  map_ = out() / "cloud.pcd";
  fs::copy_file(folder_.path() / "room.pcd", map_);
  EXPECT_EQ(run(there_), 1);
  EXPECT_TRUE(said("cloud.pcd: is an input and an output")) << output_;
  EXPECT_TRUE(fs::exists(map_));
}

TEST_F(Demo, LaunchesWithAMasterOfItsOwn) {
  install("fly 2 4; record 1 20");
  auto options = there_;
  options.insert(options.end(), {"--yaw", "90deg", "--lidar", "mid360", "--nodelets"});
  EXPECT_EQ(run(options), 0) << output_;
  const std::string arguments = read("log/arguments");
  const std::string launch = read("run.launch");
  for (const char* part :
       {"launch/sim.launch", "\"x\" value=\"2", "\"z\" value=\"1.5\"", "\"yaw\" value=\"1.57",
        "\"rviz\" value=\"false\"", "\"lidar\" value=\"mid360\"", "\"nodelets\" value=\"true\"",
        "\"lockstep\" value=\"false\"", "\"pace\" value=\"1"}) {
    EXPECT_NE(launch.find(part), std::string::npos) << part << " in " << launch;
  }
  const std::string port = arguments.substr(3, arguments.find(' ', 3) - 3);
  EXPECT_NE(port, "11311");
  EXPECT_EQ(read("log/environment"),
            fmt::format("http://127.0.0.1:{} {}\n", port, (out() / "log").string()));
}

TEST_F(Demo, CollisionIsNamedAndCode1) {
  install("fly 2 4 5.9 4; record 1 20");
  EXPECT_EQ(run(there_), 1);
  EXPECT_EQ(summary().at("collisions"), 1);
  EXPECT_TRUE(said("1 collision, the first at 0.30 s, (2.00, 5.90, 1.50)")) << output_;
}

TEST_F(Demo, FliesRoundPlantsThatAreObstacles) {
  for (const bool is_obstacle : {false, true}) {
    folder_.write("post.yaml", fmt::format("kind: stems\nheight: [2.9m, 2.9m]\n"
                                           "diameter: [2cm, 2cm]\nobstacle: {}\n",
                                           is_obstacle));
    const std::string hedge =
        folder_.write("hedge.yaml",
                      "stands:\n  - {species: ./post.yaml, density: 60, region: {min: [0.1, 2.8], "
                      "max: [3.5, 3.2]}}\n");
    auto options = there_;
    options.insert(options.end(), {"--vegetation", hedge});
    install("fly 2 3 4; record 1 20");
    EXPECT_EQ(run(options), is_obstacle ? 1 : 0) << output_;
    EXPECT_EQ(summary().at("collisions"), is_obstacle ? 1 : 0);
    const auto scenario = nlohmann::json::parse(read("demo.yaml"));
    EXPECT_EQ(scenario.at("fly").at("goals")[0].size() > 2, is_obstacle) << scenario;
    options[1] = "2,3,1.5";
    EXPECT_EQ(run(options), is_obstacle ? 1 : 0) << output_;
    EXPECT_EQ(said("start (2.00, 3.00, 1.50)"), is_obstacle) << output_;
  }
}

TEST_F(Demo, AContactThatTheSimulationReportedIsNamedAndCode1) {
  install("fly 2 4; record 1 20 2");
  EXPECT_EQ(run(there_), 1);
  EXPECT_EQ(summary().at("contacts"), 2);
  EXPECT_TRUE(said("2 contacts reported by the simulation, at up to 1.50 m/s")) << output_;
}

TEST_F(Demo, MissedGoalIsNamedAndCode1) {
  install("echo '[ERROR] [1.0]: no way through'; fly 2 3; record 0 20");
  EXPECT_EQ(run(there_), 1);
  EXPECT_TRUE(said("1 of 1 goals not reached")) << output_;
  EXPECT_TRUE(said("marsim demo: the first error was: no way through")) << output_;
}

TEST_F(Demo, InterruptKeepsWhatWasMade) {
  install("trap 'fly 2 3; record 0 7; exit 0' INT; kill -INT $PPID; while :; do sleep 0.05; done");
  EXPECT_EQ(run(there_), 130) << output_;
  EXPECT_EQ(summary().at("scans"), 7);
  EXPECT_EQ(summary().at("success"), false);
  EXPECT_TRUE(fs::exists(out() / "flight_top.png"));
  EXPECT_TRUE(said("interrupted"));
}

TEST_F(Demo, FlightWithoutARecordPointsToTheLog) {
  install("echo '[FATAL] [1.0]: no such object'; exit 5");
  EXPECT_EQ(run(there_), 1);
  EXPECT_TRUE(said("no such object")) << output_;
  EXPECT_TRUE(said("left no record: no such object; its output")) << output_;
  EXPECT_TRUE(said("scenario.log")) << output_;
  install("echo 'RLException: unused args'; exit 1");
  EXPECT_EQ(run(there_), 1);
  EXPECT_TRUE(said("left no record: roslaunch ended with code 1: unused args; its output"))
      << output_;
}

TEST_F(Demo, ResultsOfAnEarlierFlightAreNotTakenForThisOnes) {
  install("fly 2 4; record 1 20");
  EXPECT_EQ(run(there_), 0) << output_;
  install("exit 1");
  EXPECT_EQ(run(there_), 1) << output_;
  EXPECT_FALSE(fs::exists(out() / "summary.json"));
}

TEST_F(Demo, WithoutRoslaunchItSaysSo) {
  EXPECT_EQ(run(there_, "/nonexistent"), 1);
  EXPECT_TRUE(said("no roslaunch on the PATH")) << output_;
}

TEST_F(Demo, RefusesBeforeTheFlight) {
  install("fly 2 4; record 1 20");
  const auto refused = [&](std::vector<std::string> options, const std::string& text) {
    const int code = run(std::move(options));
    EXPECT_TRUE(code == 1 || code == 2) << code << output_;
    EXPECT_TRUE(said(text)) << "'" << text << "' in " << output_;
    EXPECT_FALSE(fs::exists(out() / "arguments"));
  };
  refused({"--start", "2,2,1.5", "--goals", "8,2,1.5"}, "goal 1 at (8.00, 2.00, 1.50) cannot be");
  refused({"--start", "5,2,1.5"}, "start");
  refused({"--start", "2,2"}, "--start is '2,2'");
  refused({"--start", "99,2,1"}, "outside");
  refused({"--start", "2,2,1.5", "--goals", "2,4"}, "--goals, point 1 is '2,4'");
  refused({"--lidar", "avai"}, "did you mean 'avia'");
  refused({"--vehicle", "humingbird"}, "did you mean 'hummingbird'");
  refused({"--resolution", "0"}, "--resolution");
  refused({"--resolution", "ten"}, "--resolution");
  refused({"--speed", "-1"}, "--speed");
  refused({"--goal-count", "0"}, "--goal-count");
  refused({"--speed", "999"}, "--speed is 999 m/s, allowed: up to ");
  refused({"--renderer", "vulkan"}, "--renderer: unknown renderer 'vulkan'");
  refused({"--start", "1e30,0,1"}, "--start is (1e+30, 0, 1), allowed: -1000000 to 1000000 m");
  refused({"--yaw", "1e30"}, "--yaw is '1e30', allowed: -1000000 to 1000000 rad");
  auto with = [&](const char* option, const char* value) {
    auto options = there_;
    options.insert(options.end(), {option, value});
    return options;
  };
  refused(with("--resolution", "99m"), "--resolution is 99 m, allowed: at most the map's extent");
  refused(with("--resolution", "1e-9"), "outside the voxel grid");
  refused(with("--speed", "1e-5"), "--speed is 1e-05 m/s, allowed: 0.00056 m/s or more");
  out_ = folder_.path() / "room.pcd";
  refused(there_, "room.pcd: is no folder");
  out_ = "/proc/no/such";
  refused(there_, "/proc");
  out_ = "";
  refused(there_, "--out is empty, allowed: a value");
  EXPECT_EQ(run(with("--seed", "-1")), 2);
  EXPECT_TRUE(said("--seed is '-1', allowed: a whole number from 0 to 18446744073709551615"))
      << output_;
}

// A machine without any driver: the EGL dispatch library finds none, and there is no display.
TEST_F(Demo, OpenGlIsTriedBeforeTheFlight) {
  install("fly 2 4; record 1 20");
  environment_ = {
      {"__EGL_VENDOR_LIBRARY_FILENAMES", "/dev/null"}, {"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}};
  auto options = there_;
  options.insert(options.end(), {"--renderer", "opengl"});
  EXPECT_EQ(run(options), 1) << output_;
  EXPECT_TRUE(said("no OpenGL")) << output_;
  EXPECT_FALSE(fs::exists(out() / "arguments"));
}

TEST_F(Demo, AStrayPointNamesTheFileAndHowToDropIt) {
  map::PointCloud cloud;
  cloud.points = roomPoints(4.0);
  cloud.points.push_back({1e30F, 0.0F, 0.0F});
  map::savePcd(folder_.path() / "room.pcd", cloud);
  install("fly 2 4; record 1 20");
  EXPECT_EQ(run(there_), 1) << output_;
  EXPECT_TRUE(said(fmt::format("room.pcd: 1 of its {} points lies too far away", cloud.size())))
      << output_;
  EXPECT_TRUE(said("drops stray points")) << output_;
  EXPECT_FALSE(fs::exists(out() / "arguments"));
}

TEST_F(Demo, SlowFlightsHaveTheTimeTheyTake) {
  install("fly 2 4; record 1 20");
  auto options = there_;
  options.insert(options.end(), {"--speed", "0.01", "--seed", "18446744073709551615"});
  EXPECT_EQ(run(options), 0) << output_;
  EXPECT_NEAR(nlohmann::json::parse(read("demo.yaml")).at("duration").get<double>(), 475.0, 1e-6);
}

TEST_F(Demo, TwoAtOnceInOneFolder) {
  const std::string second =
      fmt::format("{}/marsim-demo --map {} --start 2,2,1.5 --goals 2,4,1.5 --out \"$out\"",
                  MARSIM_PROGRAMS, (folder_.path() / "room.pcd").string());
  // Were it let in, it would come back here: once is enough.
  install("[ -z \"$AGAIN\" ] || exit 9; AGAIN=1 " + second +
          " > \"$out/log/second\" 2>&1; echo $? >> \"$out/log/second\"; fly 2 4; record 1 20");
  EXPECT_EQ(run(there_), 0) << output_;
  const std::string refused = read("log/second");
  EXPECT_NE(refused.find(out().string() + ": in use by process "), std::string::npos) << refused;
  EXPECT_EQ(refused.substr(refused.size() - 3), "\n1\n") << refused;
  EXPECT_EQ(run(there_), 0) << "the lock goes with its holder: " << output_;
}

}  // namespace
}  // namespace marsim::tools
