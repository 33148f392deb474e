// SPDX-License-Identifier: BSD-3-Clause
#include "tools/suite/scenario_launch.hpp"

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"

namespace marsim::tools {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string argument(const std::string& name, const std::string& value) {
  return "<arg name=\"" + name + "\" value=\"" + value + "\"/>";
}

scenario::Scenario scenario() {
  scenario::Scenario result;
  result.name = "goals";
  result.file = "/scenarios/goals.yaml";
  result.arguments = {{"map", "/maps/a <b> & \"c\".pcd"}, {"lidar", "mid360"}};
  result.start = Eigen::Vector3d(1.0, -2.5, 1.5);
  result.yaw = 0.5;
  return result;
}

TEST(ScenarioLaunch, FliesOneUavInLockstep) {
  const std::string text = scenarioLaunch(scenario(), 18446744073709551615U, "/out/seed", {});
  EXPECT_TRUE(has(text, "<include file=\"$(find marsim)/launch/sim.launch\">")) << text;
  EXPECT_TRUE(has(text, argument("map", "/maps/a &lt;b&gt; &amp; &quot;c&quot;.pcd")));
  EXPECT_TRUE(has(text, argument("seed", "18446744073709551615")));
  EXPECT_TRUE(has(text, argument("lockstep", "true")));
  EXPECT_TRUE(has(text, argument("participants", "/scenario_runner")));
  EXPECT_TRUE(has(text, argument("pace", "max")));
  EXPECT_TRUE(has(text, argument("nodelets", "true")));
  EXPECT_TRUE(has(text, argument("y", "-2.5")));
  EXPECT_TRUE(has(text, argument("yaw", "0.5")));
  EXPECT_FALSE(has(text, "wait_for"));
  EXPECT_TRUE(has(text, "type=\"scenario_runner\" name=\"scenario_runner\" required=\"true\""));
  EXPECT_TRUE(has(text, "<param name=\"scenario\" type=\"str\" value=\"/scenarios/goals.yaml\"/>"));
  EXPECT_TRUE(has(text, "<param name=\"output\" type=\"str\" value=\"/out/seed\"/>"));
}

TEST(ScenarioLaunch, WithoutLockstepNobodyIsWaitedFor) {
  scenario::Scenario free = scenario();
  free.lockstep = false;
  free.pace = "1";
  free.arguments["on_crash"] = "respawn";
  const std::string text = scenarioLaunch(free, 1, "/out", {});
  EXPECT_TRUE(has(text, argument("lockstep", "false")));
  EXPECT_FALSE(has(text, "participants"));
  EXPECT_TRUE(has(text, argument("nodelets", "false")));
}

TEST(ScenarioLaunch, OthersThatAreWaitedForStay) {
  scenario::Scenario waiting = scenario();
  waiting.arguments["participants"] = "/planner";
  waiting.wait_for = {{"/uav0/points", "/Odometry", 150'000'000}, {"/a", "/b", kNsPerSecond, 0}};
  waiting.wait_until_idle = {"/planner_node", "/server"};
  const std::string text = scenarioLaunch(waiting, 1, "/out", {});
  EXPECT_TRUE(has(text, argument("participants", "/planner,/scenario_runner")));
  EXPECT_TRUE(has(text, argument("wait_until_idle", "/planner_node,/server")));
  EXPECT_TRUE(has(text, argument("wait_for", "/uav0/points&gt;/Odometry+0.15:5,/a&gt;/b+1:0")))
      << text;
}

TEST(ScenarioLaunch, EachKindHasItsFile) {
  scenario::Scenario swarm = scenario();
  swarm.start.reset();
  swarm.yaw = 0.0;
  swarm.uavs = 10;
  const std::string text = scenarioLaunch(swarm, 1, "/out", {});
  EXPECT_TRUE(has(text, "/launch/swarm.launch\""));
  EXPECT_TRUE(has(text, argument("n", "10")));
  EXPECT_FALSE(has(text, "\"yaw\""));
  scenario::Scenario client = scenario();
  client.client = "ego_planner";
  EXPECT_TRUE(has(scenarioLaunch(client, 1, "/out", {}), "/launch/planner.launch\""));
  EXPECT_TRUE(has(scenarioLaunch(client, 1, "/out", {}), argument("client", "ego_planner")));
  client.client = "lio_sam";
  EXPECT_TRUE(has(scenarioLaunch(client, 1, "/out", {}), "/launch/slam.launch\""));
}

TEST(ScenarioLaunch, DronesOfAPlannerFlyBesideTheFirst) {
  scenario::Scenario swarm = scenario();
  swarm.start.reset();
  swarm.uavs = 2;
  swarm.client = "ego_planner_v2";
  swarm.arguments["swarm"] = "line";
  const std::string text = scenarioLaunch(swarm, 1, "/out", {});
  const std::size_t second = text.find("/launch/planner.launch\"", text.find("planner.launch") + 1);
  ASSERT_NE(second, std::string::npos) << text;
  EXPECT_FALSE(has(text.substr(0, second), "\"beside\""));
  EXPECT_FALSE(has(text, "name=\"x\""));
  for (const std::string& part : {text.substr(0, second), text.substr(second)}) {
    EXPECT_TRUE(has(part, argument("swarm", "line"))) << part;
    EXPECT_TRUE(has(part, argument("swarm_size", "2"))) << part;
  }
  EXPECT_TRUE(has(text.substr(second), argument("beside", "true")));
  EXPECT_TRUE(has(text.substr(second), argument("drone", "1")));
  EXPECT_NO_THROW(requireKnownArguments(swarm));
}

TEST(ScenarioLaunch, ArgumentsAreThoseOfTheFile) {
  scenario::Scenario other = scenario();
  other.arguments["output"] = "livox_custom";
  EXPECT_NO_THROW(requireKnownArguments(other));
  const auto complaint = [](const scenario::Scenario& of) -> std::string {
    try {
      requireKnownArguments(of);
    } catch (const UnknownNameError& error) {
      return error.what();
    }
    return "";
  };
  other.arguments["lidra"] = "mid360";
  EXPECT_EQ(complaint(other).find("/scenarios/goals.yaml: unknown argument of sim.launch 'lidra' "
                                  "(did you mean 'lidar'?), known: map, "),
            0U)
      << complaint(other);
  other.arguments.erase("lidra");
  other.arguments["swarm_size"] = "3";  // of the included file alone
  EXPECT_NE(complaint(other), "");
  other.arguments = {{"start_client", "true"}};
  EXPECT_NE(complaint(other), "");
  other.client = "fast_lio";
  EXPECT_EQ(complaint(other), "");
}

TEST(ScenarioLaunch, ProgramsAndWhatStandsInForThem) {
  scenario::Scenario flown = scenario();
  flown.programs = {{"ego_planner", "run.launch", {{"speed", "2"}, {"map", "$(find maps)/a.pcd"}}},
                    {"", "/opt/me/mine.launch", {}},
                    {"other", "files/x.launch", {}}};
  EXPECT_EQ(wantedPackages(flown), (std::vector<std::string>{"ego_planner", "maps", "other"}));
  const std::string text = scenarioLaunch(flown, 1, "/out", {});
  EXPECT_TRUE(has(text, "<include file=\"$(find ego_planner)/launch/run.launch\">")) << text;
  EXPECT_TRUE(has(text, argument("speed", "2")));
  EXPECT_TRUE(has(text, "<include file=\"/opt/me/mine.launch\"/>"));
  EXPECT_TRUE(has(text, "<include file=\"$(find other)/files/x.launch\"/>"));
  flown.arguments["map"] = "$(find \tother ) $(find " + std::string(1U << 20U, 'x');
  EXPECT_EQ(wantedPackages(flown), (std::vector<std::string>{"ego_planner", "maps", "other"}));
  const std::string stood_in =
      scenarioLaunch(flown, 1, "/out", {{"ego_planner", "/s/ego_planner.launch"}});
  EXPECT_TRUE(has(stood_in, "<include file=\"/s/ego_planner.launch\">"));
  EXPECT_TRUE(has(stood_in, argument("speed", "2")));
  EXPECT_TRUE(has(stood_in, argument("map", "$(find maps)/a.pcd")));
  EXPECT_TRUE(has(scenarioLaunch(flown, 1, "/out", {{"maps", "/s/maps.launch"}}),
                  argument("map", "/s/a.pcd")));
  EXPECT_FALSE(has(stood_in, "find ego_planner"));
}

TEST(ScenarioLaunch, ASlamClientThatIsStartedIsAPackage) {
  scenario::Scenario slam = scenario();
  slam.client = "kiss_icp";
  EXPECT_TRUE(wantedPackages(slam).empty());
  slam.arguments["start_client"] = "true";
  EXPECT_EQ(wantedPackages(slam), std::vector<std::string>{"kiss_icp"});
  const std::string text = scenarioLaunch(slam, 1, "/out", {{"kiss_icp", "/s/kiss_icp.launch"}});
  EXPECT_TRUE(has(text, argument("start_client", "false")));
  EXPECT_TRUE(has(text, "<include file=\"/s/kiss_icp.launch\"/>"));
}

}  // namespace
}  // namespace marsim::tools
