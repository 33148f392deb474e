// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/beam.hpp"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

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

/// A middle and rings of 6, 12, ... rays, with spacing equal to the middle disc's diameter.
std::vector<BeamRay> ringsOfRays(int rings, double h, double v) {
  const double step = 1.0 / (rings + 0.5);  // the last ring's annulus ends at the spot's edge
  std::vector<BeamRay> rays = {{0.0F, 0.0F, static_cast<float>(energyBetween(0.0, 0.5 * step))}};
  for (int ring = 1; ring <= rings; ++ring) {
    const int count = 6 * ring;
    const double energy = energyBetween((ring - 0.5) * step, (ring + 0.5) * step);
    for (int i = 0; i < count; ++i) {
      // The outer ring is turned by half a step, so that rays do not stand in lines.
      const double angle = 2.0 * kPi * (i + (ring == 2 ? 0.5 : 0.0)) / count;
      rays.push_back({static_cast<float>(h * ring * step * std::cos(angle)),
                      static_cast<float>(v * ring * step * std::sin(angle)),
                      static_cast<float>(energy / count)});
    }
  }
  return rays;
}

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
    map.optional("rays", rays);
    map.optional("pulse_length", pulse_length, "s", {0.0, 1e-6});
  });
}

void BeamConfig::validate(const std::string& where) const {
  checkSettings(where, *this);
  const Validator check(where);
  check.require(shape != Shape::kCircle || divergence_horizontal == divergence_vertical,
                "beam.shape", "circle", "ellipse | rectangle where the divergences differ");
  const bool rectangle = shape == Shape::kRectangle;
  check.require(rays == 1 || rays == 9 || (!rectangle && (rays == 7 || rays == 19)), "beam.rays",
                fmt::format("{}", rays), rectangle ? "1 | 9 of a rectangle" : "1 | 7 | 9 | 19");
  if (rays == 1) return;
  check.require(divergence_horizontal > 0.0 || divergence_vertical > 0.0, "beam.divergence", "0",
                "more than 0 rad where there are several rays");
  check.require(pulse_length > 0.0, "beam.pulse_length", "0 s",
                "more than 0 s where there are several rays");
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
  if (config.rays > 1) return ringsOfRays(config.rays == 7 ? 1 : 2, h, v);
  return {{0.0F, 0.0F, 1.0F}};
}

}  // namespace marsim::lidar
