// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/measure/surface_light.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/Geometry>

#include "lidar/measure/bloom_index.hpp"
#include "lidar/measure/fresnel.hpp"

namespace marsim::lidar {
namespace {

constexpr float kLeastCosine = 1e-3F;
constexpr double kLeastShare = 1e-6;  // smaller shares are rounding

/// Share that the surface of the medium mirrors; both faces of a pane, back and forth.
double mirroredShare(const SurfaceConfig& surface, double cosine) {
  const double face = fresnelReflectance(surface.refractive_index, cosine);
  return surface.transparent > 0.0 ? 2.0 * face / (1.0 + face) : face;
}

float atLeast(double share) { return share < kLeastShare ? 0.0F : static_cast<float>(share); }

}  // namespace

SurfaceLight::SurfaceLight(const SurfacesConfig& config) : config_(config) {
  for (const auto& [number, surface] : config_.classes) of_classes_[number] = &surface;
}

const SurfaceConfig* SurfaceLight::surfaceOf(const Hit& hit,
                                             const SurfaceChannels& surfaces) const {
  if (!config_.objects.empty()) {
    const auto found = config_.objects.find(hit.identity);
    if (found != config_.objects.end()) return &found->second;
  }
  return of_classes_[surfaces.semanticClass(hit)];
}

const SurfaceLight::Place* SurfaceLight::placeOf(std::size_t ray) const {
  const auto found =
      std::lower_bound(places_.begin(), places_.end(), ray,
                       [](const Place& place, std::size_t wanted) { return place.ray < wanted; });
  return found != places_.end() && found->ray == ray ? &*found : nullptr;
}

const SurfaceLight::Bloom* SurfaceLight::bloomOf(std::size_t shot) const {
  const auto found =
      std::lower_bound(blooms_.begin(), blooms_.end(), shot,
                       [](const Bloom& bloom, std::size_t wanted) { return bloom.shot < wanted; });
  return found != blooms_.end() && found->shot == shot ? &*found : nullptr;
}

void SurfaceLight::addPlaces(std::size_t from, const SurfaceChannels& surfaces,
                             const std::vector<Ray>& rays, const std::vector<Hit>& hits) {
  for (std::size_t ray = from; ray < hits.size(); ++ray) {
    if (!hits[ray].valid()) continue;
    const SurfaceConfig* surface = surfaceOf(hits[ray], surfaces);
    if (surface == nullptr) continue;
    const float cosine = std::clamp(hits[ray].incidenceCosine(rays[ray].direction), 0.0F, 1.0F);
    const double fresnel = mirroredShare(*surface, static_cast<double>(cosine));
    const double rest = 1.0 - fresnel;
    const double mirrored = fresnel + rest * surface->specular;
    const double passing = rest * surface->transparent;
    places_.push_back({static_cast<std::uint32_t>(ray),
                       surface,
                       atLeast(1.0 - mirrored - passing),
                       atLeast(mirrored),
                       atLeast(passing),
                       {}});
  }
}

/// Adds the rays that go on from a place, numbered from `first` on. They begin at the clearance
/// from the surface's plane.
void SurfaceLight::goOn(Place& place, const Ray& ray, const Hit& hit, std::size_t first,
                        std::vector<Ray>& onward) const {
  const float cosine = std::max(hit.incidenceCosine(ray.direction), kLeastCosine);
  const float clear = static_cast<float>(config_.clearance) / cosine;
  const auto add = [&](Branch& branch, float share, float before, const Ray& next) {
    if (!(share > 0.0F) || !(next.range_min < next.range_max)) return;
    branch = {static_cast<std::uint32_t>(first + onward.size()), share, before};
    onward.push_back(next);
  };
  const Eigen::Vector3f mirrored =
      (ray.direction - 2.0F * hit.normal.dot(ray.direction) * hit.normal).normalized();
  add(place.branches[0], place.mirrored, hit.range,
      {ray.origin + hit.range * ray.direction, ray.range_max - hit.range, mirrored, ray.time,
       clear});
  Ray straight = ray;
  straight.range_min = hit.range + clear;
  add(place.branches[1], place.passing, 0.0F, straight);
}

void SurfaceLight::follow(TimeNs begin, const RayRenderer& renderer, View<MovingObject> objects,
                          const SurfaceChannels& surfaces, ScanRays& rays, std::vector<Hit>& hits) {
  places_.clear();
  blooms_.clear();
  reached_.clear();
  onward_.clear();
  addPlaces(0, surfaces, rays.rays, hits);
  if (places_.empty()) return;
  const std::size_t cast = hits.size(), shots = cast / rays.beam.size();
  reached_.assign(shots, 0);
  for (Place& place : places_) {
    reached_[place.ray / rays.beam.size()] = 1;
    goOn(place, rays.rays[place.ray], hits[place.ray], cast, onward_);
  }
  bloom(rays, shots);
  if (onward_.empty()) return;
  renderer.castFew(begin, onward_, objects, onward_hits_);
  rays.rays.insert(rays.rays.end(), onward_.begin(), onward_.end());
  hits.insert(hits.end(), onward_hits_.begin(), onward_hits_.end());
  addPlaces(cast, surfaces, rays.rays, hits);
}

/// Gives shots without a direct hit light of the retro-reflector that they pass most closely.
void SurfaceLight::bloom(const ScanRays& rays, std::size_t shots) {
  std::vector<BloomIndex::Source> sources;
  std::vector<std::uint8_t> meets(shots, 0);
  for (const Place& place : places_) {
    const SurfaceConfig& surface = *place.surface;
    if (!(surface.retro_reflective > 0.0)) continue;
    meets[place.ray / rays.beam.size()] = 1;
    if (!(surface.bloom_angle > 0.0)) continue;
    sources.push_back({rays.rays[place.ray].direction, place.ray,
                       static_cast<float>(2.0 * std::sin(0.5 * surface.bloom_angle)),
                       static_cast<float>(surface.bloom_share)});
  }
  if (sources.empty()) return;
  const BloomIndex index(std::move(sources));
  for (std::size_t shot = 0; shot < shots; ++shot) {
    if (meets[shot] != 0) continue;
    const BloomIndex::Source* source = index.nearestTo(rays.middleOf(shot).direction);
    if (source == nullptr) continue;
    blooms_.push_back({static_cast<std::uint32_t>(shot), source->ray, source->share});
    reached_[shot] = 1;
  }
}

}  // namespace marsim::lidar
