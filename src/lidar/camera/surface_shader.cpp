// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/camera/surface_shader.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lidar/camera/dull_day.hpp"
#include "lidar/camera/srgb.hpp"
#include "marsim/common/random.hpp"
#include "marsim/map/semantic_class.hpp"
#include "marsim/map/surfel_search.hpp"
#include "marsim/scene/calibration_target.hpp"
#include "marsim/scene/vegetation.hpp"

namespace marsim::lidar {
namespace {

/// [r] within which surfels affect the colour of a place. Larger than the disc that a ray can meet,
/// so that no disc's edge shows.
constexpr double kReach = 1.5;
/// Limits for surfels of the same surface, as for ranges of blended maps.
constexpr float kLeastCosine = 0.8F;
constexpr float kLargestOffset = 0.5F;  // [r]
/// [r] Pixels wider than this do not show a disc's edge: its own colour and normal are used.
constexpr float kWidePixel = 0.5F;

/// Reflectivities of prints.
constexpr float kPaper = 0.85F, kInk = 0.04F;
/// Sine of the angle between ray and plate from which on the print is seen.
constexpr double kLeastSine = 1e-3;

/// Spread of the shades of blades and leaves about their class's, in amplitudes of the texture.
constexpr float kPlantContrast = 2.0F;

float lightOn(const Eigen::Vector3f& normal_W) {
  const Eigen::Vector3f sun(kSunward);
  const float sky = 0.5F + 0.5F * normal_W.z();
  return kFromSky * sky + kFromGround * (1.0F - sky) + kFromSun * std::max(normal_W.dot(sun), 0.0F);
}

Radiance linearOf(const map::Colour& colour) {
  return {linearOfSrgb(colour[0]), linearOfSrgb(colour[1]), linearOfSrgb(colour[2])};
}

}  // namespace

ColourSource colourSourceOf(const map::SurfelChannelViews& channels) {
  return !channels.colour.empty()         ? ColourSource::kColours
         : !channels.classes.empty()      ? ColourSource::kClasses
         : !channels.reflectivity.empty() ? ColourSource::kReflectivity
                                          : ColourSource::kNone;
}

map::Colour colourOfClass(std::uint8_t semantic_class) {
  namespace semantic = map::semantic;
  switch (semantic_class) {
    case semantic::kCar:
    case semantic::kOtherVehicle:
      return {168, 62, 48};
    case semantic::kBicycle:
    case semantic::kMotorcycle:
      return {52, 66, 92};
    case semantic::kBus:
    case semantic::kTruck:
    case semantic::kOnRails:
      return {196, 168, 84};
    case semantic::kPerson:
      return {86, 92, 118};
    case semantic::kRoad:
    case semantic::kParking:
      return {98, 98, 100};
    case semantic::kSidewalk:
    case semantic::kOtherGround:
    case semantic::kFloor:
      return {132, 128, 122};
    case semantic::kBuilding:
    case semantic::kWall:
    case semantic::kCeiling:
      return {186, 178, 164};
    case semantic::kFence:
    case semantic::kOtherObject:
    case semantic::kTable:
    case semantic::kChair:
      return {134, 112, 88};
    case semantic::kLaneMarking:
      return {222, 222, 218};
    case semantic::kVegetation:
      return {78, 108, 54};
    case semantic::kTrunk:
      return {98, 80, 62};
    case semantic::kTerrain:
      return {104, 116, 68};
    case semantic::kTrafficSign:
      return {196, 60, 52};
    default:
      return {150, 148, 144};
  }
}

namespace {

// Linear colours of surfels with such channels.
SurfelColours coloursOf(const map::SurfelChannelViews& channels) {
  SurfelColours colours;
  const auto fill = [&](const auto& valueOf) {
    for (int byte = 0; byte < 256; ++byte) {
      const Radiance value = valueOf(static_cast<std::uint8_t>(byte));
      for (int i = 0; i < 3; ++i) colours.values[i][byte] = value[i];
    }
  };
  const auto readFrom = [&](const std::uint8_t* bytes, std::size_t between, std::size_t step) {
    for (std::size_t i = 0; i < 3; ++i) colours.bytes[i] = bytes + i * between;
    colours.step = step;
  };
  switch (colourSourceOf(channels)) {
    case ColourSource::kColours:
      readFrom(channels.colour.data()->data(), 1, 3);
      fill([](std::uint8_t byte) { return Radiance::Constant(linearOfSrgb(byte)).eval(); });
      break;
    case ColourSource::kClasses:
      readFrom(channels.classes.data(), 0, 1);
      fill([](std::uint8_t byte) { return linearOf(colourOfClass(byte)); });
      break;
    case ColourSource::kReflectivity:
      readFrom(channels.reflectivity.data(), 0, 1);
      fill([](std::uint8_t byte) {
        return Radiance::Constant(static_cast<float>(byte) / 255.0F).eval();
      });
      break;
    case ColourSource::kNone:
      fill([](std::uint8_t) { return linearOf(colourOfClass(map::semantic::kNone)); });
  }
  return colours;
}

}  // namespace

SurfaceShader::SurfaceShader(std::shared_ptr<const map::SurfelMap> map,
                             map::SurfelChannelViews plants, const TextureConfig& texture,
                             CameraLight light)
    : map_(std::move(map)),
      colours_(coloursOf(map_->channels())),
      plants_(plants),
      plant_contrast_(kPlantContrast * static_cast<float>(texture.amplitude)) {
  textures_.emplace_back(texture.amplitude, texture.coarsest, texture.finest);
  if (light == CameraLight::kFlat) return;
  daylight_ = Daylight::on(map_, colours_);
  colours_ = daylight_->colours();
  const auto contrast = static_cast<float>(texture.amplitude / TextureConfig{}.amplitude);
  for (int i = 1; i < kMaterialCount; ++i) {
    textures_.emplace_back(lidar::textureOf(static_cast<SurfaceMaterial>(i)), contrast);
  }
}

void SurfaceShader::describe(const Eigen::Vector3d& about, ShadeSettings& settings) const {
  static_assert(kMaterialCount <= ShadeSettings::kMostTextures);
  for (std::size_t i = 0; i < textures_.size(); ++i) {
    textures_[i].describe(about, settings.textures[i]);
  }
  settings.is_lit = daylight_ != nullptr;
}

SurfaceShader::Job::Job(const SurfaceShader& shader, View<MovingObject> objects)
    : shader_(shader), kept_(std::size_t{1} << kKeptBits) {
  for (const MovingObject& object : objects) {
    const map::SurfelChannelViews channels = object.shape->channels();
    const bool has_own = channels.colour.size() > 0;
    Object known{&object, coloursOf(channels), std::nullopt, 0.0, object.at(0.0)};
    if (!has_own && object.semantic_class) {
      known.colour = linearOf(colourOfClass(*object.semantic_class));
    }
    objects_.push_back(known);
  }
  std::stable_sort(objects_.begin(), objects_.end(), [](const Object& a, const Object& b) {
    return a.thing->identity < b.thing->identity;
  });
}

// The object of an identity that exists then, if several share it; null: the map.
const SurfaceShader::Job::Object* SurfaceShader::Job::objectOf(std::uint32_t identity,
                                                               double time) {
  if (identity == kMapIdentity) return nullptr;
  auto found = std::lower_bound(
      objects_.begin(), objects_.end(), identity,
      [](const Object& known, std::uint32_t wanted) { return known.thing->identity < wanted; });
  while (!found->thing->isThere(time)) ++found;
  if (found->time != time) {
    found->time = time;
    found->X_WM = found->thing->at(time);
  }
  return &*found;
}

const SurfaceShader::Job::Neighbourhood& SurfaceShader::Job::around(const map::SurfelMap& shape,
                                                                    const SurfelColours& colours,
                                                                    std::uint32_t surfel,
                                                                    bool is_back) {
  Neighbourhood& kept = kept_[(surfel * 0x9e3779b1U) >> (32U - kKeptBits)];
  if (kept.shape == &shape && kept.surfel == surfel && kept.is_back == is_back) return kept;
  const map::SurfelTreeView& tree = shape.tree();
  const map::FoundSurfel middle = map::surfelOf(tree, surfel);
  const auto r = static_cast<float>(shape.resolution());
  const Eigen::Vector3f normal = middle.normal.normalized();
  kept.shape = &shape;
  kept.surfel = surfel;
  kept.is_back = is_back;
  kept.planar = middle.planar;
  kept.surfels.clear();
  if (!middle.planar) {  // balls are leaves and the like, each with a colour of its own
    kept.surfels.push_back({middle.position, normal, colours.of(surfel)});
    return kept;
  }
  found_.clear();
  map::surfelsWithin(tree, middle.position.cast<double>(),
                     static_cast<double>(shape.radius()) + kReach * shape.resolution(), found_);
  std::sort(found_.begin(), found_.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  for (const map::FoundSurfel& found : found_) {
    Eigen::Vector3f n = found.normal.normalized();
    const float cosine = n.dot(normal);
    const float offset = std::abs(normal.dot(found.position - middle.position));
    const bool agrees =
        found.planar && std::abs(cosine) >= kLeastCosine && offset <= kLargestOffset * r;
    if (!agrees && found.number != surfel) continue;
    if (cosine < 0.0F) n = -n;
    kept.surfels.push_back(
        {found.position, n, colours.of(found.number, is_back != (cosine < 0.0F))});
  }
  return kept;
}

SurfaceShader::Job::Look SurfaceShader::Job::lookOf(const map::SurfelMap& shape,
                                                    const SurfelColours& colours,
                                                    const SeenSurface& surface,
                                                    const Eigen::Vector3f& p) {
  const std::uint32_t number = surface.hit.surfel;
  const auto ownLook = [&] {
    const map::FoundSurfel own = map::surfelOf(shape.tree(), number);
    const bool is_back = own.planar && own.normal.dot(surface.direction_W) > 0.0F;
    return Look{colours.of(number, is_back), own.normal.normalized(), own.planar};
  };
  if (surface.width > kWidePixel * static_cast<float>(shape.resolution())) {
    return ownLook();
  }
  // Hits' normals are towards the camera; only surfels of the map have two sides.
  bool is_back = false;
  if (colours.to_back != 0) {
    is_back = map::surfelOf(shape.tree(), number).normal.dot(surface.direction_W) > 0.0F;
  }
  const Neighbourhood& around = this->around(shape, colours, number, is_back);
  const auto reach = static_cast<float>(kReach * shape.resolution());
  const float inverse_reach2 = 1.0F / (reach * reach);
  float sum = 0.0F;
  Eigen::Vector3f colour = Eigen::Vector3f::Zero(), normal = Eigen::Vector3f::Zero();
  for (const Neighbour& surfel : around.surfels) {
    const float share = 1.0F - (surfel.position - p).squaredNorm() * inverse_reach2;
    if (share <= 0.0F) continue;
    const float weight = share * share;
    sum += weight;
    colour += weight * surfel.colour;
    normal += weight * surfel.normal;
  }
  if (sum > 0.0F) return {colour / sum, normal.normalized(), around.planar};
  return ownLook();
}

Radiance SurfaceShader::Job::radianceOf(const SeenSurface& surface) {
  if (scene::isPlant(surface.hit.identity)) return radianceOfPlant(surface);
  const Object* const object = objectOf(surface.hit.identity, static_cast<double>(surface.time));
  if (object != nullptr && object->thing->print) return radianceOfPlate(surface, *object);
  const map::SurfelMap& shape = object != nullptr ? *object->thing->shape : *shader_.map_;
  const Eigen::Vector3d p_M =
      object != nullptr ? object->X_WM.inverse() * surface.p_W : surface.p_W;
  const SurfelColours& colours = object != nullptr ? object->colours : shader_.colours_;
  const Look look = lookOf(shape, colours, surface, (p_M - shape.origin()).cast<float>());
  const Radiance colour = object != nullptr && object->colour ? *object->colour : look.colour;
  const bool is_lit = object == nullptr && shader_.daylight_ != nullptr;
  const SolidTexture& texture =
      shader_.textures_[object == nullptr ? shader_.textureOf(surface.hit.surfel) : 0];
  if (!look.planar) {
    return (is_lit ? 1.0F : kLightOnLeaves) *
           colour.cwiseProduct(
               texture.at(p_M, Eigen::Vector3f::Zero(), surface.width, Eigen::Vector3f::Zero()));
  }
  Eigen::Vector3f n = look.normal;
  if (object != nullptr) n = object->X_WM.q.cast<float>() * n;
  if (n.dot(surface.direction_W) > 0.0F) n = -n;
  const float cosine = -n.dot(surface.direction_W), light = is_lit ? 1.0F : lightOn(n);
  // A pixel is long on a surface that it grazes.
  const float longer = surface.width * (1.0F / std::max(cosine, kLeastIncidence) - 1.0F);
  Eigen::Vector3f span = (surface.direction_W + n * cosine).normalized() * longer;
  if (object != nullptr) {
    const Eigen::Quaternionf q_MW = object->X_WM.q.conjugate().cast<float>();
    span = q_MW * span;
    n = q_MW * n;
  }
  return light * colour.cwiseProduct(texture.at(p_M, n, surface.width, span));
}

// Blades and leaves sway and are thinner than the texture: each has a shade of its own.
Radiance SurfaceShader::Job::radianceOfPlant(const SeenSurface& surface) const {
  const Hit& hit = surface.hit;
  const std::uint64_t number = (std::uint64_t{hit.identity} << 32U) | hit.surfel;
  const float deviate = static_cast<float>(mixBits(number) >> 40U) * 0x1p-23F - 1.0F;
  return lightOn(hit.normal) * std::exp(shader_.plant_contrast_ * deviate) *
         linearOf(colourOfClass(shader_.plants_.classes[hit.surfel]));
}

// The print has no grain, and its dark share over a pixel is exact where the pixel's sides are
// parallel to the cells'; else it is that of a rectangle of equal second moments.
Radiance SurfaceShader::Job::radianceOfPlate(const SeenSurface& surface, const Object& plate) {
  const Eigen::Quaterniond q_MW = plate.X_WM.q.conjugate();
  const Eigen::Vector3d p = q_MW * (surface.p_W - plate.X_WM.p);
  const Eigen::Vector3d d = q_MW * surface.direction_W.cast<double>();
  const bool is_front = d.x() < -kLeastSine;
  const Eigen::Vector3f front_W = (plate.X_WM.q * Eigen::Vector3d::UnitX()).cast<float>();
  const float light = lightOn(is_front ? front_W : -front_W);
  if (!is_front) return Radiance::Constant(light * kPaper);
  // The surfels are places of the plane, rounded; the print is in the plane itself.
  const double ahead = -p.x() / d.x(), range = static_cast<double>(surface.hit.range) + ahead;
  const Eigen::Vector2d middle = (p + ahead * d).tail<2>();
  const auto across = [&](const Eigen::Vector3f& difference_W) -> Eigen::Vector2d {
    const Eigen::Vector3d difference = q_MW * difference_W.cast<double>();
    return range * (difference - d * (difference.x() / d.x())).tail<2>();
  };
  const Eigen::Array2d right = across(surface.right_W), down = across(surface.down_W);
  const Eigen::Vector2d half = 0.5 * (right.square() + down.square()).sqrt().matrix();
  const auto dark = static_cast<float>(plate.thing->print->darkShare(middle, half));
  return Radiance::Constant(light * (kPaper + dark * (kInk - kPaper)));
}

Radiance SurfaceShader::sky(const Eigen::Vector3f& direction_W) const {
  if (daylight_) return Daylight::sky(direction_W);
  const Radiance horizon(0.80F, 0.83F, 0.86F), zenith(0.50F, 0.56F, 0.64F),
      ground(0.16F, 0.16F, 0.14F);
  const float up = direction_W.z();
  if (up >= 0.0F) return horizon + std::sqrt(up) * (zenith - horizon);
  return horizon + std::min(-up * 20.0F, 1.0F) * (ground - horizon);
}

}  // namespace marsim::lidar
