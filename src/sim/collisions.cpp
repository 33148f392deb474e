#include "marsim/sim/collisions.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "marsim/common/error.hpp"
#include "marsim/sim/world.hpp"

namespace marsim::sim {
namespace {

using collision::Hit;
using collision::RigidBody;
using collision::Touch;
using Eigen::Vector3d;

constexpr double kCellWithoutMap = 0.1;  // [m]
// Who stands on points of the map is raised until it is free of them: at first by this share of a
// cell, then by twice that and so on, seven times.
constexpr double kLeastRaise = 1.0 / 64.0;
constexpr int kRaises = 7;

bool ofMap(const Touch& touch) { return touch.identity == scene::kMapIdentity; }

double energy(const RigidBody& body) {
  return body.kineticEnergy() + body.mass * kGravity * body.X_WB.p.z();
}

// Slows a body down until it has no more energy [J] than `most`, or stands.
void limitEnergy(double most, RigidBody& body) {
  const double excess = energy(body) - most, kinetic = body.kineticEnergy();
  if (excess <= 0.0 || kinetic <= 0.0) return;
  const double scale = std::sqrt(std::max(1.0 - excess / kinetic, 0.0));
  body.v_WB *= scale;
  body.w_WB_B *= scale;
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
  check.within("ground_margin", ground_margin, 0.0, 10.0, "m");
  check.within("landing_speed", landing_speed, 0.0, 100.0, "m/s");
  check.within("landing_tilt", landing_tilt, 0.0, kPi, "rad");
}

Collisions::Collisions(const CollisionConfig& config, const vehicle::VehicleConfig& vehicle,
                       std::shared_ptr<const collision::Neighbours> map, double ground_z,
                       std::optional<std::uint32_t> self)
    : config_(config),
      ground_z_(ground_z),
      ground_clearance_(vehicle.ground_clearance),
      self_(self),
      checker_(collision::BodyVoxels(bodyOf(vehicle), map ? map->resolution() : kCellWithoutMap),
               map, self),
      tracker_(toNs(config.release)) {
  config_.validate("collision");
}

void Collisions::step(vehicle::Quadrotor& quadrotor, TimeNs dt, const ThingsIn& thingsIn,
                      std::vector<collision::ContactEvent>& events, const BodyIn& bodyIn) {
  strikes_.clear();
  const KinematicState before = quadrotor.state();
  const bool was_on_ground = quadrotor.onGround();
  quadrotor.step(dt);
  if (!quadrotor.onGround()) quadrotor.setGround(ground_z_);  // a hill carries who stands on it
  const KinematicState& after = quadrotor.state();
  const std::vector<Touch>& touches = checker_.check(after.X_WB, after.stamp, thingsIn);
  const std::uint64_t begun = tracker_.begun();
  std::vector<Hit> hits = countedHits(before, was_on_ground, quadrotor, touches);
  for (const Hit& hit : was_hit_) {
    const auto same = [&hit](const Hit& other) { return other.identity == hit.identity; };
    if (std::none_of(hits.begin(), hits.end(), same)) hits.push_back(hit);
  }
  was_hit_.clear();
  tracker_.update(after.stamp, hits, events);
  if (stands(touches, quadrotor) || config_.response == CollisionResponse::kReport) return;
  if (config_.response == CollisionResponse::kStopMotors && tracker_.begun() > begun) {
    quadrotor.stopMotors();
  }
  std::vector<Touch> solid;
  std::copy_if(touches.begin(), touches.end(), std::back_inserter(solid), [&](const Touch& touch) {
    return !isOnPlane(touch) && !hasStruck(touch.identity, after.stamp);
  });
  if (!solid.empty()) respond(before, solid, quadrotor, bodyIn);
}

void Collisions::leave(vehicle::Quadrotor& quadrotor,
                       std::vector<collision::ContactEvent>& events) {
  quadrotor.setGround(ground_z_);
  tracker_.clear(events);
  was_hit_.clear();
  struck_.clear();
}

// Of the ground that carries by its plane, not by its points.
bool Collisions::isOnPlane(const Touch& touch) const {
  return ofMap(touch) && touch.p_W.z() <= ground_z_ + config_.ground_margin;
}

bool Collisions::isGround(const Touch& touch) const {
  return isOnPlane(touch) || (ofMap(touch) && touch.normal_W.z() >= std::cos(config_.landing_tilt));
}

// Whether a vehicle that comes to the ground like this lands.
bool Collisions::lands(const KinematicState& state) const {
  const double tilt_cosine = (state.X_WB.q * Vector3d::UnitZ()).z();
  return -state.v_WB.z() <= config_.landing_speed &&
         state.v_WB.head<2>().norm() <= config_.landing_speed &&
         tilt_cosine >= std::cos(config_.landing_tilt);
}

std::vector<Hit> Collisions::countedHits(const KinematicState& before, bool was_on_ground,
                                         const vehicle::Quadrotor& quadrotor,
                                         const std::vector<Touch>& touches) const {
  const bool on_ground = quadrotor.onGround();
  const bool touches_down = on_ground && !was_on_ground;
  // Who has touched down has been stopped already; what matters is how it came.
  const KinematicState& coming = touches_down ? before : quadrotor.state();
  const bool ground_counts = (!on_ground || touches_down) && !lands(coming);
  if (touches.empty() && !(touches_down && ground_counts)) return {};
  std::vector<Touch> counted;
  std::copy_if(touches.begin(), touches.end(), std::back_inserter(counted),
               [&](const Touch& touch) { return ground_counts || !isGround(touch); });
  std::vector<Hit> hits = collision::hitsOf(counted, checker_.body(), coming);
  const bool hits_map = !counted.empty() && ofMap(counted.front());
  if (touches_down && ground_counts && !hits_map) {
    Hit hit;
    hit.p_W = {coming.X_WB.p.x(), coming.X_WB.p.y(), ground_z_};
    hit.v_rel_W = coming.v_WB;
    hit.p_BV = {0.0, 0.0, -ground_clearance_};
    hits.push_back(hit);
  }
  return hits;
}

// Lets a vehicle that has come down gently on the map's ground above the plane, and touches nothing
// else, stand there: level, free of the map.
bool Collisions::stands(const std::vector<Touch>& touches, vehicle::Quadrotor& quadrotor) {
  const KinematicState& state = quadrotor.state();
  if (touches.empty() || quadrotor.onGround() || state.v_WB.z() > 0.0 || !lands(state))
    return false;
  const auto isGround = [this](const Touch& touch) { return this->isGround(touch); };
  const auto isOnPlane = [this](const Touch& touch) { return this->isOnPlane(touch); };
  if (!std::all_of(touches.begin(), touches.end(), isGround) ||
      std::all_of(touches.begin(), touches.end(), isOnPlane)) {
    return false;
  }
  Pose level{fromRollPitchYaw(0.0, 0.0, yawOf(state.X_WB.q)), state.X_WB.p};
  double raise = 0.0;
  for (int i = 0; i <= kRaises; ++i) {
    level.p.z() = state.X_WB.p.z() + raise;
    if (freeOfMap(level)) {
      quadrotor.standOn(level.p.z() - ground_clearance_);
      return true;
    }
    raise = i == 0 ? kLeastRaise * checker_.body().cell() : 2.0 * raise;
  }
  return false;
}

bool Collisions::freeOfMap(const Pose& X_WB) {
  const std::vector<Touch>& touches = checker_.checkMap(X_WB);
  return std::all_of(touches.begin(), touches.end(),
                     [this](const Touch& touch) { return isOnPlane(touch); });
}

// A pose free of the map, where `from` is: out along the normal if that does, with the old attitude
// if that does, else all the way.
Pose Collisions::stepBack(const Pose& from, const Pose& to, const Vector3d& normal_W) {
  const double out = std::max((from.p - to.p).dot(normal_W), 0.0);
  for (const Eigen::Quaterniond& q : {to.q, from.q}) {
    const Pose tried{q, to.p + out * normal_W};
    if (freeOfMap(tried)) return tried;
  }
  return from;
}

// Impulses turn the velocities; and as long as a body has been free of the map before a step, it is
// free of it afterwards, so that nothing sinks in however hard or long it is pressed. Things that
// move push by their impulses only.
void Collisions::respond(const KinematicState& before, const std::vector<Touch>& solid,
                         vehicle::Quadrotor& quadrotor, const BodyIn& bodyIn) {
  const KinematicState& after = quadrotor.state();
  RigidBody body{quadrotor.config().mass, quadrotor.config().inertia, after.X_WB, after.v_WB,
                 after.w_WB_B};
  const double energy_before = energy(body);
  const std::vector<Hit> hits = collision::hitsOf(solid, checker_.body(), after);
  collision::RigidBodies others;
  for (const Hit& hit : hits) {
    if (hit.identity == scene::kMapIdentity || !bodyIn) continue;
    if (const auto other = bodyIn(hit.identity)) others.emplace(hit.identity, *other);
  }
  const collision::RigidBodies others_before = others;
  bool changed = collision::bounce(config_.impact, solid, body, others);
  noteStrikes(after, hits, others_before, others);
  if (ofMap(solid.front()) && freeOfMap(before.X_WB)) {
    body.X_WB = stepBack(before.X_WB, after.X_WB, hits.front().normal_W);
    changed = true;
  }
  if (!changed) return;
  if (std::all_of(solid.begin(), solid.end(), ofMap)) limitEnergy(energy_before, body);
  quadrotor.leaveContact(body.X_WB, body.v_WB, body.w_WB_B);
}

bool Collisions::hasStruck(std::uint32_t identity, TimeNs stamp) const {
  const auto last = struck_.find(identity);
  return last != struck_.end() && std::abs(stamp - last->second.stamp) < kBetweenStrikes;
}

void Collisions::noteStrikes(const KinematicState& state, const std::vector<Hit>& hits,
                             const collision::RigidBodies& before,
                             const collision::RigidBodies& after) {
  for (const Hit& hit : hits) {
    const auto was = before.find(hit.identity), is = after.find(hit.identity);
    if (was == before.end() || is->second.v_WB == was->second.v_WB) continue;
    const RigidBody& other = is->second;
    Strike strike;
    strike.stamp = state.stamp;
    strike.identity = hit.identity;
    strike.impulse_W = other.mass * (other.v_WB - was->second.v_WB);
    strike.moment_W =
        other.X_WB.q * Vector3d(other.inertia.cwiseProduct(other.w_WB_B - was->second.w_WB_B));
    strike.p_W = hit.p_W;
    strike.normal_W = -hit.normal_W;
    strike.v_rel_W = -hit.v_rel_W;
    strikes_.push_back(strike);
    // The same forces on this one, about its own B.
    const Vector3d away = other.X_WB.p - state.X_WB.p;
    struck_[hit.identity] = {state.stamp, true, -strike.impulse_W,
                             -strike.moment_W - away.cross(strike.impulse_W)};
  }
}

void Collisions::takeStrike(const Strike& strike, vehicle::Quadrotor& quadrotor) {
  const KinematicState& state = quadrotor.state();
  if (config_.response == CollisionResponse::kReport) return;
  // In place of what it has worked out by itself at about the same time, or beside nothing.
  Exchange instead;
  if (hasStruck(strike.identity, strike.stamp)) {
    instead = struck_.at(strike.identity);
    if (!instead.is_own || !self_ || strike.identity > *self_) return;
  }
  // More than the fastest thing could give comes from no impact.
  const vehicle::VehicleConfig& craft = quadrotor.config();
  const double most = 2.0 * collision::CollisionChecker::kFastestThing * craft.mass;  // [N s]
  if (!(strike.impulse_W.norm() <= most) ||
      !(strike.moment_W.norm() <= most * checker_.body().radius())) {
    return;
  }
  Hit hit;
  hit.identity = strike.identity;
  hit.p_W = strike.p_W;
  hit.normal_W = strike.normal_W;
  hit.v_rel_W = strike.v_rel_W;
  hit.p_BV = checker_.body().centre(checker_.body().cellOf(state.X_WB.inverse() * strike.p_W));
  was_hit_.push_back(hit);
  struck_[strike.identity] = {strike.stamp, false, strike.impulse_W, strike.moment_W};
  const Vector3d impulse_W = strike.impulse_W - instead.impulse_W;
  const Vector3d moment_B = state.X_WB.q.conjugate() * (strike.moment_W - instead.moment_W);
  quadrotor.leaveContact(state.X_WB, state.v_WB + impulse_W / craft.mass,
                         state.w_WB_B + moment_B.cwiseQuotient(craft.inertia));
}

}  // namespace marsim::sim
