// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

/// Charts as SVG files.
namespace marsim::suite {

/// A line through points; one that is not finite leaves a gap.
struct Curve {
  std::string name;
  std::string style;  ///< u0 and u1 are colours, d1 is dashed
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
  double x_low = 0.0;        ///< part of the x axis that is shown in any case, where it is less
  double x_high = 0.0;       ///< than this
  bool from_zero = false;    ///< the y axis begins at 0
  bool equal_scale = false;  ///< a unit is as long along y as along x, as on a map
  double height = 230.0;     ///< in units of the drawing
};

/// Round numbers inside [low, high], at most `most` of them, at distances of 1, 2 or 5 times a
/// power of ten.
std::vector<double> ticks(double low, double high, int most);

/// At most `most` points. The least and the greatest y of each stretch stay, so that peaks do.
std::vector<Eigen::Vector2d> thinnedCurve(const std::vector<Eigen::Vector2d>& points,
                                          std::size_t most);

/// The text of an SVG file, whose colours follow the viewer's light or dark.
std::string svgFile(const Chart& chart);
/// Charts below each other.
std::string svgFile(const std::vector<Chart>& charts);

}  // namespace marsim::suite
