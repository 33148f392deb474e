// SPDX-License-Identifier: BSD-3-Clause
// Every kind of bad input at start-up ends the node with an exit code other than 0 and one line
// that names file or node, field, value and what is allowed.
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <ros/package.h>
#include <ros/ros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file_locks.hpp"
#include "marsim/config/load.hpp"

namespace {

namespace fs = std::filesystem;

struct Outcome {
  int exit_code = -1;
  std::string output;
};

// Runs a node of the package under the name `bad` until it ends (60 s at most).
Outcome runNode(const std::string& node) {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / node;
  const std::string command = "timeout 60 " + program.string() + " __name:=bad 2>&1";
  Outcome outcome;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 512> buffer{};
  while (fgets(buffer.data(), buffer.size(), pipe) != nullptr) outcome.output += buffer.data();
  outcome.exit_code = WEXITSTATUS(pclose(pipe));
  return outcome;
}

class BadStart : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("marsim_bad_start_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    nh_.deleteParam("/bad");
    fs::remove_all(folder_);
  }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  void expectRefused(const std::string& node, const std::vector<std::string>& words) {
    const Outcome outcome = runNode(node);
    EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
    for (const std::string& word : words) {
      EXPECT_NE(outcome.output.find(word), std::string::npos) << "'" << word << "' is not in:\n"
                                                              << outcome.output;
    }
  }

  ros::NodeHandle nh_;
  fs::path folder_;
};

TEST_F(BadStart, WindAndFailures) {
  nh_.setParam("/bad/wind", "0,8");
  expectRefused("quadrotor", {"/bad", "wind", "'0,8'", "allowed"});
  nh_.setParam("/bad/wind", "0,0,101");
  expectRefused("quadrotor", {"/bad", "wind", "101", "allowed"});
  nh_.setParam("/bad/wind", "none");
  nh_.setParam("/bad/gusts", "-1");
  expectRefused("quadrotor", {"/bad", "gusts", "-1", "allowed"});
  nh_.setParam("/bad/gusts", "none");
  nh_.setParam("/bad/motor_failure", "4@10s");
  nh_.setParam("/bad/map", "");
  expectRefused("quadrotor", {"/bad", "motor_failure[0].rotor", "4", "0 to 3"});
  nh_.setParam("/bad/motor_failure", "1@-10s");
  expectRefused("quadrotor", {"/bad", "motor_failure", "1@-10s", "allowed"});
  nh_.setParam("/bad/motor_failure", "none");
  nh_.setParam("/bad/dynamics", "perfect");
  expectRefused("quadrotor", {"/bad", "dynamics", "perfect", "ideal"});
}

TEST_F(BadStart, EstimatesThatCannotBeFlownOn) {
  nh_.setParam("/bad/estimate", "/Odometry");
  nh_.setParam("/bad/controller", "agile");
  expectRefused("controller", {"/bad", "controller", "true accelerations", "onboard"});
  nh_.setParam("/bad/controller", "onboard");
  nh_.setParam("/bad/estimate_delay", -0.1);
  expectRefused("controller", {"/bad", "estimate_delay", "-0.1", "0 to 1 s"});
  nh_.setParam("/bad/estimate_delay", 0.0);
  nh_.setParam("/bad/estimate_origin", "start");
  expectRefused("controller", {"/bad", "estimate_origin", "start", "vehicle"});
  nh_.setParam("/bad/estimate_origin", "world");
  nh_.setParam("/bad/estimate_frame", "camera");
  expectRefused("controller", {"/bad", "estimate_frame", "camera", "lidar"});
}

TEST_F(BadStart, UnknownLidarListsKnownOnes) {
  nh_.setParam("/bad/lidar", "avai");
  expectRefused("lidar", {"avai", "avia", "mid360", "vlp16"});
}

TEST_F(BadStart, ObstaclesNodeWithoutObstacles) {
  nh_.setParam("/bad/obstacles", "none");
  expectRefused("obstacles", {"/bad", "obstacles", "none", "allowed: a name or file"});
}

TEST_F(BadStart, UnknownVehicleListsKnownOnes) {
  nh_.setParam("/bad/vehicle", "humingbird");
  expectRefused("quadrotor", {"humingbird", "did you mean 'hummingbird'", "iris"});
}

TEST_F(BadStart, UnknownParameterSuggestsTheNearest) {
  nh_.setParam("/bad/resolutoin", 0.1);
  expectRefused("map_server", {"resolutoin", "did you mean 'resolution'"});
}

TEST_F(BadStart, ResolutionOutOfBounds) {
  for (const double resolution : {0.0, -0.1, 1e4}) {
    nh_.setParam("/bad/resolution", resolution);
    expectRefused("map_server", {"resolution"});
    expectRefused("lidar", {"resolution"});
  }
}

TEST_F(BadStart, MapFiles) {
  const std::string header =
      "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\nHEIGHT 1\n"
      "POINTS 3\n";
  const std::vector<std::string> files{
      (folder_ / "missing.pcd").string(),
      write("empty.pcd", ""),
      write("garbage.pcd", "hello, this is no point cloud\n"),
      write("truncated.pcd", header + "DATA binary\nabc"),
      write("nan.pcd", header + "DATA ascii\nnan nan nan\nnan 0 0\n0 0 nan\n"),
  };
  for (const std::string& file : files) {
    nh_.setParam("/bad/map", file);
    expectRefused("map_server", {file});
  }
}

TEST_F(BadStart, UnknownYamlKeyAndValueOutOfBounds) {
  nh_.setParam("/bad/vehicle", write("key.yaml", "name: x\nmas: 1.0\n"));
  expectRefused("quadrotor", {"key.yaml", "mas"});
  nh_.setParam("/bad/vehicle", write("list.yaml", "- 1\n- 2\n"));
  expectRefused("controller", {"list.yaml"});
}

TEST_F(BadStart, StartInsideSomethingOrOutside) {
  nh_.setParam("/bad/map", "building");
  nh_.setParam("/bad/x", -5.0);  // in the wall at the end of the first room
  expectRefused("quadrotor", {"start", "nearest free place"});
  nh_.setParam("/bad/x", 500.0);
  expectRefused("quadrotor", {"start", "outside", "nearest free place"});
}

TEST_F(BadStart, StartInsideAPlantThatIsAnObstacle) {
  write("post.yaml", "kind: stems\nheight: [2m, 2m]\ndiameter: [2cm, 2cm]\nobstacle: true\n");
  nh_.setParam("/bad/map", "building");
  nh_.setParam("/bad/vegetation",
               write("thicket.yaml",
                     "stands:\n  - {species: ./post.yaml, density: 100, region: {min: [-1, -1], "
                     "max: [1, 1]}}\n"));
  nh_.setParam("/bad/collision", false);
  expectRefused("quadrotor", {"start (0.00, 0.00, 1.50)", "nearest free place: ("});
  nh_.deleteParam("/bad/collision");
  nh_.setParam("/bad/n", 1);
  nh_.setParam("/bad/swarm",
               write("one.yaml", "formation: poses\nuavs:\n  - {id: 0, position: [0, 0, 1.5]}\n"));
  expectRefused("swarm", {"uav0", "start (0.00, 0.00, 1.50)", "nearest free place: ("});
}

TEST_F(BadStart, BeamsThatASensorCannotHave) {
  nh_.setParam("/bad/lidar", "mid360");
  nh_.setParam("/bad/rays", "9");
  expectRefused("lidar", {"/bad", "Livox Mid-360", "beam.divergence is 0, allowed"});
  nh_.setParam("/bad/rays", "auto");
  nh_.setParam("/bad/returns", "dual");
  nh_.setParam("/bad/output", "organised");
  expectRefused("lidar", {"returns.mode is dual", "layout 'organised'"});
}

// A node's process whose output is read line by line.
class RunningNode {
 public:
  explicit RunningNode(const std::string& node) {
    int ends[2];
    if (pipe(ends) != 0) return;
    const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / node;
    process_ = fork();
    if (process_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      dup2(ends[1], STDERR_FILENO);
      execl(program.c_str(), node.c_str(), "__name:=bad", nullptr);
      _exit(127);
    }
    close(ends[1]);
    output_ = fdopen(ends[0], "r");
  }
  ~RunningNode() { fclose(output_); }

  // Reads on until a line holds the text.
  bool says(const std::string& text) {
    std::array<char, 512> line{};
    while (fgets(line.data(), line.size(), output_) != nullptr) {
      if (std::string(line.data()).find(text) != std::string::npos) return true;
    }
    return false;
  }
  // Its status as waitpid() gives it.
  int end(int signal) const {
    kill(process_, signal);
    int status = -1;
    waitpid(process_, &status, 0);
    return status;
  }

 private:
  pid_t process_ = -1;
  FILE* output_ = nullptr;
};

// The place is being made by another process, this one, which does not get on with it.
TEST_F(BadStart, CtrlCEndsANodeThatIsStillStarting) {
  setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  const std::string place = write("room.yaml", "place: building\nspacing: 20cm\n");
  const fs::path made = marsim::config::resolveMap(place);
  fs::remove(made);
  nh_.setParam("/bad/map", place);
  nh_.setParam("/server/map", place);
  for (const char* name : {"lidar", "manager"}) {
    if (std::string(name) == "manager") nh_.setParam("/bad/nodelets/server", "marsim/map_server");
    const marsim::BuildLock lock(made, [](const std::string&) {});
    RunningNode node(name);
    EXPECT_TRUE(node.says("waiting")) << name;
    const int status = node.end(SIGINT);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << name << ' ' << status;
  }
  nh_.deleteParam("/server");
  unsetenv("XDG_CACHE_HOME");
}

TEST_F(BadStart, FarPlacesAndSeeds) {
  nh_.setParam("/bad/x", 1e30);
  expectRefused("quadrotor", {"start (x, y, z) is (1e+30, 0, 1.5)", "-1000000 to 1000000 m"});
  nh_.deleteParam("/bad/x");
  nh_.setParam("/bad/yaw", "1e30rad");
  expectRefused("quadrotor", {"yaw is 1e+30", "-1000000 to 1000000 rad"});
  nh_.deleteParam("/bad/yaw");
  nh_.setParam("/bad/record", (folder_ / "truth.csv").string());
  expectRefused("quadrotor", {"truth.csv: extension is '.csv', allowed: .tum, .txt"});
  nh_.deleteParam("/bad/record");
  nh_.setParam("/bad/seed", "18446744073709551616");
  expectRefused("lidar", {"seed is '18446744073709551616'", "0 to 18446744073709551615"});
  nh_.setParam("/bad/seed", -1);
  expectRefused("lidar", {"seed is -1"});
  nh_.setParam("/bad/seed", "18446744073709551615");
  nh_.setParam("/bad/renderer", "vulkan");  // the next wrong value
  expectRefused("lidar", {"renderer", "'vulkan'"});
}

TEST_F(BadStart, WrongChoice) {
  nh_.setParam("/bad/odom_twist_frame", "wrold");
  expectRefused("quadrotor", {"odom_twist_frame", "'wrold'", "body | world"});
  nh_.setParam("/bad/renderer", "vulkan");
  expectRefused("lidar", {"renderer", "'vulkan'", "cpu"});
}

TEST_F(BadStart, WrongReactionsToACrash) {
  nh_.setParam("/bad/on_crash", "restart");
  expectRefused("quadrotor", {"on_crash", "'restart'", "end | respawn"});
  nh_.setParam("/bad/on_crash", "respawn");
  expectRefused("manager", {"/bad: on_crash is 'respawn'", "nodelets:=false"});
}

TEST_F(BadStart, WrongOutputsAndDepthCameras) {
  nh_.setParam("/bad/output", "xyzit, velodine");
  expectRefused("lidar", {"output", "velodine", "did you mean 'velodyne'", "livox_custom"});
  nh_.setParam("/bad/output", "livox_custom,livox_custom2");
  expectRefused("lidar", {"output[1].topic", "livox/lidar"});
  nh_.setParam("/bad/depth", "d456");
  expectRefused("depth_camera", {"d456", "d455", "planner"});
}

TEST_F(BadStart, CamerasAndMapsWithoutColours) {
  nh_.setParam("/bad/camera", "stero");
  expectRefused("camera", {"unknown camera 'stero' (did you mean 'stereo'?)", "fisheye"});
  const std::string image = "image: {width: 64, height: 48, fx: 40, fy: 40, cx: 31, cy: 23}\n";
  const std::string file = write("cameras.yaml", "name: x\ncameras:\n  - name: a b\n    " + image);
  nh_.setParam("/bad/camera", file);
  expectRefused("camera", {file, "cameras[0].name is 'a b', allowed: a letter"});
  nh_.setParam("/bad/camera", "stereo");
  nh_.setParam("/bad/map", write("grey.pcd",
                                 "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\n"
                                 "COUNT 1 1 1\nWIDTH 4\nHEIGHT 1\nPOINTS 4\nDATA ascii\n"
                                 "1 0 0\n1 0.05 0\n1 0 0.05\n1 0.05 0.05\n"));
  RunningNode node("camera");
  EXPECT_TRUE(node.says("grey.pcd has no colours: all of it is shown as grey"));
  node.end(SIGINT);
}

TEST_F(BadStart, NumbersAndMachines) {
  nh_.setParam("/bad/uav_id", -1);
  expectRefused("lidar", {"uav_id is -1", "a whole number from 0 to 65535"});
  nh_.deleteParam("/bad");
  expectRefused("peer_bridge", {"lan is ''", "config/lan"});
  nh_.setParam("/bad/lan", "three_machines");
  nh_.setParam("/bad/machine", "gama");
  expectRefused("sim_clock", {"gama", "did you mean 'gamma'"});
  nh_.setParam("/bad/lan", write("lan.yaml",
                                 "machines:\n  - name: a\n    address: 192.0.2.1\n"
                                 "    uavs:\n      - {id: 0, position: [0, 0, 1]}\n"));
  nh_.setParam("/bad/machine", "a");  // not an address of this computer's
  expectRefused("peer_bridge", {"192.0.2.1:11612", "cannot be listened on"});
  expectRefused("sim_clock", {"192.0.2.1:11613", "cannot be listened on"});
}

TEST_F(BadStart, Swarms) {
  for (const int n : {0, -1, 1000}) {
    nh_.setParam("/bad/n", n);
    expectRefused("swarm", {"n is " + std::to_string(n), "a whole number from 1 to 200"});
  }
  nh_.setParam("/bad/n", 3);
  nh_.setParam("/bad/swarm", write("near.yaml", "formation: line\nspacing: 0.2m\n"));
  expectRefused("swarm", {"near.yaml", "uav0", "uav1", "0.20 m", "the sum of their radii"});
  const std::string pose = "formation: poses\nuavs:\n  - {id: 0, position: [0, 0, 1.5]}\n";
  nh_.setParam("/bad/swarm", write("twice.yaml", pose + "  - {id: 0, position: [0, 2, 1.5]}\n"));
  expectRefused("swarm", {"twice.yaml", "uavs[1].id is 0", "each id once"});
  nh_.setParam("/bad/swarm", write("few.yaml", pose));
  expectRefused("swarm", {"few.yaml", "without a position of id 1"});
  nh_.setParam("/bad/n", 2);
  nh_.setParam("/bad/map", "building");
  nh_.setParam("/bad/swarm", write("wall.yaml", pose + "  - {id: 1, position: [-5, 0, 1.5]}\n"));
  expectRefused("swarm", {"uav1", "start", "nearest free place"});
  nh_.deleteParam("/bad/n");
  nh_.setParam("/bad/swarm_size", 2);
  nh_.setParam("/bad/uav_id", 2);
  expectRefused("quadrotor", {"uav_id is 2", "a whole number from 0 to 1 in a swarm of 2"});
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "bad_start_test");
  ros::start();
  return RUN_ALL_TESTS();
}
