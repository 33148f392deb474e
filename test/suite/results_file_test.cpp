// SPDX-License-Identifier: BSD-3-Clause
#include "suite/results_file.hpp"

#include <fstream>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "marsim/common/error.hpp"
#include "suite/comparison.hpp"
#include "suite/made_up_runs.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::suite {
namespace {

namespace fs = std::filesystem;

std::string textOf(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ResultsFile : public ::testing::Test {
 protected:
  fs::path path() const { return folder_.path() / kResultsFile; }

  std::string refusalOf(const std::string& text) const {
    folder_.write(kResultsFile, text);
    try {
      readResults(path());
    } catch (const FileError& error) {
      return error.what();
    }
    return "";
  }

  tools::TemporaryFolder folder_;
};

TEST_F(ResultsFile, ReadsWhatItWrites) {
  std::vector<RunResult> runs = madeUpRuns();
  runs[0].seed = std::numeric_limits<std::uint64_t>::max();
  runs[0].checks[0].value = std::numeric_limits<double>::infinity();
  runs[1].checks[0].value.reset();
  runs[1].checks[0].message = "nobody publishes it";
  writeResults(path(), runs, {});
  const std::vector<RunResult> read = readResults(folder_.path());
  ASSERT_EQ(read.size(), runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(read[i].scenario, runs[i].scenario);
    EXPECT_EQ(read[i].seed, runs[i].seed);
    EXPECT_EQ(read[i].verdict, runs[i].verdict);
    EXPECT_EQ(read[i].message, runs[i].message);
    EXPECT_EQ(read[i].simulated, runs[i].simulated);
    EXPECT_EQ(read[i].wall, runs[i].wall);
    ASSERT_EQ(read[i].checks.size(), runs[i].checks.size());
    for (std::size_t k = 0; k < runs[i].checks.size(); ++k) {
      const CheckResult &a = read[i].checks[k], &b = runs[i].checks[k];
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.subject, b.subject);
      EXPECT_EQ(a.value, b.value);
      EXPECT_EQ(a.limit.at_least, b.limit.at_least);
      EXPECT_EQ(a.limit.at_most, b.limit.at_most);
      EXPECT_EQ(a.passed, b.passed);
      EXPECT_EQ(a.message, b.message);
      EXPECT_EQ(a.depends_on_wall_time, b.depends_on_wall_time);
    }
  }
}

TEST_F(ResultsFile, WallTimeStandsApart) {
  std::vector<RunResult> quick{passedRun("a", 1)}, slow = quick;
  slow[0].wall *= 7.0;
  slow[0].checks.back().value = 0.7;
  slow[0].checks.back().passed = false;
  slow[0].verdict = Verdict::kFailed;
  slow[0].message = "too slow";
  nlohmann::json files[2];
  int i = 0;
  for (const auto& runs : {quick, slow}) {
    writeResults(path(), runs, {i == 0 ? "today" : "tomorrow", "m", "v"});
    EXPECT_EQ(readResults(path())[0].verdict, runs[0].verdict);
    files[i] = nlohmann::json::parse(textOf(path()));
    ASSERT_EQ(files[i++].erase("wall"), 1U);
  }
  EXPECT_EQ(files[0], files[1]);
}

TEST_F(ResultsFile, SaysWhatIsWrong) {
  EXPECT_NE(refusalOf("{").find("is no JSON"), std::string::npos);
  EXPECT_NE(refusalOf("[]").find("is no object"), std::string::npos);
  EXPECT_NE(refusalOf("{\"format\": 9}").find("format is 9, allowed: 1"), std::string::npos);
  EXPECT_NE(refusalOf("{\"format\": 1}").find("it has no 'runs'"), std::string::npos);
  writeResults(path(), {failedRun("a", 3)}, {});
  nlohmann::json good = nlohmann::json::parse(textOf(path()));
  nlohmann::json bad = good;
  bad["runs"][0]["verdict"] = "pased";
  EXPECT_NE(refusalOf(bad.dump()).find("did you mean 'passed'"), std::string::npos);
  bad = good;
  bad["runs"][0]["checks"][1]["value"] = "much";
  const std::string refusal = refusalOf(bad.dump());
  EXPECT_NE(refusal.find("'value' of check clearance of run 1 (a, seed 3) is \"much\""),
            std::string::npos)
      << refusal;
  EXPECT_NE(refusal.find(path().string()), std::string::npos);
  bad = good;
  bad["wall"]["runs"] = nlohmann::json::array();
  EXPECT_NE(refusalOf(bad.dump()).find("1 runs, and wall times of 0"), std::string::npos);
  EXPECT_THROW(readResults(folder_.path() / "none"), FileError);
}

TEST(Comparison, ChecksOfOneNameGoByTheirOrder) {
  RunResult before = passedRun("a", 1), now = before;
  before.checks = {check("end", "uav0", 1.0, "m", {{}, 2.0}),
                   check("end", "uav0", 5.0, "m", {{}, 2.0})};
  now.checks = {check("end", "uav0", 3.0, "m", {{}, 2.0}),
                check("end", "uav0", 0.5, "m", {{}, 2.0}),
                check("end", "uav0", 0.5, "m", {{}, 2.0})};
  const auto former = formerChecks(now, &before);
  ASSERT_EQ(former.size(), 3U);
  EXPECT_EQ(former[0]->value, 1.0);
  EXPECT_EQ(former[1]->value, 5.0);
  EXPECT_FALSE(former[2]);
  const Changes changes = changesOf({now}, {before});
  EXPECT_EQ(changes.broken, 1);
  EXPECT_EQ(changes.mended, 1);
}

}  // namespace
}  // namespace marsim::suite
