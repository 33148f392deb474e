#include "suite/html_report.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "common/text.hpp"
#include "suite/comparison.hpp"
#include "suite/html_style.hpp"
#include "suite/markup.hpp"
#include "suite/run_figures.hpp"
#include "suite/words.hpp"

namespace marsim::suite {
namespace {

const char* const kTitle = "MARSIM regression suite";

std::string sectionId(std::size_t number) { return fmt::format("run-{}", number + 1); }
std::string mapId(std::size_t number) { return fmt::format("map-{}", number + 1); }

std::string badge(Verdict verdict) {
  const std::string text = verdictText(verdict);
  return fmt::format("<span class=\"verdict {0}\">{0}</span>", escaped(text));
}

std::string badge(bool passed) { return badge(passed ? Verdict::kPassed : Verdict::kFailed); }

std::string cell(const std::string& html, const char* style = "") {
  return *style == '\0' ? fmt::format("<td>{}</td>", html)
                        : fmt::format("<td class=\"{}\">{}</td>", style, html);
}

/// A table; columns whose names begin with '#' hold numbers.
std::string table(const std::vector<std::string>& columns, const std::string& rows) {
  std::string head;
  for (const std::string& column : columns) {
    head += column[0] == '#' ? fmt::format("<th class=\"n\">{}</th>", escaped(column.substr(1)))
                             : fmt::format("<th>{}</th>", escaped(column));
  }
  return fmt::format(
      "<div class=\"scroll\"><table><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>\n",
      head, rows);
}

/// The unit " m" after a check's limit.
std::string unitAfter(const CheckResult& check) {
  return check.unit.empty() || limitText(check.limit).empty() ? "" : " " + check.unit;
}

std::string changeText(const std::optional<FormerCheck>& former, bool passed) {
  if (!former) return "<span class=\"why\">new</span>";
  switch (changeOf(former->passed, passed)) {
    case Change::kBroken:
      return "<span class=\"changed failed verdict\">passed before</span>";
    case Change::kMended:
      return "<span class=\"changed passed verdict\">failed before</span>";
    case Change::kNone:
      return "";
  }
  return "";
}

std::string differenceText(const std::optional<FormerCheck>& former, const CheckResult& check) {
  if (!former || !former->value || !check.value) return "";
  const double difference = *check.value - *former->value;
  if (!std::isfinite(difference)) return "";
  std::string text = fmt::format("{}{}", difference > 0.0 ? "+" : "", numberText(difference));
  if (difference != 0.0 && std::abs(*former->value) > 1e-12) {
    text += fmt::format(" ({:+.1f} %)", 100.0 * difference / std::abs(*former->value));
  }
  return text;
}

class Report {
 public:
  Report(const std::vector<RunResult>& runs, const std::vector<RunResult>& baseline,
         const ReportInfo& info)
      : runs_(runs), baseline_(baseline), info_(info) {
    // Runs that passed in the baseline but fail now come first.
    std::stable_partition(runs_.begin(), runs_.end(),
                          [&](const RunResult& run) { return isBroken(run, baseline); });
  }

  std::string html() const {
    std::string body = heading() + maps() + overview() + missing();
    for (std::size_t i = 0; i < runs_.size(); ++i) body += section(i);
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<title>{}: {}</title>\n<style>{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
        kTitle, escaped(totalsText(totalsOf(runs_))), kHtmlStyle, body);
  }

 private:
  bool compared() const { return !baseline_.empty(); }

  std::string heading() const {
    std::string about;
    const auto add = [&](const std::string& before, const std::string& text) {
      if (!text.empty()) about += fmt::format("<span>{}{}</span>", before, escaped(text));
    };
    add("", info_.when);
    add("MARSIM ", info_.version);
    add("", info_.machine);
    if (compared()) add("compared with ", info_.baseline);
    std::string totals = escaped(totalsText(totalsOf(runs_)));
    if (compared()) {
      const Changes changes = changesOf(runs_, baseline_);
      totals += fmt::format("; {} check{} broken and {} mended since the baseline", changes.broken,
                            changes.broken == 1 ? "" : "s", changes.mended);
    }
    return fmt::format("<h1>{}</h1>\n<p class=\"about\">{}</p>\n<p class=\"totals\">{}</p>\n",
                       kTitle, about, totals);
  }

  /// Each map once, in metres, for use by the figures.
  std::string maps() const {
    std::string drawings;
    std::size_t number = 0;
    for (const auto& [name, plan] : info_.map_points) {
      std::string path;
      for (const Eigen::Vector2f& middle : plan.squares) {
        path += fmt::format("M{:.5g} {:.5g}h{:.3g}v{:.3g}h{:.3g}z",
                            static_cast<double>(middle.x()) - 0.5 * plan.side,
                            static_cast<double>(middle.y()) - 0.5 * plan.side, plan.side, plan.side,
                            -plan.side);
      }
      drawings += fmt::format("<path id=\"{}\" class=\"map\" d=\"{}\"/>", mapId(number++), path);
    }
    if (drawings.empty()) return "";
    return fmt::format("<svg class=\"hidden\"><defs>{}</defs></svg>\n", drawings);
  }

  std::string backgroundOf(const RunResult& run) const {
    const auto found = info_.map_points.find(run.map);
    if (found == info_.map_points.end()) return "";
    return mapId(static_cast<std::size_t>(std::distance(info_.map_points.begin(), found)));
  }

  std::string overview() const {
    std::string rows;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const RunResult& run = runs_[i];
      const auto failed = std::count_if(run.checks.begin(), run.checks.end(),
                                        [](const CheckResult& check) { return !check.passed; });
      std::string row =
          cell(fmt::format("<a href=\"#{}\">{}</a>{}", sectionId(i), escaped(run.scenario),
                           reason(run))) +
          cell(std::to_string(run.seed), "n") + cell(badge(run.verdict)) +
          cell(run.checks.empty() ? ""
               : failed == 0      ? std::to_string(run.checks.size())
                                  : fmt::format("{} of {} failed", failed, run.checks.size()),
               "n") +
          cell(run.simulated > 0.0 ? fmt::format("{:.1f}", run.simulated) : "", "n") +
          cell(run.wall > 0.0 ? fmt::format("{:.1f}", run.wall) : "", "n") +
          cell(run.wall > 0.0 ? fmt::format("{:.2f}", realTimeFactor(run)) : "", "n");
      if (compared()) row += cell(baselineVerdict(run));
      rows += fmt::format("<tr>{}</tr>\n", row);
    }
    std::vector<std::string> columns{"Scenario",       "#Seed",     "Verdict",          "#Checks",
                                     "#Simulated [s]", "#Wall [s]", "#Real-time factor"};
    if (compared()) columns.emplace_back("Baseline");
    return table(columns, rows);
  }

  static std::string reason(const RunResult& run) {
    if (run.message.empty() || run.verdict == Verdict::kPassed) return "";
    constexpr std::size_t kLetters = 200;
    return fmt::format("<div class=\"reason\">{}</div>", escaped(clipped(run.message, kLetters)));
  }

  std::string baselineVerdict(const RunResult& run) const {
    const RunResult* former = findRun(baseline_, run);
    if (former == nullptr) return "<span class=\"why\">not in it</span>";
    return former->verdict == run.verdict ? "<span class=\"why\">the same</span>"
                                          : badge(former->verdict);
  }

  /// Runs of the baseline that are missing here.
  std::string missing() const {
    std::vector<std::string> names;
    for (const RunResult& former : baseline_) {
      if (findRun(runs_, former) == nullptr) names.push_back(runName(former));
    }
    if (names.empty()) return "";
    return fmt::format("<p class=\"why\">In the baseline only: {}</p>\n",
                       escaped(join(names, "; ")));
  }

  std::string checks(const RunResult& run) const {
    if (run.checks.empty()) return "";
    const auto former = formerChecks(run, findRun(baseline_, run));
    std::string rows;
    for (std::size_t i = 0; i < run.checks.size(); ++i) {
      const CheckResult& check = run.checks[i];
      std::string row = cell(escaped(check.name)) + cell(escaped(check.subject)) +
                        cell(escaped(valueText(check)), "n") +
                        cell(escaped(limitText(check.limit) + unitAfter(check))) +
                        cell(badge(check.passed));
      if (compared()) {
        const bool known = former[i] && former[i]->value;
        row += cell(known && std::isfinite(*former[i]->value) ? numberText(*former[i]->value) : "",
                    "n") +
               cell(differenceText(former[i], check), "n") +
               cell(changeText(former[i], check.passed));
      }
      std::string note = noteText(check);
      if (check.depends_on_wall_time) note += note.empty() ? "of wall time" : "; of wall time";
      row += cell(escaped(note), "why");
      rows += fmt::format("<tr>{}</tr>\n", row);
    }
    std::vector<std::string> columns{"Check", "Of", "#Value", "Allowed", "Verdict"};
    if (compared()) columns.insert(columns.end(), {"#Baseline", "#Difference", "Change"});
    columns.emplace_back("");
    return table(columns, rows);
  }

  std::string section(std::size_t i) const {
    const RunResult& run = runs_[i];
    std::string facts;
    if (!run.map.empty()) facts += "map " + run.map;
    if (run.simulated > 0.0) {
      facts += fmt::format("{}{:.1f} s flown in {:.1f} s", facts.empty() ? "" : ", ", run.simulated,
                           run.wall);
    }
    std::string text = fmt::format(
        "<section id=\"{}\">\n<div class=\"head\"><h2>{}</h2>{}<span class=\"facts\">{}</span>"
        "</div>\n",
        sectionId(i), escaped(runName(run)), badge(run.verdict), escaped(facts));
    if (!run.description.empty()) text += fmt::format("<p>{}</p>\n", escaped(run.description));
    if (!run.message.empty()) {
      text += fmt::format("<p class=\"message{}\">{}</p>\n",
                          run.verdict == Verdict::kSkipped ? " skip" : "", escaped(run.message));
    }
    text += checks(run) + runFigures(run, sectionId(i), backgroundOf(run));
    if (!run.last_lines.empty() && run.verdict != Verdict::kPassed) {
      text += fmt::format(
          "<details open=\"open\"><summary>The log's last lines</summary>"
          "<pre>{}</pre></details>\n",
          escaped(join(run.last_lines, "\n")));
    }
    return text + "</section>\n";
  }

  std::vector<RunResult> runs_;
  const std::vector<RunResult>& baseline_;
  const ReportInfo& info_;
};

}  // namespace

std::string htmlReport(const std::vector<RunResult>& runs, const std::vector<RunResult>& baseline,
                       const ReportInfo& info) {
  return Report(runs, baseline, info).html();
}

}  // namespace marsim::suite
