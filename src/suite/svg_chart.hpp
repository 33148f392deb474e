#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

/// Charts as inline SVG. Colours are classes of the page's style sheet, which has light and dark
/// ones.
namespace marsim::suite {

/// A line through points; one that is not finite leaves a gap.
struct Curve {
  std::string name;
  std::string style;  ///< classes of the style sheet
  std::vector<Eigen::Vector2d> points;
};

/// A dot with a word beside it.
struct Mark {
  Eigen::Vector2d at = Eigen::Vector2d::Zero();
  std::string text;
  std::string style;
};

/// A horizontal line: a limit.
struct Level {
  double y = 0.0;
  std::string text;
};

/// Axes with curves.
struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Curve> curves;
  std::vector<Mark> marks;
  std::vector<Level> levels;
  double x_low = 0.0;        ///< the shown part of the x axis includes this
  double x_high = 0.0;       ///< and this
  bool from_zero = false;    ///< the y axis begins at 0
  bool equal_scale = false;  ///< a metre has the same length on both axes
  double margin = 0.0;       ///< least space round the curves, in units of the axes
  std::string background;    ///< id of a drawing in units of the axes
  double width = 560.0;      ///< in units of the drawing
  double height = 230.0;     ///< the largest, with equal_scale
};

/// Round numbers inside [low, high], at most `most` of them, at distances of 1, 2 or 5 times a
/// power of ten.
std::vector<double> ticks(double low, double high, int most);

/// At most `most` points. The least and the greatest y of each stretch stay, so that peaks do.
std::vector<Eigen::Vector2d> thinnedCurve(const std::vector<Eigen::Vector2d>& points,
                                          std::size_t most);

/// The element <svg>. `id` must be unique on the page.
std::string svgChart(const Chart& chart, const std::string& id);

/// The text of an SVG file, whose colours follow the viewer's. Styles: u0 and u1 are colours, d1 is
/// dashed.
std::string svgFile(const Chart& chart);

}  // namespace marsim::suite
