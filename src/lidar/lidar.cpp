#include "marsim/lidar/lidar.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/lidar/field_of_view.hpp"

namespace marsim::lidar {
namespace {

/// Poses along a motion at times that do not decrease. Between knots 0.1 ms apart, whose poses come
/// from the history's spline, position and rotation run straight: at 50 m/s^2 and 500 rad/s^2 that
/// is within 0.1 micrometre and 1e-6 rad of the spline.
class PoseTrack {
 public:
  PoseTrack(const StateHistory& motion, TimeNs begin, TimeNs end)
      : motion_(motion), end_(end), t0_(begin), t1_(begin) {
    X0_ = X1_ = motion.poseAt(begin);
  }

  Pose at(TimeNs t) {
    if (t > t1_) advance(t);
    if (t == t1_) return X1_;
    const double share = static_cast<double>(t - t0_) / static_cast<double>(t1_ - t0_);
    Pose X;
    X.p = X0_.p + share * (X1_.p - X0_.p);
    X.q.coeffs() = X0_.q.coeffs() + share * (X1_.q.coeffs() - X0_.q.coeffs());
    X.q.normalize();
    return X;
  }

 private:
  void advance(TimeNs t) {
    if (t < t1_ + kKnotSpacing) {
      t0_ = t1_;
      X0_ = X1_;
    } else {
      t0_ = t;
      X0_ = motion_.poseAt(t);
    }
    t1_ = std::max(t, std::min(t0_ + kKnotSpacing, end_));
    X1_ = t1_ == t0_ ? X0_ : motion_.poseAt(t1_);
    if (X1_.q.dot(X0_.q) < 0.0) X1_.q.coeffs() *= -1.0;
  }

  static constexpr TimeNs kKnotSpacing = 100'000;

  const StateHistory& motion_;
  TimeNs end_;
  TimeNs t0_, t1_;
  Pose X0_, X1_;
};

/// One ray a shot, from where the sensor is when it fires.
void makeRays(const std::vector<Firing>& firings, const LidarConfig& config, TimeNs scan_stamp,
              const StateHistory& motion, std::vector<Ray>& rays) {
  rays.clear();
  if (firings.empty()) return;
  rays.reserve(firings.size());
  PoseTrack track(motion, firings.front().stamp, firings.back().stamp);
  TimeNs pose_stamp = firings.front().stamp - 1;
  Eigen::Vector3f origin = Eigen::Vector3f::Zero();
  Eigen::Matrix3f R_WS = Eigen::Matrix3f::Identity();
  for (const Firing& firing : firings) {
    if (firing.stamp != pose_stamp) {
      const Pose X_WS = track.at(firing.stamp) * config.X_BS;
      origin = X_WS.p.cast<float>();
      R_WS = X_WS.q.toRotationMatrix().cast<float>();
      pose_stamp = firing.stamp;
    }
    rays.push_back({origin, static_cast<float>(config.range_max),
                    (R_WS * firing.direction).normalized(),
                    static_cast<float>(toSeconds(firing.stamp - scan_stamp))});
  }
}

}  // namespace

void LidarConfig::validate(const std::string& where) const {
  const Validator check(where);
  check.require(!name.empty(), "name", "empty", "a name");
  check.notNegative("range.min", range_min, "m");
  check.finite("range.max", range_max, "m");
  check.require(range_max > range_min, "range.max", fmt::format("{} m", range_max),
                fmt::format("more than range.min, {} m", range_min));
  check.within("rate", rate, 0.1, 1000.0, "Hz");
  validateSector({azimuth_min, azimuth_max, elevation_min, elevation_max}, where, "field_of_view");
  for (std::size_t i = 0; i < blind_zones.size(); ++i) {
    validateSector(blind_zones[i], where, fmt::format("blind_zones[{}]", i));
  }
  check.require(X_BS.p.allFinite() && X_BS.q.coeffs().allFinite(), "mounting", "not finite",
                "finite position and rotation");
  check.within("intensity", intensity, 0.0, 255.0);
  check.require(!outputs.empty(), "output", "an empty list", "at least one layout");
  validatePattern(pattern, where);
}

Lidar::Lidar(LidarConfig config, std::shared_ptr<const Renderer> renderer)
    : config_(std::move(config)), renderer_(std::move(renderer)) {
  config_.validate(config_.name);
  if (!renderer_) throw Error(fmt::format("{}: a lidar needs a renderer", config_.name));
  if (!renderer_->castsRays()) {
    throw Error(fmt::format("{}: the renderer '{}' cannot cast the rays of a scan pattern",
                            config_.name, renderer_->name()));
  }
  config_.X_BS.q.normalize();
  pattern_ = makePattern(config_.pattern);
}

Scan Lidar::scan(TimeNs begin, TimeNs end, const StateHistory& motion) {
  firings_.clear();
  pattern_->fire(begin, end, firings_);
  Scan scan;
  scan.stamp = firings_.empty() ? begin : firings_.front().stamp;
  scan.end = end;
  const TimeNs last = firings_.empty() ? begin : firings_.back().stamp;
  if (!motion.covers(scan.stamp, last)) {
    throw Error(fmt::format("{}: no motion is known for all of the scan from {} to {} s",
                            config_.name, toSeconds(begin), toSeconds(end)));
  }
  scan.X_WS = motion.poseAt(scan.stamp) * config_.X_BS;

  scan.rings = pattern_->rings();
  first_column_ = firings_.empty() ? 0 : firings_.front().column;
  scan.columns = firings_.empty() ? 0 : firings_.back().column - first_column_ + 1;
  const FieldOfView view(config_);
  firings_.erase(
      std::remove_if(firings_.begin(), firings_.end(),
                     [&](const Firing& firing) { return !view.contains(firing.direction); }),
      firings_.end());
  makeRays(firings_, config_, scan.stamp, motion, rays_);
  renderer_->cast(rays_, hits_);

  scan.rays = rays_.size();
  collect(scan);
  return scan;
}

void Lidar::collect(Scan& scan) const {
  scan.points.reserve(rays_.size());
  const auto range_min = static_cast<float>(config_.range_min);
  for (std::size_t i = 0; i < rays_.size(); ++i) {
    const Hit& hit = hits_[i];
    const Firing& firing = firings_[i];
    const Ray& ray = rays_[i];
    const auto shot = static_cast<std::uint32_t>(i);
    const std::uint32_t column = firing.column - first_column_;
    const bool too_near = hit.valid() && hit.range < range_min;
    if (too_near) ++scan.too_near;
    if (!hit.valid() || too_near) {
      if (keep_misses_) {
        scan.misses.push_back(
            {firing.direction, ray.time, shot, column, firing.ring, firing.line, too_near});
      }
      continue;
    }
    ScanPoint point{};
    point.p_S = firing.direction * hit.range;
    point.p_W = ray.origin + ray.direction * hit.range;
    point.range = hit.range;
    point.intensity = static_cast<float>(config_.intensity);
    point.reflectivity = 1.0F;
    point.time = ray.time;
    point.surfel = hit.surfel;
    point.identity = hit.identity;
    point.shot = shot;
    point.column = column;
    point.ring = firing.ring;
    point.line = firing.line;
    scan.points.push_back(point);
  }
}

}  // namespace marsim::lidar
