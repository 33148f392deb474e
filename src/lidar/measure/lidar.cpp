// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/lidar.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "lidar/measure/field_of_view.hpp"
#include "lidar/measure/range_limit.hpp"
#include "lidar/measure/scan_rays.hpp"
#include "lidar/measure/shot_measurer.hpp"
#include "lidar/measure/shot_noise.hpp"
#include "lidar/measure/shot_weather.hpp"
#include "lidar/measure/surface_channels.hpp"
#include "lidar/measure/surface_light.hpp"
#include "lidar/patterns/shared_pattern.hpp"
#include "marsim/common/error.hpp"
#include "marsim/geometry/pose_settings.hpp"
#include "marsim/map/semantic_class.hpp"

namespace marsim::lidar {

namespace {

/// Whether a pattern has one ring.
bool isPlane(const PatternConfig& pattern) {
  constexpr double kFlat = 0.0175;  // [rad]
  if (const auto* spinning = std::get_if<SpinningPatternConfig>(&pattern)) {
    return std::abs(spinning->channels.front().elevation) < kFlat;
  }
  return !std::holds_alternative<RisleyPatternConfig>(pattern) &&
         !std::holds_alternative<Mid360PatternConfig>(pattern);
}

/// Requires different topics; an Ouster's second returns have their own.
void requireOwnTopics(const LidarConfig& config, const Validator& check) {
  if (mostReturns(config.returns.mode) < 2) return;
  const std::vector<std::string> topics = outputTopics(config.outputs);
  for (std::size_t i = 0; i < topics.size(); ++i) {
    if (config.outputs[i].layout != CloudLayout::kOuster) continue;
    const bool is_taken = std::count(topics.begin(), topics.end(), topics[i] + "2") > 0;
    check.require(!is_taken, "output", topics[i] + "2",
                  "another topic: second returns of the layout ouster are published there");
  }
}

}  // namespace

void AngularSector::declare(Settings& settings) {
  if (settings.isReading() && !settings.inFile("azimuth") && !settings.inFile("elevation")) {
    settings.fail("azimuth", "missing", "azimuth, elevation or both");
  }
  settings.optional("azimuth", azimuth_min, azimuth_max, "rad");
  settings.optional("elevation", elevation_min, elevation_max, "rad");
}

void LidarConfig::declare(Settings& settings) {
  settings.required("name", name);
  settings.required("range", [&](Settings& range) {
    range.required("min", range_min, "m", kNotNegative);
    range.required("max", range_max, "m");
  });
  settings.optional("rate", rate, "Hz", {0.1, 1000.0});
  settings.optional("clock", clock);
  settings.optional("field_of_view", [&](Settings& view) {
    view.optional("azimuth", azimuth_min, azimuth_max, "rad");
    view.optional("elevation", elevation_min, elevation_max, "rad");
  });
  settings.optional("blind_zones", blind_zones);
  settings.optional("mounting", [&](Settings& mounting) { declarePose(mounting, X_BS); });
  declareOutputs(settings, outputs);
  beam.declare(settings);
  returns.declare(settings);
  noise.declare(settings);
  intensity.declare(settings);
  settings.optional("reflectivity", reflectivity, "", {0.0, 100.0});
  settings.optional("instantaneous", instantaneous);
}

void LidarConfig::validate(const std::string& where) const {
  checkSettings(where, *this);
  const Validator check(where);
  check.require(!name.empty(), "name", "empty", "a name");
  check.require(range_max > range_min, "range.max", fmt::format("{} m", range_max),
                fmt::format("more than range.min, {} m", range_min));
  validateSector({azimuth_min, azimuth_max, elevation_min, elevation_max}, where, "field_of_view");
  for (std::size_t i = 0; i < blind_zones.size(); ++i) {
    validateSector(blind_zones[i], where, fmt::format("blind_zones[{}]", i));
  }
  check.require(X_BS.p.allFinite() && X_BS.q.coeffs().allFinite(), "mounting", "not finite",
                "finite position and rotation");
  clock.validate(where, rate);
  noise.validate(where);
  beam.validate(where);
  returns.validate(where);
  surfaces.validate(where);
  validateOutputs(outputs, where);
  for (const OutputConfig& output : outputs) {
    const int most = mostReturns(output.layout);
    check.require(mostReturns(returns.mode) <= most, "returns.mode", nameOf(returns.mode),
                  fmt::format("one of at most {} returns, which the layout '{}' has room for", most,
                              nameOf(output.layout)));
  }
  requireOwnTopics(*this, check);
  validatePattern(pattern, where);
  for (const OutputConfig& output : outputs) {
    if (output.layout != CloudLayout::kLaserScan) continue;
    const int rings = makePattern(pattern)->rings();
    check.require(rings == 1, "output", "laser_scan",
                  fmt::format("another layout: the pattern has {} rings, a LaserScan one", rings));
    check.require(isPlane(pattern), "output", "laser_scan",
                  "another layout: a LaserScan's shots lie in one plane across z");
  }
  const auto* grid = std::get_if<GridPatternConfig>(&pattern);
  const bool has_axis = grid != nullptr && grid->grid.projection == ImageGrid::Projection::kPinhole;
  check.require(noise.along == NoiseConfig::Along::kBeam || has_axis, "noise.along", "axis",
                "beam; axis only of a pinhole grid");
}

Lidar::Lidar(LidarConfig config, std::shared_ptr<const RayRenderer> renderer, std::uint64_t seed,
             bool noise)
    : config_(std::move(config)),
      renderer_(std::move(renderer)),
      seed_(seed),
      rays_(std::make_shared<ScanRays>()) {
  config_.validate(config_.name);
  if (!renderer_) throw Error(fmt::format("{}: a lidar needs a renderer", config_.name));
  config_.X_BS.q.normalize();
  pattern_ = sharePattern(config_.pattern);
  rays_->beam = beamRays(config_.beam);
  if (config_.surfaces.any()) light_ = std::make_shared<SurfaceLight>(config_.surfaces);
  if (!noise) config_.noise = config_.noise.ideal();
  limit_ = std::make_shared<const RangeLimit>(config_);
  if (config_.noise.any()) {
    noise_ = std::make_shared<const ShotNoise>(config_, pattern_->rings(), seed);
  }
}

void Lidar::setWeather(const Weather& weather) {
  weather.validate(config_.name);
  weather_ = weather.any() ? std::make_shared<const ShotWeather>(weather, config_, seed_) : nullptr;
}

Scan Lidar::scan(TimeNs begin, TimeNs end, const StateHistory& motion, View<MovingObject> objects) {
  firings_.clear();
  pattern_->fire(begin, end, firings_);
  Scan scan;
  scan.stamp = firings_.empty() ? begin : firings_.front().stamp;
  scan.end = end;
  const TimeNs last =
      firings_.empty() || config_.instantaneous ? scan.stamp : firings_.back().stamp;
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
  makeRays(firings_, config_, {begin, scan.stamp, motion, noise_.get(), pattern_->hasOrigins()},
           *rays_);
  renderer_->castBeams(begin, rays_->rays, rays_->beam.size(), objects, hits_);

  const SurfaceChannels surfaces(*renderer_, objects);
  if (light_ != nullptr) light_->follow(begin, *renderer_, objects, surfaces, *rays_, hits_);

  scan.rays = firings_.size();
  collect(surfaces, scan);
  return scan;
}

Scan Lidar::scan(const Pose& X_WB, TimeNs begin, View<MovingObject> objects) {
  const TimeNs end = begin + periodNs(config_.rate);
  return scan(begin, end, StateHistory(X_WB, begin, end), objects);
}

float Lidar::intensityOf(float reflectivity, float range) const {
  const IntensityConfig& intensity = config_.intensity;
  if (intensity.constant) return static_cast<float>(*intensity.constant);
  float value = static_cast<float>(intensity.scale) * reflectivity;
  if (intensity.range_reference > 0.0) {
    const float share = static_cast<float>(intensity.range_reference) / std::max(range, 1e-3F);
    value *= share * share;
  }
  return std::min(std::floor(value + 0.5F), static_cast<float>(intensity.limit));
}

void Lidar::collect(const SurfaceChannels& surfaces, Scan& scan) const {
  ShotMeasurer measurer(config_, *limit_, noise_.get(), weather_.get(), firings_, *rays_, hits_,
                        surfaces, light_.get());
  scan.points.reserve(firings_.size());
  const bool has_origins = pattern_->hasOrigins();
  for (std::size_t i = 0; i < firings_.size(); ++i) {
    const ShotReturns measured = measurer.measure(i);
    const Firing& firing = firings_[i];
    const auto shot = static_cast<std::uint32_t>(i);
    const std::uint32_t column = firing.column - first_column_;
    const float time =
        config_.instantaneous ? 0.0F : static_cast<float>(toSeconds(firing.stamp - scan.stamp));
    if (measured.count == 0) {
      if (measured.too_near) ++scan.too_near;
      if (measured.too_dark) ++scan.too_dark;
      if (keep_misses_) {
        scan.misses.push_back(
            {firing.direction, time, shot, column, firing.ring, firing.line, measured.too_near});
      }
      continue;
    }
    for (std::uint8_t number = 0; number < measured.count; ++number) {
      const ShotReturns::Return& one = measured.returns[number];
      ScanPoint& point = scan.points.emplace_back();
      point.p_S = firing.direction * one.range;
      if (has_origins) point.p_S += firing.origin;
      point.p_W = rays_->middleOf(i).origin + rays_->directionOf(i) * one.range;
      point.range = one.range;
      point.intensity = intensityOf(one.reflectivity, one.range);
      point.reflectivity = one.reflectivity;
      point.time = time;
      if (one.ray == ShotReturns::Return::kParticle) {
        point.semantic_class = map::semantic::kOutlier;
      } else if (one.ray != ShotReturns::Return::kNothing) {
        const Hit& hit = hits_[one.ray];
        point.surfel = hit.surfel;
        point.identity = hit.identity;
        point.semantic_class = surfaces.semanticClass(hit);
        point.instance = surfaces.instance(hit);
      }
      point.shot = shot;
      point.column = column;
      point.ring = firing.ring;
      point.line = firing.line;
      point.return_number = static_cast<std::uint8_t>(number + 1);
      point.return_count = measured.count;
      point.energy_rank = one.rank;
    }
  }
}

}  // namespace marsim::lidar
