// SPDX-License-Identifier: BSD-3-Clause
#include "suite/junit_report.hpp"

#include <gtest/gtest.h>

#include "suite/made_up_runs.hpp"

namespace marsim::suite {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(JunitReport, ASuiteAScenarioACaseASeedAndCheck) {
  const std::string xml = junitReport(madeUpRuns());
  // Four checks of each run in the forest, 21 of the swarm; a case for either that was not flown.
  EXPECT_TRUE(has(xml,
                  "<testsuites name=\"marsim suite\" tests=\"31\" failures=\"1\" errors=\"1\" "
                  "skipped=\"1\" time=\"40.200\">"))
      << xml.substr(0, 200);
  EXPECT_TRUE(has(xml,
                  "<testsuite name=\"forest_goals\" tests=\"8\" failures=\"1\" errors=\"0\" "
                  "skipped=\"0\" time=\"26.800\">"));
  EXPECT_TRUE(has(xml, "<testcase name=\"seed 2: clearance of uav0\""));
  EXPECT_TRUE(
      has(xml, "<failure message=\"clearance of uav0 is 0.12 m, allowed: at least 0.3 m\""));
  EXPECT_TRUE(has(xml, "<skipped message=\"package ego_planner is not installed\"/>"));
  EXPECT_TRUE(has(xml, "<error message=\"uav0/lidar ended with exit code 1: no map\""));
}

TEST(JunitReport, ARunThatFailsWithoutACheckIsTold) {
  RunResult run = passedRun("a", 1);
  run.verdict = Verdict::kError;
  run.message = "the simulation ended";
  run.last_lines = {"a <b>", "c"};
  const std::string xml = junitReport({run});
  EXPECT_TRUE(has(xml,
                  "<error message=\"the simulation ended\" type=\"\">the simulation ended\na "
                  "&lt;b&gt;\nc</error>"));
}

TEST(GtestReport, KnowsFailuresOnly) {
  RunResult error = withoutFlight("a", Verdict::kError, "no <map>");
  const std::string xml = gtestReport("a", {passedRun("a", 1), error, passedRun("b", 1)});
  EXPECT_TRUE(has(xml,
                  "<testsuite name=\"a\" tests=\"5\" failures=\"1\" disabled=\"0\" "
                  "errors=\"0\" time=\"13.400\">"))
      << xml;
  EXPECT_TRUE(has(xml, "<failure message=\"no &lt;map&gt;\""));
  EXPECT_FALSE(has(xml, "name=\"b\""));
}

}  // namespace
}  // namespace marsim::suite
