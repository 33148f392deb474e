// SPDX-License-Identifier: BSD-3-Clause
#include "tools/dataset/dataset_report.hpp"

#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "suite/page.hpp"

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

Json seriesJson(const dataset::ThinnedSeries& series) {
  Json points = Json::array();
  for (const Eigen::Vector2d& point : series.points()) points.push_back({point.x(), point.y()});
  return points;
}

double shareOf(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
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
  Json comments = Json::object();
  for (const QualityMeter::Images& images : quality.images) {
    comments[images.stream.name] = images.stream.comment;
  }
  return suite::htmlPage({{"title", title},
                          {"about", about},
                          {"comments", comments},
                          {"quality", qualityJson(quality)},
                          {"path_m", seriesJson(quality.path)},
                          {"points", seriesJson(quality.points_by_time)},
                          {"coverage", seriesJson(quality.coverage_by_time)}});
}

}  // namespace marsim::tools
