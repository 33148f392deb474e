#pragma once

#include <string>
#include <vector>

#include "suite/run_result.hpp"

/// Results as the XML that build servers and rostest read.
namespace marsim::suite {

/// JUnit: a <testsuite> a scenario, in it a <testcase> for every seed and check. A run that could
/// not be judged is one test case with an <error>, one that was skipped one with <skipped>.
std::string junitReport(const std::vector<RunResult>& runs);

/// The report on one scenario in Google Test's format, which rostest reads.
std::string gtestReport(const std::string& scenario, const std::vector<RunResult>& runs);

}  // namespace marsim::suite
