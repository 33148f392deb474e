// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Geometry>

#include "marsim/viz/picture.hpp"
#include "viz/picture_camera.hpp"

namespace marsim::viz {

/// A camera and the part of the map that it shows.
struct Framing {
  PictureCamera camera;
  Eigen::AlignedBox3d shown;  ///< [m] in W; points outside are left out
  bool roof_cut = false;      ///< shown ends a little above the flight
  bool front_cut = false;     ///< shown begins a little before the flight
};

/// Camera and section for a view: all of the map where it is not much larger than the flight and
/// the scan, else the surroundings of these.
Framing frameFlight(const FlightScene& scene, Viewpoint view, const PictureConfig& config);

}  // namespace marsim::viz
