// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/paint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "common/nth_smallest.hpp"
#include "map_tools/survey.hpp"
#include "marsim/common/error.hpp"
#include "marsim/map/semantic_class.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::map_tools {
namespace {

using map::Colour;

const std::vector<std::pair<std::string, Paint>>& paints() {
  static const std::vector<std::pair<std::string, Paint>> all = {
      {"auto", Paint::kAuto},           {"height", Paint::kHeight}, {"rgb", Paint::kRgb},
      {"intensity", Paint::kIntensity}, {"class", Paint::kClass},   {"normal", Paint::kNormal}};
  return all;
}

std::vector<Colour> byIntensity(const std::vector<float>& intensity) {
  std::vector<float> sorted = intensity;
  const auto at = static_cast<std::size_t>(0.98 * static_cast<double>(sorted.size() - 1));
  const float most = std::max(1e-6F, nthSmallest(sorted, at));
  std::vector<Colour> colours;
  colours.reserve(intensity.size());
  for (const float value : intensity) {
    const auto shade = static_cast<std::uint8_t>(
        std::lround(30.0F + 225.0F * std::clamp(value / most, 0.0F, 1.0F)));
    colours.push_back({shade, shade, shade});
  }
  return colours;
}

/// The colours of semantic-kitti-api (config/semantic-kitti.yaml), as red, green and blue, and
/// those of interiors.
std::array<Colour, 256> classColours() {
  namespace semantic = map::semantic;
  std::array<Colour, 256> colours{};
  colours.fill({110, 110, 110});
  colours[semantic::kCar] = {100, 150, 245};
  colours[semantic::kBicycle] = {100, 230, 245};
  colours[semantic::kBus] = {100, 80, 250};
  colours[semantic::kMotorcycle] = {30, 60, 150};
  colours[semantic::kOnRails] = {0, 0, 255};
  colours[semantic::kTruck] = {80, 30, 180};
  colours[semantic::kOtherVehicle] = {0, 0, 255};
  colours[semantic::kPerson] = {255, 30, 30};
  colours[semantic::kRoad] = {255, 0, 255};
  colours[semantic::kParking] = {255, 150, 255};
  colours[semantic::kSidewalk] = {75, 0, 75};
  colours[semantic::kOtherGround] = {175, 0, 75};
  colours[semantic::kBuilding] = {255, 200, 0};
  colours[semantic::kFence] = {255, 120, 50};
  colours[semantic::kOtherStructure] = {255, 150, 0};
  colours[semantic::kLaneMarking] = {150, 255, 170};
  colours[semantic::kVegetation] = {0, 175, 0};
  colours[semantic::kTrunk] = {135, 60, 0};
  colours[semantic::kTerrain] = {150, 240, 80};
  colours[semantic::kPole] = {255, 240, 150};
  colours[semantic::kTrafficSign] = {255, 0, 0};
  colours[semantic::kOtherObject] = {50, 255, 255};
  colours[semantic::kFloor] = {175, 140, 100};
  colours[semantic::kCeiling] = {200, 200, 220};
  colours[semantic::kWall] = {255, 200, 0};
  colours[semantic::kTable] = {150, 75, 30};
  colours[semantic::kChair] = {80, 220, 200};
  return colours;
}

std::vector<Colour> byNormal(const map::PointCloud& cloud, Progress& progress) {
  const double radius = 3.0 * std::max(1e-3, medianSpacing(cloud));
  std::vector<Colour> colours;
  colours.reserve(cloud.size());
  for (const map::Surfel& surfel : map::estimateSurfels(cloud, radius, progress)) {
    Colour& colour = colours.emplace_back();
    for (int axis = 0; axis < 3; ++axis) {
      colour[static_cast<std::size_t>(axis)] =
          static_cast<std::uint8_t>(std::lround(40.0F + 215.0F * std::abs(surfel.normal[axis])));
    }
  }
  return colours;
}

}  // namespace

const char* nameOf(Paint paint) { return paints()[static_cast<std::size_t>(paint)].first.c_str(); }

Paint paintOf(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, paint] : paints()) {
    if (known == name) return paint;
    names.push_back(known);
  }
  throw UnknownNameError("command line", "colour", name, names);
}

std::vector<Colour> coloursOf(const map::PointCloud& cloud, Paint paint, Progress& progress) {
  const auto require = [](bool there, const char* what) {
    if (!there) throw Error(std::string("the map has no ") + what + " to colour it by");
  };
  switch (paint) {
    case Paint::kAuto:
      return cloud.colour;
    case Paint::kHeight:
      return {};
    case Paint::kRgb:
      require(cloud.hasColour(), "colours");
      return cloud.colour;
    case Paint::kIntensity:
      require(cloud.hasIntensity(), "intensities");
      return byIntensity(cloud.intensity);
    case Paint::kClass: {
      require(cloud.hasClasses(), "classes");
      static const std::array<Colour, 256> of_classes = classColours();
      std::vector<Colour> colours;
      for (const std::uint8_t number : cloud.classes) colours.push_back(of_classes[number]);
      return colours;
    }
    case Paint::kNormal:
      return byNormal(cloud, progress);
  }
  return {};
}

}  // namespace marsim::map_tools
