#pragma once

#include "marsim/viz/picture.hpp"
#include "viz/canvas.hpp"

namespace marsim::viz {

/// drawFlight's picture.
Canvas paintFlight(const FlightScene& scene, Viewpoint view, const PictureConfig& config);

/// Range that ends the colour bar [m]: 98 in 100 returns are nearer. 0 without returns.
double rangeShown(const FlightScene& scene);

}  // namespace marsim::viz
