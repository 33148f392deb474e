// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/view.hpp"
#include "marsim/map/point_cloud.hpp"
#include "marsim/map/surfel_tree_layout.hpp"

namespace marsim::map {

/// A map point standing for a cube of side r, the map's resolution.
struct Surfel {
  Eigen::Vector3f position;  ///< [m] in W
  Eigen::Vector3f normal;    ///< unit, sign arbitrary
  float thickness;           ///< [m] gamma: square root of the least eigenvalue of the
                             ///< neighbourhood's covariance
};

/// The rule for the range of a ray that meets several surfels of one surface.
enum class Surface {
  kPaper,    ///< "paper": the nearest
  kBlended,  ///< "blended": a weighted mean over the first surface, of smoothed surfels
  kSized,    ///< "sized": the same, of surfels of several sizes
};

/// The parameters of first-surface blending. Let the nearest surfel that a ray meets be at range
/// t0, with position p0 and normal n0. A surfel i met at t_i between t0 and t0 + depth counts if it
/// agrees with the first: both are planar, |n_i . n0| >= min_cosine and |n0 . (p_i - p0)| <=
/// max_offset; or both are not planar. Surfels outside the ray's limits of range are not met. Let
/// R_i be the radius of surfel i, and c_i the distance from p_i to the crossing (planar) or to the
/// ray (not planar). Its weight is (1 - (c_i / R_i)^2) (1 - (t_i - t0) / depth) + 1e-6. The range
/// is the weighted mean of t_i; the normal and the surfel are those of the largest weight (of equal
/// weights the surfel with the lowest number).
struct Blending {
  float depth = 0.0F;       ///< [m] 0: no blending, the paper's function
  float min_cosine = 0.8F;  ///< of the angle between normals
  float max_offset = 0.0F;  ///< [m] of a surfel's position from the first one's plane

  bool on() const { return depth > 0.0F; }
};

/// Optional attributes of surfels: a channel is empty or has a value for every surfel.
struct SurfelChannels {
  std::vector<std::uint8_t> reflectivity;  ///< 255 for 100 %
  std::vector<Colour> colour;
  std::vector<std::uint8_t> classes;     ///< SemanticKITTI's numbers; 0: none
  std::vector<std::uint16_t> instances;  ///< numbers of things, see PointChannels; 0: none
};

/// Views of surfel channels in memory that another object owns.
struct SurfelChannelViews {
  View<std::uint8_t> reflectivity;
  View<Colour> colour;
  View<std::uint8_t> classes;
  View<std::uint16_t> instances;
};

/// Surfels with their threshold, blending and noise, as preprocessing makes them from a cloud.
struct SurfelSet {
  std::vector<Surfel> surfels;
  float planar_threshold = 0.0F;  ///< [m] thinner ones are planar
  Blending blending;
  float noise = 0.0F;  ///< [m] of the cloud's points across their surfaces; 0: not measured
  SurfelChannels channels = {};
  std::vector<std::uint8_t> sizes = {};  ///< classes of kSizeFactors; empty: all kUsualSize
};

}  // namespace marsim::map
