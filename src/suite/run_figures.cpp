#include "suite/run_figures.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "suite/markup.hpp"
#include "suite/svg_chart.hpp"
#include "suite/words.hpp"

namespace marsim::suite {
namespace {

using Eigen::Vector2d;

constexpr std::size_t kMostPoints = 400;  // of a curve
constexpr std::size_t kColours = 5;       // u0 to u4 of the style sheet
constexpr std::size_t kDashes = 4;        // d0 to d3
constexpr double kPlanMargin = 1.5;       // [m] least margin of the map round the flown paths
constexpr double kPlanExtent = 12.0;      // [m] least extent of a plan
constexpr double kPlanHeight = 500.0;
constexpr std::size_t kMostNamed = 20;  // most paths with a label at their end

/// Colours vary first, then dashes: the first five UAVs have plain lines.
std::string uavStyle(std::size_t i) {
  return fmt::format("u{} d{}", i % kColours, i / kColours % kDashes);
}

std::string estimateStyle(std::size_t i) { return fmt::format("e{}", i % kDashes); }

/// The coordinates along x and y of a view from a side.
struct PlaneAxes {
  int x = 0;
  int y = 1;
};

std::vector<Vector2d> pathPoints(const std::vector<Eigen::Vector3f>& points,
                                 const PlaneAxes& view) {
  std::vector<Vector2d> path;
  const std::size_t step = points.size() / kMostPoints + 1;
  for (std::size_t i = 0; i < points.size(); i += step) {
    path.emplace_back(points[i][view.x], points[i][view.y]);
  }
  if (!points.empty() && (points.size() - 1) % step != 0) {
    path.emplace_back(points.back()[view.x], points.back()[view.y]);
  }
  return path;
}

template <class Number>
std::vector<Vector2d> timeCurve(const std::vector<double>& t, const std::vector<Number>& values) {
  std::vector<Vector2d> points;
  for (std::size_t i = 0; i < std::min(t.size(), values.size()); ++i) {
    points.emplace_back(t[i], static_cast<double>(values[i]));
  }
  return thinnedCurve(points, kMostPoints);
}

std::string swatch(const std::string& style, const std::string& name) {
  return fmt::format(
      "<span class=\"key\"><svg class=\"swatch\" viewBox=\"0 0 26 8\"><path class=\"curve {}\" "
      "d=\"M0 4H26\"/></svg>{}</span>",
      escaped(style), escaped(name));
}

std::string legend(const std::vector<Curve>& curves) {
  std::string text;
  for (const Curve& curve : curves) text += swatch(curve.style, curve.name);
  return text.empty() ? text : fmt::format("<div class=\"legend\">{}</div>", text);
}

std::string figure(const Chart& chart, const std::string& id, bool with_legend) {
  const char* style = chart.equal_scale ? " class=\"plan\"" : "";
  return fmt::format("<figure{}><figcaption>{}</figcaption>{}{}</figure>\n", style,
                     escaped(chart.title), svgChart(chart, id),
                     with_legend ? legend(chart.curves) : "");
}

/// The paths of all UAVs and estimates, seen along an axis.
Chart pathChart(const RunResult& run, const PlaneAxes& view) {
  Chart chart;
  for (std::size_t i = 0; i < run.uavs.size(); ++i) {
    const UavSeries& uav = run.uavs[i];
    chart.curves.push_back({uav.name, uavStyle(i), pathPoints(uav.p_WB, view)});
    if (uav.p_WB.empty()) continue;
    const std::vector<Vector2d>& path = chart.curves.back().points;
    const bool named = run.uavs.size() > 1 && run.uavs.size() <= kMostNamed;
    chart.marks.push_back(
        {path.front(), run.uavs.size() == 1 ? "start" : "", "start " + uavStyle(i)});
    chart.marks.push_back({path.back(), named ? uav.name : "", "end " + uavStyle(i)});
  }
  for (std::size_t i = 0; i < run.estimates.size(); ++i) {
    chart.curves.push_back(
        {run.estimates[i].topic, estimateStyle(i), pathPoints(run.estimates[i].p_W, view)});
  }
  return chart;
}

Eigen::Vector3d extentOf(const RunResult& run) {
  Eigen::Vector3f low = Eigen::Vector3f::Constant(1e30F), high = -low;
  for (const UavSeries& uav : run.uavs) {
    for (const Eigen::Vector3f& p : uav.p_WB) {
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
  }
  return (high - low).cwiseMax(0.0F).cast<double>();
}

/// The limits of the first check by that name, for its curves.
std::vector<Level> levelsOf(const RunResult& run, const std::string& check_name) {
  for (const CheckResult& check : run.checks) {
    if (check.name != check_name) continue;
    std::vector<Level> levels;
    if (check.limit.at_least) {
      levels.push_back({*check.limit.at_least, "at least " + numberText(*check.limit.at_least)});
    }
    if (check.limit.at_most) {
      levels.push_back({*check.limit.at_most, "at most " + numberText(*check.limit.at_most)});
    }
    return levels;
  }
  return {};
}

Chart timeChart(const RunResult& run, const std::string& title, const std::string& y_label) {
  Chart chart;
  for (const UavSeries& uav : run.uavs) {
    if (uav.t.empty()) continue;
    chart.x_low = uav.t.front();
    chart.x_high = std::max(chart.x_high, uav.t.back());
  }
  chart.title = title;
  chart.x_label = "simulated time [s]";
  chart.y_label = y_label;
  chart.from_zero = true;
  return chart;
}

bool hasCurve(const Chart& chart) {
  return std::any_of(chart.curves.begin(), chart.curves.end(), [](const Curve& curve) {
    return std::any_of(curve.points.begin(), curve.points.end(),
                       [](const Vector2d& p) { return p.allFinite(); });
  });
}

struct UavCurve {
  std::string title;
  std::string y_label;
  std::vector<float> UavSeries::*values;
  std::string check;
};

std::vector<Chart> timeCharts(const RunResult& run) {
  std::vector<Chart> charts;
  for (const UavCurve& kind :
       {UavCurve{"Speed", "speed [m/s]", &UavSeries::speed, "max_speed"},
        UavCurve{"Tracking error", "distance from the reference [m]", &UavSeries::tracking_error,
                 "tracking_max"},
        UavCurve{"Clearance", "distance to the nearest [m]", &UavSeries::clearance, "clearance"}}) {
    Chart chart = timeChart(run, kind.title, kind.y_label);
    for (std::size_t i = 0; i < run.uavs.size(); ++i) {
      chart.curves.push_back(
          {run.uavs[i].name, uavStyle(i), timeCurve(run.uavs[i].t, run.uavs[i].*kind.values)});
    }
    chart.levels = levelsOf(run, kind.check);
    charts.push_back(chart);
  }
  Chart errors = timeChart(run, "Error of estimates", "distance from the truth [m]");
  for (std::size_t i = 0; i < run.estimates.size(); ++i) {
    const EstimateSeries& estimate = run.estimates[i];
    errors.curves.push_back(
        {estimate.topic, estimateStyle(i), timeCurve(estimate.t, estimate.error)});
  }
  charts.push_back(errors);
  Chart timings = timeChart(run, "Timings", "wall time [ms]");
  for (const auto& [name, values] : run.timings) {
    // A sensor renders no scans without a subscriber.
    const bool any = std::any_of(values.begin(), values.end(),
                                 [](const auto& value) { return value.second > 0.0; });
    if (!any) continue;
    std::vector<Vector2d> points;
    for (const auto& [t, ms] : values) points.emplace_back(t, ms);
    timings.curves.push_back(
        {name, uavStyle(timings.curves.size()), thinnedCurve(points, kMostPoints)});
  }
  charts.push_back(timings);
  return charts;
}

std::string commonLegend(const RunResult& run) {
  std::vector<Curve> curves;
  if (run.uavs.size() + run.estimates.size() < 2) return "";
  for (std::size_t i = 0; i < run.uavs.size(); ++i) {
    curves.push_back({run.uavs[i].name, uavStyle(i), {}});
  }
  for (std::size_t i = 0; i < run.estimates.size(); ++i) {
    curves.push_back({run.estimates[i].topic + " (estimate)", estimateStyle(i), {}});
  }
  return legend(curves);
}

}  // namespace

std::string runFigures(const RunResult& run, const std::string& id, const std::string& background) {
  std::string text;
  const Eigen::Vector3d extent = extentOf(run);
  Chart plan = pathChart(run, {0, 1});
  if (hasCurve(plan)) {
    plan.title = "From above";
    plan.x_label = "x [m]";
    plan.y_label = "y [m]";
    plan.equal_scale = true;
    plan.margin = std::max(kPlanMargin, 0.5 * (kPlanExtent - extent.head<2>().maxCoeff()));
    plan.height = kPlanHeight;
    plan.background = background;
    text += figure(plan, id + "-plan", false);
    // Along the axis of the longer extent.
    const int along = extent.y() > extent.x() ? 1 : 0;
    Chart side = pathChart(run, {along, 2});
    side.title = "From the side";
    side.x_label = along == 0 ? "x [m]" : "y [m]";
    side.y_label = "z [m]";
    side.margin = 0.25;
    text += figure(side, id + "-side", false);
  }
  int number = 0;
  for (const Chart& chart : timeCharts(run)) {
    const bool own_names = chart.title == "Timings";
    if (hasCurve(chart)) text += figure(chart, fmt::format("{}-t{}", id, number++), own_names);
  }
  if (text.empty()) return text;
  return fmt::format("{}<div class=\"figures\">\n{}</div>\n", commonLegend(run), text);
}

}  // namespace marsim::suite
