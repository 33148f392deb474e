// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/report.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "common/output_file.hpp"
#include "marsim/common/error.hpp"
#include "suite/markup.hpp"
#include "tools/suite/suite_reports.hpp"

namespace marsim::reproduce {
namespace {

using suite::escaped;
using Json = nlohmann::ordered_json;

constexpr char kHead[] = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"/><title>MARSIM: papers' experiments</title><style>
:root { color-scheme: light dark; }
body { max-width: 1000px; margin: 0 auto; padding: 24px; font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
table { border-collapse: collapse; margin: 8px 0; font-size: 14px; }
caption { text-align: left; font-weight: 600; }
th, td { text-align: left; padding: 4px 14px 4px 0; border-bottom: 1px solid #8886; vertical-align: top; }
section { border-top: 2px solid #8886; margin-top: 28px; }
img { display: block; width: 100%; max-width: 640px; }
dt { font-weight: 600; } dd { margin: 0 0 6px; }
.ok { color: #2a8a55; } .bad { color: #c8382f; }
</style></head><body>
<h1>Experiments of published papers</h1>
)";

/// A file's text as an address for <img>, so that its styles stay its own.
std::string dataAddress(const std::string& svg) {
  std::string address = "data:image/svg+xml,";
  for (const char letter : svg) {
    const auto byte = static_cast<unsigned char>(letter);
    address += std::isalnum(byte) != 0 ? std::string(1, letter) : fmt::format("%{:02X}", byte);
  }
  return address;
}

std::string row(const std::vector<std::string>& cells, const char* tag) {
  std::string text = "<tr>";
  for (const std::string& cell : cells) text += fmt::format("<{0}>{1}</{0}>", tag, escaped(cell));
  return text + "</tr>\n";
}

std::string markupOf(const FigureTable& table) {
  std::string text = fmt::format("<table><caption>{}</caption>\n", escaped(table.caption));
  text += row(table.columns, "th");
  for (const auto& cells : table.rows) text += row(cells, "td");
  return text + "</table>\n";
}

std::string boundsOf(const physics::LimitRow& row) {
  std::string text;
  if (std::isfinite(row.low)) text = fmt::format("at least {:.4g}", row.low);
  if (std::isfinite(row.high)) {
    text += fmt::format("{}at most {:.4g}", text.empty() ? "" : ", ", row.high);
  }
  return text;
}

std::string criteriaOf(const std::vector<physics::LimitRow>& rows) {
  FigureTable table{"Criteria", {"figure", "ours", "allowed", ""}, {}};
  for (const physics::LimitRow& each : rows) {
    table.rows.push_back({each.name, fmt::format("{:.4g}", each.value), boundsOf(each),
                          each.ok() ? "met" : "missed"});
  }
  return rows.empty() ? "<p>No criteria.</p>\n" : markupOf(table);
}

std::string item(const char* name, const std::string& text) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped(text));
}

std::string sectionOf(const PaperExperiment& experiment, const Reproduction& result,
                      const std::string& command, double seconds, const suite::ReportInfo& info) {
  std::string text = fmt::format("<section id=\"{0}\"><h2>{0}: {1}</h2>\n<dl>", experiment.name,
                                 escaped(experiment.title));
  text +=
      item("Paper", experiment.source) + item("Setting and result there", experiment.paper) +
      item("Differences", experiment.differences) +
      item("Command", fmt::format("{} (seed {}, {:.0f} s)", command, experiment.seed, seconds)) +
      item("Run", info.when + ", " + info.machine);
  for (const std::string& skipped : result.skipped) text += item("Skipped", skipped);
  text += "</dl>\n" + criteriaOf(result.criteria);
  for (const FigureTable& table : result.tables) text += markupOf(table);
  for (const suite::Chart& chart : result.charts) {
    text += fmt::format("<p>{0}</p><img alt=\"{0}\" src=\"{1}\"/>\n", escaped(chart.title),
                        dataAddress(suite::svgFile(chart)));
  }
  return text + "</section>\n";
}

/// Row of the overview: experiment, paper, verdict.
std::string overviewOf(const PaperExperiment& experiment, const Json& results) {
  const auto found = results.find(experiment.name);
  std::string verdict = experiment.run == nullptr ? "not built" : "not run";
  if (found != results.end()) {
    const Json& criteria = (*found)["criteria"];
    const auto met = std::count_if(criteria.begin(), criteria.end(),
                                   [](const Json& each) { return each["ok"].get<bool>(); });
    verdict = criteria.empty() ? "run, no criteria"
                               : fmt::format("{} of {} criteria met", met, criteria.size());
  }
  return row({experiment.name, experiment.title, experiment.source, verdict}, "td");
}

}  // namespace

ReproductionReport::ReproductionReport(std::filesystem::path folder) : folder_(std::move(folder)) {
  const std::filesystem::path file = folder_ / kReproductionResults;
  std::ifstream stream(file);
  if (!stream) return;
  results_ = Json::parse(stream, nullptr, false);
  const auto isResult = [](const Json& each) {
    return each.is_object() && each.contains("section") && each.contains("criteria");
  };
  if (!results_.is_object() || !std::all_of(results_.begin(), results_.end(), isResult)) {
    throw FileError(file.string(), "holds no results of marsim reproduce; remove it");
  }
}

void ReproductionReport::add(const PaperExperiment& experiment, const Reproduction& result,
                             const std::string& command, double seconds) {
  results_[experiment.name] = {
      {"command", command},
      {"seed", experiment.seed},
      {"seconds", seconds},
      {"criteria", physics::toJson(result.criteria)},
      {"skipped", result.skipped},
      {"section", sectionOf(experiment, result, command, seconds, tools::reportInfo())}};
  write();
}

void ReproductionReport::write() const {
  std::string page = kHead;
  page += "<table>" + row({"experiment", "", "paper", "result"}, "th");
  for (const PaperExperiment& each : paperExperiments()) page += overviewOf(each, results_);
  page += "</table>\n";
  for (const PaperExperiment& each : paperExperiments()) {
    const auto found = results_.find(each.name);
    if (found != results_.end()) {
      page += (*found)["section"].get<std::string>();
    } else if (each.run == nullptr) {
      page += fmt::format("<section><h2>{}: {}</h2><p>{}</p><p>Not built: {}</p></section>\n",
                          each.name, escaped(each.title), escaped(each.paper),
                          escaped(each.differences));
    }
  }
  writeFile(folder_ / kReproductionResults, results_.dump(2) + "\n");
  writeFile(folder_ / kReproductionPage, page + "</body></html>\n");
}

}  // namespace marsim::reproduce
