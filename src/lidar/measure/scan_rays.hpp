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

/// Where the poses of shots are interpolated, the motion must be known so far past a firing.
constexpr TimeNs kMotionAfterFiring = 200'000;

/// Makes the beams of shots, from the sensor's pose when each fires; for an instantaneous sensor
/// from its pose at the stamp. Appends those of the shots [first, last) of the scan's `firings` to
/// the ones before them in `rays`, in any parts with equal results; `first` 0 replaces all except
/// the beam.
void makeRays(const std::vector<Firing>& firings, std::size_t first, std::size_t last,
              const LidarConfig& config, const ScanFiring& firing, ScanRays& rays);

}  // namespace marsim::lidar
