// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/beam.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "lidar/measure/beam_rays.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::lidar {
namespace {

/// Nine rays; half widths of the spot [m] at 1 m.
std::vector<BeamRay> nineRays(BeamConfig::Shape shape, float h, float v) {
  constexpr float kWeight = 1.0F / 9.0F;
  std::vector<BeamRay> rays = {{0.0F, 0.0F, kWeight},
                               {h, 0.0F, kWeight},
                               {-h, 0.0F, kWeight},
                               {0.0F, v, kWeight},
                               {0.0F, -v, kWeight}};
  const float share = shape == BeamConfig::Shape::kRectangle ? 1.0F : 0.5F;  // at corners
  for (const float side : {1.0F, -1.0F}) {
    for (const float up : {1.0F, -1.0F})
      rays.push_back({side * share * h, up * share * v, kWeight});
  }
  return rays;
}

/// Energy of a Gaussian spot between two radii, in units of the radius of its edge.
double energyBetween(double inner, double outer) {
  const auto outside = [](double r) { return std::exp(-2.0 * r * r); };
  return (outside(inner) - outside(outer)) / (1.0 - outside(1.0));
}

/// The place at the angle 2 pi `turn` of the unit circle.
Eigen::Vector2d onCircle(double turn) {
  return {std::cos(2.0 * kPi * turn), std::sin(2.0 * kPi * turn)};
}

/// The place after the part `turn` of the outline of a square from -1 to 1, which begins at (1, 0).
Eigen::Vector2d onSquare(double turn) {
  const double side = std::floor(4.0 * turn + 0.5), along = 8.0 * turn - 2.0 * side;
  return Eigen::Rotation2Dd(0.5 * kPi * side) * Eigen::Vector2d(1.0, along);
}

/// A middle and rings of 6, 12, ... rays, with spacing equal to the middle part's width. Rings of a
/// rectangle are rectangles, in which the energy is uniform.
std::vector<BeamRay> ringsOfRays(int rings, bool rectangle, double h, double v) {
  const double step = 1.0 / (rings + 0.5);  // the last ring's part ends at the spot's edge
  const auto energy = [&](double inner, double outer) {
    return rectangle ? outer * outer - inner * inner : energyBetween(inner, outer);
  };
  std::vector<BeamRay> rays = {{0.0F, 0.0F, static_cast<float>(energy(0.0, 0.5 * step))}};
  for (int ring = 1; ring <= rings; ++ring) {
    const int count = 6 * ring;
    const double share = energy((ring - 0.5) * step, (ring + 0.5) * step) / count;
    for (int i = 0; i < count; ++i) {
      // The second ring is turned by half a step, so that rays do not stand in lines.
      const double turn = (i + (ring == 2 ? 0.5 : 0.0)) / count;
      const Eigen::Vector2d place = ring * step * (rectangle ? onSquare(turn) : onCircle(turn));
      rays.push_back({static_cast<float>(h * place.x()), static_cast<float>(v * place.y()),
                      static_cast<float>(share)});
    }
  }
  return rays;
}

/// Rays in some rings around a middle.
constexpr int raysOfRings(int rings) { return 1 + 3 * rings * (rings + 1); }
constexpr int kMostRings = 3;
constexpr int kAuto = 0;  // raysBySpot(), while a file is read

}  // namespace

void BeamConfig::declare(Settings& settings) {
  constexpr Bounds kDivergences{0.0, 0.2};
  settings.optional("beam", [&](Settings& map) {
    std::vector<double> angles{divergence_horizontal, divergence_vertical};
    if (map.inFile("divergence") && !map.isList("divergence")) {
      map.required("divergence", angles[0], "rad", kDivergences);
      angles[1] = angles[0];
    } else {
      map.optional("divergence", angles, "rad", kDivergences);
    }
    if (angles.size() != 2) {
      map.fail("divergence", fmt::format("a list of {}", angles.size()),
               "an angle or [horizontal, vertical]");
    }
    divergence_horizontal = angles[0];
    divergence_vertical = angles[1];
    map.optional("shape", shape,
                 {{"circle", Shape::kCircle},
                  {"ellipse", Shape::kEllipse},
                  {"rectangle", Shape::kRectangle}});
    map.optional("rays", rays,
                 {{"1", 1}, {"7", 7}, {"9", 9}, {"19", 19}, {"37", 37}, {"auto", kAuto}});
    if (rays == kAuto) rays = raysBySpot();
    map.optional("pulse_length", pulse_length, "s", {0.0, 1e-6});
  });
}

void BeamConfig::validate(const std::string& where) const {
  checkSettings(where, *this);
  const Validator check(where);
  check.require(shape != Shape::kCircle || divergence_horizontal == divergence_vertical,
                "beam.shape", "circle", "ellipse | rectangle where the divergences differ");
  const bool is_known = rays == 1 || rays == 7 || rays == 9 || rays == 19 || rays == 37;
  check.require(is_known, "beam.rays", fmt::format("{}", rays), "1 | 7 | 9 | 19 | 37");
  check.require(rays == 1 || divergence_horizontal > 0.0 || divergence_vertical > 0.0,
                "beam.divergence", "0", "more than 0 rad where there are several rays");
}

int BeamConfig::raysBySpot() const {
  constexpr double kSpacing = 1e-3;  // [rad]
  const double wide = std::max(divergence_horizontal, divergence_vertical);
  int rings = 0;
  while (rings < kMostRings && wide > kSpacing * (2 * rings + 1)) ++rings;
  return raysOfRings(rings);
}

const std::vector<std::pair<std::string, ReturnMode>>& returnModes() {
  static const std::vector<std::pair<std::string, ReturnMode>> modes = {
      {"strongest", ReturnMode::kStrongest}, {"first", ReturnMode::kFirst},
      {"last", ReturnMode::kLast},           {"dual", ReturnMode::kDual},
      {"triple", ReturnMode::kTriple},       {"two_strongest", ReturnMode::kTwoStrongest}};
  return modes;
}

const char* nameOf(ReturnMode mode) {
  return returnModes()[static_cast<std::size_t>(mode)].first.c_str();
}

int mostReturns(ReturnMode mode) {
  switch (mode) {
    case ReturnMode::kTriple:
      return 3;
    case ReturnMode::kDual:
    case ReturnMode::kTwoStrongest:
      return 2;
    default:
      return 1;
  }
}

void ReturnsConfig::declare(Settings& settings) {
  settings.optional("returns", [&](Settings& map) {
    map.optional("mode", mode, returnModes());
    map.optional("signal_cutoff", signal_cutoff, "m", {0.0, 1000.0});
    map.optional("threshold", threshold, "1/m^2", kShare);
    map.optional("separation", separation, "m", {0.0, 100.0});
  });
}

void ReturnsConfig::validate(const std::string& where) const {
  checkSettings(where, *this);
  const Validator check(where);
  check.require(signal_cutoff == 0.0 || mode == ReturnMode::kFirst, "returns.signal_cutoff",
                fmt::format("{:g} m with mode {}", signal_cutoff, nameOf(mode)),
                "0 m, or mode first");
}

std::vector<BeamRay> beamRays(const BeamConfig& config) {
  const double h = std::tan(0.5 * config.divergence_horizontal);
  const double v = std::tan(0.5 * config.divergence_vertical);
  if (config.rays == 9) {
    return nineRays(config.shape, static_cast<float>(h), static_cast<float>(v));
  }
  for (int rings = 1; rings <= kMostRings; ++rings) {
    if (config.rays != raysOfRings(rings)) continue;
    return ringsOfRays(rings, config.shape == BeamConfig::Shape::kRectangle, h, v);
  }
  return {{0.0F, 0.0F, 1.0F}};
}

}  // namespace marsim::lidar
