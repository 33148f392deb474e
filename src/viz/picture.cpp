#include "marsim/viz/picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <system_error>
#include <vector>

#include <cairo.h>
#include <fmt/format.h>

#include "annotation.hpp"
#include "layout.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/text.hpp"
#include "palette.hpp"
#include "point_raster.hpp"

namespace marsim::viz {
namespace {

constexpr double kScanPixels = 2.6;  // [px] least width of a scan point
constexpr double kScanBias = 0.12;   // [m] a scan lies on the map's surfaces and shall be seen

// Mean distance of neighbouring points on surfaces [m]: the area of the cubes of 0.25 m that hold
// points, shared among the points. A surface meets about 1.5 cubes for every square of their side.
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

void drawMap(const map::PointCloud& map, const Framing& framing, PointRaster& raster) {
  const double diameter = 2.0 * spacingOf(map.points);
  const double low = framing.shown.min().z();
  const double high = std::max(framing.shown.max().z(), low + 0.5);
  for (const Eigen::Vector3f& p : map.points) {
    const Eigen::Vector3d place = p.cast<double>();
    if (!framing.shown.contains(place)) continue;  // NaN is not inside either
    const auto height = static_cast<float>((place.z() - low) / (high - low));
    raster.point(place, ramp(kHeights, height), diameter, 1.0);
  }
}

// Range that ends the colour bar [m]: 98 in 100 returns are nearer.
double rangeShown(const FlightScene& scene) {
  std::vector<float> ranges;
  for (const Eigen::Vector3f& p : scene.scan) {
    const auto range = static_cast<float>((p.cast<double>() - scene.scan_origin).norm());
    if (std::isfinite(range)) ranges.push_back(range);
  }
  if (ranges.empty()) return 0.0;
  const auto at = static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(ranges.size() - 1));
  std::nth_element(ranges.begin(), ranges.begin() + at, ranges.end());
  return std::max(0.5, std::ceil(2.0 * ranges[static_cast<std::size_t>(at)]) / 2.0);
}

void drawScan(const FlightScene& scene, const Framing& framing, double range_shown,
              PointRaster& raster) {
  for (const Eigen::Vector3f& p : scene.scan) {
    const Eigen::Vector3d place = p.cast<double>();
    if (!framing.shown.contains(place)) continue;
    const double range = (place - scene.scan_origin).norm();
    raster.point(place, ramp(kRanges, static_cast<float>(range / range_shown)), 0.0, kScanPixels,
                 kScanBias);
  }
}

std::string subtitleOf(const FlightScene& scene, View view, const Framing& framing) {
  std::string text = view == View::kTop    ? "from above"
                     : view == View::kSide ? "from the side, looking along +y"
                                           : "from behind and above";
  if (framing.roof_cut) text += fmt::format(", cut at z = {:.1f} m", framing.shown.max().z());
  if (framing.front_cut) text += fmt::format(", cut at y = {:.1f} m", framing.shown.min().y());
  if (scene.map != nullptr)
    text += fmt::format("  ·  {} map points", withThousands(scene.map->size()));
  if (!scene.scan.empty())
    text += fmt::format("  ·  {} in the scan", withThousands(scene.scan.size()));
  return text;
}

using SurfacePtr = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using ContextPtr = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;

// Written beside its place and moved there, so that a broken write leaves no half picture.
void writePng(cairo_surface_t* surface, const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw FileError(path.string(), "its folder does not exist");
  }
  const std::filesystem::path part = path.string() + ".part";
  const cairo_status_t status = cairo_surface_write_to_png(surface, part.c_str());
  if (status != CAIRO_STATUS_SUCCESS) {
    std::filesystem::remove(part, ignored);
    throw FileError(path.string(), fmt::format("cannot write: {}", cairo_status_to_string(status)));
  }
  std::error_code failed;
  std::filesystem::rename(part, path, failed);
  if (failed) {
    std::filesystem::remove(part, ignored);
    throw FileError(path.string(), fmt::format("cannot write: {}", failed.message()));
  }
}

}  // namespace

void PictureConfig::validate(const std::string& where) const {
  const Validator check(where);
  check.within("width", width, 320, 16384, "px");
  check.within("height", height, 200, 16384, "px");
  check.within("cut_margin", cut_margin, 0.0, 1000.0, "m");
}

void drawFlight(const FlightScene& scene, View view, const PictureConfig& config,
                const std::filesystem::path& path) {
  config.validate("picture");
  const Layout layout(config);
  const Framing framing = frameFlight(scene, view, config);
  PointRaster raster(config.width, config.height, framing.camera);
  if (scene.map != nullptr) drawMap(*scene.map, framing, raster);
  const double range_shown = rangeShown(scene);
  drawScan(scene, framing, range_shown, raster);

  std::vector<std::uint32_t> pixels = raster.shaded();
  const SurfacePtr surface(cairo_image_surface_create_for_data(
                               reinterpret_cast<unsigned char*>(pixels.data()), CAIRO_FORMAT_RGB24,
                               config.width, config.height, 4 * config.width),
                           cairo_surface_destroy);
  const ContextPtr context(cairo_create(surface.get()), cairo_destroy);
  drawFlightMarks(context.get(), scene, framing.camera, layout);
  drawStrips(context.get(), scene, subtitleOf(scene, view, framing), framing, range_shown, layout);
  cairo_surface_flush(surface.get());
  writePng(surface.get(), path);
}

}  // namespace marsim::viz
