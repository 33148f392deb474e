// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/vehicle/platform.hpp"

#include <fmt/format.h>

#include "marsim/common/error.hpp"

namespace marsim::vehicle {
namespace {

VehicleConfig validated(VehicleConfig config) {
  config.validate(config.name.empty() ? "vehicle" : config.name);
  return config;
}

}  // namespace

Platform::Platform(VehicleConfig config) : config_(validated(std::move(config))) {}

void Platform::requireCount(const RotorArray& speeds) const {
  if (speeds.size() == motorCount()) return;
  throw ConfigError(config_.name, "motor speeds", fmt::format("a list of {}", speeds.size()),
                    fmt::format("a list of {}, one for each motor", motorCount()));
}

}  // namespace marsim::vehicle
