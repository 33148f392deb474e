// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/collisions.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "marsim/common/error.hpp"
#include "marsim/sim/body.hpp"

namespace marsim::sim {
namespace {

using collision::FastestTouch;
using collision::RigidBody;
using collision::Touch;
using Eigen::Vector3d;

constexpr double kCellWithoutMap = 0.1;  // [m]
// [m/s] Slower approaches come to rest instead of bouncing: gravity gives as much speed in a few
// steps.
constexpr double kLeastBounce = 0.05;
constexpr double kContact = 1e-3;                             // [m] over the ground: a touch
constexpr double kFarther[] = {0.0, 1e-3, 2e-3, 4e-3, 8e-3};  // [m] tried distances out of the map
constexpr int kMostSurfaces = 4;    // along which a body slides in one step
constexpr double kCreep = 2e-4;     // [m] a step, of a body that is caught sideways
constexpr double kTip = 1e-3;       // [rad] a step, of a body that is caught off its centre
constexpr double kBalanced = 0.05;  // sine of the lever's angle off the vertical
constexpr int kWays = 14;           // tried ways aside
constexpr double kCarries = 0.5;    // least upward part of a normal that carries a body

bool ofMap(const Touch& touch) { return touch.identity == scene::kMapIdentity; }

double energy(const RigidBody& body) {
  return body.kineticEnergy() + body.mass * kGravity * body.X_WB.p.z();
}

// Slows a body down until its energy [J] is at most `most`, or it stands.
void limitEnergy(double most, RigidBody& body) {
  const double excess = energy(body) - most, kinetic = body.kineticEnergy();
  if (excess <= 0.0 || kinetic <= 0.0) return;
  const double scale = std::sqrt(std::max(1.0 - excess / kinetic, 0.0));
  body.v_WB *= scale;
  body.w_WB_B *= scale;
}

// Ways on which a body may leave a hook: along its axes, since its cells are, then level ones.
Vector3d wayAside(int number, const Eigen::Quaterniond& q_WB) {
  if (number < 6)
    return q_WB * Vector3d((number % 2 == 0 ? 1.0 : -1.0) * Vector3d::Unit(number / 2));
  const double angle = kPi / 4.0 * number;
  return {std::cos(angle), std::sin(angle), 0.0};
}

}  // namespace

const char* nameOf(CollisionResponse response) {
  switch (response) {
    case CollisionResponse::kReport:
      return "report";
    case CollisionResponse::kStopMotors:
      return "stop_motors";
    case CollisionResponse::kBounce:
      break;
  }
  return "bounce";
}

CollisionResponse collisionResponseOf(const std::string& name) {
  for (const CollisionResponse response :
       {CollisionResponse::kReport, CollisionResponse::kStopMotors, CollisionResponse::kBounce}) {
    if (name == nameOf(response)) return response;
  }
  throw UnknownNameError("", "collision_response", name, {"report", "stop_motors", "bounce"});
}

void CollisionConfig::validate(const std::string& where) const {
  const Validator check(where);
  impact.validate(where);
  check.within("release", release, 0.0, 60.0, "s");
  landing.validate(where);
}

Collisions::Collisions(const CollisionConfig& config, const vehicle::VehicleConfig& vehicle,
                       std::shared_ptr<const collision::Neighbours> map, double ground_z,
                       std::optional<std::uint32_t> id)
    : config_(config),
      ground_(config.landing, vehicle, config.on ? map : nullptr, ground_z),
      id_(id),
      checker_(collision::BodyVoxels(bodyOf(vehicle), map ? map->resolution() : kCellWithoutMap,
                                     map && std::isfinite(map->spacing())),
               map, id),
      tracker_(toNs(config.release)) {
  config_.validate("collision");
}

void Collisions::act(const KinematicState& before, vehicle::Platform& platform,
                     const ObjectsNear& objectsNear, std::vector<collision::ContactEvent>& events,
                     const RigidBodyOf& rigidBodyOf) {
  impacts_.clear();
  const KinematicState& after = platform.state();
  std::vector<Touch> solid, ground;  // touches that act on the body
  const bool responds = config_.on && config_.response != CollisionResponse::kReport;
  if (config_.on) {
    const std::vector<Touch>& touches = checker_.check(after.X_WB, after.stamp, objectsNear);
    ground_.findSurface(before, platform, responds, touches, checker_.leastDistance(after.X_WB.p));
    if (!platform.onGround()) ground = groundTouches(after.X_WB);
    const std::uint64_t begun = tracker_.begun();
    trackContacts(platform, touches, ground, events);
    if (config_.response == CollisionResponse::kStopMotors && tracker_.begun() > begun) {
      platform.stopMotors();
    }
    if (responds) {
      std::copy_if(touches.begin(), touches.end(), std::back_inserter(solid),
                   [&](const Touch& touch) {
                     return !ground_.isOnPlane(touch) && !ground_.isOnSurface(touch) &&
                            !hasStruck(touch.identity, after.stamp);
                   });
    }
  } else if (!platform.onGround()) {
    ground = groundTouches(after.X_WB);
  }
  if (solid.empty() && ground.empty()) return;
  respond(before, ground, solid, platform, rigidBodyOf);
  if (ground.empty()) return;
  if (const std::optional<Pose> X_WB = ground_.standing(platform)) platform.standAt(*X_WB);
}

void Collisions::watch(const KinematicState& before, const vehicle::Platform& platform,
                       const ObjectsNear& objectsNear,
                       std::vector<collision::ContactEvent>& events) {
  impacts_.clear();
  if (!config_.on) return;
  const KinematicState& after = platform.state();
  const std::vector<Touch>& touches = checker_.check(after.X_WB, after.stamp, objectsNear);
  ground_.findSurface(before, platform, false, touches, checker_.leastDistance(after.X_WB.p));
  trackContacts(platform, touches, groundTouches(after.X_WB), events);
}

void Collisions::endContacts(std::vector<collision::ContactEvent>& events) {
  ground_.forgetSurface();
  tracker_.clear(events);
  hits_by_others_.clear();
  exchanges_.clear();
}

// Touches of the body with its ground.
std::vector<Touch> Collisions::groundTouches(const Pose& X_WB) const {
  std::vector<Touch> touches = ground_.touches(X_WB);
  if (touches.empty()) return touches;
  const Pose X_BW = X_WB.inverse();
  for (Touch& touch : touches) touch.cell = checker_.body().cellOf(X_BW * touch.p_W);
  return touches;
}

void Collisions::trackContacts(const vehicle::Platform& platform, const std::vector<Touch>& touches,
                               const std::vector<Touch>& ground,
                               std::vector<collision::ContactEvent>& events) {
  std::vector<FastestTouch> hits = contactHits(platform, touches, ground);
  for (const FastestTouch& hit : hits_by_others_) {
    const auto same = [&hit](const FastestTouch& other) { return other.identity == hit.identity; };
    if (std::none_of(hits.begin(), hits.end(), same)) hits.push_back(hit);
  }
  hits_by_others_.clear();
  tracker_.update(platform.state().stamp, hits, events);
}

// Hits that make contacts: landing or standing on the ground makes none.
std::vector<FastestTouch> Collisions::contactHits(const vehicle::Platform& platform,
                                                  const std::vector<Touch>& touches,
                                                  const std::vector<Touch>& ground) const {
  const KinematicState& state = platform.state();
  std::vector<Touch> counted = ground_.touchesBelowSurface(state.X_WB);
  if (counted.empty() && ground.empty() && touches.empty()) return {};
  const bool ground_counts = !platform.onGround() && !config_.landing.isGentle(state);
  if (ground_counts) counted.insert(counted.end(), ground.begin(), ground.end());
  std::copy_if(touches.begin(), touches.end(), std::back_inserter(counted),
               [&](const Touch& touch) {
                 return ground_counts || !(ground_.isOnPlane(touch) || ground_.isOnSurface(touch));
               });
  return collision::fastestTouches(counted, checker_.body(), state);
}

bool Collisions::freeOfMap(const Pose& X_WB) {
  const std::vector<Touch>& touches = checker_.checkMap(X_WB);
  return std::all_of(touches.begin(), touches.end(), [this](const Touch& touch) {
    return ground_.isOnPlane(touch) || ground_.isOnSurface(touch);
  });
}

// Moves a body from `from` towards its place without the part of the way that leads into surfaces.
// Returns whether it is free there.
bool Collisions::slide(const Pose& from, const Eigen::Quaterniond& q, RigidBody& body) {
  Vector3d way = body.X_WB.p - from.p;
  for (int i = 0; i < kMostSurfaces; ++i) {
    body.X_WB = {q, from.p + way};
    if (freeOfMap(body.X_WB)) return true;
    Vector3d into = Vector3d::Zero();  // the surface that it meets fastest
    double fastest = 0.0;
    for (const Touch& touch : checker_.checkMap(body.X_WB)) {
      const double along = way.dot(touch.normal_W);
      if (along >= fastest) continue;
      fastest = along;
      into = touch.normal_W;
    }
    way -= fastest * into;
  }
  return false;
}

// Lets a body that was free of the map at `from` tip by its weight over one or two of its touches;
// if it cannot and nothing carries it, moves it sideways, or else down through the points that hook
// it. Each by a little, slowly.
void Collisions::creep(const Pose& from, const std::vector<Touch>& touches, RigidBody& body) {
  const auto isFree = [&](const Pose& X_WB) {
    body.X_WB = X_WB;
    return freeOfMap(X_WB);
  };
  const auto tips = [&](const Touch& touch, Vector3d axis) {
    const Vector3d lever = from.p - touch.p_W;
    const double fall = -axis.cross(lever).z();
    if (!(std::abs(fall) > kBalanced * axis.norm() * lever.norm())) return false;
    if (fall < 0.0) axis = -axis;
    const Eigen::Quaterniond tip(Eigen::AngleAxisd(kTip, axis.normalized()));
    return isFree({(tip * from.q).normalized(), touch.p_W + tip * lever});
  };
  bool is_carried = false;
  for (const Touch& touch : touches) {
    if (!ofMap(touch)) break;
    is_carried = is_carried || touch.normal_W.z() > kCarries;
    if (tips(touch, (touch.p_W - from.p).cross(Vector3d::UnitZ()))) return;
    for (const Touch& other : touches) {
      if (ofMap(other) && tips(touch, other.p_W - touch.p_W)) return;
    }
  }
  for (int i = 0; i < kWays && !is_carried; ++i) {
    Vector3d way = wayAside(creep_direction_, from.q);
    way.z() = std::min(way.z(), 0.0);
    if (isFree({from.q, from.p + kCreep * way})) return;
    creep_direction_ = (creep_direction_ + 1) % kWays;
  }
  body.X_WB = from;
  if (!is_carried) body.X_WB.p.z() -= kCreep;
}

// Moves a body that was free of the map at `from` to where it is free again: out along the normal,
// a little farther if its corners turn towards the map, else along all surfaces that it meets, else
// with the old attitude, else back, where it creeps off what does not carry it. It loses its speed
// in directions in which it is not moved, unless it has just been struck. It rises no higher than
// its energy [J] allows.
void Collisions::stepBack(const Pose& from, const std::vector<Touch>& touches,
                          const Vector3d& normal_W, bool is_struck, double energy_before,
                          RigidBody& body) {
  const Pose to = body.X_WB;
  const double out = std::max((from.p - to.p).dot(normal_W), 0.0);
  const bool was_stuck = std::exchange(is_stuck_, false);
  for (const double farther : kFarther) {
    body.X_WB = {to.q, to.p + (out + farther) * normal_W};
    const bool is_affordable = body.mass * kGravity * body.X_WB.p.z() <= energy_before;
    if ((farther == 0.0 || is_affordable) && freeOfMap(body.X_WB)) return;
  }
  body.X_WB = to;
  if (slide(from, to.q, body)) return;
  is_stuck_ = true;
  const bool rests = was_stuck || !is_struck;
  if (rests) body.w_WB_B.setZero();
  body.X_WB = {from.q, to.p + out * normal_W};
  if (freeOfMap(body.X_WB)) return;
  body.X_WB = to;
  if (slide(from, from.q, body)) return;
  if (rests) body.v_WB.setZero();
  creep(from, touches, body);
}

// With "report" the ground does not bounce a body.
collision::ImpactConfig Collisions::impactOf(const std::vector<Touch>& touches,
                                             const RigidBody& body,
                                             const collision::RigidBodies& others) const {
  collision::ImpactConfig impact = config_.impact;
  if (!config_.on || config_.response == CollisionResponse::kReport ||
      collision::fastestApproach(touches, body, others) < kLeastBounce) {
    impact.restitution = 0.0;
  }
  return impact;
}

// Impulses change the velocities. A body that was free of the map before a step is free of it
// afterwards (but for points that hook it: creep), so that nothing sinks in however hard or long it
// is pressed. Moving objects push by their impulses only.
void Collisions::respond(const KinematicState& before, const std::vector<Touch>& ground,
                         const std::vector<Touch>& solid, vehicle::Platform& platform,
                         const RigidBodyOf& rigidBodyOf) {
  const KinematicState& after = platform.state();
  const vehicle::VehicleConfig& craft = platform.config();
  RigidBody body{craft.totalMass(), craft.inertia, after.X_WB, after.v_WB, after.w_WB_B};
  const double energy_before = energy(body);
  const std::vector<FastestTouch> hits = collision::fastestTouches(solid, checker_.body(), after);
  collision::RigidBodies others;
  for (const FastestTouch& hit : hits) {
    if (hit.identity == scene::kMapIdentity || !rigidBodyOf) continue;
    if (const auto other = rigidBodyOf(hit.identity)) others.emplace(hit.identity, *other);
  }
  std::vector<Touch> touches = ground;
  touches.insert(touches.end(), solid.begin(), solid.end());
  const collision::RigidBodies others_before = others;
  bool changed = collision::bounce(impactOf(touches, body, others), touches, body, others);
  noteImpacts(after, hits, others_before, others);
  if (!solid.empty() && ofMap(solid.front()) && freeOfMap(before.X_WB)) {
    stepBack(before.X_WB, solid, hits.front().normal_W, changed, energy_before, body);
    changed = true;
  }
  if (!platform.onGround() && ground_.raise(body.X_WB)) changed = true;
  if (changed) {
    if (std::all_of(solid.begin(), solid.end(), ofMap)) limitEnergy(energy_before, body);
    platform.leaveContact(body.X_WB, body.v_WB, body.w_WB_B);
  }
  touches = ground_.touches(platform.state().X_WB, kContact);
  std::copy_if(solid.begin(), solid.end(), std::back_inserter(touches), ofMap);
  support(touches, platform);
}

// Removes from the accelerations the part that would drive the body into map or ground, by
// inelastic impulses on the velocities that they give in a short time.
void Collisions::support(const std::vector<Touch>& touches, vehicle::Platform& platform) const {
  constexpr double kInstant = 1e-3;  // [s]
  const KinematicState& state = platform.state();
  if (platform.onGround() || touches.empty()) return;
  collision::ImpactConfig impact = config_.impact;
  impact.restitution = 0.0;
  const vehicle::VehicleConfig& craft = platform.config();
  RigidBody without{craft.totalMass(), craft.inertia, state.X_WB, state.v_WB, state.w_WB_B};
  RigidBody with = without;
  with.v_WB += kInstant * state.a_WB;
  with.w_WB_B += kInstant * state.dw_WB_B;
  collision::RigidBodies none;
  if (!collision::bounce(impact, touches, with, none)) return;
  collision::bounce(impact, touches, without, none);
  platform.setSupported((with.v_WB - without.v_WB) / kInstant,
                        (with.w_WB_B - without.w_WB_B) / kInstant);
}

bool Collisions::hasStruck(std::uint32_t identity, TimeNs stamp) const {
  const auto last = exchanges_.find(identity);
  return last != exchanges_.end() && std::abs(stamp - last->second.stamp) < kBetweenImpacts;
}

void Collisions::noteImpacts(const KinematicState& state, const std::vector<FastestTouch>& hits,
                             const collision::RigidBodies& before,
                             const collision::RigidBodies& after) {
  for (const FastestTouch& hit : hits) {
    const auto was = before.find(hit.identity), is = after.find(hit.identity);
    if (was == before.end() || is->second.v_WB == was->second.v_WB) continue;
    const RigidBody& other = is->second;
    Impact impact;
    impact.stamp = state.stamp;
    impact.identity = hit.identity;
    impact.impulse_W = other.mass * (other.v_WB - was->second.v_WB);
    impact.moment_W =
        other.X_WB.q * Vector3d(other.inertia.cwiseProduct(other.w_WB_B - was->second.w_WB_B));
    impact.p_W = hit.p_W;
    impact.normal_W = -hit.normal_W;
    impact.v_rel_W = -hit.v_rel_W;
    impacts_.push_back(impact);
    // The opposite forces act on this one, about its own B.
    const Vector3d away = other.X_WB.p - state.X_WB.p;
    exchanges_[hit.identity] = {state.stamp, true, -impact.impulse_W,
                                -impact.moment_W - away.cross(impact.impulse_W)};
  }
}

void Collisions::takeImpact(const Impact& impact, vehicle::Platform& platform) {
  const KinematicState& state = platform.state();
  if (!config_.on || config_.response == CollisionResponse::kReport) return;
  // Replaces the impulse that this UAV has computed itself at about the same time, if any.
  Exchange instead;
  if (hasStruck(impact.identity, impact.stamp)) {
    instead = exchanges_.at(impact.identity);
    if (!instead.is_own || !id_ || impact.identity > *id_) return;
  }
  // A larger impulse than the fastest object's comes from no impact.
  const vehicle::VehicleConfig& craft = platform.config();
  const double most =
      2.0 * collision::CollisionChecker::kFastestObject * craft.totalMass();  // [N s]
  if (!(impact.impulse_W.norm() <= most) ||
      !(impact.moment_W.norm() <= most * checker_.body().radius())) {
    return;
  }
  FastestTouch hit;
  hit.identity = impact.identity;
  hit.p_W = impact.p_W;
  hit.normal_W = impact.normal_W;
  hit.v_rel_W = impact.v_rel_W;
  hit.p_BV = checker_.body().centre(checker_.body().cellOf(state.X_WB.inverse() * impact.p_W));
  hits_by_others_.push_back(hit);
  exchanges_[impact.identity] = {impact.stamp, false, impact.impulse_W, impact.moment_W};
  const Vector3d impulse_W = impact.impulse_W - instead.impulse_W;
  const Vector3d moment_B = state.X_WB.q.conjugate() * (impact.moment_W - instead.moment_W);
  platform.leaveContact(state.X_WB, state.v_WB + impulse_W / craft.totalMass(),
                        state.w_WB_B + moment_B.cwiseQuotient(craft.inertia));
}

}  // namespace marsim::sim
