// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <cairo.h>

#include "viz/framing.hpp"
#include "viz/layout.hpp"

namespace marsim::viz {

/// Draws path, start, goals and sensor over the picture.
void drawFlightMarks(cairo_t* context, const FlightScene& scene, const PictureCamera& camera,
                     const Layout& layout);

/// Draws title, scale bar, axes, legend and the colour bar of ranges from 0 to `range_shown` [m]
/// (none for 0).
void drawStrips(cairo_t* context, const FlightScene& scene, const std::string& subtitle,
                const Framing& framing, double range_shown, const Layout& layout);

}  // namespace marsim::viz
