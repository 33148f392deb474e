// SPDX-License-Identifier: BSD-3-Clause
#include "suite/svg_chart.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "suite/markup.hpp"
#include "suite/words.hpp"

namespace marsim::suite {
namespace {

using Eigen::Vector2d;

// Margins of the drawing, for numbers and labels beside the axes.
constexpr double kWidth = 560.0;
constexpr double kLeft = 62.0;
constexpr double kRight = 12.0;
constexpr double kTop = 10.0;
constexpr double kBottom = 38.0;
constexpr double kTickSpace = 52.0;  // least distance of two labels along x
constexpr double kTickSpaceY = 30.0;

/// Converts units of the axes to those of the drawing.
class Frame {
 public:
  explicit Frame(const Chart& chart) : height_(chart.height) {
    for (const Curve& curve : chart.curves) {
      for (const Vector2d& p : curve.points) extend(p);
    }
    for (const Mark& mark : chart.marks) extend(mark.at);
    if (low_.x() > high_.x()) {
      low_ = Vector2d::Zero();
      high_ = Vector2d::Ones();
    }
    if (chart.x_low < chart.x_high) {
      low_.x() = std::min(low_.x(), chart.x_low);
      high_.x() = std::max(high_.x(), chart.x_high);
    }
    if (chart.from_zero) low_.y() = std::min(0.0, low_.y());
    // A distant limit would flatten the curve: it is drawn only if it is near.
    const double far = high_.y() + 3.0 * std::max(high_.y() - low_.y(), 1e-9);
    for (const Level& level : chart.levels) {
      if (level.y <= far) high_.y() = std::max(high_.y(), level.y);
    }
    pad(chart.from_zero);
    if (chart.equal_scale) equalise();
  }

  double x(double value) const {
    return kLeft + (value - low_.x()) / (high_.x() - low_.x()) * plotWidth();
  }
  double y(double value) const {
    return kTop + (high_.y() - value) / (high_.y() - low_.y()) * plotHeight();
  }
  static double plotWidth() { return kWidth - kLeft - kRight; }
  double plotHeight() const { return height_ - kTop - kBottom; }
  double height() const { return height_; }
  const Vector2d& low() const { return low_; }
  const Vector2d& high() const { return high_; }

 private:
  void extend(const Vector2d& p) {
    if (!p.allFinite()) return;
    low_ = low_.cwiseMin(p);
    high_ = high_.cwiseMax(p);
  }

  void pad(bool from_zero) {
    if (high_.x() - low_.x() < 1e-9) high_.x() = low_.x() + 1.0;
    const double space =
        std::max(0.06 * (high_.y() - low_.y()), 1e-3 * std::max(1.0, std::abs(high_.y())));
    if (!from_zero || low_.y() < 0.0) low_.y() -= space;
    high_.y() += space;
  }

  void equalise() {
    const Vector2d size(plotWidth(), plotHeight());
    const Vector2d half = 0.5 * (high_ - low_).cwiseQuotient(size).maxCoeff() * size;
    const Vector2d middle = 0.5 * (low_ + high_);
    low_ = middle - half;
    high_ = middle + half;
  }

  double height_;
  Vector2d low_ = Vector2d::Constant(1e300);
  Vector2d high_ = Vector2d::Constant(-1e300);
};

std::string pathOf(const Curve& curve, const Frame& frame) {
  std::string path;
  bool pen_down = false;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const Vector2d& p = curve.points[i];
    if (!p.allFinite()) {
      pen_down = false;
      continue;
    }
    path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", frame.x(p.x()), frame.y(p.y()));
    // A single point between two gaps would be invisible.
    const bool alone =
        !pen_down && (i + 1 == curve.points.size() || !curve.points[i + 1].allFinite());
    if (alone) path += "h.1";
    pen_down = true;
  }
  return path;
}

std::string axes(const Chart& chart, const Frame& frame) {
  const double bottom = frame.height() - kBottom;
  std::string grid, numbers;
  const int most_x = std::max(2, static_cast<int>(frame.plotWidth() / kTickSpace));
  for (const double value : ticks(frame.low().x(), frame.high().x(), most_x)) {
    const double x = frame.x(value);
    grid += fmt::format("M{:.1f} {:.1f}V{:.1f}", x, kTop, bottom);
    numbers += fmt::format(
        "<text class=\"number\" x=\"{:.1f}\" y=\"{:.1f}\" "
        "text-anchor=\"middle\">{}</text>",
        x, bottom + 14.0, numberText(value));
  }
  const int most_y = std::max(2, static_cast<int>(frame.plotHeight() / kTickSpaceY));
  for (const double value : ticks(frame.low().y(), frame.high().y(), most_y)) {
    const double y = frame.y(value);
    grid += fmt::format("M{:.1f} {:.1f}H{:.1f}", kLeft, y, kWidth - kRight);
    numbers += fmt::format(
        "<text class=\"number\" x=\"{:.1f}\" y=\"{:.1f}\" "
        "text-anchor=\"end\">{}</text>",
        kLeft - 5.0, y + 3.5, numberText(value));
  }
  const double middle_y = kTop + 0.5 * frame.plotHeight();
  return fmt::format(
      "<path class=\"grid\" d=\"{}\"/><path class=\"axis\" d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\"/>{}"
      "<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>"
      "<text class=\"label\" x=\"12\" y=\"{:.1f}\" text-anchor=\"middle\" "
      "transform=\"rotate(-90 12 {:.1f})\">{}</text>",
      grid, kLeft, kTop, bottom, kWidth - kRight, numbers, kLeft + 0.5 * frame.plotWidth(),
      frame.height() - 6.0, escaped(chart.x_label), middle_y, middle_y, escaped(chart.y_label));
}

std::string levelText(const Level& level, const Frame& frame) {
  if (level.y < frame.low().y() || level.y > frame.high().y()) return "";
  const double y = frame.y(level.y);
  return fmt::format(
      "<path class=\"level\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>"
      "<text class=\"level\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>",
      kLeft, y, kWidth - kRight, kWidth - kRight - 3.0, y < kTop + 14.0 ? y + 12.0 : y - 4.0,
      escaped(level.text));
}

// Colours for light and dark pages, the same as in page.html.
constexpr const char* kStyle =
    "<style>svg{font:11px 'DejaVu Sans',sans-serif;--page:#fff;--ink:#1c2126;--soft:#5b6670;"
    "--grid:#e8ecf0;--u0:#0072b2;--u1:#d55e00}"
    "@media(prefers-color-scheme:dark){svg{--page:#14181c;--ink:#e4e8ec;--soft:#9aa5b0;"
    "--grid:#262d34;--u0:#56b4e9;--u1:#ff8a3d}}"
    "text{fill:var(--soft)}text.mark,text.label{fill:var(--ink)}"
    ".grid,.axis,.level,.curve{fill:none}.grid{stroke:var(--grid)}.axis{stroke:var(--soft)}"
    "path.level{stroke:var(--soft);stroke-dasharray:2 3}.curve{stroke-width:1.6}"
    ".u0{stroke:var(--u0)}.u1{stroke:var(--u1)}.d1{stroke-dasharray:7 3}"
    "circle{fill:var(--page)}</style>"
    "<rect width=\"100%\" height=\"100%\" style=\"fill:var(--page)\"/>";

std::string markText(const Mark& mark, const Frame& frame) {
  const double x = frame.x(mark.at.x()), y = frame.y(mark.at.y());
  std::string text = fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"/>",
                                 escaped(mark.style), x, y);
  if (mark.text.empty()) return text;
  const bool left = x > kWidth - 70.0;
  return text + fmt::format(
                    "<text class=\"mark\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}"
                    "</text>",
                    left ? x - 6.0 : x + 6.0, y - 5.0, left ? "end" : "start", escaped(mark.text));
}

/// Axes and contents; the id of the clipped region must be unique in the file.
std::string drawingOf(const Chart& chart, const std::string& id) {
  const Frame frame(chart);
  std::string inside;
  for (const Curve& curve : chart.curves) {
    inside += fmt::format("<path class=\"curve {}\" d=\"{}\"><title>{}</title></path>",
                          escaped(curve.style), pathOf(curve, frame), escaped(curve.name));
  }
  for (const Level& level : chart.levels) inside += levelText(level, frame);
  for (const Mark& mark : chart.marks) inside += markText(mark, frame);
  return fmt::format(
      "<clipPath id=\"{0}\"><rect x=\"{1}\" y=\"{2}\" width=\"{3:.1f}\" height=\"{4:.1f}\"/>"
      "</clipPath>{5}<g clip-path=\"url(#{0})\">{6}</g>",
      id, kLeft, kTop, frame.plotWidth(), frame.plotHeight(), axes(chart, frame), inside);
}

}  // namespace

std::vector<double> ticks(double low, double high, int most) {
  const double range = high - low;
  if (!(range > 0.0) || !std::isfinite(range)) return {};
  double step = std::pow(10.0, std::floor(std::log10(range / most)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (range / (factor * step) <= most) {
      step *= factor;
      break;
    }
  }
  std::vector<double> values;
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) {
    values.push_back(i * step);
  }
  return values;
}

std::vector<Vector2d> thinnedCurve(const std::vector<Vector2d>& points, std::size_t most) {
  if (points.size() <= most || most < 4) return points;
  const std::size_t stretches = most / 2;
  std::vector<Vector2d> kept;
  for (std::size_t i = 0; i < stretches; ++i) {
    const std::size_t begin = i * points.size() / stretches;
    const std::size_t end = (i + 1) * points.size() / stretches;
    std::size_t least = begin, greatest = begin;
    for (std::size_t k = begin; k < end; ++k) {
      // A value that is not finite must stay a gap: nothing compares with NaN, all with infinity.
      if (!std::isfinite(points[least].y()) || points[k].y() < points[least].y()) least = k;
      if (!std::isfinite(points[greatest].y()) ||
          (std::isfinite(points[k].y()) && points[k].y() > points[greatest].y())) {
        greatest = k;
      }
    }
    kept.push_back(points[std::min(least, greatest)]);
    if (least != greatest) kept.push_back(points[std::max(least, greatest)]);
  }
  return kept;
}

std::string svgFile(const Chart& chart) { return svgFile(std::vector<Chart>{chart}); }

std::string svgFile(const std::vector<Chart>& charts) {
  std::string titles, drawings;
  double top = 0.0;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    titles += (i > 0 ? "; " : "") + charts[i].title;
    drawings += fmt::format("<g transform=\"translate(0 {:.0f})\">{}</g>", top,
                            drawingOf(charts[i], fmt::format("plot{}", i)));
    top += charts[i].height;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "role=\"img\" aria-label=\"{}\">{}{}</svg>\n",
      kWidth, top, escaped(titles), kStyle, drawings);
}

}  // namespace marsim::suite
