// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/surfaces.hpp"

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/map/semantic_class.hpp"
#include "marsim/scene/moving_object.hpp"

namespace marsim::lidar {

void SurfaceConfig::declare(Settings& settings) {
  settings.optional("refractive_index", refractive_index, "", {1.0, 4.0});
  settings.optional("specular", specular, "", kShare);
  settings.optional("transparent", transparent, "", kShare);
  settings.optional("retro_reflective", retro_reflective, "", {0.0, 1e6});
  settings.optional("bloom", [&](Settings& bloom) {
    bloom.required("angle", bloom_angle, "rad", {0.0, radians(30.0)});
    bloom.required("share", bloom_share, "", kShare);
  });
}

void SurfaceConfig::validate(const std::string& where) const {
  checkSettings(where, *this);
  const Validator check(where);
  check.require(specular + transparent <= 1.0 + 1e-9, "specular + transparent",
                fmt::format("{:g}", specular + transparent), "at most 1");
  check.require(bloom_angle == 0.0 || bloom_angle >= 1e-5, "bloom.angle",
                fmt::format("{:g} rad", bloom_angle), "0, or 1e-5 rad and more");
  check.require(bloom_angle == 0.0 || retro_reflective > 0.0, "bloom",
                fmt::format("{:g} rad", bloom_angle), "where retro_reflective is more than 0");
}

void SurfacesConfig::validate(const std::string& where) const {
  Validator(where).within("clearance", clearance, 0.0, 10.0, "m");
  for (const auto& [number, surface] : classes) {
    surface.validate(fmt::format("{}: {}", where, map::semantic::nameOf(number)));
  }
  for (const auto& [identity, surface] : objects) {
    surface.validate(fmt::format("{}: {}", where, scene::identityName(identity)));
  }
}

}  // namespace marsim::lidar
