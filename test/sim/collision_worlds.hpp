// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "marsim/common/random.hpp"
#include "marsim/sim/collisions.hpp"
#include "marsim/sim/world.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::sim {

using collision::ContactEvent;
using Eigen::Vector3d;

constexpr TimeNs kStep = kNsPerSecond / 1000;
constexpr double kCell = 0.1;  // [m] of the maps

/// Surfels a cell apart, put down by hand.
class MapMaker {
 public:
  /// A sheet of points from `corner` along two sides [m], up to `rough` off.
  void sheet(const Vector3d& corner, const Vector3d& a, const Vector3d& b, double rough = 0.0) {
    const Vector3d n = a.cross(b).normalized();
    for (double u = 0.0; u <= a.norm(); u += kCell) {
      for (double v = 0.0; v <= b.norm(); v += kCell) {
        add(corner + u * a.normalized() + v * b.normalized() +
                random_.uniform(-rough, rough) * Vector3d::UnitZ(),
            n, true);
      }
    }
  }
  void pole(double x, double y, double height) {
    for (double z = 0.0; z < height; z += kCell) add({x, y, z}, Vector3d::UnitX(), false);
  }
  std::shared_ptr<const map::SurfelMap> make() const {
    map::SurfelMapConfig config;
    config.resolution = kCell;
    return std::make_shared<const map::SurfelMap>(surfels_, config);
  }

 private:
  void add(const Vector3d& p, const Vector3d& n, bool planar) {
    surfels_.push_back({p.cast<float>(), n.cast<float>(), planar ? 0.0F : 1.0F});
  }
  std::vector<map::Surfel> surfels_;
  RandomStream random_{1, "map"};
};

inline UavConfig uavAt(const Vector3d& p_WB) {
  UavConfig config;
  config.vehicle = vehicle::hummingbird();
  config.start_p_WB = p_WB;
  return config;
}

/// A dynamics step of a vehicle and what follows of its touches.
inline void step(Collisions& collisions, vehicle::Quadrotor& quadrotor,
                 const Collisions::ObjectsNear& objectsNear, std::vector<ContactEvent>& events,
                 const Collisions::RigidBodyOf& rigidBodyOf = {}) {
  const KinematicState before = quadrotor.state();
  quadrotor.step(kStep);
  collisions.act(before, quadrotor, objectsNear, events, rigidBodyOf);
}

inline std::string text(const ContactEvent& event) {
  return (event.begins ? "+" : "-") + scene::identityName(event.hit.identity);
}

// Events of a UAV as they come, in words.
inline std::vector<std::string>& noteContacts(Uav& uav, std::vector<std::string>& notes) {
  uav.on_contact = [&notes](const ContactEvent& event) { notes.push_back(text(event)); };
  return notes;
}

}  // namespace marsim::sim
