// SPDX-License-Identifier: BSD-3-Clause
#include "suite/results_table.hpp"

#include <gtest/gtest.h>

#include "suite/made_up_runs.hpp"

namespace marsim::suite {
namespace {

TEST(ResultsTable, ALineARunAndBelowItWhatFailed) {
  const std::string table = resultsTable(madeUpRuns(), {});
  EXPECT_EQ(table,
            "scenario      seed  verdict  checks   simulated        wall     rtf\n"
            "forest_goals     1  passed        4      60.0 s      13.4 s    4.48\n"
            "forest_goals     2  failed        4      60.0 s      13.4 s    4.48\n"
            "    clearance of uav0 is 0.12 m, allowed: at least 0.3 m\n"
            "swarm            1  passed       21      60.0 s      13.4 s    4.48\n"
            "planner          1  skipped       0\n"
            "    package ego_planner is not installed\n"
            "broken           1  error         0\n"
            "    uav0/lidar ended with exit code 1: no map\n"
            "5 runs: 2 passed, 1 failed, 1 error, 1 skipped\n");
}

TEST(ResultsTable, TellsWhatChangedSinceTheBaseline) {
  const std::string broken = resultsTable({failedRun("a", 1)}, {passedRun("a", 1)});
  EXPECT_NE(broken.find("at least 0.3 m; passed in the baseline\n"), std::string::npos);
  EXPECT_NE(broken.find("1 check broken and 0 mended since the baseline"), std::string::npos);
  const std::string mended = resultsTable({passedRun("a", 1)}, {failedRun("a", 1)});
  EXPECT_NE(mended.find("clearance of uav0 is 0.6 m; failed in the baseline\n"), std::string::npos);
}

}  // namespace
}  // namespace marsim::suite
