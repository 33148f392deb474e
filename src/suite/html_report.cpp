// SPDX-License-Identifier: BSD-3-Clause
#include "suite/html_report.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "suite/comparison.hpp"
#include "suite/page.hpp"
#include "suite/words.hpp"

namespace marsim::suite {
namespace {

using Json = nlohmann::ordered_json;

/// The unit " m" after a check's limit.
std::string unitAfter(const CheckResult& check) {
  return check.unit.empty() || limitText(check.limit).empty() ? "" : " " + check.unit;
}

Json numberJson(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

/// Texts of a check for its row, and numbers for the chart and for the comparison.
Json checkJson(const CheckResult& check, const std::optional<FormerCheck>& former) {
  std::string note = noteText(check);
  if (check.depends_on_wall_time) note += note.empty() ? "of wall time" : "; of wall time";
  Json json{{"name", check.name},
            {"subject", check.subject},
            {"value_text", valueText(check)},
            {"allowed", limitText(check.limit) + unitAfter(check)},
            {"passed", check.passed},
            {"note", note},
            {"value", numberJson(check.value)},
            {"at_least", numberJson(check.limit.at_least)},
            {"at_most", numberJson(check.limit.at_most)}};
  if (former) json["former"] = {{"passed", former->passed}, {"value", numberJson(former->value)}};
  return json;
}

Json pageRun(const RunResult& run, const RunResult* baseline) {
  Json json = runJson(run);
  json["name"] = runName(run);
  json["message"] = run.message;
  if (baseline != nullptr) json["former"] = verdictText(baseline->verdict);
  const auto former = formerChecks(run, baseline);
  json["checks"] = Json::array();
  for (std::size_t i = 0; i < run.checks.size(); ++i) {
    json["checks"].push_back(checkJson(run.checks[i], former[i]));
  }
  return json;
}

Json mapJson(const MapPlan& plan) {
  const auto rounded = [](double metres) { return std::round(1e3 * metres) * 1e-3; };
  Json corners = Json::array();
  for (const Eigen::Vector2f& middle : plan.squares) {
    const Eigen::Vector2d corner = middle.cast<double>().array() - 0.5 * plan.side;
    corners.push_back({rounded(corner.x()), rounded(corner.y())});
  }
  return {{"side", plan.side}, {"corners", corners}};
}

}  // namespace

std::string htmlReport(const std::vector<RunResult>& runs, const std::vector<RunResult>& baseline,
                       const ReportInfo& info) {
  // Runs that broke since the baseline come first.
  std::vector<RunResult> sorted = runs;
  std::stable_partition(sorted.begin(), sorted.end(),
                        [&](const RunResult& run) { return isBroken(run, baseline); });
  const bool compared = !baseline.empty();
  const std::string totals = totalsText(totalsOf(runs));
  const auto after = [](const char* word, const std::string& text) {
    return text.empty() ? text : word + text;
  };
  Json page{{"title", "MARSIM regression suite: " + totals},
            {"about",
             {info.when, after("MARSIM ", info.version), info.machine,
              compared ? after("compared with ", info.baseline) : ""}},
            {"totals", totals},
            {"changes", compared ? changesText(changesOf(runs, baseline)) : ""},
            {"compared", compared},
            {"missing", Json::array()},
            {"runs", Json::array()},
            {"maps", Json::object()}};
  for (const RunResult& former : baseline) {
    if (findRun(runs, former) == nullptr) page["missing"].push_back(runName(former));
  }
  for (const RunResult& run : sorted) page["runs"].push_back(pageRun(run, findRun(baseline, run)));
  for (const auto& [name, plan] : info.map_points) page["maps"][name] = mapJson(plan);
  return htmlPage(page);
}

}  // namespace marsim::suite
