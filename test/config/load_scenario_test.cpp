// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/data_dir.hpp"
#include "config/launch_words.hpp"
#include "config/scenario.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/geometry/pose_file.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

using scenario::Scenario;

const char* const kPlain =
    "description: Two goals in the forest\n"
    "map: forest\n"
    "fly: {goals: [[5, 0, 2], [5m, 3m, 2m]]}\n"
    "checks:\n"
    "  goals: {within: 40s}\n";

const char* const kWhole =
    "description: Everything\n"
    "tags: [slam, slow]\n"
    "client: fast_lio\n"
    "map: building\n"
    "resolution: 5cm\n"
    "surface: paper\n"
    "obstacles: none\n"
    "lidar: mid360\n"
    "depth: d435i\n"
    "lidar_noise: false\n"
    "vehicle: iris\n"
    "imu: bmi088\n"
    "controller: agile\n"
    "renderer: auto\n"
    "collision: true\n"
    "collision_response: bounce\n"
    "ground_z: auto\n"
    "speed: 3.6km/h\n"
    "arguments: {output: velodyne, threads: 2}\n"
    "start: [1, 2m, 3]\n"
    "yaw: 90deg\n"
    "seeds: [1, 18446744073709551615]\n"
    "duration: 20s\n"
    "lockstep: false\n"
    "pace: 2.50\n"
    "fly:\n"
    "  uav0:\n"
    "    figure_eight: {middle: [0, 0, 2], width: 6m, height: 3, yaw: 90deg, speed: 2m/s, laps: "
    "2}\n"
    "programs:\n"
    "  - {package: fast_lio, file: mapping.launch, arguments: {rviz: false}}\n"
    "  - {file: mine.launch}\n"
    "wait_for:\n"
    "  - {input: /imu, output: /Odometry, ahead: 50ms, start: 3s}\n"
    "checks:\n"
    "  repeats: 3\n"
    "  clearance: {at_least: 20cm}\n"
    "  contacts: {at_most: 0}\n"
    "  tracking_rms: {at_most: 0.1}\n"
    "  tracking_max: {at_most: 0.5}\n"
    "  max_speed: {at_least: 1, at_most: 5m/s}\n"
    "  real_time_factor: {at_least: 1}\n"
    "  end: {position: [0, 0, 2], within: 30cm, speed: {at_most: 0.2}}\n"
    "  rates:\n"
    "    - {topic: /imu, rate: 200Hz, tolerance: 0.02, worst_gap: 2}\n"
    "  estimates:\n"
    "    - topic: /Odometry\n"
    "      frame: lidar\n"
    "      offset: -5ms\n"
    "      align: false\n"
    "      ate: {at_most: 20cm}\n"
    "      rpe: {at_most: 0.05}\n"
    "      rpe_angle: {at_most: 5deg}\n"
    "      rpe_delta: 2s\n"
    "      completeness: {at_least: 0.9}\n"
    "  coverage:\n"
    "    - {voxel: 25cm, region: {min: [-5, -5, 0], max: [5, 5, 3]}, at_least: 0.8}\n";

class LoadScenario : public ConfigTest {
 protected:
  LoadScenario() { write("mine.launch", "<launch/>"); }
  Scenario of(const std::string& text) const { return loadScenario(write("one.yaml", text)); }
  /// The error of a scenario's text, without the folder's name.
  std::string said(const std::string& text) const {
    std::string message = complaint([&] { of(text); });
    const std::string folder = folder_.string() + "/";
    for (std::size_t at; (at = message.find(folder)) != std::string::npos;) {
      message.erase(at, folder.size());
    }
    return message;
  }
  std::string saidOf(const std::string& part, const std::string& by) const {
    return said(replaced(kWhole, part, by));
  }
};

TEST_F(LoadScenario, DefaultsAreTheStructs) {
  const Scenario scenario = of(kPlain);
  EXPECT_EQ(scenario.name, "one");
  EXPECT_EQ(scenario.file, (folder_ / "one.yaml").string());
  EXPECT_EQ(scenario.description, "Two goals in the forest");
  EXPECT_TRUE(scenario.tags.empty());
  EXPECT_EQ(scenario.client, "");
  EXPECT_EQ(scenario.uavs, 1);
  EXPECT_EQ(scenario.arguments,
            (std::map<std::string, std::string>{{"map", "forest"}, {"speed", "1.5"}}));
  EXPECT_FALSE(scenario.start);
  EXPECT_EQ(scenario.seeds, std::vector<std::uint64_t>{1});
  EXPECT_EQ(scenario.duration, 60 * kNsPerSecond);
  EXPECT_TRUE(scenario.lockstep);
  EXPECT_EQ(scenario.pace, "max");
  ASSERT_EQ(scenario.flights.size(), 1U);
  const auto& goals = scenario.flights.at("uav0").goals;
  ASSERT_EQ(goals.size(), 2U);
  EXPECT_EQ(goals[1].way, scenario::Way{Eigen::Vector3d(5.0, 3.0, 2.0)});
  EXPECT_FALSE(goals[1].yaw);
  EXPECT_EQ(scenario.flights.at("uav0").rest, 0.0);
  EXPECT_FALSE(scenario.flights.at("uav0").hasOwnMoves());
  EXPECT_EQ(scenario.checks.goals_within, 40.0);
  EXPECT_FALSE(scenario.checks.clearance);
}

TEST_F(LoadScenario, AGoalMayBeAWay) {
  const Scenario scenario =
      of(replaced(kPlain, "[5m, 3m, 2m]", "[[5m, 1m, 2m], [5m, 3m, 2m]]") + "keep: true\n");
  const auto& goals = scenario.flights.at("uav0").goals;
  ASSERT_EQ(goals.size(), 2U);
  EXPECT_EQ(goals[0].way, scenario::Way({Eigen::Vector3d(5.0, 0.0, 2.0)}));
  EXPECT_EQ(goals[1].way, scenario::Way({{5.0, 1.0, 2.0}, {5.0, 3.0, 2.0}}));
  EXPECT_TRUE(scenario.keep);
  EXPECT_EQ(said(replaced(kPlain, "[5m, 3m, 2m]", "[[5m, 1m, 2m], [5m, 3m]]")),
            "one.yaml: fly.goals[1][1] is a list of 2, allowed: a list of three or four numbers, "
            "[x, y, z] or [x, y, z, yaw]");
  EXPECT_EQ(said(replaced(kPlain, "[5m, 3m, 2m]", "[5m, 3m]")),
            "one.yaml: fly.goals[1] is a list of 2, allowed: a list of three or four numbers, "
            "[x, y, z] or [x, y, z, yaw]");
  EXPECT_EQ(said(replaced(kPlain, "[5m, 3m, 2m]", "[[5m, 1m, 2000km], [5m, 3m, 2m]]"))
                .find("one.yaml: fly.uav0.goals is (5, 1, 2e+06)"),
            0U);
}

TEST_F(LoadScenario, AGoalMayHaveAYaw) {
  const auto goals =
      of(replaced(kPlain, "[5m, 3m, 2m]", "[5m, 3m, 2m, -90deg], [[1, 2, 3], [4, 5, 6, 0.5]]"))
          .flights.at("uav0")
          .goals;
  ASSERT_EQ(goals.size(), 3U);
  EXPECT_FALSE(goals[0].yaw);
  EXPECT_EQ(goals[1].way, scenario::Way({Eigen::Vector3d(5.0, 3.0, 2.0)}));
  EXPECT_DOUBLE_EQ(goals[1].yaw.value(), -kPi / 2);
  EXPECT_EQ(goals[2].way, scenario::Way({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}));
  EXPECT_EQ(goals[2].yaw, 0.5);
  EXPECT_EQ(said(replaced(kPlain, "[5m, 3m, 2m]", "[5m, 3m, 2m, 1m]"))
                .find("one.yaml: fly.goals[1][3] is '1m', allowed: "),
            0U);
  EXPECT_EQ(
      said(replaced(kPlain, "[5m, 3m, 2m]", "[[5, 3, 2, 0], [5, 3, 3]]")),
      "one.yaml: fly.goals[1][0] is a list of 4, allowed: a list of three numbers, [x, y, z]");
}

TEST_F(LoadScenario, FlightsForOdometry) {
  const std::string text =
      replaced(kPlain, "fly: {", "fly: {rest: 2s, take_off: 150cm, excitation: 0.3m, land: true, ");
  const scenario::Flight flight = of(text).flights.at("uav0");
  EXPECT_EQ(flight.rest, 2.0);
  EXPECT_EQ(flight.take_off, 1.5);
  EXPECT_EQ(flight.excitation, 0.3);
  EXPECT_TRUE(flight.land);
  EXPECT_EQ(said(replaced(text, "rest: 2s", "rest: -2s")),
            "one.yaml: fly.uav0.rest is -2, allowed: 0 to 3600 s");
  EXPECT_EQ(said(replaced(text, "150cm", "-1")),
            "one.yaml: fly.uav0.take_off is -1, allowed: 0 to 1000 m");
  EXPECT_EQ(said(replaced(text, "0.3m", "1m")),
            "one.yaml: fly.uav0.excitation is 1, allowed: 0 to 0.38 m");
  EXPECT_EQ(said("description: d\nfly: {land: true}\nchecks: {contacts: {at_most: 0}}\n"),
            "one.yaml: fly.uav0 is take_off, excitation or land without goals, allowed: these with "
            "goals only");
  EXPECT_EQ(said(text + "client: super\n"),
            "one.yaml: fly.uav0 is take_off, excitation or land with client: super, allowed: these "
            "without a planner");
}

// A data set needs a flight only; other keys that it has must be right.
TEST_F(LoadScenario, DataSetsNeedNoChecks) {
  const std::string file = write("data.yaml", "fly: {rest: 2s, goals: [[5, 0, 2]]}\n");
  const Scenario scenario = loadScenario(file, Purpose::kDataset);
  EXPECT_EQ(scenario.description, "");
  EXPECT_TRUE(scenario.checks.empty());
  EXPECT_NE(complaint([&] { loadScenario(file); }).find("description is missing"),
            std::string::npos);
  write("data.yaml", "fly: {goals: [[5, 0, 2]]}\nchecks: {}\n");
  EXPECT_NE(complaint([&] { loadScenario(file, Purpose::kDataset); }).find("checks is empty"),
            std::string::npos);
}

TEST_F(LoadScenario, BundledDataSetsBeginAtRest) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dataDir() / "config" / "dataset")) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    const Scenario scenario = loadScenario(entry.path(), Purpose::kDataset);
    EXPECT_EQ(scenario.arguments.at("speed"), "1.5") << entry.path();
    const scenario::Flight& flight = scenario.flights.at("uav0");
    if (flight.trajectory.empty()) {
      EXPECT_GE(flight.rest, 2.0) << entry.path();
      continue;
    }
    const std::vector<StampedPose> poses = readPoseFile(flight.trajectory);
    for (std::size_t i = 0; toSeconds(poses[i].stamp - poses[0].stamp) < 2.0; ++i) {
      EXPECT_EQ(poses[i].X_WB.p, poses[0].X_WB.p) << flight.trajectory;
    }
  }
  EXPECT_GE(count, 5);
}

TEST_F(LoadScenario, ArgumentsOfTheLaunchFile) {
  const std::map<std::string, std::string> wanted = {
      {"map", "building"},   {"resolution", "0.05"},   {"surface", "paper"},
      {"obstacles", "none"}, {"lidar", "mid360"},      {"depth", "d435i"},
      {"vehicle", "iris"},   {"lidar_noise", "false"}, {"imu", "bmi088"},
      {"speed", "1"},        {"controller", "agile"},  {"renderer", "auto"},
      {"collision", "true"}, {"ground_z", "auto"},     {"collision_response", "bounce"},
      {"threads", "2"},      {"output", "velodyne"}};
  EXPECT_EQ(of(kWhole).arguments, wanted);
  EXPECT_EQ(of(replaced(kWhole, "ground_z: auto", "ground_z: -20cm")).arguments.at("ground_z"),
            "-0.2");
  EXPECT_EQ(
      of("description: d\nlidar: none\ndepth: none\nchecks: {contacts: {at_most: 0}}\n").arguments,
      (std::map<std::string, std::string>{{"lidar", "none"}, {"depth", "none"}, {"speed", "1.5"}}));
}

TEST_F(LoadScenario, AnEstimateIsAKeyOrStandsBelowArguments) {
  const std::string hover = "description: d\nchecks: {contacts: {at_most: 0}}\n";
  EXPECT_EQ(of(hover).arguments.count("estimate"), 0U);
  EXPECT_EQ(of(hover + "estimate: realistic\n").arguments.at("estimate"), "realistic");
  EXPECT_EQ(of(hover + "arguments: {estimate: slam_odom}\n").arguments.at("estimate"), "slam_odom");
  EXPECT_EQ(of(hover + "controller: auto\n").arguments.at("controller"), "auto");
}

TEST_F(LoadScenario, WindAndFailuresAreLaunchArguments) {
  const auto with = [&](const std::string& lines) {
    return replaced(kWhole, "ground_z: auto\n", "ground_z: auto\n" + lines);
  };
  const auto arguments =
      of(with("wind: [0, 8, 36km/h]\ngusts: light\nmotor_failure: 1@5s:0.5\ndynamics: ideal\n"))
          .arguments;
  EXPECT_EQ(arguments.at("wind"), "0,8,10");
  EXPECT_EQ(arguments.at("gusts"), "light");
  EXPECT_EQ(arguments.at("motor_failure"), "1@5s:0.5");
  EXPECT_EQ(arguments.at("dynamics"), "ideal");
  for (const char* wrong :
       {"wind: [0, 8]\n", "wind: [0, 0, 101]\n", "wind: [0, nan, 0]\n", "gusts: strong\n",
        "gusts: -1\n", "motor_failure: 1@-5s\n", "motor_failure: 9@5s\n", "dynamics: perfect\n"}) {
    const std::string message = complaint([&] { of(with(wrong)); });
    const std::string key(wrong, std::string(wrong).find(':'));
    EXPECT_NE(message.find(key), std::string::npos) << wrong << message;
    EXPECT_NE(message.find("allowed"), std::string::npos) << wrong << message;
  }
}

TEST_F(LoadScenario, HowItIsFlown) {
  const Scenario scenario = of(kWhole);
  EXPECT_EQ(scenario.tags, (std::vector<std::string>{"slam", "slow"}));
  EXPECT_EQ(scenario.client, "fast_lio");
  EXPECT_EQ(scenario.start, Eigen::Vector3d(1.0, 2.0, 3.0));
  EXPECT_DOUBLE_EQ(scenario.yaw, kPi / 2);
  EXPECT_EQ(scenario.seeds, (std::vector<std::uint64_t>{1, 18446744073709551615ULL}));
  EXPECT_EQ(scenario.duration, 20 * kNsPerSecond);
  EXPECT_FALSE(scenario.lockstep);
  EXPECT_EQ(scenario.pace, "2.5");
  ASSERT_TRUE(scenario.flights.at("uav0").figure_eight);
  const scenario::FigureEight& eight = *scenario.flights.at("uav0").figure_eight;
  EXPECT_EQ(eight.middle, Eigen::Vector3d(0.0, 0.0, 2.0));
  EXPECT_EQ(eight.width, 6.0);
  EXPECT_EQ(eight.height, 3.0);
  EXPECT_DOUBLE_EQ(eight.yaw, kPi / 2);
  EXPECT_EQ(eight.speed, 2.0);
  EXPECT_EQ(eight.laps, 2);
  ASSERT_EQ(scenario.programs.size(), 2U);
  EXPECT_EQ(scenario.programs[0].package, "fast_lio");
  EXPECT_EQ(scenario.programs[0].file, "mapping.launch");
  EXPECT_EQ(scenario.programs[0].arguments.at("rviz"), "false");
  EXPECT_EQ(scenario.programs[1].package, "");
  EXPECT_EQ(scenario.programs[1].file, (folder_ / "mine.launch").string());
  ASSERT_EQ(scenario.wait_for.size(), 1U);
  EXPECT_EQ(scenario.wait_for[0].input, "/imu");
  EXPECT_EQ(scenario.wait_for[0].output, "/Odometry");
  EXPECT_EQ(scenario.wait_for[0].ahead, kNsPerSecond / 20);
  EXPECT_EQ(scenario.wait_for[0].start, 3 * kNsPerSecond);
  EXPECT_EQ(scenario.checks.repeats, 3);
}

TEST_F(LoadScenario, ProgramsAreWaitedForInLockstepOnly) {
  const std::string idle = std::string(kPlain) + "wait_until_idle: [/planner, 71]\n";
  EXPECT_EQ(of(idle).wait_until_idle, (std::vector<std::string>{"/planner", "71"}));
  EXPECT_EQ(said(idle + "lockstep: false\n"),
            "one.yaml: wait_until_idle is /planner, 71, allowed: programs in lockstep; none with "
            "'lockstep: false'");
}

TEST_F(LoadScenario, Checks) {
  const scenario::Checks checks = of(kWhole).checks;
  EXPECT_EQ(checks.clearance->at_least, 0.2);
  EXPECT_FALSE(checks.clearance->at_most);
  EXPECT_EQ(checks.contacts->at_most, 0.0);
  EXPECT_EQ(checks.tracking_rms->at_most, 0.1);
  EXPECT_EQ(checks.tracking_max->at_most, 0.5);
  EXPECT_EQ(checks.max_speed->at_least, 1.0);
  EXPECT_EQ(checks.max_speed->at_most, 5.0);
  EXPECT_EQ(checks.real_time_factor->at_least, 1.0);
  ASSERT_EQ(checks.end.size(), 1U);
  EXPECT_EQ(checks.end[0].uav, "uav0");
  EXPECT_EQ(checks.end[0].within, 0.3);
  EXPECT_EQ(checks.end[0].speed.at_most, 0.2);
  ASSERT_EQ(checks.rates.size(), 1U);
  EXPECT_EQ(checks.rates[0].topic, "/imu");
  EXPECT_EQ(checks.rates[0].rate, 200.0);
  EXPECT_EQ(checks.rates[0].tolerance, 0.02);
  EXPECT_EQ(checks.rates[0].worst_gap, 2.0);
  ASSERT_EQ(checks.coverage.size(), 1U);
  EXPECT_EQ(checks.coverage[0].voxel, 0.25);
  EXPECT_EQ(checks.coverage[0].min, Eigen::Vector3d(-5.0, -5.0, 0.0));
  EXPECT_EQ(checks.coverage[0].max, Eigen::Vector3d(5.0, 5.0, 3.0));
  EXPECT_EQ(checks.coverage[0].share.at_least, 0.8);
}

TEST_F(LoadScenario, Estimates) {
  const scenario::EstimateCheck check = of(kWhole).checks.estimates.at(0);
  EXPECT_EQ(check.topic, "/Odometry");
  EXPECT_EQ(check.offset, -kNsPerSecond / 200);
  EXPECT_FALSE(check.align);
  EXPECT_EQ(check.ate.at_most, 0.2);
  EXPECT_EQ(check.rpe.at_most, 0.05);
  EXPECT_DOUBLE_EQ(*check.rpe_angle.at_most, radians(5.0));
  EXPECT_EQ(check.rpe_delta, 2 * kNsPerSecond);
  EXPECT_EQ(check.completeness.at_least, 0.9);
  EXPECT_EQ(check.X_BF.p, loadLidar("mid360").X_BS.p);
  const auto place = [&](const std::string& frame) {
    return of(replaced(kWhole, "frame: lidar", "frame: " + frame)).checks.estimates.at(0).X_BF.p;
  };
  EXPECT_EQ(place("base"), Eigen::Vector3d::Zero());
  EXPECT_EQ(place("'1,2,3cm'"), Eigen::Vector3d(1.0, 2.0, 0.03));
  EXPECT_EQ(place("imu"), chooseImu("bmi088", loadVehicle("iris").imu, "mid360").X_BI.p);
  EXPECT_EQ(saidOf("frame: lidar", "frame: camera"),
            "one.yaml: checks.estimates: /Odometry: frame is 'camera', allowed: base | imu | lidar "
            "| x,y,z | x,y,z,roll,pitch,yaw in the body [m, rad]");
}

TEST_F(LoadScenario, ControllerNoneLeavesTheFlightToAProgram) {
  EXPECT_EQ(of(kPlain + std::string("controller: none\n")).arguments.at("controller"), "none");
  EXPECT_NE(complaint([&] {
              of(kPlain + std::string("  tracking_max: {at_most: 1}\ncontroller: none\n"));
            }).find("checks.tracking_max is there, allowed: not with controller: none"),
            std::string::npos);
}

// If a scenario does not name vehicle and LiDAR, frames are those of its launch file's defaults.
TEST_F(LoadScenario, FramesOfWhatFliesByDefault) {
  const auto place = [&](const std::string& keys, const std::string& frame) {
    return of("description: d\n" + keys + "checks: {estimates: {topic: /o, frame: " + frame +
              ", ate: {at_most: 1}}}\n")
        .checks.estimates.at(0)
        .X_BF.p;
  };
  EXPECT_EQ(place("", "lidar"), loadLidar("avia").X_BS.p);
  EXPECT_EQ(place("uavs: 2\n", "lidar"), loadLidar("mid360").X_BS.p);
  EXPECT_EQ(place("client: super\n", "imu"), loadVehicle("uzh_5inch").imu.X_BI.p);
  EXPECT_EQ(place("client: fast_lio\n", "imu"), loadLidarImu("mid360").X_BI.p);
  EXPECT_EQ(place("client: dlio\n", "imu"), loadLidarImu("mid360").X_BI.p);
  EXPECT_EQ(place("client: kiss_icp\n", "imu"), loadVehicle("hummingbird").imu.X_BI.p);
  write("pair.yaml",
        "formation: poses\nuavs:\n  - {id: 0, position: [0, 0, 1]}\n"
        "  - {id: 1, position: [3, 0, 1], lidar: vlp16}\n");
  EXPECT_EQ(place("uavs: 2\nswarm: pair.yaml\n", "lidar, uav: uav1"), loadLidar("vlp16").X_BS.p);

  const std::filesystem::path launch =
      std::filesystem::path(std::getenv("MARSIM_TEST_SOURCE_DIR")) / "launch";
  const auto expectDefault = [&](const std::string& file, const std::string& name,
                                 const std::string& value) {
    const std::string line = "<arg name=\"" + name + "\" default=\"" + value + "\"";
    EXPECT_NE(contents(launch / file).find(line), std::string::npos) << file << ": " << line;
  };
  for (const char* keys : {"", "uavs: 2\n", "client: kiss_icp\n", "client: fuel\n"}) {
    const scenario::Scenario scenario =
        of("description: d\n" + std::string(keys) + "checks: {contacts: {at_most: 0}}\n");
    for (const char* name : {"map", "resolution", "surface", "lidar", "collision"}) {
      expectDefault(scenario.launchFile(), name, argumentOf(scenario, name));
    }
  }
  for (const char* file : {"sim.launch", "swarm.launch", "slam.launch"}) {
    expectDefault(file, "vehicle", "hummingbird");
  }
  expectDefault("planner.launch", "vehicle",
                "$(eval 'uzh_5inch' if client == 'super' else 'hummingbird')");
  for (const char* file : {"sim.launch", "swarm.launch", "planner.launch"}) {
    expectDefault(file, "imu", "vehicle");
  }
  expectDefault(
      "slam.launch", "imu",
      "$(eval 'auto' if client in ['fast_lio', 'point_lio', 'dlio', 'fast_livo2'] else 'vehicle')");
}

TEST_F(LoadScenario, FilesLieBesideIt) {
  write("my_lidar.yaml", contents(dataDir() / "config" / "lidar" / "avia.yaml"));
  EXPECT_EQ(of(replaced(kWhole, "lidar: mid360", "lidar: my_lidar.yaml")).arguments.at("lidar"),
            (folder_ / "my_lidar.yaml").string());
  write("place.pcd", "");
  EXPECT_EQ(of(replaced(kPlain, "map: forest", "map: ./place.pcd")).arguments.at("map"),
            (folder_ / "place.pcd").string());
  const std::string absolute = (folder_ / "place.pcd").string();
  EXPECT_EQ(of(replaced(kPlain, "map: forest", "map: " + absolute)).arguments.at("map"), absolute);
  EXPECT_EQ(said(replaced(kPlain, "map: forest", "map: lost.pcd")),
            "one.yaml: map is 'lost.pcd', allowed: a file; there is no lost.pcd");
  EXPECT_EQ(saidOf("mine.launch", "other.launch"),
            "one.yaml: programs[1].file is 'other.launch', allowed: a file; there is no "
            "other.launch");
  write("way.tum", "0 1 2 3 0 0 1 0\n1 2 2 3 0 0 1 0\n");  // turned by half a turn
  const std::string flown =
      replaced(kPlain, "goals: [[5, 0, 2], [5m, 3m, 2m]]", "trajectory: way.tum");
  const std::string text = replaced(flown, "goals: {within: 40s}", "contacts: {at_most: 0}");
  EXPECT_EQ(of(text).flights.at("uav0").trajectory, (folder_ / "way.tum").string());
  EXPECT_EQ(of(text).start, Eigen::Vector3d(1, 2, 3));
  EXPECT_NEAR(std::abs(of(text).yaw), kPi, 1e-12);
  EXPECT_EQ(of(text + "yaw: 0.5\n").start, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(of(text + "yaw: 0.5\n").yaw, 0.5);
  EXPECT_EQ(of(text + "start: [0, 0, 1]\n").start, Eigen::Vector3d(0, 0, 1));
  write("bad.tum", "0 4 5 6 0 0 0 1\n1 5 5 6 0 0 0 2\n");
  EXPECT_NE(said(replaced(text, "way.tum", "bad.tum")).find("bad.tum: line 2"), std::string::npos);
  EXPECT_EQ(said(replaced(text, "way.tum", "way.csv")),
            "one.yaml: fly.trajectory is 'way.csv', allowed: a file; there is no way.csv");
}

// Errors in a trajectory are reported before anything is started, also if the start is given.
TEST_F(LoadScenario, TrajectoriesAreRead) {
  const auto saidOfFile = [&](const std::string& poses) {
    write("way.tum", poses);
    return said(
        "description: d\nstart: [0, 0, 1]\nfly: {trajectory: way.tum}\n"
        "checks: {contacts: {at_most: 0}}\n");
  };
  EXPECT_EQ(saidOfFile(""), "way.tum: number of poses is 0, allowed: 2 or more");
  EXPECT_EQ(saidOfFile("0 0 0 1 0 0 0 1\n1 0 0 nan 0 0 0 1\n"),
            "way.tum: line 2: z is 'nan', allowed: a finite number");
  EXPECT_EQ(saidOfFile("1 0 0 1 0 0 0 1\n0 0 0 1 0 0 0 1\n").find("way.tum: line 2: stamp is "),
            0U);
}

TEST_F(LoadScenario, ASlipInAProgramIsNotAMissingFile) {
  EXPECT_EQ(saidOf("{package: fast_lio, file: mapping.launch", "{pakage: fast_lio, file: x.launch"),
            "one.yaml: programs[0].pakage is an unknown key (did you mean 'package'?), allowed: "
            "package, file, arguments");
  EXPECT_EQ(saidOf("duration: 20s", "duration: 1e300s"),
            "one.yaml: duration is 1e+300, allowed: at most 86400 s");
}

TEST_F(LoadScenario, Swarms) {
  const std::string text =
      "description: d\nuavs: 3\nswarm: circle\n"
      "fly: {uav0: {goals: [[1, 1, 1]]}, uav2: {goals: [[2, 1, 1]]}}\n"
      "checks: {contacts: {at_most: 0}}\n";
  const Scenario scenario = of(text);
  EXPECT_EQ(scenario.uavs, 3);
  EXPECT_EQ(scenario.arguments.at("swarm"), "circle");
  EXPECT_EQ(scenario.flights.size(), 2U);
  EXPECT_EQ(scenario.flights.at("uav2").goals[0].way[0].x(), 2.0);
  EXPECT_EQ(said(replaced(text, "uav2", "uav3")),
            "one.yaml: fly is 'uav3' (did you mean 'uav0'?), allowed: uav0, uav1, uav2");
  EXPECT_EQ(said(replaced(text, "{uav0: {goals: [[1, 1, 1]]}, ", "{goals: [[1, 1, 1]], ")),
            "one.yaml: fly is 'goals', allowed: uav0, uav1, uav2");
  EXPECT_EQ(said(replaced(text, "uavs: 3", "uavs: 201")),
            "one.yaml: uavs is 201, allowed: 1 to 200");
  EXPECT_EQ(said(replaced(text, "swarm: circle", "swarm: cirlce"))
                .find("one.yaml: unknown swarm 'cirlce' (did you mean 'circle'?)"),
            0U);
}

TEST_F(LoadScenario, NamesAreKnownOnes) {
  const auto begins = [&](const std::string& part, const std::string& by, const std::string& text) {
    const std::string message = saidOf(part, by);
    EXPECT_EQ(message.find("one.yaml: " + text), 0U) << message;
  };
  begins("map: building", "map: bulding", "unknown map 'bulding' (did you mean 'building'?)");
  begins("lidar: mid360", "lidar: mid306", "unknown lidar 'mid306' (did you mean 'mid360'?)");
  begins("depth: d435i", "depth: d43i", "unknown depth 'd43i' (did you mean 'd435i'?)");
  begins("obstacles: none", "obstacles: forst", "unknown obstacles 'forst'");
  begins("vehicle: iris", "vehicle: irs", "unknown vehicle 'irs' (did you mean 'iris'?)");
  begins("imu: bmi088", "imu: vehcle", "unknown imu 'vehcle' (did you mean 'vehicle'?)");
  begins("controller: agile", "controller: agle", "unknown controller 'agle'");
  begins("client: fast_lio", "client: fastlio",
         "client is 'fastlio' (did you mean 'fast_lio'?), allowed: ego_planner, ");
  begins("surface: paper", "surface: papper", "surface is 'papper' (did you mean 'paper'?)");
}

TEST_F(LoadScenario, UnknownAndMissingKeys) {
  EXPECT_EQ(said(replaced(kPlain, "description: Two goals in the forest\n", "")),
            "one.yaml: description is missing, allowed: this key is required");
  EXPECT_EQ(said("description: d\n"), "one.yaml: checks is missing, allowed: this key is required");
  EXPECT_EQ(said("description: d\nchecks: {}\n"),
            "one.yaml: checks is empty, allowed: a check or more");
  EXPECT_EQ(said(std::string(kPlain) + "durration: 3s\n")
                .find("one.yaml: durration is an unknown key (did you mean 'duration'?)"),
            0U);
  EXPECT_EQ(said(replaced(kPlain, "  goals: {within", "  gaols: {within"))
                .find("one.yaml: checks.gaols is an unknown key (did you mean 'goals'?)"),
            0U);
  EXPECT_EQ(said(replaced(kPlain, "fly: {goals", "fly: {gaols"))
                .find("one.yaml: fly.gaols is an unknown key (did you mean 'goals'?)"),
            0U);
  EXPECT_EQ(said(replaced(kPlain, "{within: 40s}", "{}")),
            "one.yaml: checks.goals.within is missing, allowed: this key is required");
  EXPECT_EQ(saidOf("{at_most: 0}", "{}"),
            "one.yaml: checks.contacts is without a limit, allowed: at_least, at_most or both");
  EXPECT_EQ(saidOf(", at_least: 0.8", ""),
            "one.yaml: checks.coverage[0].at_least is missing, allowed: at_least, at_most or both");
  EXPECT_EQ(said("description: d\nchecks: {estimates: [{topic: /o}]}\n"),
            "one.yaml: checks.estimates[0].ate is missing, allowed: one of ate, rpe, rpe_angle and "
            "completeness, or more of them");
}

TEST_F(LoadScenario, ValuesOutOfBounds) {
  EXPECT_EQ(saidOf("rate: 200Hz", "rate: -200Hz"),
            "one.yaml: checks.rates: /imu: rate is -200, allowed: more than 0 Hz");
  EXPECT_EQ(saidOf("pace: 2.50", "pace: fast"),
            "one.yaml: pace is 'fast', allowed: max or a number from 0.0001 to 1000000");
  EXPECT_EQ(saidOf("pace: 2.50", "pace: 1e7"),
            "one.yaml: pace is '1e7', allowed: max or a number from 0.0001 to 1000000")
      << "the clock would refuse it";
  EXPECT_EQ(saidOf("pace: 2.50", "pace: 0"),
            "one.yaml: pace is '0', allowed: max or a number from 0.0001 to 1000000");
  EXPECT_EQ(saidOf("seeds: [1, ", "seeds: [-1, "),
            "one.yaml: seeds[0] is '-1', allowed: a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(saidOf("seeds: [1, ", "seeds: [18446744073709551615, "),
            "one.yaml: seeds is 18446744073709551615 twice, allowed: every number once");
  EXPECT_EQ(saidOf("resolution: 5cm", "resolution: 0"),
            "one.yaml: resolution is 0, allowed: more than 0");
  EXPECT_EQ(saidOf("resolution: 5cm", "resolution: 5s").find("one.yaml: resolution is '5s'"), 0U);
  EXPECT_EQ(saidOf("duration: 20s", "duration: 25000s"), "no error");
  EXPECT_EQ(saidOf("duration: 20s", "duration: 0"),
            "one.yaml: duration is 0, allowed: 0.1 to 86400 s");
  EXPECT_EQ(saidOf("duration: 20s", "duration: 1e300s").find("one.yaml: duration is 1"), 0U);
  for (const auto& [bad, shown] : {std::pair{"2e9s", "2e+09"}, {"0", "0"}}) {
    EXPECT_EQ(
        saidOf("ahead: 50ms", std::string("ahead: ") + bad),
        fmt::format("one.yaml: wait_for[0].ahead is {}, allowed: more than 0, up to 60 s", shown));
  }
  EXPECT_EQ(saidOf("start: 3s}", "start: -1}"),
            "one.yaml: wait_for[0].start is -1, allowed: 0 to 3600 s");
  EXPECT_EQ(saidOf("repeats: 3", "repeats: 11"),
            "one.yaml: checks.repeats is 11, allowed: 1 to 10");
  EXPECT_EQ(saidOf("laps: 2", "laps: 0"),
            "one.yaml: fly.uav0.figure_eight.laps is 0, allowed: 1 to 1000");
  EXPECT_EQ(said(replaced(kPlain, "[[5, 0, 2], [5m, 3m, 2m]]", "[]")),
            "one.yaml: fly.goals is empty, allowed: a point or more, [[x, y, z], ...]");
  EXPECT_EQ(said(replaced(kPlain, "goals: [[5, 0, 2], [5m, 3m, 2m]]", "")),
            "one.yaml: checks.goals is there, allowed: only where a UAV of fly has goals");
  EXPECT_EQ(said(replaced(kPlain, "2m]]}", "2m]], figure_eight: {middle: [0, 0, 2]}}")),
            "one.yaml: fly.uav0 is 2 ways to fly, allowed: one of goals, trajectory and "
            "figure_eight");
  EXPECT_EQ(saidOf("tags: [slam, slow]", "tags: slam"),
            "one.yaml: tags is 'slam', allowed: a list of texts");
}

TEST_F(LoadScenario, ArgumentsThatHaveAKey) {
  EXPECT_EQ(saidOf("{output: velodyne,", "{lidar: avia,"),
            "one.yaml: arguments.lidar is there, allowed: the scenario's key 'lidar' in its place");
  EXPECT_EQ(saidOf("{output: velodyne,", "{seed: 3,"),
            "one.yaml: arguments.seed is there, allowed: the scenario's key 'seeds' in its place");
  EXPECT_EQ(saidOf("{output: velodyne,", "{z: 3,"),
            "one.yaml: arguments.z is there, allowed: the scenario's key 'start' in its place");
}

}  // namespace
}  // namespace marsim::config
