// SPDX-License-Identifier: BSD-3-Clause
#include "tools/suite/suite_run.hpp"

#include <csignal>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "marsim/common/error.hpp"
#include "suite/results_file.hpp"
#include "tools/suite/suite_flight.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::tools {
namespace {

namespace fs = std::filesystem;

const char* const kScenario =
    "description: Holds its place\nseeds: [1, 2]\ntags: [quick]\nchecks: {contacts: {at_most: "
    "0}}\n";

std::string textOf(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Scenarios on disk, and roslaunch and rospack of a few lines in front of the PATH. `flight` runs
/// with $out, the run's folder; `pass` and `fail` leave a result.
class Suite : public ::testing::Test {
 protected:
  Suite() : path_(std::getenv("PATH")) {
    for (const char* name : {"bin", "scenarios", "stand_ins"}) {
      fs::create_directory(folder_.path() / name);
    }
    setenv("PATH", ((folder_.path() / "bin").string() + ":" + path_).c_str(), 1);
    options_.paths = {(folder_.path() / "scenarios").string()};
    options_.output = folder_.path() / "out";
    folder_.write("bin/rospack", "#!/bin/sh\n[ \"$2\" = there ]\n", true);
    suite::RunResult result;
    result.scenario = "hold";
    result.simulated = 2.0;
    result.wall = 0.5;
    result.verdict = suite::Verdict::kPassed;
    suite::writeRun(folder_.path() / "passed.json", result);
    result.verdict = suite::Verdict::kFailed;
    result.message = "contacts is 1";
    suite::writeRun(folder_.path() / "failed.json", result);
    write("hold", kScenario);
    install("pass");
  }
  ~Suite() override { setenv("PATH", path_.c_str(), 1); }

  fs::path write(const std::string& name, const std::string& text) const {
    return folder_.write("scenarios/" + name + ".yaml", text);
  }
  void install(const std::string& flight) const {
    folder_.write("bin/roslaunch",
                  fmt::format("#!/bin/sh\nout=$(dirname \"$3\")\nf={}\n"
                              "echo $(basename $out) $2 >> $f/calls\n"
                              "pass() {{ cp $f/passed.json $out/run.json; }}\n"
                              "fail() {{ cp $f/failed.json $out/run.json; }}\n{}\n",
                              folder_.path().string(), flight),
                  true);
  }
  /// Ports of the calls of roslaunch so far.
  std::vector<std::string> calls() const {
    std::ifstream file(folder_.path() / "calls");
    std::vector<std::string> ports;
    for (std::string seed, port; file >> seed >> port;) ports.push_back(port);
    return ports;
  }
  fs::path runFolder(const std::string& seed = "seed_1") const {
    return options_.output / "runs" / "hold" / seed;
  }
  SuiteOutcome fly() const {
    std::vector<std::string> errors;
    const auto scenarios = loadScenarios(scenarioFiles(options_.paths), errors);
    if (!errors.empty()) throw Error(errors[0]);
    return flyRuns(planRuns(scenarios, options_), options_);
  }

  TemporaryFolder folder_;
  SuiteOptions options_;
  std::string path_;
};

TEST_F(Suite, ScenariosFollowTheirNumbers) {
  const TemporaryFolder folder;
  std::vector<fs::path> expected;
  for (const char* name : {"leg2.yaml", "leg10.yaml", "leg010.yaml"}) {
    expected.push_back(folder.write(name, kScenario));
  }
  std::swap(expected[1], expected[2]);
  EXPECT_EQ(scenarioFiles({folder.path().string()}), expected);
}

TEST_F(Suite, FliesEverySeedAndWritesReports) {
  EXPECT_EQ(runSuite(options_), 0);
  EXPECT_EQ(calls().size(), 2U);
  EXPECT_NE(textOf(runFolder() / kRunLaunch).find("sim.launch"), std::string::npos);
  EXPECT_TRUE(fs::exists(runFolder("seed_2") / kRunLog));
  const auto results = suite::readResults(options_.output);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].verdict, suite::Verdict::kPassed);
  EXPECT_NE(textOf(options_.output / "report.html").find("2 runs: 2 passed"), std::string::npos);
  EXPECT_NE(textOf(options_.output / "junit.xml").find("<testsuites"), std::string::npos);
}

TEST_F(Suite, StartsOnceMoreWhereTheMasterWasTooSlow) {
  const std::string too_slow = "echo 'ERROR: could not contact master [http://vm:1/]'; exit 1";
  install("if [ $(wc -l < $f/calls) = 1 ]; then " + too_slow + "; else pass; fi");
  options_.seeds = {1};
  EXPECT_EQ(fly().runs.at(0).verdict, suite::Verdict::kPassed);
  EXPECT_EQ(calls().size(), 2U);
  install(too_slow);
  options_.fresh = true;
  EXPECT_EQ(fly().runs.at(0).verdict, suite::Verdict::kError);
  EXPECT_EQ(calls().size(), 4U);
}

TEST_F(Suite, KeepsWhatPassedFromTheSameFiles) {
  fly();
  fly();
  EXPECT_EQ(calls().size(), 2U);
  options_.fresh = true;
  fly();
  EXPECT_EQ(calls().size(), 4U);
  options_.fresh = false;
  write("hold", std::string(kScenario) + "# changed\n");
  fly();
  EXPECT_EQ(calls().size(), 6U);
  fs::remove(runFolder() / kRunFile);
  fly();
  EXPECT_EQ(calls().size(), 7U);
}

TEST_F(Suite, FliesAgainWhatFailed) {
  install("[ $(basename $out) = seed_2 ] && fail || pass; echo '<last> words'");
  SuiteOutcome outcome = fly();
  EXPECT_EQ(exitCodeOf(outcome), 1);
  EXPECT_EQ(outcome.runs[1].message, "contacts is 1");
  EXPECT_EQ(outcome.runs[1].last_lines, std::vector<std::string>{"<last> words"});
  EXPECT_TRUE(outcome.runs[0].last_lines.empty());
  install("pass");
  outcome = fly();
  EXPECT_EQ(exitCodeOf(outcome), 0);
  EXPECT_EQ(calls().size(), 3U);
}

TEST_F(Suite, ARunWithoutAResultIsAnErrorThatSaysWhy) {
  options_.seeds = {1};
  install(
      "for i in $(seq 60); do echo line $i; done\n"
      "echo '[FATAL] [1.5]: map: there is no such file'\n"
      "echo '=====REQUIRED process [uav0/lidar-4] has died!'\n"
      "echo 'process has died [pid 5, exit code 1, cmd x].'");
  SuiteOutcome outcome = fly();
  ASSERT_EQ(outcome.runs.size(), 1U);
  EXPECT_EQ(outcome.runs[0].verdict, suite::Verdict::kError);
  EXPECT_EQ(outcome.runs[0].message,
            "uav0/lidar ended with exit code 1: map: there is no such file");
  ASSERT_EQ(outcome.runs[0].last_lines.size(), 40U);
  EXPECT_EQ(outcome.runs[0].last_lines[0], "line 24");
  install("echo 'RLException: unused args [lidr] for include of [x]'; exit 1");
  outcome = fly();
  EXPECT_EQ(outcome.runs[0].message,
            "roslaunch ended with code 1: unused args [lidr] for include of [x]");
}

// At the fastest pace the flight may end first.
TEST_F(Suite, AProgramThatDiedIsAnErrorAlsoBesideAResult) {
  options_.seeds = {1};
  for (const char* line : {"[planner-5] process has died [pid 5, exit code 3, cmd x].",
                           "ERROR: cannot launch node of type [no_such/planner]: no_such"}) {
    install(fmt::format("pass; echo '{}'", line));
    const SuiteOutcome outcome = fly();
    EXPECT_EQ(outcome.runs[0].verdict, suite::Verdict::kError);
    EXPECT_NE(outcome.runs[0].message.find("planner"), std::string::npos);
    EXPECT_EQ(outcome.runs[0].simulated, 2.0);
    EXPECT_EQ(outcome.runs[0].last_lines, std::vector<std::string>{line});
  }
}

// Ended before it has started all, roslaunch would hang.
TEST_F(Suite, AProgramThatDiedEndsTheRunWhenAllIsStarted) {
  options_.seeds = {1};
  install(
      "trap 'echo ended after $n; exit 1' INT\n"
      "echo '[planner-5] process has died [pid 5, exit code 3, cmd x].'\n"
      "for n in 1 2 3 4 5; do sleep 0.1; done\n"
      "n=start; echo 'process[scenario_runner-6]: started with pid [6]'\n"
      "for i in $(seq 300); do sleep 0.1; done");
  const SuiteOutcome outcome = fly();
  EXPECT_EQ(outcome.runs[0].message, "planner ended with exit code 3");
  EXPECT_EQ(outcome.runs[0].last_lines.back(), "ended after start");
}

TEST_F(Suite, TimeThatStandsStillEndsARun) {
  options_.seeds = {1};
  options_.timeout = 0.5;
  // Lines of others do not count once it flies.
  install(
      "trap 'exit 0' INT\necho 'scenario 1.0 s of 60.0 s'\n"
      "while :; do echo 'scenario 1.0 s of 60.0 s'; echo other; sleep 0.05; done");
  const SuiteOutcome outcome = fly();
  EXPECT_EQ(outcome.runs.at(0).verdict, suite::Verdict::kError);
  EXPECT_EQ(outcome.runs[0].message, "no simulated second passed in 0.5 s of wall time");
}

// As with a planner that never listens: the clock repeats that time has not begun.
TEST_F(Suite, AFlightThatNeverBeginsEndsItsRun) {
  options_.seeds = {1};
  options_.timeout = 0.4;
  for (const char* line : {"[ WARN] [1.5]: time has not begun: waits for /a", "wait for goal."}) {
    install(fmt::format(
        "trap 'exit 0' INT\nfor i in $(seq 200); do echo '{}'; sleep 0.05; done\npass", line));
    const SuiteOutcome outcome = fly();
    EXPECT_EQ(outcome.runs.at(0).verdict, suite::Verdict::kError) << line;
    EXPECT_EQ(outcome.runs[0].message, "no simulated second passed in 0.4 s of wall time");
  }
}

TEST_F(Suite, ANodeThatDiesEndsItsRunUnlessItIsStartedAgain) {
  options_.seeds = {1};
  const auto verdict = [&](const std::string& on_crash) {
    write("hold", fmt::format("{}arguments: {{on_crash: {}}}\n", kScenario, on_crash));
    install(
        "trap 'exit 0' INT\necho '[uav0/lidar-4] process has died [pid 5, exit code 1, cmd x].'\n"
        "sleep 0.5 & wait; pass");
    return fly().runs.at(0).verdict;
  };
  EXPECT_EQ(verdict("end"), suite::Verdict::kError);
  EXPECT_EQ(verdict("respawn"), suite::Verdict::kPassed);
}

TEST_F(Suite, SkipsWhatLacksAPackageUnlessSomethingStandsIn) {
  write("hold", std::string(kScenario) + "programs: [{package: absent, file: a.launch}]\n");
  write("other", std::string(kScenario) + "programs: [{package: there, file: a.launch}]\n");
  options_.seeds = {1};
  SuiteOutcome outcome = fly();
  ASSERT_EQ(outcome.runs.size(), 2U);
  EXPECT_EQ(outcome.runs[0].verdict, suite::Verdict::kSkipped);
  EXPECT_NE(outcome.runs[0].message.find("package absent is not installed"), std::string::npos);
  EXPECT_EQ(outcome.runs[1].verdict, suite::Verdict::kPassed);
  EXPECT_EQ(exitCodeOf(outcome), 0);
  options_.only = {"hold"};
  EXPECT_EQ(exitCodeOf(fly()), 1);  // nothing was flown
  folder_.write("stand_ins/absent.launch", "<launch/>");
  options_.stand_ins = (folder_.path() / "stand_ins").string();
  outcome = fly();
  EXPECT_EQ(exitCodeOf(outcome), 0);
  EXPECT_NE(textOf(runFolder() / kRunLaunch).find("stand_ins/absent.launch"), std::string::npos);
}

TEST_F(Suite, SeveralAreFlownAtATimeEachWithItsMaster) {
  options_.seeds = {1, 2, 3};
  options_.jobs = 3;
  install(
      "touch $out/here\nfor i in $(seq 400); do\n"
      "  [ $(ls $out/../*/here | wc -l) = 3 ] && pass && exit 0\n  sleep 0.02\ndone");
  EXPECT_EQ(exitCodeOf(fly()), 0);
  const std::vector<std::string> ports = calls();
  ASSERT_EQ(ports.size(), 3U);
  EXPECT_TRUE(ports[0] != ports[1] && ports[1] != ports[2] && ports[0] != ports[2]);
}

TEST_F(Suite, FliesAnewWhereAProgramHasChanged) {
  const char* const before = std::getenv("CMAKE_PREFIX_PATH");
  const std::string prefixes = before ? before : "";
  setenv("CMAKE_PREFIX_PATH", (prefixes + ":" + folder_.path().string()).c_str(), 1);
  fs::create_directories(folder_.path() / "lib/there");
  folder_.write("lib/there/planner", "old");
  folder_.write("scenarios/run.launch", "<launch/>");
  write("hold", std::string(kScenario) + "programs: [{package: there, file: run.launch}]\n");
  fly();
  fly();
  EXPECT_EQ(calls().size(), 2U);
  folder_.write("lib/there/planner", "newer");
  fly();
  EXPECT_EQ(calls().size(), 4U);
  setenv("CMAKE_PREFIX_PATH", prefixes.c_str(), 1);
}

TEST_F(Suite, ABaselineIsNotOverwritten) {
  EXPECT_EQ(runSuite(options_), 0);
  options_.fresh = true;
  for (const fs::path& same : {options_.output, options_.output / suite::kResultsFile}) {
    options_.baseline = same;
    EXPECT_EQ(runSuite(options_), 2);
  }
  EXPECT_EQ(calls().size(), 2U);
}

TEST_F(Suite, AnInterruptEndsAllAndKeepsWhatThereIs) {
  options_.seeds = {1, 2, 3, 4};
  options_.jobs = 2;
  // The first passes; the second and third leave a process in a session of its own.
  install(fmt::format(
      "case $out in *seed_1) pass; exit 0;; esac\n"
      "setsid sh -c 'trap \"\" INT; echo $$ >> {}/left; exec sleep 100' &\n"
      "trap 'exit 0' INT\n"
      "case $out in *seed_3) sleep 0.2; kill -INT {};; esac\nwhile :; do sleep 0.05; done",
      folder_.path().string(), getpid()));
  const SuiteOutcome outcome = fly();
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_EQ(exitCodeOf(outcome), 130);
  ASSERT_EQ(outcome.runs.size(), 1U);
  EXPECT_EQ(calls().size(), 3U);
  std::ifstream left(folder_.path() / "left");
  int seen = 0;
  for (int process = 0; left >> process; ++seen) EXPECT_EQ(kill(process, 0), -1) << process;
  EXPECT_EQ(seen, 2);
  install("pass");
  EXPECT_EQ(exitCodeOf(fly()), 0);
  EXPECT_EQ(calls().size(), 6U);  // the first was kept
}

TEST_F(Suite, AFolderThatCannotBeWrittenIntoEndsIt) {
  options_.output = "/dev/null/out";
  EXPECT_THROW(fly(), Error);
  options_.output = folder_.path() / "out";
  install("rm -rf $out; echo gone");
  try {
    fly();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(runFolder().string()), std::string::npos)
        << error.what();
  }
}

TEST_F(Suite, AllWrongFilesAreToldBeforeAnythingIsStarted) {
  write("bad_a", "description: x\nchecks: {contatcs: {at_most: 0}}\n");
  write("bad_b", "description: [\n");
  fs::create_directory(folder_.path() / "more");
  folder_.write("more/hold.yaml", kScenario);
  options_.paths.push_back((folder_.path() / "more").string());
  std::vector<std::string> errors;
  loadScenarios(scenarioFiles(options_.paths), errors);
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_NE(errors[0].find("bad_a.yaml"), std::string::npos);
  EXPECT_NE(errors[0].find("contacts"), std::string::npos);
  EXPECT_NE(errors[1].find("bad_b.yaml"), std::string::npos);
  EXPECT_NE(errors[2].find("its name is that of"), std::string::npos);
  EXPECT_EQ(runSuite(options_), 2);
  EXPECT_TRUE(calls().empty());
  EXPECT_FALSE(fs::exists(options_.output));
}

TEST_F(Suite, BadOptionsAreRefused) {
  const auto code = [&](const std::function<void(SuiteOptions&)>& change) {
    SuiteOptions options = options_;
    change(options);
    return runSuite(options);
  };
  EXPECT_EQ(code([&](auto& o) { o.paths = {(folder_.path() / "stand_ins").string()}; }), 2);
  EXPECT_EQ(code([&](auto& o) { o.paths = {"/no/such/folder"}; }), 2);
  EXPECT_EQ(code([](auto& o) { o.only = {"hodl"}; }), 2);
  EXPECT_EQ(code([](auto& o) { o.tags = {"slow"}; }), 2);
  EXPECT_EQ(code([](auto& o) { o.jobs = 0; }), 2);
  EXPECT_EQ(code([](auto& o) { o.timeout = 0.0; }), 2);
  EXPECT_EQ(code([](auto& o) { o.stand_ins = "/no/such/folder"; }), 2);
  EXPECT_EQ(code([](auto& o) { o.baseline = "/no/such/folder"; }), 2);
  EXPECT_TRUE(calls().empty());
}

// "$(" in a launch file is replaced by roslaunch, whatever it stands in.
TEST_F(Suite, PathsThatRoslaunchWouldReplaceAreRefused) {
  options_.paths = {write("$(find roscpp)", kScenario).string()};
  EXPECT_EQ(runSuite(options_), 2);
  options_.paths = {write("hold", kScenario).string()};
  options_.output = folder_.path() / "$(x)";
  EXPECT_EQ(runSuite(options_), 2);
  EXPECT_TRUE(calls().empty());
}

TEST_F(Suite, RostestGetsItsXml) {
  options_.paths = {write("hold", kScenario).string()};
  options_.fresh = true;
  const std::string xml = (folder_.path() / "results" / "hold.xml").string();
  EXPECT_EQ(runScenario(options_, xml), 0);
  EXPECT_NE(textOf(xml).find("<testsuite name=\"hold\" tests=\"2\" failures=\"0\""),
            std::string::npos)
      << textOf(xml);
}

TEST(ParseSeeds, NumbersAndRanges) {
  EXPECT_EQ(parseSeeds("--seeds", "1,4,7-9"), (std::vector<std::uint64_t>{1, 4, 7, 8, 9}));
  EXPECT_EQ(parseSeeds("--seeds", "18446744073709551615"),
            std::vector<std::uint64_t>{18446744073709551615U});
  for (const char* bad : {"", "x", "1,,2", "3-1", "1-", "1,1", "1-2000000", "-3"}) {
    EXPECT_THROW(parseSeeds("--seeds", bad), ConfigError) << bad;
  }
}

}  // namespace
}  // namespace marsim::tools
