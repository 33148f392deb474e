// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "marsim/collision/impact.hpp"
#include "marsim/map/surfel_map.hpp"
#include "marsim/scene/peers.hpp"
#include "marsim/scene/vehicle_body.hpp"
#include "marsim/vehicle/vehicle_config.hpp"

namespace marsim::sim {

/// The body that others see, derived from the vehicle's description.
scene::BodyConfig bodyOf(const vehicle::VehicleConfig& config);
/// The surfels of the body that others see. Throws as scene::bodyShape does.
std::shared_ptr<const map::SurfelMap> bodyShapeOf(const vehicle::VehicleConfig& config);

/// A UAV as a rigid body, which an impact pushes.
collision::RigidBody rigidBodyOf(const scene::PeerMotion& motion);

}  // namespace marsim::sim
