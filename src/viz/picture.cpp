// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/viz/picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/nth_smallest.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "viz/annotation.hpp"
#include "viz/canvas.hpp"
#include "viz/framing.hpp"
#include "viz/layout.hpp"
#include "viz/painting.hpp"
#include "viz/palette.hpp"
#include "viz/point_raster.hpp"

namespace marsim::viz {
namespace {

constexpr double kScanPixels = 2.6;  // [px] least width of a scan point
constexpr double kScanBias = 0.12;   // [m] a scan is drawn before the surfaces on which it lies

// Mean distance of neighbouring points on surfaces [m]: from the area of the occupied cubes of 0.25
// m, divided among the points. A surface meets about 1.5 cubes per square of their side.
double spacingOf(const std::vector<Eigen::Vector3f>& points) {
  constexpr float kCube = 0.25F;
  std::vector<std::uint64_t> keys;
  keys.reserve(points.size());
  for (const Eigen::Vector3f& p : points) {
    if (!p.allFinite()) continue;
    const auto part = [&](int axis) {
      return static_cast<std::uint64_t>(std::llround(p[axis] / kCube) & 0x1fffff);
    };
    keys.push_back(part(0) << 42 | part(1) << 21 | part(2));
  }
  if (keys.empty()) return 0.1;
  const auto count = static_cast<double>(keys.size());
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return std::sqrt(static_cast<double>(keys.size()) / 1.5 / count) * kCube;
}

void drawMap(const FlightScene& scene, const Framing& framing, PointRaster& raster) {
  const map::PointCloud& map = *scene.map;
  const double diameter = 2.0 * spacingOf(map.points);
  const double low = framing.shown.min().z();
  const double high = std::max(framing.shown.max().z(), low + 0.5);
  for (std::size_t i = 0; i < map.size(); ++i) {
    const Eigen::Vector3d place = map.points[i].cast<double>();
    if (!framing.shown.contains(place)) continue;  // NaN is outside, too
    const auto height = static_cast<float>((place.z() - low) / (high - low));
    Rgb colour = ramp(kHeights, height);
    if (!scene.map_lengths.empty()) {
      colour = ramp(kRanges, scene.map_lengths[i] / static_cast<float>(scene.map_length_shown));
    } else if (!scene.map_colours.empty()) {
      const auto [red, green, blue] = scene.map_colours[i];
      colour = rgb(red << 16 | green << 8 | blue);
    }
    raster.point(place, colour, diameter, 1.0);
  }
}

void drawReturns(const FlightScene& scene, const Framing& framing, double range_shown,
                 PointRaster& raster) {
  for (const Eigen::Vector3f& p : scene.scan) {
    const Eigen::Vector3d place = p.cast<double>();
    if (!framing.shown.contains(place)) continue;
    const double range = (place - scene.scan_origin).norm();
    raster.point(place, ramp(kRanges, static_cast<float>(range / range_shown)), 0.0, kScanPixels,
                 kScanBias);
  }
}

std::string subtitleOf(const FlightScene& scene, Viewpoint view, const Framing& framing) {
  std::string text = view == Viewpoint::kTop     ? "from above"
                     : view == Viewpoint::kSide  ? "from the side, looking along +y"
                     : view == Viewpoint::kFront ? "from the end, looking along +x"
                                                 : "from behind and above";
  if (framing.roof_cut) text += fmt::format(", cut at z = {:.1f} m", framing.shown.max().z());
  if (framing.front_cut) text += fmt::format(", cut at y = {:.1f} m", framing.shown.min().y());
  if (scene.map != nullptr)
    text += fmt::format("  ·  {} map points", withThousands(scene.map->size()));
  if (!scene.scan.empty())
    text += fmt::format("  ·  {} in the scan", withThousands(scene.scan.size()));
  return text;
}

}  // namespace

void PictureConfig::validate(const std::string& where) const {
  const Validator check(where);
  kWidths.require(where, "width", width, "px");
  kHeights.require(where, "height", height, "px");
  check.within("cut_margin", cut_margin, 0.0, 1000.0, "m");
}

double rangeShown(const FlightScene& scene) {
  std::vector<float> ranges;
  for (const Eigen::Vector3f& p : scene.scan) {
    const auto range = static_cast<float>((p.cast<double>() - scene.scan_origin).norm());
    if (std::isfinite(range)) ranges.push_back(range);
  }
  if (ranges.empty()) return 0.0;
  const auto at = static_cast<std::size_t>(0.98 * static_cast<double>(ranges.size() - 1));
  return std::max(0.5, std::ceil(2.0 * nthSmallest(ranges, at)) / 2.0);
}

Canvas paintFlight(const FlightScene& scene, Viewpoint view, const PictureConfig& config) {
  config.validate("picture");
  const Layout layout(config);
  const Framing framing = frameFlight(scene, view, config);
  PointRaster raster(config.width, config.height, framing.camera);
  if (scene.map != nullptr) drawMap(scene, framing, raster);
  const double range_shown = rangeShown(scene);
  drawReturns(scene, framing, range_shown, raster);

  Canvas canvas(config.width, config.height, raster.shaded());
  cairo_t* context = canvas.context();
  drawFlightMarks(context, scene, framing.camera, layout);
  drawStrips(context, scene, subtitleOf(scene, view, framing), framing, range_shown, layout);
  return canvas;
}

void drawFlight(const FlightScene& scene, Viewpoint view, const PictureConfig& config,
                const std::filesystem::path& path) {
  paintFlight(scene, view, config).writePng(path);
}

void drawCameraImage(const lidar::CameraImage& image, const lidar::CameraConfig& camera,
                     const std::filesystem::path& path) {
  const std::size_t bytes = lidar::bytesOf(camera.encoding);
  const std::size_t red = camera.encoding == lidar::ImageEncoding::kBgr8 ? 2 : 0;
  std::vector<std::uint32_t> pixels(image.pixels.size() / bytes);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const std::uint8_t* const pixel = &image.pixels[bytes * i];
    const std::uint32_t r = pixel[bytes == 1 ? 0 : red], g = pixel[bytes == 1 ? 0 : 1],
                        b = pixel[bytes == 1 ? 0 : 2 - red];
    pixels[i] = r << 16U | g << 8U | b;
  }
  Canvas(camera.model.width, camera.model.height, std::move(pixels)).writePng(path);
}

}  // namespace marsim::viz
