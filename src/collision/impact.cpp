// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/collision/impact.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "marsim/common/error.hpp"

namespace marsim::collision {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr int kMostBlows = 24;    // in one step
constexpr double kAtRest = 1e-9;  // [m/s] of approach
constexpr double kSame = 1e-9;    // tolerance for touches that count as equally fast

Matrix3d cross(const Vector3d& r) {
  Matrix3d m;
  m << 0.0, -r.z(), r.y(), r.z(), 0.0, -r.x(), -r.y(), r.x(), 0.0;
  return m;
}

Vector3d velocityAt(const RigidBody& body, const Vector3d& p_W) {
  return body.v_WB + (body.X_WB.q * body.w_WB_B).cross(p_W - body.X_WB.p);
}

// Velocity of the body's material at a touch relative to the touched point.
Vector3d relativeVelocity(const RigidBody& body, const Touch& touch, const RigidBody* other) {
  const Vector3d v_W = other != nullptr ? velocityAt(*other, touch.p_W) : touch.v_W;
  return velocityAt(body, touch.p_W) - v_W;
}

// Change of a point's velocity per impulse there: the inverse effective mass.
Matrix3d inverseMassAt(const RigidBody& body, const Vector3d& p_W) {
  const Matrix3d R_WB = body.X_WB.q.toRotationMatrix();
  const Matrix3d inverse_inertia_W =
      R_WB * body.inertia.cwiseInverse().asDiagonal() * R_WB.transpose();
  const Matrix3d r = cross(p_W - body.X_WB.p);
  return Matrix3d::Identity() / body.mass - r * inverse_inertia_W * r;
}

}  // namespace

void ImpactConfig::validate(const std::string& where) const {
  const Validator check(where);
  check.within("restitution", restitution, 0.0, 1.0);
  check.positive("yield_speed", yield_speed, "m/s");
  check.within("friction", friction, 0.0, 10.0);
}

double ImpactConfig::restitutionAt(double speed) const {
  return speed > yield_speed ? restitution * std::pow(yield_speed / speed, 0.25) : restitution;
}

double RigidBody::kineticEnergy() const {
  return 0.5 * mass * v_WB.squaredNorm() + 0.5 * inertia.dot(w_WB_B.cwiseAbs2());
}

Vector3d contactImpulse(const ImpactConfig& config, const RigidBody& body, const Touch& touch,
                        const RigidBody* other) {
  const Vector3d& n = touch.normal_W;
  const Vector3d v = relativeVelocity(body, touch, other);
  const double approach = -v.dot(n);
  if (!(approach > 0.0)) return Vector3d::Zero();
  const double back = config.restitutionAt(approach) * approach;
  Matrix3d inverse_mass = inverseMassAt(body, touch.p_W);
  if (other != nullptr) inverse_mass += inverseMassAt(*other, touch.p_W);
  Vector3d impulse = inverse_mass.inverse() * (back * n - v);  // sticks
  const double along = impulse.dot(n);
  const Vector3d across = impulse - along * n;
  if (along < 0.0 || across.norm() > config.friction * along) {
    const Vector3d sliding = v + approach * n;
    const double speed = sliding.norm();
    Vector3d direction = n;
    if (speed > 1e-12) direction -= config.friction / speed * sliding;
    // Drops friction that would jam the body against the normal.
    double yielding = n.dot(inverse_mass * direction);
    if (yielding < 1e-3 * n.dot(inverse_mass * n)) {
      direction = n;
      yielding = n.dot(inverse_mass * n);
    }
    impulse = (approach + back) / yielding * direction;
  }
  // Energy gained, as seen from the point: J.v + J.K J / 2.
  const double work = impulse.dot(v), spring = impulse.dot(inverse_mass * impulse);
  if (work + 0.5 * spring > 0.0) impulse *= std::max(-2.0 * work / spring, 0.0);
  return impulse;
}

void applyImpulse(const Vector3d& impulse_W, const Vector3d& p_W, RigidBody& body) {
  body.v_WB += impulse_W / body.mass;
  const Vector3d turn_B = body.X_WB.q.conjugate() * (p_W - body.X_WB.p).cross(impulse_W);
  body.w_WB_B += turn_B.cwiseQuotient(body.inertia);
}

double fastestApproach(const std::vector<Touch>& touches, const RigidBody& body,
                       const RigidBodies& others) {
  double fastest = 0.0;
  for (const Touch& touch : touches) {
    const auto other = others.find(touch.identity);
    const RigidBody* gives_way = other == others.end() ? nullptr : &other->second;
    const double approach = -relativeVelocity(body, touch, gives_way).dot(touch.normal_W);
    fastest = std::max(fastest, approach);
  }
  return fastest;
}

bool bounce(const ImpactConfig& config, const std::vector<Touch>& touches, RigidBody& body,
            RigidBodies& others) {
  const auto otherOf = [&others](const Touch& touch) -> RigidBody* {
    const auto found = others.find(touch.identity);
    return found == others.end() ? nullptr : &found->second;
  };
  bool struck = false;
  for (int blow = 0; blow < kMostBlows; ++blow) {
    const Touch* fastest = nullptr;
    double approach = kAtRest;
    for (const Touch& touch : touches) {
      const double here = -relativeVelocity(body, touch, otherOf(touch)).dot(touch.normal_W);
      if (here <= approach * (1.0 + kSame)) continue;
      approach = here;
      fastest = &touch;
    }
    if (fastest == nullptr) break;
    RigidBody* other = otherOf(*fastest);
    const Vector3d impulse = contactImpulse(config, body, *fastest, other);
    if (impulse.isZero(0.0)) break;
    applyImpulse(impulse, fastest->p_W, body);
    if (other != nullptr) applyImpulse(-impulse, fastest->p_W, *other);
    struck = true;
  }
  return struck;
}

}  // namespace marsim::collision
