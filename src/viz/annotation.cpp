// SPDX-License-Identifier: BSD-3-Clause
#include "viz/annotation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "marsim/common/units.hpp"
#include "viz/lettering.hpp"
#include "viz/palette.hpp"

namespace marsim::viz {
namespace {

void disc(cairo_t* context, double x, double y, double radius) {
  cairo_new_sub_path(context);
  cairo_arc(context, x, y, radius, 0.0, 2.0 * kPi);
}

void fillWithRim(cairo_t* context, const Rgb& fill, double rim) {
  setColour(context, fill);
  cairo_fill_preserve(context);
  setColour(context, kBackground);
  cairo_set_line_width(context, rim);
  cairo_stroke(context);
}

void startMark(cairo_t* context, double x, double y, double size, double rim) {
  cairo_move_to(context, x, y - size);
  cairo_line_to(context, x + size, y);
  cairo_line_to(context, x, y + size);
  cairo_line_to(context, x - size, y);
  cairo_close_path(context);
  fillWithRim(context, kStart, rim);
}

void goalMark(cairo_t* context, double x, double y, double radius, const std::string& number) {
  disc(context, x, y, radius);
  fillWithRim(context, kGoal, 0.18 * radius);
  setFont(context, 1.25 * radius, true);
  setColour(context, kBackground);
  showCentred(context, x, y, number);
}

void sensorMark(cairo_t* context, double x, double y, double radius) {
  for (const auto& [colour, width] :
       {std::pair{kBackground, 0.55 * radius}, std::pair{kSensor, 0.28 * radius}}) {
    setColour(context, colour);
    cairo_set_line_width(context, width);
    disc(context, x, y, radius);
    cairo_stroke(context);
    disc(context, x, y, 0.2 * radius);
    cairo_stroke(context);
  }
}

void pathLine(cairo_t* context, const FlightScene& scene, const PictureCamera& camera,
              double width) {
  bool drawing = false;
  for (const Eigen::Vector3d& p : scene.path) {
    const std::optional<PictureCamera::Projected> at = camera.project(p);
    if (at && drawing) cairo_line_to(context, at->x, at->y);
    if (at && !drawing) cairo_move_to(context, at->x, at->y);
    drawing = at.has_value();
  }
  cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND);
  setColour(context, kBackground, 0.75);
  cairo_set_line_width(context, 2.1 * width);
  cairo_stroke_preserve(context);
  setColour(context, kPath);
  cairo_set_line_width(context, width);
  cairo_stroke(context);
}

// 1, 2 or 5 times a power of ten: the largest not above `length`.
double niceLength(double length) {
  const double decade = std::pow(10.0, std::floor(std::log10(length)));
  for (const double factor : {5.0, 2.0}) {
    if (factor * decade <= length) return factor * decade;
  }
  return decade;
}

// This and the functions below return the x at which the next item may begin.
double drawScaleBar(cairo_t* context, double x, double y, const FlightScene& scene,
                    const Framing& framing, const Layout& layout) {
  const double u = layout.unit;
  // In perspective the bar is valid at the flight's or the sensor's distance.
  Eigen::Vector3d place = framing.shown.center();
  const char* name = "in the middle";
  if (!scene.path.empty()) {
    place = scene.path[scene.path.size() / 2];
    name = "at the path";
  } else if (!scene.scan.empty()) {
    place = scene.scan_origin;
    name = "at the sensor";
  }
  const std::optional<PictureCamera::Projected> at = framing.camera.project(place);
  const double scale = framing.camera.scaleAt(at ? at->depth : 1.0);
  const double metres = niceLength(180.0 * u / scale);
  const double width = metres * scale;
  setColour(context, kText);
  cairo_set_line_width(context, 2.0 * u);
  cairo_set_line_cap(context, CAIRO_LINE_CAP_BUTT);
  for (const double end : {x, x + width}) {
    cairo_move_to(context, end, y + 4.0 * u);
    cairo_line_to(context, end, y + 16.0 * u);
  }
  cairo_move_to(context, x, y + 10.0 * u);
  cairo_line_to(context, x + width, y + 10.0 * u);
  cairo_stroke(context);
  setFont(context, 15.0 * u);
  const std::string label = framing.camera.isPerspective() ? fmt::format("{:g} m {}", metres, name)
                                                           : fmt::format("{:g} m", metres);
  showText(context, x, y - 12.0 * u, label);
  return x + std::max(width, textWidth(context, label)) + 36.0 * u;
}

double drawAxes(cairo_t* context, double x, double y, const PictureCamera& camera,
                const Layout& layout) {
  const double u = layout.unit;
  const double length = 25.0 * u;
  const double centre_x = x + length;
  const double centre_y = y + 6.0 * u;
  static constexpr std::array<Rgb, 3> kAxes = {rgb(0xff6b6b), rgb(0x6bdc7b), rgb(0x6ba8ff)};
  setFont(context, 13.0 * u, true);
  for (int axis = 0; axis < 3; ++axis) {
    const Eigen::Vector3d direction = Eigen::Vector3d::Unit(axis);
    const Eigen::Vector2d tip(camera.axes().right.dot(direction), -camera.axes().up.dot(direction));
    if (tip.norm() < 0.05) continue;  // seen end-on
    setColour(context, kAxes[static_cast<std::size_t>(axis)]);
    cairo_set_line_width(context, 2.2 * u);
    cairo_move_to(context, centre_x, centre_y);
    cairo_line_to(context, centre_x + length * tip.x(), centre_y + length * tip.y());
    cairo_stroke(context);
    const Eigen::Vector2d label = (length * tip.norm() + 9.0 * u) * tip.normalized();
    showCentred(context, centre_x + label.x(), centre_y + label.y(), std::string(1, "xyz"[axis]));
  }
  return x + 2.0 * length + 44.0 * u;
}

double drawLegend(cairo_t* context, double x, double y, const FlightScene& scene,
                  const Layout& layout) {
  const double u = layout.unit;
  const auto entry = [&](double at, const std::string& text) {
    setFont(context, 15.0 * u);
    setColour(context, kText);
    showText(context, at, y, text);
    return at + textWidth(context, text) + 30.0 * u;
  };
  if (!scene.path.empty()) {
    setColour(context, kPath);
    cairo_set_line_width(context, 4.0 * u);
    cairo_move_to(context, x, y);
    cairo_line_to(context, x + 30.0 * u, y);
    cairo_stroke(context);
    x = entry(x + 40.0 * u, "flown path");
    startMark(context, x + 8.0 * u, y, 9.0 * u, 1.5 * u);
    x = entry(x + 24.0 * u, "start");
  }
  if (!scene.goals.empty()) {
    goalMark(context, x + 10.0 * u, y, 10.0 * u, "1");
    x = entry(x + 28.0 * u, "goals");
  }
  if (!scene.scan.empty()) {
    sensorMark(context, x + 9.0 * u, y, 8.0 * u);
    x = entry(x + 27.0 * u, "sensor at this scan");
  }
  return x;
}

void drawColourBar(cairo_t* context, double y, double range_shown, const std::string& name,
                   const Layout& layout) {
  const double u = layout.unit;
  const double width = 260.0 * u;
  const double x = layout.width - width - 40.0 * u;
  cairo_pattern_t* gradient = cairo_pattern_create_linear(x, 0.0, x + width, 0.0);
  for (std::size_t i = 0; i < kRanges.size(); ++i) {
    cairo_pattern_add_color_stop_rgb(gradient, static_cast<double>(i) / (kRanges.size() - 1),
                                     kRanges[i].r, kRanges[i].g, kRanges[i].b);
  }
  cairo_rectangle(context, x, y - 4.0 * u, width, 12.0 * u);
  cairo_set_source(context, gradient);
  cairo_fill(context);
  cairo_pattern_destroy(gradient);
  setColour(context, kText);
  setFont(context, 14.0 * u);
  showText(context, x, y - 17.0 * u, name);
  setFont(context, 13.0 * u);
  for (const double share : {0.0, 0.5, 1.0}) {
    const std::string label = fmt::format("{:.3g} m", share * range_shown);
    showCentred(context, x + share * width, y + 20.0 * u, label);
  }
}

}  // namespace

void drawFlightMarks(cairo_t* context, const FlightScene& scene, const PictureCamera& camera,
                     const Layout& layout) {
  const double u = layout.unit;
  cairo_save(context);
  cairo_rectangle(context, 0.0, layout.top, layout.width, layout.bottom - layout.top);
  cairo_clip(context);
  pathLine(context, scene, camera, 4.0 * u);
  if (!scene.scan.empty()) {
    if (const auto at = camera.project(scene.scan_origin)) {
      sensorMark(context, at->x, at->y, 10.0 * u);
    }
  }
  // Marks that would cover one another move aside.
  std::vector<Eigen::Vector2d> taken;
  const auto freePlace = [&](const PictureCamera::Projected& at) {
    Eigen::Vector2d place(at.x, at.y);
    const auto covers = [&](const Eigen::Vector2d& other) {
      return (other - place).norm() < 22.0 * u;
    };
    for (int i = 0; i < 20 && std::any_of(taken.begin(), taken.end(), covers); ++i) {
      place.x() += 24.0 * u;
    }
    taken.push_back(place);
    return place;
  };
  if (!scene.path.empty()) {
    if (const auto at = camera.project(scene.path.front())) {
      const Eigen::Vector2d place = freePlace(*at);
      startMark(context, place.x(), place.y(), 11.0 * u, 2.0 * u);
    }
  }
  for (std::size_t i = 0; i < scene.goals.size(); ++i) {
    if (const auto at = camera.project(scene.goals[i])) {
      const Eigen::Vector2d place = freePlace(*at);
      goalMark(context, place.x(), place.y(), 11.0 * u, fmt::format("{}", i + 1));
    }
  }
  cairo_restore(context);
}

void drawStrips(cairo_t* context, const FlightScene& scene, const std::string& subtitle,
                const Framing& framing, double range_shown, const Layout& layout) {
  const double u = layout.unit;
  setColour(context, kStrip);
  cairo_rectangle(context, 0.0, 0.0, layout.width, layout.top);
  cairo_rectangle(context, 0.0, layout.bottom, layout.width, layout.height - layout.bottom);
  cairo_fill(context);

  setFont(context, 21.0 * u, true);
  setColour(context, kText);
  showText(context, 28.0 * u, 0.5 * layout.top, scene.title);
  // The subtitle shrinks beside a long title.
  const double room = layout.width - 84.0 * u - textWidth(context, scene.title);
  setFont(context, 15.0 * u);
  setFont(context, 15.0 * u * std::clamp(room / textWidth(context, subtitle), 0.5, 1.0));
  setColour(context, kFaintText);
  showText(context, layout.width - 28.0 * u - textWidth(context, subtitle), 0.5 * layout.top,
           subtitle);

  const double y = 0.5 * (layout.bottom + layout.height);
  double x = drawScaleBar(context, 40.0 * u, y, scene, framing, layout);
  x = drawAxes(context, x, y, framing.camera, layout);
  drawLegend(context, x, y, scene, layout);
  if (!scene.map_lengths.empty()) {
    drawColourBar(context, y, scene.map_length_shown, scene.map_length_name, layout);
  } else if (range_shown > 0.0) {
    drawColourBar(context, y, range_shown, "scan: range from the sensor", layout);
  }
}

}  // namespace marsim::viz
