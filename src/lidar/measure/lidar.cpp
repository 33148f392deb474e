#include "marsim/lidar/lidar.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "lidar/measure/field_of_view.hpp"
#include "lidar/measure/scan_rays.hpp"
#include "lidar/measure/shot_noise.hpp"
#include "lidar/patterns/shared_pattern.hpp"
#include "marsim/common/error.hpp"

namespace marsim::lidar {

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
  noise.validate(where);
  intensity.validate(where);
  check.within("reflectivity", reflectivity, 0.0, 100.0);
  validateOutputs(outputs, where);
  validatePattern(pattern, where);
  const auto* grid = std::get_if<GridPatternConfig>(&pattern);
  const bool has_axis = grid != nullptr && grid->grid.projection == ImageGrid::Projection::kPinhole;
  check.require(noise.along == NoiseConfig::Along::kBeam || has_axis, "noise.along", "axis",
                "beam; axis only of a pinhole grid");
}

Lidar::Lidar(LidarConfig config, std::shared_ptr<const RayRenderer> renderer, std::uint64_t seed,
             bool noise)
    : config_(std::move(config)),
      renderer_(std::move(renderer)),
      rays_(std::make_shared<ScanRays>()) {
  config_.validate(config_.name);
  if (!renderer_) throw Error(fmt::format("{}: a lidar needs a renderer", config_.name));
  config_.X_BS.q.normalize();
  pattern_ = sharePattern(config_.pattern);
  if (!noise) config_.noise = {};
  if (config_.noise.any()) {
    noise_ = std::make_shared<const ShotNoise>(config_.noise, config_.range_min, config_.range_max,
                                               seed);
  }
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
  makeRays(firings_, config_, {begin, scan.stamp, motion, noise_.get()}, *rays_);
  renderer_->cast(rays_->rays, objects, hits_);

  scan.rays = firings_.size();
  collect(objects, scan);
  return scan;
}

// What is known of the surfaces of the map and of moving objects, keyed by object id.
class SurfaceChannels {
 public:
  SurfaceChannels(const map::SurfelChannelViews& of_map, View<MovingObject> objects)
      : of_map_(of_map) {
    for (const MovingObject& object : objects) {
      entries_.push_back(
          {object.identity, object.reflectivity, object.semantic_class, object.shape->channels()});
    }
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.identity < b.identity; });
  }

  /// 255 for 100 %.
  std::optional<std::uint8_t> reflectivity(const Hit& hit) const {
    if (hit.identity == kMapIdentity) return at(of_map_.reflectivity, hit);
    const Entry& object = entryOf(hit);
    return object.reflectivity ? object.reflectivity : at(object.of_surfels.reflectivity, hit);
  }

  std::uint8_t semanticClass(const Hit& hit) const {
    if (hit.identity == kMapIdentity) return at(of_map_.classes, hit).value_or(0);
    const Entry& object = entryOf(hit);
    return object.semantic_class ? *object.semantic_class
                                 : at(object.of_surfels.classes, hit).value_or(0);
  }

 private:
  struct Entry {
    std::uint32_t identity;
    std::optional<std::uint8_t> reflectivity, semantic_class;
    map::SurfelChannelViews of_surfels;
  };

  static std::optional<std::uint8_t> at(View<std::uint8_t> channel, const Hit& hit) {
    if (channel.empty()) return std::nullopt;
    return channel[hit.surfel];
  }
  /// The object of a hit, which is among them.
  const Entry& entryOf(const Hit& hit) const {
    return *std::lower_bound(
        entries_.begin(), entries_.end(), hit.identity,
        [](const Entry& known, std::uint32_t wanted) { return known.identity < wanted; });
  }

  map::SurfelChannelViews of_map_;
  std::vector<Entry> entries_;
};

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

Lidar::Echo Lidar::echoOf(std::size_t shot, const SurfaceChannels& surfaces) const {
  const Hit& hit = hits_[shot];
  const std::uint64_t key = noise_ ? rays_->keys[shot] : 0;
  if (noise_) {
    const float range = noise_->falseRange(key);
    if (range < kNoReturn) return {range, 0.0F, Echo::Of::kNothing};
  }
  if (!hit.valid()) return {kNoReturn, 0.0F, Echo::Of::kNothing};
  const float cosine = std::clamp(hit.incidenceCosine(rays_->rays[shot].direction), 0.0F, 1.0F);
  const std::optional<std::uint8_t> known = surfaces.reflectivity(hit);
  const float of_surface = known ? static_cast<float>(*known) * (1.0F / 255.0F)
                                 : static_cast<float>(config_.reflectivity);
  const float reflectivity = cosine * of_surface;
  if (!noise_) return {hit.range, reflectivity, Echo::Of::kSurface};
  if (!noise_->seen(hit.range, reflectivity)) {
    return {kNoReturn, reflectivity, Echo::Of::kDarkSurface};
  }
  return {noise_->measured(hit.range, cosine, firings_[shot].direction, key), reflectivity,
          Echo::Of::kSurface};
}

void Lidar::collect(View<MovingObject> objects, Scan& scan) const {
  const SurfaceChannels surfaces(renderer_->channels(), objects);
  scan.points.reserve(firings_.size());
  const auto range_min = static_cast<float>(config_.range_min);
  const auto range_max = static_cast<float>(config_.range_max);
  for (std::size_t i = 0; i < firings_.size(); ++i) {
    const Echo echo = echoOf(i, surfaces);
    const Firing& firing = firings_[i];
    const auto shot = static_cast<std::uint32_t>(i);
    const std::uint32_t column = firing.column - first_column_;
    const float time =
        config_.instantaneous ? 0.0F : static_cast<float>(toSeconds(firing.stamp - scan.stamp));
    const bool too_near = echo.range < range_min;
    if (too_near) ++scan.too_near;
    if (echo.of == Echo::Of::kDarkSurface) ++scan.too_dark;
    if (too_near || !(echo.range <= range_max)) {
      if (keep_misses_) {
        scan.misses.push_back(
            {firing.direction, time, shot, column, firing.ring, firing.line, too_near});
      }
      continue;
    }
    ScanPoint& point = scan.points.emplace_back();
    point.p_S = firing.direction * echo.range;
    point.p_W = rays_->rays[i].origin + rays_->directionOf(i) * echo.range;
    point.range = echo.range;
    point.intensity = intensityOf(echo.reflectivity, echo.range);
    point.reflectivity = echo.reflectivity;
    point.time = time;
    if (echo.of == Echo::Of::kSurface) {
      point.surfel = hits_[i].surfel;
      point.identity = hits_[i].identity;
      point.semantic_class = surfaces.semanticClass(hits_[i]);
    }
    point.shot = shot;
    point.column = column;
    point.ring = firing.ring;
    point.line = firing.line;
  }
}

}  // namespace marsim::lidar
