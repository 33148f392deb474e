// SPDX-License-Identifier: BSD-3-Clause
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/process/child_process.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::tools {
namespace {

/// `marsim reproduce` in a folder of its own.
class Reproduce : public testing::Test {
 protected:
  std::string out() const { return (folder_.path() / "out").string(); }

  /// Runs it and returns the exit code.
  int run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), MARSIM_REPRODUCE);
    arguments.insert(arguments.end(), {"--brief", "--out", out()});
    output_.clear();
    return runChild({arguments, {}, {}, 0.0},
                    [&](const std::string& line) { output_ += line + "\n"; })
        .exit_code;
  }

  nlohmann::json results() const {
    std::ifstream file(out() + "/results.json");
    return nlohmann::json::parse(file);
  }

  std::string page() const {
    std::ifstream file(out() + "/report.html");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// Expects that every criterion is met, and that there are so many.
  void expectMet(const std::string& name, std::size_t count) {
    ASSERT_EQ(run({name}), 0) << output_;
    const nlohmann::json criteria = results().at(name).at("criteria");
    EXPECT_EQ(criteria.size(), count);
    for (const auto& row : criteria) EXPECT_TRUE(row.at("ok").get<bool>()) << row.dump();
    EXPECT_NE(page().find("<section id=\"" + name), std::string::npos);
  }

  const TemporaryFolder folder_;
  std::string output_;
};

TEST_F(Reproduce, Stands) { expectMet("stands", 8); }
TEST_F(Reproduce, MixedPixels) { expectMet("mixed_pixels", 2); }
TEST_F(Reproduce, Shrub) { expectMet("shrub", 3); }
TEST_F(Reproduce, Scans) { expectMet("scans", 1); }
TEST_F(Reproduce, Courtyard) { expectMet("courtyard", 1); }
TEST_F(Reproduce, Flights) { expectMet("flights", 2); }
TEST_F(Reproduce, Keyboard) { expectMet("keyboard", 13); }
TEST_F(Reproduce, Rows) { expectMet("rows", 2); }
TEST_F(Reproduce, GroundRobot) { expectMet("ground_robot", 6); }
TEST_F(Reproduce, Plants) { expectMet("plants", 1); }
#ifdef MARSIM_HAS_AUTONOMY
TEST_F(Reproduce, Swarm) { expectMet("swarm", 2); }
TEST_F(Reproduce, Exploration) { expectMet("exploration", 3); }
#endif

TEST_F(Reproduce, KeepsEarlierExperiments) {
  ASSERT_EQ(run({"mixed_pixels"}), 0) << output_;
  ASSERT_EQ(run({"stands"}), 0) << output_;
  EXPECT_TRUE(results().contains("mixed_pixels"));
  EXPECT_NE(page().find("<section id=\"mixed_pixels"), std::string::npos);
}

TEST_F(Reproduce, ListsTheKnownExperiments) {
  EXPECT_NE(run({"stand"}), 0);
  EXPECT_NE(output_.find("mixed_pixels"), std::string::npos) << output_;
}

TEST_F(Reproduce, RefusesAForeignFolder) {
  std::filesystem::create_directory(out());
  std::ofstream(out() + "/report.html") << "somebody else's";
  EXPECT_EQ(run({"mixed_pixels"}), 1);
  EXPECT_EQ(page(), "somebody else's");
}

}  // namespace
}  // namespace marsim::tools
