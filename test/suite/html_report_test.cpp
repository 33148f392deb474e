#include "suite/html_report.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include <gtest/gtest.h>
#include <unistd.h>

#include "suite/made_up_runs.hpp"
#include "suite/markup.hpp"

namespace marsim::suite {
namespace {

namespace fs = std::filesystem;

/// Output lines of a python script for a text on standard input.
std::string python(const std::string& script, const std::string& input) {
  const fs::path file =
      fs::temp_directory_path() / ("marsim_report_" + std::to_string(getpid()) + ".txt");
  std::ofstream(file) << input;
  const std::string command = "python3 -c '" + script + "' < " + file.string() + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof(buffer), pipe))
    output.append(buffer, size);
  const int status = pclose(pipe);
  fs::remove(file);
  return status == 0 ? output : "python failed: " + output;
}

// Elements must be closed in their order, ids be there once and every reference lead to one;
// nothing may be fetched.
const char* const kReadHtml = R"py(
import re, sys
import xml.etree.ElementTree as tree
text = sys.stdin.read()
root = tree.fromstring(text.replace("<!DOCTYPE html>", "", 1))
ids = [e.get("id") for e in root.iter() if e.get("id")]
assert len(ids) == len(set(ids)), "an id comes twice"
links = [e.get("href") for e in root.iter() if e.get("href")]
links += ["#" + r for e in root.iter() for r in re.findall(r"url\(#([^)]*)\)", e.get("clip-path") or "")]
for link in links:
    assert link[0] == "#" and link[1:] in ids, link
assert not [e for e in root.iter() if e.tag in ("script", "link", "img", "iframe") or e.get("src")]
assert "http" not in text and "@import" not in text and "nan" not in "".join(
    e.get("d", "") for e in root.iter())
print(len([e for e in root.iter() if e.tag == "section"]), len([e for e in root.iter("svg") if "chart" in e.get("class")]))
)py";

TEST(HtmlReport, IsWellFormedAndNeedsNothingElse) {
  const std::string html = htmlReport(madeUpRuns(), {}, madeUpInfo());
  // Five runs; two with one UAV and an estimate (plan, side, five curves), the swarm without one.
  EXPECT_EQ(python(kReadHtml, html), "5 20\n");
  if (const char* file = std::getenv("MARSIM_SAMPLE_REPORT")) {
    std::vector<RunResult> before = madeUpRuns();
    std::swap(before[0], before[1]);
    std::swap(before[0].seed, before[1].seed);
    ReportInfo info = madeUpInfo();
    info.baseline = "last_week/results.json";
    std::ofstream(file) << htmlReport(madeUpRuns(), before, info);
  }
}

TEST(HtmlReport, HoldsWithNothingToShow) {
  EXPECT_EQ(python(kReadHtml, htmlReport({}, {}, {})), "0 0\n");
  RunResult still = passedRun("still", 1);
  still.uavs[0] = {"uav0", {0.0}, {Eigen::Vector3f::Zero()}, {0.0F}, {0.0F}, {0.0F}};
  still.estimates.clear();
  still.timings.clear();
  EXPECT_EQ(python(kReadHtml, htmlReport({still}, {}, {})), "1 5\n");
}

TEST(HtmlReport, EscapesAllThatUsersWrite) {
  const std::string evil = "<script>alert(\"x\")</script>&'\x1b[31m\xff";
  RunResult run = failedRun(evil, 1);
  run.description = run.message = run.map = evil;
  run.uavs[0].name = run.estimates[0].topic = evil;
  run.checks[0].name = run.checks[0].subject = run.checks[0].unit = run.checks[0].message = evil;
  run.timings[evil] = {{0.0, 1.0}, {1.0, 2.0}};
  run.last_lines = {evil};
  ReportInfo info{evil, evil, evil, evil, {{evil, madeUpInfo().map_points["forest"]}}};
  RunResult gone = run;
  gone.seed = 7;
  const std::string html = htmlReport({run}, {run, gone}, info);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find('\x1b'), std::string::npos);
  EXPECT_EQ(python(kReadHtml, html), "1 7\n");
}

TEST(HtmlReport, MarksWhatChangedSinceTheBaseline) {
  const std::vector<RunResult> now{failedRun("a", 1)}, before{passedRun("a", 1)};
  const std::string broken = htmlReport(now, before, {});
  EXPECT_NE(broken.find("1 check broken and 0 mended since the baseline"), std::string::npos);
  EXPECT_NE(broken.find("passed before"), std::string::npos);
  // 0.12 m now, 0.6 m then.
  EXPECT_NE(broken.find("-0.48 (-80.0 %)"), std::string::npos);
  const std::string mended = htmlReport(before, now, {});
  EXPECT_NE(mended.find("0 checks broken and 1 mended since the baseline"), std::string::npos);
  EXPECT_NE(mended.find("failed before"), std::string::npos);
  const std::string other = htmlReport({passedRun("b", 1)}, before, {});
  EXPECT_NE(other.find("In the baseline only: a, seed 1"), std::string::npos);
  EXPECT_NE(other.find("not in it"), std::string::npos);
}

TEST(HtmlReport, BrokenRunsComeFirst) {
  const std::vector<RunResult> before{failedRun("a", 1), passedRun("b", 1), passedRun("c", 1)};
  const RunResult died = withoutFlight("c", Verdict::kError, "the <planner> died");
  RunResult c = died;
  c.seed = 1;
  const std::string html = htmlReport({failedRun("a", 1), passedRun("b", 1), c}, before, {});
  EXPECT_LT(html.find(">c</a>"), html.find(">a</a>"));
  EXPECT_LT(html.find("<h2>c, seed 1"), html.find("<h2>a, seed 1"));
  EXPECT_LT(html.find("<h2>a, seed 1"), html.find("<h2>b, seed 1"));
  // None of its four checks was answered.
  EXPECT_NE(html.find("4 checks broken and 0 mended since the baseline"), std::string::npos);
}

TEST(HtmlReport, TheOverviewSaysWhy) {
  const std::string html = htmlReport(
      {withoutFlight("c", Verdict::kError, "the <planner> died"), passedRun("b", 1)}, {}, {});
  const std::size_t reason = html.find("<div class=\"reason\">the &lt;planner&gt; died</div>");
  EXPECT_LT(reason, html.find("<section"));
  EXPECT_EQ(html.find("<div class=\"reason\">", reason + 1), std::string::npos);
  EXPECT_NE(html.find("<td>at least 0.3 m</td>"), std::string::npos);
}

TEST(HtmlReport, TimingsOfWhatRenderedNothingAreNotDrawn) {
  RunResult run = passedRun("a", 1);
  run.timings = {{"uav0/manager: lidar", {{0.0, 0.0}, {1.0, 0.0}}}};
  EXPECT_EQ(htmlReport({run}, {}, {}).find("Timings"), std::string::npos);
  run.timings["uav0/manager: lidar"][1].second = 2.0;
  EXPECT_NE(htmlReport({run}, {}, {}).find("Timings"), std::string::npos);
}

TEST(Markup, KeepsUtf8AndReplacesWhatIsNone) {
  EXPECT_EQ(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(cleaned("Größe 5 µm \xe2\x82\xac"), "Größe 5 µm \xe2\x82\xac");
  EXPECT_EQ(cleaned("a\tb\nc\rd\x01"), "a\tb\nc?d?");
  EXPECT_EQ(cleaned("\xc0\xaf|\xed\xa0\x80|\xe2\x82|\xff|\xf4\x90\x80\x80"), "??|???|??|?|????");
}

}  // namespace
}  // namespace marsim::suite
