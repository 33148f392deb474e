// SPDX-License-Identifier: BSD-3-Clause
#include "suite/html_report.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "suite/made_up_runs.hpp"
#include "suite/markup.hpp"

namespace marsim::suite {
namespace {

namespace fs = std::filesystem;

/// Output of a shell command that reads a text.
std::string outputOf(const std::string& command, const std::string& input) {
  const fs::path file =
      fs::temp_directory_path() / ("marsim_report_" + std::to_string(getpid()) + ".txt");
  std::ofstream(file) << input;
  std::FILE* pipe =
      popen(("unset LD_PRELOAD; " + command + " < " + file.string() + " 2>&1").c_str(), "r");
  std::string output;
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof(buffer), pipe))
    output.append(buffer, size);
  const int status = pclose(pipe);
  fs::remove(file);
  return status == 0 ? output : "command failed: " + output;
}

/// The data of a page, as any reader of HTML finds them.
nlohmann::json dataOf(const std::string& page) {
  return nlohmann::json::parse(outputOf(R"py(python3 -c '
import html, re, sys
found = re.findall("<pre id=.data.>([^<]*)</pre>", sys.stdin.buffer.read().decode())
assert len(found) == 1
print(html.unescape(found[0]))')py",
                                        page));
}

/// The page as its script draws it, which needs Node.js.
class DrawnReport : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(MARSIM_NODE).empty()) GTEST_SKIP() << "Node.js was not found";
  }
  static std::string drawn(const std::vector<RunResult>& runs,
                           const std::vector<RunResult>& baseline = {},
                           const ReportInfo& info = {}) {
    return outputOf(MARSIM_NODE " " MARSIM_TEST_SOURCE "/draw_page.js",
                    htmlReport(runs, baseline, info));
  }
  // Elements must be closed in their order, ids be there once and every reference lead to one;
  // nothing may be fetched. Prints the number of sections and of charts.
  static std::string structureOf(const std::string& markup) {
    return outputOf(R"py(python3 -c '
import re, sys
import xml.etree.ElementTree as tree
text = sys.stdin.read()
try:
    root = tree.fromstring(text)
except Exception:
    sys.exit(text[:2000])
ids = [e.get("id") for e in root.iter() if e.get("id")]
assert len(ids) == len(set(ids)), "an id comes twice"
links = [e.get("href") for e in root.iter() if e.get("href")]
links += ["#" + r for e in root.iter() for r in re.findall(r"url\(#([^)]*)\)", e.get("clip-path") or "")]
for link in links:
    assert link[0] == "#" and link[1:] in ids, link
assert not [e for e in root.iter() if e.tag in ("script", "link", "img", "iframe") or e.get("src")]
for word in ("NaN", "undefined", "null", "Infinity", "object Object"):
    assert word not in text, word
print(len([e for e in root.iter() if e.tag == "section"]), len([e for e in root.iter("svg") if "chart" in e.get("class")]))
')py",
                    markup);
  }
};

TEST(HtmlReport, NeedsNothingElse) {
  const std::string page = htmlReport(madeUpRuns(), {}, madeUpInfo());
  for (const char* word : {"http", "@import", "src=\"//", "url(\"", "<link"}) {
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  }
  EXPECT_NE(page.find("<noscript>"), std::string::npos);
  EXPECT_NE(page.find("prefers-color-scheme: dark"), std::string::npos);
}

TEST(HtmlReport, HoldsTheRuns) {
  const nlohmann::json data = dataOf(htmlReport(madeUpRuns(), {}, madeUpInfo()));
  EXPECT_EQ(data["title"],
            "MARSIM regression suite: 5 runs: 2 passed, 1 failed, 1 error, 1 skipped");
  EXPECT_EQ(data["about"][1], "MARSIM 0.1.0");
  ASSERT_EQ(data["runs"].size(), 5U);
  const nlohmann::json& run = data["runs"][1];
  EXPECT_EQ(run["name"], "forest_goals, seed 2");
  EXPECT_EQ(run["verdict"], "failed");
  EXPECT_EQ(run["checks"][1]["value_text"], "0.12 m");
  EXPECT_EQ(run["checks"][1]["allowed"], "at least 0.3 m");
  EXPECT_EQ(run["checks"][3]["note"], "of wall time");
  EXPECT_EQ(run["uavs"][0]["position_m"].size(), 601U);
  EXPECT_TRUE(run["uavs"][0]["clearance_m"][0].is_null());  // nothing near
  EXPECT_EQ(run["wall"]["last_lines"].size(), 2U);
  EXPECT_EQ(data["runs"][4]["message"], "uav0/lidar ended with exit code 1: no map");
  // A square of 0.2 m whose middle is at the origin.
  EXPECT_EQ(data["maps"]["forest"]["corners"][0], nlohmann::json({-0.1, -0.1}));
}

TEST(HtmlReport, WhatHasBrokenComesFirst) {
  const std::vector<RunResult> before{failedRun("a", 1), passedRun("b", 1), passedRun("c", 1)};
  const RunResult died = withoutFlight("c", Verdict::kError, "the <planner> died");
  const nlohmann::json data =
      dataOf(htmlReport({failedRun("a", 1), passedRun("b", 1), died}, before, {}));
  EXPECT_EQ(data["runs"][0]["scenario"], "c");
  EXPECT_EQ(data["runs"][1]["scenario"], "a");
  EXPECT_EQ(data["runs"][2]["scenario"], "b");
  // None of its four checks was answered.
  EXPECT_EQ(data["changes"], "4 checks broken and 0 mended since the baseline");
}

/// A run whose texts are all the same.
RunResult named(const std::string& text) {
  RunResult run = failedRun(text, 1);
  run.description = run.message = run.map = text;
  run.uavs[0].name = run.estimates[0].topic = text;
  run.checks[0].name = run.checks[0].subject = run.checks[0].unit = run.checks[0].message = text;
  run.timings[text] = {{0.0, 1.0}, {1.0, 2.0}};
  run.last_lines = {text};
  return run;
}

const char* const kEvil = "</pre></script><script>alert(\"x\")</script>&lt;&'\x1b[31m\xff";

TEST(HtmlReport, TextsOfUsersEndNoElement) {
  const std::string page = htmlReport({named(kEvil)}, {}, {kEvil, kEvil, kEvil, kEvil, {}});
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("</pre></script>"), std::string::npos);
  const std::string kept = "</pre></script><script>alert(\"x\")</script>&lt;&'\x1b[31m\xef\xbf\xbd";
  EXPECT_EQ(dataOf(page)["runs"][0]["scenario"], kept);
}

TEST_F(DrawnReport, IsWellFormed) {
  // Five runs; two with one UAV and an estimate (plan, side, five curves), the swarm without one.
  EXPECT_EQ(structureOf(drawn(madeUpRuns(), {}, madeUpInfo())), "5 20\n");
  if (const char* file = std::getenv("MARSIM_SAMPLE_REPORT")) {
    std::vector<RunResult> before = madeUpRuns();
    std::swap(before[0], before[1]);
    std::swap(before[0].seed, before[1].seed);
    ReportInfo info = madeUpInfo();
    info.baseline = "last_week/results.json";
    std::ofstream(file) << htmlReport(madeUpRuns(), before, info);
  }
}

TEST_F(DrawnReport, HoldsWithNothingToShow) {
  EXPECT_EQ(structureOf(drawn({})), "0 0\n");
  RunResult still = passedRun("still", 1);
  still.uavs[0] = {"uav0", {0.0}, {Eigen::Vector3f::Zero()}, {0.0F}, {0.0F}, {0.0F}};
  still.estimates.clear();
  still.timings.clear();
  EXPECT_EQ(structureOf(drawn({still})), "1 5\n");
}

TEST_F(DrawnReport, EscapesAllThatUsersWrite) {
  const RunResult run = named(kEvil);
  RunResult gone = run;
  gone.seed = 7;
  const std::string markup =
      drawn({run}, {run, gone},
            {kEvil, kEvil, kEvil, kEvil, {{kEvil, madeUpInfo().map_points["forest"]}}});
  EXPECT_EQ(markup.find("<script"), std::string::npos);
  EXPECT_EQ(markup.find('\x1b'), std::string::npos);
  EXPECT_EQ(structureOf(markup), "1 7\n");
}

TEST_F(DrawnReport, MarksWhatChangedSinceTheBaseline) {
  const std::vector<RunResult> now{failedRun("a", 1)}, before{passedRun("a", 1)};
  const std::string broken = drawn(now, before);
  EXPECT_NE(broken.find("1 check broken and 0 mended since the baseline"), std::string::npos);
  EXPECT_NE(broken.find("passed before"), std::string::npos);
  // 0.12 m now, 0.6 m then.
  EXPECT_NE(broken.find("-0.48 (-80.0 %)"), std::string::npos);
  const std::string mended = drawn(before, now);
  EXPECT_NE(mended.find("0 checks broken and 1 mended since the baseline"), std::string::npos);
  EXPECT_NE(mended.find("failed before"), std::string::npos);
  EXPECT_NE(mended.find("+0.48 (+400.0 %)"), std::string::npos);
  const std::string other = drawn({passedRun("b", 1)}, before);
  EXPECT_NE(other.find("In the baseline only: a, seed 1"), std::string::npos);
  EXPECT_NE(other.find("not in it"), std::string::npos);
  // Without a baseline nothing is compared.
  EXPECT_EQ(drawn(now).find("Baseline"), std::string::npos);
}

TEST_F(DrawnReport, TheOverviewSaysWhy) {
  const std::string markup =
      drawn({withoutFlight("c", Verdict::kError, "the <planner> died"), passedRun("b", 1)});
  const std::size_t reason = markup.find("<div class=\"reason\">the &#60;planner&#62; died</div>");
  EXPECT_LT(reason, markup.find("<section"));
  EXPECT_EQ(markup.find("<div class=\"reason\">", reason + 1), std::string::npos);
  EXPECT_NE(markup.find("<td>at least 0.3 m</td>"), std::string::npos);
}

TEST_F(DrawnReport, TimingsOfWhatRenderedNothingAreNotDrawn) {
  RunResult run = passedRun("a", 1);
  run.timings = {{"uav0/manager: lidar", {{0.0, 0.0}, {1.0, 0.0}}}};
  EXPECT_EQ(drawn({run}).find("Timings"), std::string::npos);
  run.timings["uav0/manager: lidar"][1].second = 2.0;
  EXPECT_NE(drawn({run}).find("Timings"), std::string::npos);
}

TEST_F(DrawnReport, CurvesHaveGapsAndLimits) {
  RunResult run = passedRun("a", 1);
  run.uavs[0].clearance[300] = std::numeric_limits<float>::infinity();
  const std::string markup = drawn({run});
  const std::string chart = markup.substr(markup.find("<figcaption>Clearance"));
  const std::size_t begin = chart.find("class=\"curve"), end = chart.find("</path>", begin);
  const std::string curve = chart.substr(begin, end - begin);
  EXPECT_EQ(std::count(curve.begin(), curve.end(), 'M'), 2);
  EXPECT_NE(chart.find(">at least 0.3</text>"), std::string::npos);
}

/// A number of the text after some words.
double numberAfter(const std::string& text, const std::string& words) {
  return std::strtod(text.c_str() + text.find(words) + words.size(), nullptr);
}

TEST_F(DrawnReport, ThePlanHasOneLengthOfAMetre) {
  for (const Eigen::Vector3f& end : {Eigen::Vector3f(20, 8, 1), Eigen::Vector3f(4, 50, 1)}) {
    RunResult run = passedRun("a", 1);
    run.uavs[0].p_WB = {Eigen::Vector3f::Zero(), end};
    run.estimates.clear();
    const std::string markup = drawn({run}, {}, madeUpInfo());
    const double scale = numberAfter(markup, "matrix(");
    const std::size_t at = markup.find("<path class=\"curve", markup.find("matrix("));
    const std::string path = markup.substr(markup.find("d=\"M", at), 60);
    double x0 = 0.0, y0 = 0.0, x1 = 0.0, y1 = 0.0;
    ASSERT_EQ(std::sscanf(path.c_str(), "d=\"M%lf %lfL%lf %lf", &x0, &y0, &x1, &y1), 4) << path;
    EXPECT_GT(scale, 0.0);
    EXPECT_NEAR((x1 - x0) / static_cast<double>(end.x()), scale, 0.1);
    EXPECT_NEAR((y0 - y1) / static_cast<double>(end.y()), scale, 0.1);
  }
}

TEST(Markup, KeepsUtf8AndReplacesWhatIsNone) {
  EXPECT_EQ(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(cleaned("Größe 5 µm \xe2\x82\xac"), "Größe 5 µm \xe2\x82\xac");
  EXPECT_EQ(cleaned("a\tb\nc\rd\x01"), "a\tb\nc?d?");
  EXPECT_EQ(cleaned("\xc0\xaf|\xed\xa0\x80|\xe2\x82|\xff|\xf4\x90\x80\x80"), "??|???|??|?|????");
}

}  // namespace
}  // namespace marsim::suite
