// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/collision/checker.hpp"
#include "marsim/geometry/pose.hpp"

namespace marsim::collision {

/// Restitution and friction of a body that hits something. Published figures for whole multirotors
/// were not found: the defaults are choices.
struct ImpactConfig {
  /// Coefficient of restitution, 0 to 1, up to yield_speed. Above it the body yields and the
  /// coefficient falls with the speed's fourth root (K. L. Johnson, "Contact Mechanics", 1985,
  /// chapter 11: e is proportional to V^(-1/4)).
  double restitution = 0.3;
  double yield_speed = 1.0;  ///< [m/s]
  double friction = 0.4;     ///< Coulomb's coefficient

  /// Throws ConfigError.
  void validate(const std::string& where) const;
  /// Coefficient of restitution at a speed of approach [m/s].
  double restitutionAt(double speed) const;
};

/// A free rigid body; its origin is its centre of mass.
struct RigidBody {
  double mass = 1.0;                                  ///< [kg]
  Eigen::Vector3d inertia = Eigen::Vector3d::Ones();  ///< [kg m^2] principal, about B's axes
  Pose X_WB;
  Eigen::Vector3d v_WB = Eigen::Vector3d::Zero();    ///< [m/s] in W
  Eigen::Vector3d w_WB_B = Eigen::Vector3d::Zero();  ///< [rad/s] in B

  double kineticEnergy() const;  ///< [J]
};

/// Objects that give way when they are hit, by identity.
using RigidBodies = std::map<std::uint32_t, RigidBody>;

/// Returns the impulse [N s in W] on a body at a touch: Newton's restitution along the normal and
/// Coulomb's friction across it, through the effective mass at that point of the body, and of
/// `other` if it gives way (R. Featherstone, "Rigid Body Dynamics Algorithms", 2008, section 11.8;
/// sticking if the impulse lies in the friction cone, else sliding). The impulse never adds energy
/// to the two bodies or, without `other`, as seen from the point: where Newton's law with friction
/// would (Kane and Levinson, "Dynamics", 1985), it is scaled down. Zero where they do not approach.
Eigen::Vector3d contactImpulse(const ImpactConfig& config, const RigidBody& body,
                               const Touch& touch, const RigidBody* other = nullptr);

/// Applies an impulse [N s in W] at a place [m in W].
void applyImpulse(const Eigen::Vector3d& impulse_W, const Eigen::Vector3d& p_W, RigidBody& body);

/// The speed [m/s] at which a body approaches one of its touches fastest; 0 where it approaches
/// none.
double fastestApproach(const std::vector<Touch>& touches, const RigidBody& body,
                       const RigidBodies& others);

/// Bounces a body off all its touches, the fastest approach first, until it approaches none of them
/// (or after a few impulses). Bodies in `others` take the opposite impulses, everything else counts
/// as infinitely heavy. Returns whether an impulse was applied.
bool bounce(const ImpactConfig& config, const std::vector<Touch>& touches, RigidBody& body,
            RigidBodies& others);

}  // namespace marsim::collision
