// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "marsim/sim/body.hpp"

namespace marsim::sim {

// Data sheets give rotors and a bounding radius; the rest is in proportion to the arms.
scene::BodyConfig bodyOf(const vehicle::VehicleConfig& config) {
  scene::BodyConfig body;
  body.cloud = config.body;
  if (const auto& drive = config.differential_drive) {
    body.hub_half = 0.5 * drive->size;
    return body;
  }
  double arm = 0.0;
  for (const vehicle::RotorConfig& rotor : config.rotors) {
    body.rotors.push_back(rotor.position);
    arm = std::max(arm, rotor.position.head<2>().norm());
  }
  body.hub_half = {0.3 * arm, 0.3 * arm, 0.125 * arm};
  body.arm_radius = 0.05 * arm;
  body.propeller_radius = std::max(config.radius - arm, 0.2 * arm);
  body.propeller_half_height = 0.04 * arm;
  return body;
}

std::shared_ptr<const map::SurfelMap> bodyShapeOf(const vehicle::VehicleConfig& config) {
  const scene::BodyConfig body = bodyOf(config);
  return scene::bodyShape(body, scene::bodyResolution(body));
}

collision::RigidBody rigidBodyOf(const scene::PeerMotion& motion) {
  return {motion.mass.mass, motion.mass.inertia, motion.X_WB, motion.v_WB, motion.w_WB_B};
}

}  // namespace marsim::sim
