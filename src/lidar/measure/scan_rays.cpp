// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/measure/scan_rays.hpp"

#include <algorithm>
#include <cmath>

#include "common/huge_pages.hpp"

namespace marsim::lidar {
namespace {

/// Pose of the sensor, with a rotation matrix.
struct SensorPose {
  Eigen::Vector3d p_WS = Eigen::Vector3d::Zero();
  Eigen::Matrix3f R_WS = Eigen::Matrix3f::Zero();
};

/// Poses of the sensor along a motion at times that do not decrease. Between knots 0.2 ms apart,
/// whose poses come from the history's spline, positions and directions run straight: at 50 m/s^2
/// and 500 rad/s^2 that is within 0.3 micrometre and 3e-6 rad of the spline. (Directions, which are
/// of unit length when they are used, not rotations: at 50 rad/s that is another 1e-8 rad.)
class SensorTrack {
 public:
  SensorTrack(const StateHistory& motion, const Pose& X_BS, TimeNs begin, TimeNs end)
      : motion_(motion), X_BS_(X_BS), end_(end), t0_(begin), t1_(begin) {
    X0_ = X1_ = poseAt(begin);
  }

  SensorPose at(TimeNs t) {
    if (t > t1_) advance(t);
    if (t == t1_) return X1_;
    const double share = static_cast<double>(t - t0_) * per_ns_;
    return {X0_.p_WS + share * step_.p_WS, X0_.R_WS + static_cast<float>(share) * step_.R_WS};
  }

 private:
  SensorPose poseAt(TimeNs t) const {
    const Pose X_WS = motion_.poseAt(t) * X_BS_;
    return {X_WS.p, X_WS.q.toRotationMatrix().cast<float>()};
  }

  void advance(TimeNs t) {
    if (t < t1_ + kKnotSpacing) {
      t0_ = t1_;
      X0_ = X1_;
    } else {
      t0_ = t;
      X0_ = poseAt(t);
    }
    t1_ = std::max(t, std::min(t0_ + kKnotSpacing, end_));
    if (t1_ == t0_) {
      X1_ = X0_;
      return;
    }
    X1_ = poseAt(t1_);
    step_ = {X1_.p_WS - X0_.p_WS, X1_.R_WS - X0_.R_WS};
    per_ns_ = 1.0 / static_cast<double>(t1_ - t0_);
  }

  static constexpr TimeNs kKnotSpacing = 200'000;

  const StateHistory& motion_;
  const Pose X_BS_;
  TimeNs end_;
  TimeNs t0_, t1_;
  SensorPose X0_, X1_, step_;  // at the knots, and the difference
  double per_ns_ = 0.0;
};

constexpr std::size_t kMostRays = 37;  // of a beam, as BeamConfig::validate allows

/// Writes the rays of a beam around its middle one to `rays`. `up`: the sensor's z axis.
void setBeam(const Ray& middle, const Eigen::Vector3f& up, const std::vector<BeamRay>& beam,
             Ray* rays) {
  const Eigen::Vector3f& d = middle.direction;
  Eigen::Vector3f left = up.cross(d);
  if (left.squaredNorm() < 1e-6F) left = d.unitOrthogonal();  // straight up or down
  left.normalize();
  const Eigen::Vector3f across = d.cross(left);
  float x[kMostRays], y[kMostRays], z[kMostRays];
  for (std::size_t i = 0; i < beam.size(); ++i) {  // in arrays, so that compilers vectorize it
    const float h = beam[i].horizontal, v = beam[i].vertical;
    x[i] = d.x() + (h * left.x() + v * across.x());
    y[i] = d.y() + (h * left.y() + v * across.y());
    z[i] = d.z() + (h * left.z() + v * across.z());
    const float length = std::sqrt(x[i] * x[i] + (y[i] * y[i] + z[i] * z[i]));
    x[i] /= length;
    y[i] /= length;
    z[i] /= length;
  }
  rays[0] = middle;
  for (std::size_t i = 1; i < beam.size(); ++i) {
    rays[i] = middle;
    rays[i].direction = {x[i], y[i], z[i]};
  }
}

}  // namespace

void makeRays(const std::vector<Firing>& firings, const LidarConfig& config,
              const ScanFiring& firing, ScanRays& rays) {
  resizeForRandomAccess(rays.rays, firings.size() * rays.beam.size());
  rays.pointed.clear();
  rays.keys.clear();
  if (firings.empty()) return;
  const bool turned = firing.noise != nullptr && firing.noise->turnsBeams();
  if (turned) rays.pointed.reserve(firings.size());
  if (firing.noise != nullptr) {
    rays.keys.reserve(firings.size());
    for (const Firing& shot : firings) rays.keys.push_back(firing.noise->keyOf(shot));
  }
  const bool moves = !config.instantaneous;
  const TimeNs first = moves ? firings.front().stamp : firing.stamp;
  const TimeNs last = moves ? firings.back().stamp : firing.stamp;
  SensorTrack track(firing.motion, config.X_BS, first, last);
  TimeNs pose_stamp = first;
  SensorPose pose = track.at(first);
  Ray ray{pose.p_WS.cast<float>(), static_cast<float>(config.range_max), Eigen::Vector3f::Zero(),
          static_cast<float>(toSeconds(first - firing.begin))};
  for (std::size_t i = 0; i < firings.size(); ++i) {
    const Firing& shot = firings[i];
    if (moves && shot.stamp != pose_stamp) {
      pose_stamp = shot.stamp;
      pose = track.at(pose_stamp);
      ray.origin = pose.p_WS.cast<float>();
      ray.time = static_cast<float>(toSeconds(pose_stamp - firing.begin));
    }
    if (firing.has_origins) {
      const Eigen::Vector3f off = pose.R_WS * shot.origin;
      ray.origin = (pose.p_WS + off.cast<double>()).cast<float>();
    }
    ray.direction = (pose.R_WS * shot.direction).normalized();
    if (turned) {
      rays.pointed.push_back(ray.direction);
      ray.direction = firing.noise->turned(ray.direction, rays.keys[i]);
    }
    Ray* const own = &rays.rays[i * rays.beam.size()];
    if (rays.beam.size() == 1) {
      *own = ray;
    } else {
      setBeam(ray, pose.R_WS.col(2), rays.beam, own);
    }
  }
}

}  // namespace marsim::lidar
