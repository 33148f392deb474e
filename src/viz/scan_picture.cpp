// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "marsim/common/units.hpp"
#include "marsim/viz/picture.hpp"
#include "viz/canvas.hpp"
#include "viz/layout.hpp"
#include "viz/lettering.hpp"
#include "viz/painting.hpp"
#include "viz/palette.hpp"

namespace marsim::viz {
namespace {

constexpr double kWide = 2.0;  // views wider than this share of their height go below the picture

/// A return in the sensor's view.
struct PlottedReturn {
  float azimuth, elevation;  // [deg]
  float range;               // [m]
};

std::vector<PlottedReturn> plottedReturns(const std::vector<Eigen::Vector3f>& in_sensor) {
  std::vector<PlottedReturn> returns;
  returns.reserve(in_sensor.size());
  for (const Eigen::Vector3f& p : in_sensor) {
    const float range = p.norm();
    if (!std::isfinite(range) || range == 0.0F) continue;
    returns.push_back({static_cast<float>(degrees(std::atan2(p.y(), p.x()))),
                       static_cast<float>(degrees(std::asin(p.z() / range))), range});
  }
  // The nearest are drawn last, on top.
  std::sort(returns.begin(), returns.end(),
            [](const PlottedReturn& a, const PlottedReturn& b) { return a.range > b.range; });
  return returns;
}

/// Placement of the directions on the picture.
struct Panel {
  double azimuth_min = 180.0, azimuth_max = -180.0;    // [deg]
  double elevation_min = 90.0, elevation_max = -90.0;  // [deg]
  double scale = 1.0;                                  // [px/deg]
  double left = 0.0, top = 0.0;                        // [px] of the view itself
  int picture_width = 0, picture_height = 0;           // [px] all of it

  double x(double azimuth) const { return left + scale * (azimuth_max - azimuth); }
  double y(double elevation) const { return top + scale * (elevation_max - elevation); }
  double width() const { return scale * (azimuth_max - azimuth_min); }
  double height() const { return scale * (elevation_max - elevation_min); }
};

/// A panel without a place yet.
Panel extentOf(const std::vector<PlottedReturn>& returns) {
  Panel panel;
  for (const PlottedReturn& plotted : returns) {
    panel.azimuth_min =
        std::min(panel.azimuth_min, std::floor(static_cast<double>(plotted.azimuth)));
    panel.azimuth_max =
        std::max(panel.azimuth_max, std::ceil(static_cast<double>(plotted.azimuth)));
    panel.elevation_min =
        std::min(panel.elevation_min, std::floor(static_cast<double>(plotted.elevation)));
    panel.elevation_max =
        std::max(panel.elevation_max, std::ceil(static_cast<double>(plotted.elevation)));
  }
  panel.azimuth_max = std::max(panel.azimuth_max, panel.azimuth_min + 1.0);
  panel.elevation_max = std::max(panel.elevation_max, panel.elevation_min + 1.0);
  return panel;
}

Panel panelFor(const std::vector<PlottedReturn>& returns, const PictureConfig& config) {
  Panel panel = extentOf(returns);
  const double azimuths = panel.azimuth_max - panel.azimuth_min;
  const double elevations = panel.elevation_max - panel.elevation_min;
  const double u = Layout(config).unit;
  const double side = 64.0 * u, head = 60.0 * u, foot = 48.0 * u;  // for text
  if (azimuths > kWide * elevations) {
    panel.scale = std::min((config.width - 2.0 * side) / azimuths, 450.0 * u / elevations);
    panel.left = 0.5 * (config.width - panel.width());
    panel.top = config.height + head;
    panel.picture_width = config.width;
    panel.picture_height = static_cast<int>(std::ceil(panel.top + panel.height() + foot));
  } else {
    panel.scale = std::min((config.height - head - foot) / elevations, 1000.0 * u / azimuths);
    panel.left = config.width + side;
    panel.top = 0.5 * (config.height + head - foot - panel.height());
    panel.picture_width = static_cast<int>(std::ceil(panel.left + panel.width() + 0.6 * side));
    panel.picture_height = config.height;
  }
  return panel;
}

std::uint32_t pixelOf(const Rgb& colour) {
  const auto byte = [](float value) {
    return static_cast<std::uint32_t>(std::lround(255.0F * value));
  };
  return byte(colour.r) << 16 | byte(colour.g) << 8 | byte(colour.b);
}

/// Draws squares that fill the view if returns are evenly spaced.
void plot(const std::vector<PlottedReturn>& returns, const Panel& panel, double range_shown,
          std::vector<std::uint32_t>& pixels) {
  const double spacing =
      std::sqrt(panel.width() * panel.height() / static_cast<double>(returns.size()));
  const int size = std::clamp(static_cast<int>(std::ceil(0.9 * spacing)), 1, 4);
  for (const PlottedReturn& plotted : returns) {
    const std::uint32_t pixel =
        pixelOf(ramp(kRanges, plotted.range / static_cast<float>(range_shown)));
    const int left = static_cast<int>(panel.x(plotted.azimuth)) - size / 2;
    const int top = static_cast<int>(panel.y(plotted.elevation)) - size / 2;
    for (int y = std::max(0, top); y < std::min(top + size, panel.picture_height); ++y) {
      for (int x = std::max(0, left); x < std::min(left + size, panel.picture_width); ++x) {
        pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(panel.picture_width) +
               static_cast<std::size_t>(x)] = pixel;
      }
    }
  }
}

// Degrees between labels along an axis.
double tickStep(double span) {
  for (const double step : {1.0, 2.0, 5.0, 10.0, 15.0, 30.0}) {
    if (span / step <= 12.0) return step;
  }
  return 60.0;
}

/// `across`, `upwards`: degrees between labels.
void drawFrame(cairo_t* context, const Panel& panel, double u, double across, double upwards,
               const std::string& title) {
  setColour(context, kFaintText, 0.6);
  cairo_set_line_width(context, 1.2 * u);
  cairo_rectangle(context, panel.left, panel.top, panel.width(), panel.height());
  cairo_stroke(context);
  setFont(context, 14.0 * u);
  const auto tick = [&](double x, double y, double dx, double dy) {
    setColour(context, kFaintText, 0.8);
    cairo_move_to(context, x, y);
    cairo_line_to(context, x + dx, y + dy);
    cairo_stroke(context);
    setColour(context, kText);
  };
  const double bottom = panel.top + panel.height();
  for (double a = std::ceil(panel.azimuth_min / across) * across + 0.0; a <= panel.azimuth_max;
       a += across) {
    tick(panel.x(a), bottom, 0.0, 6.0 * u);
    showCentred(context, panel.x(a), bottom + 18.0 * u, fmt::format("{:g}°", a));
  }
  for (double e = std::ceil(panel.elevation_min / upwards) * upwards + 0.0;
       e <= panel.elevation_max; e += upwards) {
    tick(panel.left, panel.y(e), -6.0 * u, 0.0);
    const std::string text = fmt::format("{:g}°", e);
    showText(context, panel.left - 12.0 * u - textWidth(context, text), panel.y(e), text);
  }
  setFont(context, 15.0 * u);
  setColour(context, kText);
  showText(context, panel.left, panel.top - 24.0 * u, title);
}

}  // namespace

void drawScan(const FlightScene& scene, const std::vector<Eigen::Vector3f>& in_sensor,
              const PictureConfig& config, const std::filesystem::path& path) {
  Canvas world = paintFlight(scene, Viewpoint::kOblique, config);
  const std::vector<PlottedReturn> returns = plottedReturns(in_sensor);
  if (returns.empty()) {
    world.writePng(path);
    return;
  }
  const Panel panel = panelFor(returns, config);
  const auto width = static_cast<std::size_t>(panel.picture_width);
  std::vector<std::uint32_t> pixels(width * static_cast<std::size_t>(panel.picture_height),
                                    pixelOf(kBackground));
  for (int row = 0; row < world.height(); ++row) {
    const auto begin = world.pixels().begin() + static_cast<std::ptrdiff_t>(row) * world.width();
    std::copy(begin, begin + world.width(),
              pixels.begin() + static_cast<std::ptrdiff_t>(row) * panel.picture_width);
  }
  plot(returns, panel, rangeShown(scene), pixels);
  Canvas whole(panel.picture_width, panel.picture_height, std::move(pixels));
  drawFrame(whole.context(), panel, Layout(config).unit,
            tickStep(panel.azimuth_max - panel.azimuth_min),
            tickStep(2.0 * (panel.elevation_max - panel.elevation_min)),
            "as the sensor sees it: azimuth and elevation, coloured by range");
  whole.writePng(path);
}

void drawSensorViews(const std::vector<SensorView>& views, int columns, const PictureConfig& cell,
                     const std::filesystem::path& path) {
  cell.validate("picture");
  const double u = 0.8, side = 56.0 * u, head = 44.0 * u, foot = 36.0 * u;  // for text
  struct Placed {
    const SensorView* view;
    std::vector<PlottedReturn> returns;
    Panel panel;
  };
  std::vector<Placed> placed;
  for (const SensorView& view : views) {
    Placed& item = placed.emplace_back(Placed{&view, plottedReturns(view.in_sensor), {}});
    Panel& panel = item.panel = extentOf(item.returns);
    panel.scale =
        std::min((cell.width - 1.5 * side) / (panel.azimuth_max - panel.azimuth_min),
                 (cell.height - head - foot) / (panel.elevation_max - panel.elevation_min));
  }
  // Views of about the same height share a row, the highest come first.
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return a.panel.height() > b.panel.height();
  });
  double top = 0.0, next = 0.0;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const auto column = static_cast<int>(i % static_cast<std::size_t>(columns));
    if (column == 0) top = next;
    Panel& panel = placed[i].panel;
    panel.left = column * cell.width + side;
    panel.top = top + head;
    next = std::max(next, std::ceil(panel.top + panel.height() + foot));
  }
  const int width = columns * cell.width, height = static_cast<int>(next);
  std::vector<std::uint32_t> pixels(
      static_cast<std::size_t>(width) * static_cast<std::size_t>(height), pixelOf(kBackground));
  for (Placed& item : placed) {
    item.panel.picture_width = width;
    item.panel.picture_height = height;
    if (item.returns.empty()) continue;
    plot(item.returns, item.panel, static_cast<double>(item.returns.front().range), pixels);
  }
  Canvas whole(width, height, std::move(pixels));
  for (const Placed& item : placed) {
    const double azimuths = item.panel.azimuth_max - item.panel.azimuth_min;
    const double elevations = item.panel.elevation_max - item.panel.elevation_min;
    drawFrame(whole.context(), item.panel, u, tickStep(2.0 * azimuths),
              elevations < 45.0 && azimuths > 180.0 ? 30.0 : tickStep(3.0 * elevations),
              item.view->title);
  }
  whole.writePng(path);
}

}  // namespace marsim::viz
