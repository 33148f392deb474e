// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "marsim/viz/picture.hpp"

namespace marsim::viz {

/// Division of a picture's area [px]: a strip for the title, the view, a strip for the legend.
struct Layout {
  double unit;  ///< one thousandth of the height, at least 0.5: sizes of text and lines
  double width, height;
  double top, bottom;  ///< y of the view's edges

  explicit Layout(const PictureConfig& config)
      : unit(std::max(0.5, std::min(config.height / 1000.0, config.width / 1500.0))),
        width(config.width),
        height(config.height),
        top(54.0 * unit),
        bottom(config.height - 78.0 * unit) {}
};

}  // namespace marsim::viz
