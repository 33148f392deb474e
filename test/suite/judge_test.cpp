// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "suite/recordings.hpp"
#include "suite/run_result.hpp"
#include "suite/series.hpp"

namespace marsim::suite {
namespace {

scenario::Limit atLeast(double value) { return {value, std::nullopt}; }
scenario::Limit atMost(double value) { return {std::nullopt, value}; }

class Judging : public testing::Test {
 protected:
  /// The results of the checks asked for.
  std::vector<CheckResult> results() { return run().checks; }
  CheckResult only() {
    const std::vector<CheckResult> all = results();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? CheckResult{} : all.front();
  }
  RunResult run() { return judge(scenario, 7, recording); }

  scenario::Scenario scenario = scenarioOfTwoGoals();
  scenario::Recording recording = straightFlight();
};

void expectValue(const CheckResult& check, double value, bool passed, const std::string& message) {
  ASSERT_TRUE(check.value) << check.name << ": " << check.message;
  EXPECT_NEAR(*check.value, value, 1e-9) << check.name;
  EXPECT_EQ(check.passed, passed) << check.name;
  EXPECT_EQ(check.message, message) << check.name;
}

void expectUnanswered(const CheckResult& check, const std::string& message) {
  EXPECT_FALSE(check.value) << check.name;
  EXPECT_FALSE(check.passed) << check.name;
  EXPECT_EQ(check.message, message) << check.name;
}

TEST_F(Judging, Goals) {
  scenario.checks.goals_within = 8.0;
  expectValue(only(), 8.0, true, "");
  scenario.checks.goals_within = 7.5;
  expectValue(only(), 8.0, false, "is 8 s, allowed: at most 7.5 s");
  recording.uavs[0].goals[1].reached.reset();
  expectUnanswered(only(), "1 of 2 goals were reached");
  recording.uavs.clear();
  expectUnanswered(only(), "0 of 2 goals were reached");
}

TEST_F(Judging, Energy) {
  scenario.checks.energy = atMost(1000.0);
  EXPECT_FALSE(only().passed) << "no power was told";
  for (scenario::MotionSample& sample : recording.uavs[0].samples)
    sample.power = sample.stamp <= 4 * kNsPerSecond ? 100.0 : 150.0;
  expectValue(only(), 1300.0, false, "is 1300 J, allowed: at most 1000 J");
  EXPECT_NEAR(run().uavs[0].energy, 1300.0, 1e-9);
}

TEST_F(Judging, TheDigestOfAMotionSeesASingleBit) {
  const std::string motion = run().motion;
  EXPECT_EQ(run().motion, motion);
  double& x = recording.uavs[0].samples[500].X_WB.p.x();
  x = std::nextafter(x, 1e9);
  EXPECT_NE(run().motion, motion);
}

TEST_F(Judging, AnAddedCheckDecidesTheVerdictAgain) {
  scenario.checks.goals_within = 8.0;
  RunResult result = run();
  ASSERT_EQ(result.verdict, Verdict::kPassed);
  CheckResult check;
  check.name = "repeats";
  check.message = "the flight in repeat_2 moves otherwise";
  addCheck(result, check);
  EXPECT_EQ(result.verdict, Verdict::kFailed);
  EXPECT_EQ(result.message, "repeats: the flight in repeat_2 moves otherwise");
}

// Speed 2 m/s, errors of half the time 3, half 4 cm (sample 500 of 1001 has the first 4).
TEST_F(Judging, MotionOfEveryUav) {
  scenario::Checks& checks = scenario.checks;
  checks.clearance = atLeast(0.3);
  checks.contacts = atMost(0.0);
  checks.tracking_rms = atMost(0.04);
  checks.tracking_max = atMost(0.035);
  checks.max_speed = scenario::Limit{1.9, 2.1};
  const std::vector<CheckResult> all = results();
  ASSERT_EQ(all.size(), 5U);
  expectValue(all[0], 0.0, false, "is 0 m, allowed: at least 0.3 m");
  expectValue(all[1], 1.0, false, "is 1, allowed: at most 0");
  const double sum = 500.0 * 0.0009 + 501.0 * 0.0016;
  expectValue(all[2], std::sqrt(sum / 1001.0), true, "");
  expectValue(all[3], 0.04, false, "is 0.04 m, allowed: at most 0.035 m");
  expectValue(all[4], 2.0, true, "");
  for (const CheckResult& check : all) EXPECT_EQ(check.subject, "uav0");
}

TEST_F(Judging, AUavThatWasNotRecorded) {
  scenario.uavs = 2;
  scenario.checks.max_speed = atMost(3.0);
  const std::vector<CheckResult> all = results();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].passed);
  EXPECT_EQ(all[1].subject, "uav1");
  expectUnanswered(all[1], "its motion was not recorded");
}

// Clearances are published at 50 Hz, a contact may lie between two of them.
TEST_F(Judging, TheLeastClearanceIsZeroInAContact) {
  scenario.checks.clearance = atLeast(0.3);
  expectValue(only(), 0.0, false, "is 0 m, allowed: at least 0.3 m");
  recording.uavs[0].contacts = 0;
  expectValue(only(), 0.25, false, "is 0.25 m, allowed: at least 0.3 m");
}

TEST_F(Judging, NothingNearAndNoNumber) {
  recording.uavs[0].contacts = 0;
  recording.uavs[0].least_clearance = std::numeric_limits<double>::infinity();
  scenario.checks.clearance = atLeast(0.3);
  EXPECT_TRUE(only().passed);
  recording.uavs[0].samples[30].tracking_error = std::nan("");
  scenario.checks = {};
  scenario.checks.tracking_rms = scenario.checks.tracking_max = atMost(1.0);
  const std::vector<CheckResult> all = results();
  expectUnanswered(all[0], "is not a number");
  expectUnanswered(all[1], "is not a number");
}

TEST_F(Judging, EndOfTheFlight) {
  scenario.checks.end = {{"uav0", {20.0, 0.3, 1.9}, 0.4, atMost(0.1)}};
  std::vector<CheckResult> all = results();
  ASSERT_EQ(all.size(), 2U);
  expectValue(all[0], 0.5, false, "is 0.5 m, allowed: at most 0.4 m");
  expectValue(all[1], 2.0, false, "is 2 m/s, allowed: at most 0.1 m/s");
  scenario.checks.end = {{"uav0", {20.0, 0.3, 1.9}, 0.6, {}}};
  EXPECT_TRUE(only().passed);
}

TEST_F(Judging, Rates) {
  scenario.checks.rates = {{"/imu", 200.0, 0.01, 1.5}};
  recording.topics = {steadyTopic("/imu", 5 * kMs, 0, recording.end)};
  std::vector<CheckResult> all = results();
  ASSERT_EQ(all.size(), 2U);
  expectValue(all[0], 200.0, true, "");
  expectValue(all[1], 1.0, true, "");

  // One is lost: by the mean nothing is amiss.
  std::vector<TimeNs>& stamps = recording.topics[0].stamps;
  stamps.erase(stamps.begin() + 100);
  all = results();
  EXPECT_TRUE(all[0].passed);
  expectValue(all[1], 2.0, false, "is 2 periods, allowed: at most 1.5 periods, after 0.495000 s");

  scenario.checks.rates[0].rate = 100.0;
  scenario.checks.rates[0].worst_gap = 3.0;
  all = results();
  expectValue(all[0], 1999.0 / 10.0, false, "is 199.9 Hz, allowed: 99 to 101 Hz");
  EXPECT_TRUE(all[1].passed);
}

TEST_F(Judging, StampsThatDoNotRise) {
  scenario.checks.rates = {{"/imu", 200.0, 0.01, 1.5}};
  recording.topics = {steadyTopic("/imu", 5 * kMs, 0, recording.end)};
  recording.topics[0].stamps[10] = recording.topics[0].stamps[9];
  for (const CheckResult& check : results()) {
    expectUnanswered(check, "stamp 0.045000 s came after 0.045000 s");
  }
}

TEST_F(Judging, TopicsThatAreSilent) {
  scenario.checks.rates = {{"/imu", 200.0, 0.01, 1.5}};
  for (const CheckResult& check : results()) {
    expectUnanswered(check, "nobody publishes /imu");
  }
  recording.topics = {{"/imu", "sensor_msgs/Imu", {}, {}}};
  for (const CheckResult& check : results()) {
    expectUnanswered(check, "nothing came on /imu, a sensor_msgs/Imu");
  }
  recording.topics[0].stamps = {kMs};
  for (const CheckResult& check : results()) {
    expectUnanswered(check, "1 messages tell no rate");
  }
  // At the end of the flight a message may be on its way.
  recording.topics = {steadyTopic("/imu", 5 * kMs, 0, 9200 * kMs)};
  EXPECT_EQ(run().verdict, Verdict::kPassed);
  recording.topics = {steadyTopic("/imu", 5 * kMs, 0, 8 * kNsPerSecond)};
  const std::vector<CheckResult> all = results();
  EXPECT_TRUE(all[0].passed);
  expectValue(all[1], 400.0, false,
              "is 400 periods, allowed: at most 1.5 periods, after 8.000000 s");
}

class JudgingEstimates : public Judging {
 protected:
  // Moved by a metre, and off by 10 cm sideways one time up, one time down.
  JudgingEstimates() {
    scenario::TopicRecording topic{"/Odometry", "nav_msgs/Odometry", {}, {}};
    for (std::size_t i = 0; i < 1000; i += 10) {
      const scenario::MotionSample& sample = recording.uavs[0].samples[i];
      const double side = i % 20 == 0 ? 0.1 : -0.1;
      topic.stamps.push_back(sample.stamp);
      StampedPose pose;
      pose.stamp = sample.stamp;
      pose.X_WB.p = sample.X_WB.p + Eigen::Vector3d(0.0, side, 1.0);
      topic.poses.push_back(pose);
    }
    recording.topics = {topic};
    scenario::EstimateCheck check;
    check.topic = "/Odometry";
    check.ate = atMost(0.11);
    check.rpe = atMost(0.01);
    check.rpe_angle = atMost(0.01);
    check.completeness = atLeast(0.95);
    scenario.checks.estimates = {check};
  }
};

TEST_F(JudgingEstimates, AreHeldToTheTruth) {
  const std::vector<CheckResult> all = results();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].name, "ate");
  EXPECT_EQ(all[0].subject, "/Odometry");
  EXPECT_NEAR(*all[0].value, 0.1, 1e-3);
  expectValue(all[1], 0.0, true, "");  // ten poses a second: of equal sides
  expectValue(all[2], 0.0, true, "");
  expectValue(all[3], 0.99, true, "");
  scenario.checks.estimates[0].align = false;
  EXPECT_NEAR(*results()[0].value, std::sqrt(1.01), 1e-9);
  EXPECT_EQ(results()[0].message, "is 1.005 m, allowed: at most 0.11 m");
  const RunResult result = run();
  ASSERT_EQ(result.estimates.size(), 1U);
  EXPECT_EQ(result.estimates[0].t.size(), 100U);
  EXPECT_NEAR(result.estimates[0].error[3], std::sqrt(1.01), 1e-6);
}

TEST_F(JudgingEstimates, WithoutAnswer) {
  const auto said = [&] { return results().front().message; };
  const scenario::TopicRecording whole = recording.topics[0];
  recording.topics[0].poses.resize(2);
  EXPECT_EQ(said(), "2 poses are too few to align");
  EXPECT_EQ(results()[1].message, "no two poses are 1 s apart or more");
  recording.topics[0] = whole;
  recording.topics[0].poses[7].X_WB.p.x() = std::nan("");
  EXPECT_EQ(said(), "the pose of 0.700000 s is not finite, or its quaternion not of length 1");
  recording.topics[0] = whole;
  recording.topics[0].poses[8].X_WB.q.coeffs().setZero();
  EXPECT_EQ(said(), "the pose of 0.800000 s is not finite, or its quaternion not of length 1");
  recording.topics[0] = whole;
  scenario.checks.estimates[0].offset = 20 * kNsPerSecond;
  EXPECT_EQ(said(), "0 of 100 poses have a stamp within the flight");
  recording.topics[0].poses.clear();
  EXPECT_EQ(said(), "/Odometry is a nav_msgs/Odometry, which tells no poses");
  recording.topics.clear();
  EXPECT_EQ(said(), "nobody publishes /Odometry");
  for (const CheckResult& check : results()) expectUnanswered(check, said());
  EXPECT_TRUE(run().estimates[0].t.empty());
  recording.topics = {whole};
  recording.uavs.clear();
  EXPECT_EQ(said(), "the motion of uav0 was not recorded");
}

TEST_F(Judging, CoverageAndRealTime) {
  scenario::CoverageCheck check;
  check.share = atLeast(0.9);
  scenario.checks.coverage = {check, check};
  scenario.checks.real_time_factor = atLeast(2.0);
  const std::vector<CheckResult> all = results();
  ASSERT_EQ(all.size(), 3U);
  expectValue(all[0], 0.8, false, "is 0.8, allowed: at least 0.9");
  expectUnanswered(all[1], "was not measured");
  expectValue(all[2], 2.5, true, "");
  EXPECT_TRUE(all[2].depends_on_wall_time);
  EXPECT_FALSE(all[0].depends_on_wall_time);
  recording.wall = 0.0;
  expectUnanswered(results()[2], "no wall time has passed");
}

TEST_F(Judging, Verdict) {
  EXPECT_EQ(run().verdict, Verdict::kFailed);
  EXPECT_EQ(run().message, "nothing was checked");
  scenario.checks.max_speed = atMost(3.0);
  const RunResult passed = run();
  EXPECT_EQ(passed.verdict, Verdict::kPassed);
  EXPECT_EQ(passed.message, "");
  EXPECT_EQ(passed.scenario, "straight");
  EXPECT_EQ(passed.description, "Two goals");
  EXPECT_EQ(passed.map, "forest");
  EXPECT_EQ(passed.seed, 7U);
  EXPECT_EQ(passed.simulated, 10.0);
  EXPECT_EQ(passed.wall, 4.0);
  EXPECT_EQ(passed.timings.at("render")[1], std::make_pair(2.0, 4.5));

  scenario.checks.contacts = atMost(0.0);
  scenario.checks.tracking_max = atMost(0.01);
  scenario.checks.real_time_factor = atLeast(5.0);
  EXPECT_EQ(run().verdict, Verdict::kFailed);
  EXPECT_EQ(run().message, "contacts of uav0: is 1, allowed: at most 0; 1 more check failed");
  scenario.checks.contacts.reset();
  scenario.checks.tracking_max.reset();
  EXPECT_EQ(run().message, "real_time_factor: is 2.5, allowed: at least 5");
}

TEST_F(Judging, CurvesAreThinnedOut) {
  scenario.checks.max_speed = atMost(3.0);
  const UavSeries series = run().uavs.at(0);
  ASSERT_EQ(series.t.size(), kMostInstants);
  EXPECT_EQ(series.t.front(), 0.0);
  EXPECT_EQ(series.t.back(), 10.0);
  for (std::size_t i = 0; i < series.t.size(); ++i) {
    EXPECT_TRUE(i == 0 || series.t[i] > series.t[i - 1]);
    EXPECT_NEAR(series.p_WB[i].x(), 2.0 * series.t[i], 1e-5);
    EXPECT_EQ(series.speed[i], 2.0F);
    EXPECT_EQ(series.tracking_error[i], series.t[i] < 5.0 ? 0.03F : 0.04F);
    EXPECT_TRUE(std::isinf(series.clearance[i]));
  }
  recording.uavs[0].samples.resize(40);
  EXPECT_EQ(run().uavs.at(0).t.size(), 40U);
}

TEST(Verdict, HasWords) {
  EXPECT_EQ(verdictText(Verdict::kPassed), "passed");
  EXPECT_EQ(verdictText(Verdict::kFailed), "failed");
  EXPECT_EQ(verdictText(Verdict::kError), "error");
  EXPECT_EQ(verdictText(Verdict::kSkipped), "skipped");
}

}  // namespace
}  // namespace marsim::suite
