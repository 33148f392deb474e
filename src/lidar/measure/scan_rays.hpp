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
  std::vector<Ray> rays;  ///< those of one shot after another; times count from the scan's `begin`
  /// Unit, in W: where the pattern points, which is where returns are reported. Empty where the
  /// rays themselves go there.
  std::vector<Eigen::Vector3f> pointed;
  std::vector<std::uint64_t> keys;  ///< of the shots' noise, ShotNoise::keyOf; empty without

  const Eigen::Vector3f& directionOf(std::size_t shot) const {
    return pointed.empty() ? middleOf(shot).direction : pointed[shot];
  }
  /// The ray in the middle of a shot's beam.
  const Ray& middleOf(std::size_t shot) const { return rays[shot * beam.size()]; }
};

/// When and how a scan's shots are fired.
struct ScanFiring {
  TimeNs begin;                ///< of the scan's interval
  TimeNs stamp;                ///< first firing
  const StateHistory& motion;  ///< of the body
  const ShotNoise* noise;      ///< null: none
  bool has_origins;            ///< beams begin at Firing::origin, else at the sensor's origin
};

/// The beam of every shot, from where the sensor is when it fires; of an instantaneous sensor from
/// where it is at the stamp. Replaces all that `rays` holds but the beam.
void makeRays(const std::vector<Firing>& firings, const LidarConfig& config,
              const ScanFiring& firing, ScanRays& rays);

}  // namespace marsim::lidar
