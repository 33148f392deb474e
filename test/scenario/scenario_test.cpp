// SPDX-License-Identifier: BSD-3-Clause
#include "scenario/scenario.hpp"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "suite/recordings.hpp"

namespace marsim::scenario {
namespace {

// The error of a valid scenario after one change.
std::string complaint(const std::function<void(Scenario& scenario)>& change) {
  Scenario scenario = suite::scenarioOfTwoGoals();
  scenario.checks.max_speed = Limit{0.0, 3.0};
  change(scenario);
  try {
    scenario.validate();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Scenario, NamesItsUavs) {
  Scenario scenario;
  scenario.uavs = 3;
  EXPECT_EQ(scenario.uavNames(), (std::vector<std::string>{"uav0", "uav1", "uav2"}));
}

TEST(Scenario, Bounds) {
  EXPECT_EQ(complaint([](Scenario&) {}), "no error");
  EXPECT_EQ(complaint([](Scenario& s) { s.checks = {}; }),
            "straight.yaml: checks is empty, allowed: a check or more");
  EXPECT_EQ(complaint([](Scenario& s) { s.uavs = 201; }),
            "straight.yaml: uavs is 201, allowed: 1 to 200");
  EXPECT_EQ(complaint([](Scenario& s) {
              s.seeds = {3, 4, 3};
            }),
            "straight.yaml: seeds is 3 twice, allowed: every number once");
  EXPECT_EQ(complaint([](Scenario& s) { s.seeds = {}; }),
            "straight.yaml: seeds is empty, allowed: a list of whole numbers");
  EXPECT_EQ(complaint([](Scenario& s) { s.duration = 0; }),
            "straight.yaml: duration is 0, allowed: 0.1 to 86400 s");
  EXPECT_EQ(
      complaint([](Scenario& s) { s.start = Eigen::Vector3d(0.0, 2e6, 0.0); }),
      "straight.yaml: start is (0, 2e+06, 0), allowed: -1000000 to 1000000 m along each axis");
  EXPECT_EQ(complaint([](Scenario& s) {
              s.wait_for = {{"/a", "/b", -1}};
            }),
            "straight.yaml: wait_for: /b: ahead is -1e-09, allowed: more than 0 s");
}

TEST(Scenario, SwarmsAndSingleUavs) {
  EXPECT_EQ(complaint([](Scenario& s) { s.arguments["swarm"] = "grid"; }),
            "straight.yaml: swarm is there, allowed: only with uavs more than 1");
  EXPECT_EQ(
      complaint([](Scenario& s) {
        s.uavs = 2;
        s.client = "fuel";
      }),
      "straight.yaml: client is 'fuel', allowed: none or ego_planner_v2 with uavs more than 1");
  EXPECT_EQ(complaint([](Scenario& s) {
              s.uavs = 2;
              s.start = Eigen::Vector3d::Zero();
            }),
            "straight.yaml: start is there, allowed: none with uavs more than 1: swarm says it");
  EXPECT_EQ(complaint([](Scenario& s) {
              s.uavs = 2;
              s.yaw = 1.0;
            }),
            "straight.yaml: yaw is there, allowed: none with uavs more than 1: swarm says it");
}

TEST(Scenario, Flights) {
  EXPECT_EQ(complaint([](Scenario& s) { s.flights["uav1"]; }),
            "straight.yaml: fly is 'uav1' (did you mean 'uav0'?), allowed: uav0");
  EXPECT_EQ(complaint([](Scenario& s) {
              s.uavs = 40;
              s.flights["drone"];
            }),
            "straight.yaml: fly is 'drone', allowed: uav0 to uav39");
  EXPECT_EQ(complaint([](Scenario& s) { s.flights["uav0"].trajectory = "x.tum"; }),
            "straight.yaml: fly.uav0 is 2 ways to fly, allowed: one of goals, trajectory and "
            "figure_eight");
  const auto eight = [](const std::function<void(FigureEight&)>& change) {
    return complaint([&](Scenario& s) {
      s.flights["uav0"] = {};
      change(s.flights["uav0"].figure_eight.emplace());
    });
  };
  const std::string where = "straight.yaml: fly.uav0.figure_eight.";
  EXPECT_EQ(eight([](FigureEight&) {}), "no error");
  EXPECT_EQ(eight([](FigureEight& e) { e.laps = 0; }), where + "laps is 0, allowed: 1 to 1000");
  EXPECT_EQ(eight([](FigureEight& e) { e.width = 0.0; }),
            where + "width is 0, allowed: 0.1 to 10000 m");
  EXPECT_EQ(eight([](FigureEight& e) { e.speed = -2.0; }),
            where + "speed is -2, allowed: 0.01 to 100 m/s");
  // Bends of 1 m at 30 m/s.
  const std::string hard = eight([](FigureEight& e) {
    e.width = e.height = 1.0;
    e.speed = 30.0;
  });
  EXPECT_EQ(hard.find(where + "speed is 30, allowed: what takes at most 100 m/s^2"), 0U) << hard;
}

TEST(Scenario, Checks) {
  const auto said = [](const std::function<void(Checks&)>& change) {
    return complaint([&](Scenario& s) { change(s.checks); });
  };
  const std::string where = "straight.yaml: checks.";
  EXPECT_EQ(said([](Checks& c) {
              c.contacts = Limit{-1.0, 3.0};
            }),
            where + "contacts.at_least is -1, allowed: 0 or more");
  EXPECT_EQ(said([](Checks& c) {
              c.clearance = Limit{3.0, 2.0};
            }),
            where + "clearance.at_least is 3, allowed: at most at_most, 2");
  EXPECT_EQ(said([](Checks& c) { c.goals_within = 0.0; }),
            where + "goals.within is 0, allowed: more than 0 s");
  EXPECT_EQ(complaint([](Scenario& s) {
              s.checks.goals_within = 3.0;
              s.flights.clear();
            }),
            where + "goals is there, allowed: only where a UAV of fly has goals");
  EXPECT_EQ(said([](Checks& c) {
              c.rates = {{"/imu", -200.0, 0.01, 1.5}};
            }),
            where + "rates: /imu: rate is -200, allowed: more than 0 Hz");
  EXPECT_EQ(said([](Checks& c) {
              c.rates = {{"/imu", 200.0, 0.01, 0.5}};
            }),
            where + "rates: /imu: worst_gap is 0.5, allowed: 1 to 1000000");
  for (const std::string topic :
       {"uav0 imu", "0imu", "_imu", "~imu", "/im\xC3\xBC", "a-b", "a\nb"}) {
    const std::string text = said([&](Checks& c) { c.rates = {{topic, 200.0, 0.01, 1.5}}; });
    EXPECT_EQ(text.find(where + "rates.topic is '"), 0U) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
  EXPECT_EQ(said([](Checks& c) { c.rates = {{"uav0/imu_2", 200.0, 0.01, 1.5}}; }), "no error");
  EXPECT_EQ(said([](Checks& c) { c.end.emplace_back().uav = "uav7"; }),
            where + "end.uav is 'uav7' (did you mean 'uav0'?), allowed: uav0");
  EXPECT_EQ(said([](Checks& c) { c.end.emplace_back().within = 0.0; }),
            where + "end.within is 0, allowed: more than 0 m");
  EXPECT_EQ(said([](Checks& c) {
              c.estimates.emplace_back().topic = "/odometry";
              c.estimates.back().uav = "other";
            }),
            where + "estimates.uav is 'other', allowed: uav0");
  EXPECT_EQ(said([](Checks& c) {
              c.estimates.emplace_back().topic = "/o";
              c.estimates.back().rpe_delta = 0;
            }),
            where + "estimates: /o.rpe_delta is 0, allowed: more than 0 s");
  EXPECT_EQ(said([](Checks& c) {
              c.coverage.emplace_back().share = {1.5, std::nullopt};
            }),
            where + "coverage.at_least is 1.5, allowed: 0 to 1");
  EXPECT_EQ(said([](Checks& c) { c.coverage.emplace_back().voxel = 0.0; }),
            where + "coverage.voxel is 0, allowed: 0.01 to 100 m");
  EXPECT_EQ(said([](Checks& c) { c.coverage.emplace_back().max.x() = -1e5; }),
            where +
                "coverage.region.min is (-10000.00, -10000.00, -10000.00), allowed: less than "
                "max along each axis");
}

}  // namespace
}  // namespace marsim::scenario
