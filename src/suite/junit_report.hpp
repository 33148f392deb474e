// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "suite/run_result.hpp"

/// Results as XML for build servers and rostest.
namespace marsim::suite {

/// JUnit: a <testsuite> per scenario, with a <testcase> for every seed and check. A run that could
/// not be judged is one test case with an <error>, a skipped one has <skipped>.
std::string junitReport(const std::vector<RunResult>& runs);

/// The report on one scenario in Google Test's format, which rostest reads.
std::string gtestReport(const std::string& scenario, const std::vector<RunResult>& runs);

}  // namespace marsim::suite
