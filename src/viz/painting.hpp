// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "marsim/viz/picture.hpp"
#include "viz/canvas.hpp"

namespace marsim::viz {

/// Paints the picture of drawFlight().
Canvas paintFlight(const FlightScene& scene, Viewpoint view, const PictureConfig& config);

/// Range at the end of the colour bar [m]: 98 % of the returns are nearer. 0 without returns.
double rangeShown(const FlightScene& scene);

}  // namespace marsim::viz
