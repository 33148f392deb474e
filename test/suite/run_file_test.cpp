// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "suite/run_result.hpp"

namespace marsim::suite {
namespace {

namespace fs = std::filesystem;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class RunFile : public testing::Test {
 protected:
  RunFile() { fs::create_directories(folder_); }
  ~RunFile() override { fs::remove_all(folder_); }

  static std::string textOf(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::string complaint(const std::string& text) const {
    std::ofstream(path_) << text;
    try {
      readRun(path_);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  static std::string replaced(std::string text, const std::string& part, const std::string& by) {
    return text.replace(text.find(part), part.size(), by);
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("marsim_run_file_" + std::to_string(getpid()));
  const fs::path path_ = folder_ / "run.json";
};

RunResult example() {
  RunResult result;
  result.scenario = "forest_eight";
  result.description = "An eight \"among\" trees";
  result.map = "forest";
  result.seed = 18446744073709551615ULL;
  result.verdict = Verdict::kFailed;
  result.message = "max_speed of uav0: is 3.2 m/s, allowed: at most 3 m/s";
  result.checks = {
      {"max_speed", "uav0", 3.2, "m/s", {std::nullopt, 3.0}, false, false, "is 3.2 m/s"},
      {"ate", "/Odometry", std::nullopt, "m", {0.1, 0.2}, false, false, "nobody publishes"},
      {"clearance", "uav0", kInfinity, "m", {0.1, std::nullopt}, true, false, ""},
      {"real_time_factor", "", 1.5, "", {1.0, std::nullopt}, true, true, ""}};
  result.uavs = {{"uav0",
                  {0.0, 0.1},
                  {{0.1F, 0.2F, 1.5F}, {1e-7F, -3.3F, 1e6F}},
                  {0.1F, 0.7F},
                  {0.0F, 0.01F},
                  {static_cast<float>(kInfinity), 0.3F},
                  {120.5F, 130.0F},
                  250.25}};
  result.estimates = {{"/Odometry", {0.1}, {{1.0F, 2.0F, 3.0F}}, {0.05F}}};
  result.timings["render"] = {{0.5, 3.25}};
  result.simulated = 60.0;
  result.wall = 12.3;
  result.last_lines = {"[ERROR] ended"};
  return result;
}

void expectSame(const CheckResult& a, const CheckResult& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.subject, b.subject);
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.unit, b.unit);
  EXPECT_EQ(a.limit.at_least, b.limit.at_least);
  EXPECT_EQ(a.limit.at_most, b.limit.at_most);
  EXPECT_EQ(a.passed, b.passed);
  EXPECT_EQ(a.depends_on_wall_time, b.depends_on_wall_time);
  EXPECT_EQ(a.message, b.message);
}

TEST_F(RunFile, RoundTrip) {
  const RunResult a = example();
  writeRun(path_, a);
  const RunResult b = readRun(path_);
  EXPECT_EQ(a.scenario, b.scenario);
  EXPECT_EQ(a.description, b.description);
  EXPECT_EQ(a.map, b.map);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.verdict, b.verdict);
  EXPECT_EQ(a.message, b.message);
  ASSERT_EQ(a.checks.size(), b.checks.size());
  for (std::size_t i = 0; i < a.checks.size(); ++i) expectSame(a.checks[i], b.checks[i]);
  ASSERT_EQ(b.uavs.size(), 1U);
  EXPECT_EQ(a.uavs[0].name, b.uavs[0].name);
  EXPECT_EQ(a.uavs[0].t, b.uavs[0].t);
  EXPECT_EQ(a.uavs[0].p_WB, b.uavs[0].p_WB);
  EXPECT_EQ(a.uavs[0].speed, b.uavs[0].speed);
  EXPECT_EQ(a.uavs[0].tracking_error, b.uavs[0].tracking_error);
  EXPECT_EQ(a.uavs[0].clearance, b.uavs[0].clearance);
  EXPECT_EQ(a.uavs[0].power, b.uavs[0].power);
  EXPECT_EQ(a.uavs[0].energy, b.uavs[0].energy);
  ASSERT_EQ(b.estimates.size(), 1U);
  EXPECT_EQ(a.estimates[0].topic, b.estimates[0].topic);
  EXPECT_EQ(a.estimates[0].t, b.estimates[0].t);
  EXPECT_EQ(a.estimates[0].p_W, b.estimates[0].p_W);
  EXPECT_EQ(a.estimates[0].error, b.estimates[0].error);
  EXPECT_EQ(a.timings, b.timings);
  EXPECT_EQ(a.simulated, b.simulated);
  EXPECT_EQ(a.wall, b.wall);
  EXPECT_EQ(a.last_lines, b.last_lines);
}

// All but the last line of what two machines write of one flight is the same.
TEST_F(RunFile, WallTimeStandsInALineOfItsOwn) {
  const auto simulatedPart = [&](const RunResult& result) {
    writeRun(path_, result);
    const std::string text = textOf(path_);
    EXPECT_EQ(text.find("0.10000000149"), std::string::npos);
    return text.substr(0, text.find("\n\"wall\": "));
  };
  RunResult other = example();
  other.wall = 1.0;
  other.timings.clear();
  other.checks[3].value = 0.5;
  other.checks[3].passed = false;
  other.checks[3].message = "is 0.5, allowed: at least 1";
  other.last_lines = {"other"};
  const std::string text = simulatedPart(example());
  EXPECT_EQ(text, simulatedPart(other));
  EXPECT_NE(text.find("\"verdict\": \"failed\",\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("null,1.5"), std::string::npos);
  EXPECT_NE(text.find("\"clearance_m\":[null,0.3]"), std::string::npos) << text;

  // Only the verdict may follow from wall time.
  RunResult passed = example(), slow = example();
  for (RunResult* result : {&passed, &slow})
    result->checks.erase(result->checks.begin(), result->checks.begin() + 2);
  passed.verdict = Verdict::kPassed;
  passed.message = "";
  slow.checks[1].passed = false;
  slow.message = "real_time_factor: is 0.5";
  const std::string other_text = simulatedPart(passed);
  EXPECT_EQ(replaced(other_text, "\"passed\"", "\"failed\""), simulatedPart(slow));
  EXPECT_EQ(readRun(path_).message, "real_time_factor: is 0.5");
}

TEST_F(RunFile, AnyBytesOfALog) {
  RunResult result = example();
  result.last_lines = {"\xff\xfe\x01 \"quoted\"\n"};
  writeRun(path_, result);
  EXPECT_NE(readRun(path_).last_lines[0].find("\"quoted\""), std::string::npos);
}

TEST_F(RunFile, ErrorsNameTheFile) {
  writeRun(path_, example());
  const std::string text = textOf(path_);
  EXPECT_EQ(complaint(text), "no error");
  EXPECT_EQ(complaint(replaced(text, "\"failed\"", "\"lost\"")),
            path_.string() +
                ": is no file of a suite's results: it: unknown verdict 'lost', known: "
                "passed, failed, error, skipped");
  for (const std::string& bad :
       {replaced(text, "\"seed\"", "\"sed\""), replaced(text, "\"render\":", "\"render\":3,\"x\":"),
        text.substr(0, text.size() / 2), std::string("[]"), std::string()}) {
    EXPECT_EQ(complaint(bad).find(path_.string() + ": "), 0U) << complaint(bad);
  }
  fs::remove(path_);
  EXPECT_THROW(readRun(path_), FileError);
  EXPECT_THROW(writeRun(folder_ / "none" / "run.json", example()), FileError);
}

}  // namespace
}  // namespace marsim::suite
