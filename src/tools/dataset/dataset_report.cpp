#include "tools/dataset/dataset_report.hpp"

#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/text.hpp"
#include "suite/html_style.hpp"
#include "suite/markup.hpp"
#include "suite/svg_chart.hpp"

namespace marsim::tools {
namespace {

using dataset::Moments;
using dataset::QualityMeter;
using dataset::StreamMeter;
using Json = nlohmann::ordered_json;

constexpr const char* kAxes[] = {"x", "y", "z"};

/// The streams that have data, by name.
std::vector<std::pair<std::string, const StreamMeter*>> streamsOf(const QualityMeter& quality) {
  std::vector<std::pair<std::string, const StreamMeter*>> streams = {{"truth", &quality.truth},
                                                                     {"imu", &quality.imu}};
  if (quality.coverage) streams.emplace_back("lidar", &quality.scans);
  for (const QualityMeter::Images& images : quality.images) {
    streams.emplace_back(images.stream.name, &images.meter);
  }
  return streams;
}

Json streamJson(const StreamMeter& meter) {
  Json intervals = Json::array();
  for (const auto& [interval, count] : meter.intervals()) {
    intervals.push_back({{"ns", interval}, {"count", count}});
  }
  return {{"count", meter.count()},
          {"rate_hz", meter.rate()},
          {"first_ns", meter.first()},
          {"last_ns", meter.last()},
          {"shortest_interval_ns", meter.shortest()},
          {"longest_interval_ns", meter.longest()},
          {"intervals", intervals}};
}

Json momentsJson(const Moments& moments) {
  if (moments.count() == 0) return nullptr;
  return {{"mean", moments.mean()},
          {"deviation", moments.deviation()},
          {"least", moments.least()},
          {"most", moments.most()}};
}

Json axesJson(const std::array<Moments, 3>& axes) {
  Json json;
  for (std::size_t axis = 0; axis < 3; ++axis) json[kAxes[axis]] = momentsJson(axes[axis]);
  return json;
}

double shareOf(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string number(double value) { return fmt::format("{:.4g}", value + 0.0); }

std::string row(const std::vector<std::string>& cells) {
  std::string html = "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    html += fmt::format("<td{}>{}</td>", i == 0 ? "" : " class=\"n\"", suite::escaped(cells[i]));
  }
  return html + "</tr>\n";
}

std::string table(const std::vector<std::string>& columns, const std::string& rows) {
  std::string head;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    head += fmt::format("<th{}>{}</th>", i == 0 ? "" : " class=\"n\"", suite::escaped(columns[i]));
  }
  return fmt::format(
      "<div class=\"scroll\"><table><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>\n",
      head, rows);
}

std::string streamTable(const QualityMeter& quality) {
  std::string rows;
  for (const auto& [name, meter] : streamsOf(quality)) {
    rows += row({name, withThousands(meter->count()), fmt::format("{:.6f}", meter->rate()),
                 withThousands(static_cast<std::uint64_t>(meter->shortest())),
                 withThousands(static_cast<std::uint64_t>(meter->longest())),
                 withThousands(meter->intervals().size())});
  }
  return table({"stream", "samples", "rate [Hz]", "shortest interval [ns]", "worst gap [ns]",
                "different intervals"},
               rows);
}

std::string imuTable(const QualityMeter& quality) {
  std::string rows;
  const auto add = [&rows](const char* what, const std::array<Moments, 3>& axes) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Moments& of = axes[axis];
      if (of.count() == 0) continue;
      rows += row({fmt::format("{} {}", what, kAxes[axis]), number(of.mean()),
                   number(of.deviation()), number(of.least()), number(of.most())});
    }
  };
  add("angular velocity [rad/s]", quality.angular_velocity);
  add("specific force [m/s²]", quality.specific_force);
  return table({"reading", "mean", "deviation", "least", "most"}, rows);
}

std::string figure(const suite::Chart& chart, const std::string& id) {
  return fmt::format("<figure><figcaption>{}</figcaption>\n{}</figure>\n",
                     suite::escaped(chart.title), suite::svgChart(chart, id));
}

suite::Chart chartOf(const std::string& title, const std::string& x, const std::string& y,
                     std::vector<Eigen::Vector2d> points) {
  suite::Chart chart;
  chart.title = title;
  chart.x_label = x;
  chart.y_label = y;
  chart.curves.push_back({"", "u0", std::move(points)});
  return chart;
}

/// A chart with a vertical line for each interval.
suite::Chart intervalChart(const std::string& name, const StreamMeter& meter) {
  constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
  std::vector<Eigen::Vector2d> points;
  for (const auto& [interval, count] : meter.intervals()) {
    const double ms = static_cast<double>(interval) * 1e-6;
    points.emplace_back(ms, 0.0);
    points.emplace_back(ms, static_cast<double>(count));
    points.emplace_back(ms, kGap);
  }
  suite::Chart chart =
      chartOf(fmt::format("Intervals, {}", name), "interval [ms]", "times", std::move(points));
  chart.from_zero = true;
  chart.x_high = static_cast<double>(meter.longest()) * 1.5e-6;
  return chart;
}

std::string figures(const QualityMeter& quality) {
  suite::Chart path = chartOf("Path from above", "x [m]", "y [m]", quality.path.points());
  path.equal_scale = true;
  path.margin = 0.5;
  std::string html = figure(path, "path");
  for (const auto& [name, meter] : streamsOf(quality)) {
    if (meter->count() > 1) html += figure(intervalChart(name, *meter), "intervals-" + name);
  }
  if (!quality.coverage) return html;
  suite::Chart points =
      chartOf("Points of each scan", "t [s]", "points", quality.points_by_time.points());
  suite::Chart seen = chartOf("Share of the map that was seen", "t [s]", "share",
                              quality.coverage_by_time.points());
  points.from_zero = seen.from_zero = true;
  return html + figure(points, "points") + figure(seen, "coverage");
}

std::string imageFacts(const QualityMeter& quality) {
  std::string html;
  for (const QualityMeter::Images& images : quality.images) {
    if (images.stream.isTruth()) continue;
    const std::size_t count = images.meter.count();
    const std::string begin = fmt::format("<p class=\"facts\">{}: {} images, {} of them empty",
                                          suite::escaped(images.stream.name), withThousands(count),
                                          withThousands(images.empty));
    if (images.stream.isDepth()) {
      html += fmt::format("{}; {:.1f} % of the pixels measured something</p>\n", begin,
                          100.0 * images.measured.mean());
      continue;
    }
    html += fmt::format(
        "{}, {} ({:.1f} %) blurred against the others (less than a quarter of this stream's median "
        "sharpness; none where all are blurred alike); contrast {:.1f} grey levels, sharpness "
        "(variance of the Laplacian) {:.0f} in the median</p>\n",
        begin, withThousands(images.blurred()), 100.0 * shareOf(images.blurred(), count),
        images.contrast.mean(), images.sharpness.median());
  }
  return html;
}

std::string imagePreviews(const QualityMeter& quality) {
  std::string html;
  for (const QualityMeter::Images& images : quality.images) {
    if (images.meter.count() == 0 || images.stream.isTruth()) continue;
    const std::string name = suite::escaped(images.stream.name);
    html += fmt::format(
        "<figure><figcaption>Last image, {0}: {1}</figcaption>\n<img src=\"preview_{0}.png\" "
        "alt=\"last image of {0}\" style=\"width: 100%\"></figure>\n",
        name, suite::escaped(images.stream.comment));
  }
  return html.empty() ? html
                      : fmt::format(
                            "<section><h2>Images</h2>\n<div class=\"figures\">\n{}</div>"
                            "</section>\n",
                            html);
}

std::string scanFacts(const QualityMeter& quality) {
  if (!quality.coverage) return "";
  if (quality.scans.count() == 0) return "<p class=\"facts\">no scan was completed</p>\n";
  return fmt::format(
      "<p class=\"facts\">{} scans, {} of them empty; {:.0f} points a scan ({:.0f} to {:.0f}), "
      "{:.1f} % of the shots returned; {:.1f} % of the map's {} cubes of {:g} m were seen</p>\n",
      withThousands(quality.scans.count()), withThousands(quality.empty_scans),
      quality.points.mean(), quality.points.least(), quality.points.most(),
      100.0 * shareOf(quality.returns, quality.shots), 100.0 * quality.coverage->share(),
      withThousands(quality.coverage->cubes()), dataset::SurfaceCoverage::kSide);
}

}  // namespace

Json qualityJson(const QualityMeter& quality) {
  Json json;
  for (const auto& [name, meter] : streamsOf(quality)) json["streams"][name] = streamJson(*meter);
  json["motion"] = {{"distance_m", quality.distance}, {"speed_mps", momentsJson(quality.speed)}};
  json["imu"] = {{"angular_velocity_radps", axesJson(quality.angular_velocity)},
                 {"specific_force_mps2", axesJson(quality.specific_force)}};
  for (const QualityMeter::Images& images : quality.images) {
    if (images.stream.isTruth()) continue;
    json["images"][images.stream.name] =
        images.stream.isDepth()
            ? Json{{"empty", images.empty}, {"share_of_pixels", momentsJson(images.measured)}}
            : Json{{"empty", images.empty},
                   {"blurred_against_median", images.blurred()},
                   {"contrast", momentsJson(images.contrast)},
                   {"median_sharpness", images.sharpness.median()}};
  }
  if (!quality.coverage) return json;
  json["lidar"] = {{"empty_scans", quality.empty_scans},
                   {"points", momentsJson(quality.points)},
                   {"share_of_shots_returned", shareOf(quality.returns, quality.shots)}};
  json["coverage"] = {{"cube_m", dataset::SurfaceCoverage::kSide},
                      {"cubes", quality.coverage->cubes()},
                      {"seen", quality.coverage->seen()},
                      {"share", quality.coverage->share()}};
  return json;
}

std::string qualityHtml(const QualityMeter& quality, const std::string& title,
                        const std::string& about) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style></head>\n<body>\n<h1>{0}</h1>\n"
      "<p class=\"about\">{2}</p>\n{3}"
      "<figure><img src=\"preview.png\" alt=\"map, path and last scan\" style=\"width: 100%\">"
      "</figure>\n"
      "{4}<section><h2>Streams</h2>\n{5}</section>\n"
      "<section><h2>IMU</h2>\n{6}</section>\n"
      "<section><h2>Figures</h2>\n<div class=\"figures\">\n{7}</div></section>\n"
      "</body></html>\n",
      suite::escaped(title), suite::kHtmlStyle, suite::escaped(about),
      scanFacts(quality) + imageFacts(quality), imagePreviews(quality), streamTable(quality),
      imuTable(quality), figures(quality));
}

}  // namespace marsim::tools
