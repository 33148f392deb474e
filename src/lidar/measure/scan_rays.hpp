// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Core>

#include "lidar/measure/beam_rays.hpp"
#include "lidar/measure/shot_noise.hpp"
#include "marsim/geometry/kinematic_state.hpp"
#include "marsim/lidar/lidar.hpp"

namespace marsim::lidar {

/// The rays of a scan's shots.
struct ScanRays {
  std::vector<BeamRay> beam = {{0.0F, 0.0F, 1.0F}};  ///< the rays of every shot, the middle first
  std::vector<Ray> rays;  ///< shot by shot; times count from the scan's `begin`
  /// Unit, in W: the pattern's directions, in which returns are reported. Empty if the rays have
  /// these directions.
  std::vector<Eigen::Vector3f> pointed;
  std::vector<std::uint64_t> keys;  ///< of the noise, see ShotNoise::keyOf; or empty

  const Eigen::Vector3f& directionOf(std::size_t shot) const {
    return pointed.empty() ? middleOf(shot).direction : pointed[shot];
  }
  /// The ray in the middle of a shot's beam.
  const Ray& middleOf(std::size_t shot) const { return rays[shot * beam.size()]; }
};

/// Time and manner of firing a scan's shots.
struct ScanFiring {
  TimeNs begin;                ///< of the scan's interval
  TimeNs stamp;                ///< first firing
  const StateHistory& motion;  ///< of the body
  const ShotNoise* noise;      ///< null: none
  bool has_origins;            ///< beams begin at Firing::origin, else at the sensor's origin
};

/// Makes the beam of every shot, from the sensor's pose when it fires; for an instantaneous sensor
/// from its pose at the stamp. Replaces everything in `rays` except the beam.
void makeRays(const std::vector<Firing>& firings, const LidarConfig& config,
              const ScanFiring& firing, ScanRays& rays);

}  // namespace marsim::lidar
