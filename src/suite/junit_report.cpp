// SPDX-License-Identifier: BSD-3-Clause
#include "suite/junit_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/text.hpp"
#include "suite/markup.hpp"
#include "suite/words.hpp"

namespace marsim::suite {
namespace {

struct TestCase {
  std::string name;
  double time = 0.0;  ///< [s] of wall time
  Verdict verdict = Verdict::kPassed;
  std::string message;
  std::string details;
};

/// Adds a case for every check. An error of the run that no check reports is a case of its own. The
/// first case has the run's time.
void addCases(std::vector<TestCase>& cases, const RunResult& run) {
  const std::size_t first = cases.size();
  bool told = run.verdict == Verdict::kPassed;
  for (const CheckResult& check : run.checks) {
    TestCase test{fmt::format("seed {}: {}", run.seed, checkName(check)), 0.0,
                  check.passed ? Verdict::kPassed : Verdict::kFailed, "", ""};
    if (!check.passed) test.message = failureText(check);
    told = told || (run.verdict == Verdict::kFailed && !check.passed);
    cases.push_back(test);
  }
  if (!told || run.checks.empty()) {
    cases.push_back({fmt::format("seed {}", run.seed), 0.0, run.verdict, run.message,
                     join(run.last_lines, "\n")});
  }
  cases[first].time = run.wall;
}

std::string caseXml(const TestCase& test, const std::string& class_name, bool gtest) {
  const std::string opening = fmt::format(
      "    <testcase name=\"{}\" {}time=\"{:.3f}\" classname=\"{}\"", escaped(test.name),
      gtest ? "status=\"run\" " : "", test.time, escaped(class_name));
  if (test.verdict == Verdict::kPassed) return opening + "/>\n";
  if (test.verdict == Verdict::kSkipped) {
    return fmt::format("{}>\n      <skipped message=\"{}\"/>\n    </testcase>\n", opening,
                       escaped(test.message));
  }
  // Google Test has failures only.
  const char* tag = gtest || test.verdict == Verdict::kFailed ? "failure" : "error";
  return fmt::format("{0}>\n      <{1} message=\"{2}\" type=\"\">{3}</{1}>\n    </testcase>\n",
                     opening, tag, escaped(test.message),
                     escaped(test.message + (test.details.empty() ? "" : "\n" + test.details)));
}

struct Counts {
  std::size_t tests = 0;
  int failures = 0, errors = 0, skipped = 0;
  double time = 0.0;

  void add(const TestCase& test) {
    ++tests;
    time += test.time;
    failures += test.verdict == Verdict::kFailed ? 1 : 0;
    errors += test.verdict == Verdict::kError ? 1 : 0;
    skipped += test.verdict == Verdict::kSkipped ? 1 : 0;
  }
  std::string attributes(bool gtest) const {
    if (gtest) {
      return fmt::format(
          "tests=\"{}\" failures=\"{}\" disabled=\"{}\" errors=\"0\" time=\"{:.3f}\"", tests,
          failures + errors, skipped, time);
    }
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
                       tests, failures, errors, skipped, time);
  }
};

std::string suiteXml(const std::string& scenario, const std::vector<RunResult>& runs, bool gtest,
                     Counts& all) {
  std::vector<TestCase> cases;
  for (const RunResult& run : runs) {
    if (run.scenario == scenario) addCases(cases, run);
  }
  Counts counts;
  std::string inside;
  for (const TestCase& test : cases) {
    counts.add(test);
    all.add(test);
    inside += caseXml(test, scenario, gtest);
  }
  return fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", escaped(scenario),
                     counts.attributes(gtest), inside);
}

std::string documentXml(const std::string& name, const std::string& suites, const Counts& all,
                        bool gtest) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {}>\n{}</testsuites>\n",
      escaped(name), all.attributes(gtest), suites);
}

}  // namespace

std::string junitReport(const std::vector<RunResult>& runs) {
  std::vector<std::string> scenarios;
  for (const RunResult& run : runs) {
    if (std::find(scenarios.begin(), scenarios.end(), run.scenario) == scenarios.end()) {
      scenarios.push_back(run.scenario);
    }
  }
  Counts all;
  std::string suites;
  for (const std::string& scenario : scenarios) suites += suiteXml(scenario, runs, false, all);
  return documentXml("marsim suite", suites, all, false);
}

std::string gtestReport(const std::string& scenario, const std::vector<RunResult>& runs) {
  Counts all;
  const std::string suites = suiteXml(scenario, runs, true, all);
  return documentXml("AllTests", suites, all, true);
}

}  // namespace marsim::suite
