// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/scene/peers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "common/bounds.hpp"
#include "marsim/common/error.hpp"
#include "marsim/map/semantic_class.hpp"

namespace marsim::scene {
namespace {

constexpr int kTakeOver = 3;                 // states of another run alone: a restart
constexpr int kClashes = 3;                  // changes between two runs: both are alive
constexpr std::uint64_t kCalmStates = 250;   // states without another change: one run is gone
constexpr int kDisbelieved = 10;             // states in a row that are older than a wrong one
constexpr double kLargest = kFarthestPlace;  // [m], [m/s], [m/s^2], [rad/s]

std::string problem(std::uint32_t id, const char* field, const std::string& value,
                    const std::string& allowed) {
  return fmt::format("{}: {} is {}, allowed: {}", identityName(id), field, value, allowed);
}

bool equal(const BodyConfig& a, const BodyConfig& b) {
  return a.hub_half == b.hub_half && a.rotors == b.rotors && a.arm_radius == b.arm_radius &&
         a.propeller_radius == b.propeller_radius &&
         a.propeller_half_height == b.propeller_half_height && a.cloud == b.cloud;
}

std::string placeOf(const std::string& machine) {
  return machine.empty() ? "on this machine" : "on machine " + machine;
}

Eigen::Vector3d positionCarriedOn(const KinematicState& from, double seconds) {
  return from.X_WB.p + seconds * from.v_WB + (0.5 * seconds * seconds) * from.a_WB;
}

Pose carriedOn(const KinematicState& from, double seconds) {
  return {(from.X_WB.q * expMap(seconds * from.w_WB_B)).normalized(),
          positionCarriedOn(from, seconds)};
}

}  // namespace

void PeersConfig::validate(const std::string& where) const {
  const Validator check(where);
  check.positive("history", history, "s");
  check.notNegative("extrapolation", extrapolation, "s");
  check.positive("timeout", timeout, "s");
  check.positive("memory", memory, "s");
}

std::string problemOf(const PeerState& state) {
  if (state.id >= kFirstObstacleIdentity) {
    return fmt::format("uav {}: number is {}, allowed: 0 to {}", state.id, state.id,
                       kFirstObstacleIdentity - 1);
  }
  const KinematicState& motion = state.motion;
  if (motion.stamp < 0) {
    return problem(state.id, "stamp", fmt::format("{} s", toSeconds(motion.stamp)), "0 or more");
  }
  const std::pair<const char*, const Eigen::Vector3d*> vectors[] = {{"position", &motion.X_WB.p},
                                                                    {"velocity", &motion.v_WB},
                                                                    {"acceleration", &motion.a_WB},
                                                                    {"body rate", &motion.w_WB_B}};
  for (const auto& [field, vector] : vectors) {
    if (vector->allFinite() && vector->cwiseAbs().maxCoeff() <= kLargest) continue;
    return problem(state.id, field,
                   fmt::format("({}, {}, {})", vector->x(), vector->y(), vector->z()),
                   fmt::format("finite numbers up to {:g}", kLargest));
  }
  const double length = motion.X_WB.q.norm();
  if (!(std::abs(length - 1.0) <= kUnitTolerance)) {
    return problem(state.id, "orientation", fmt::format("of length {}", length),
                   "a quaternion of length 1");
  }
  return {};
}

std::string PeerReport::summary() const {
  const std::string who = identityName(id);
  if (is_claimed_twice) {
    return fmt::format("{}: two UAVs have this number, {}; give each its own uav_id", who,
                       machine == other_machine
                           ? "both " + placeOf(machine)
                           : placeOf(machine) + " and " + placeOf(other_machine));
  }
  if (!std::isfinite(age)) return who + ": no usable state yet";
  if (dropped) return fmt::format("{}: silent for {:.1f} s, dropped", who, age);
  if (held) return fmt::format("{}: silent for {:.1f} s, held where last seen", who, age);
  if (!has_body) return who + ": its body is not known yet";
  return fmt::format("{}: {:.0f} ms old", who, 1e3 * std::max(0.0, age));
}

Peers::Peers(PeersConfig config) : config_(config) { config_.validate("peers"); }

Peers::Effect Peers::push(const PeerState& state, const std::string& machine) {
  const bool is_sound = problemOf(state).empty();
  if (!is_sound && state.id >= kFirstObstacleIdentity) return Effect::kRejected;
  const std::lock_guard<std::mutex> lock(mutex_);
  places_.are_known = false;
  if (!is_sound) {
    Peer* peer = admit(state.id);
    ++(peer != nullptr ? peer->counts.rejected : refused_unknown_);
    return Effect::kRejected;
  }
  Peer& peer = peers_[state.id];
  peer.heard = true;
  peer.heard_until = state.motion.stamp;
  if (!belongs(peer, state, machine)) return Effect::kStranger;
  const Effect effect = pushMotion(peer, state);
  peer.too_late = effect == Effect::kTooLate ? peer.too_late + 1 : 0;
  if (peer.too_late < kDisbelieved) return effect;
  // The newest state had a wrong stamp or a wrong count of placements.
  peer.too_late = 0;
  peer.states.clear();
  return pushMotion(peer, state);
}

// The entry of a UAV without a usable state so far; null if it is new and there are too many.
Peers::Peer* Peers::admit(std::uint32_t id) {
  auto peer = peers_.find(id);
  if (peer == peers_.end()) {
    const auto unusable = std::count_if(peers_.begin(), peers_.end(), [](const auto& known) {
      return known.second.states.empty();
    });
    if (static_cast<std::size_t>(unusable) >= kMostUnusable) return nullptr;
    peer = peers_.try_emplace(id).first;
  }
  peer->second.heard = true;
  return &peer->second;
}

void Peers::forget(TimeNs now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  places_.are_known = false;
  for (auto entry = peers_.begin(); entry != peers_.end();) {
    Peer& peer = entry->second;
    if (peer.heard || now < peer.last_heard) {
      peer.heard = false;
      peer.last_heard = now;
    }
    const bool is_past = toSeconds(now - peer.last_heard) > config_.memory;
    entry = is_past ? peers_.erase(entry) : std::next(entry);
  }
  const auto is_unused = [](const Shape& shape) { return shape.surfels.use_count() == 1; };
  shapes_.erase(std::remove_if(shapes_.begin(), shapes_.end(), is_unused), shapes_.end());
}

std::uint64_t Peers::refusedUnknown() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return refused_unknown_;
}

bool Peers::belongs(Peer& peer, const PeerState& state, const std::string& machine) const {
  if (peer.states.empty() || state.run == peer.run) {
    if (peer.others > 0) {
      peer.others = 0;
      ++peer.clashes;
      peer.since_clash = 0;
    }
    if (++peer.since_clash > kCalmStates) peer.clashes = 0;
    if (peer.states.empty()) peer.run = state.run;
    peer.machine = machine;
    return true;
  }
  peer.others = state.run == peer.other_run ? peer.others + 1 : 1;
  peer.other_run = state.run;
  peer.other_machine = machine;
  if (peer.others < kTakeOver) return false;
  peer.states.clear();
  peer.run = state.run;
  peer.machine = machine;
  peer.others = 0;
  return true;
}

// Keeps states before a placement for queries before it.
Peers::Effect Peers::pushMotion(Peer& peer, const PeerState& state) const {
  std::deque<Told>& states = peer.states;
  const auto placed = static_cast<std::int32_t>(state.placements - peer.placements);
  if (!states.empty() && placed < 0) return Effect::kTooLate;
  Told told{state.motion, state.placements};
  told.motion.X_WB.q.normalize();
  const TimeNs stamp = told.motion.stamp;
  while (placed != 0 && !states.empty() && states.back().motion.stamp > stamp) states.pop_back();
  if (placed != 0 || states.empty() || stamp > states.back().motion.stamp) {
    const auto step = static_cast<std::int16_t>(state.sequence - peer.sequence);
    const bool is_counted = !states.empty() && placed == 0;
    if (is_counted && step > 1) peer.counts.lost += static_cast<std::uint64_t>(step - 1);
    peer.sequence = state.sequence;
    peer.placements = state.placements;
    states.push_back(told);
    const TimeNs oldest = stamp - toNs(config_.history);
    while (states.size() > 2 && states[1].motion.stamp <= oldest) states.pop_front();
    ++peer.counts.taken;
    return Effect::kTaken;
  }
  const auto place = std::find_if(states.begin(), states.end(), [&told, stamp](const Told& known) {
    return known.placements == told.placements && known.motion.stamp >= stamp;
  });
  if (place->motion.stamp == stamp) {
    ++peer.counts.repeated;
    return Effect::kRepeated;
  }
  ++peer.counts.late;
  if (peer.counts.lost > 0) --peer.counts.lost;
  if (stamp < states.back().motion.stamp - toNs(config_.history)) return Effect::kTooLate;
  states.insert(place, told);
  ++peer.counts.taken;
  return Effect::kTaken;
}

void Peers::setBody(std::uint32_t id, const std::string& name, const BodyConfig& body) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Peer* peer = admit(id);
  if (peer == nullptr) return;  // it will be announced again
  auto shape = std::find_if(shapes_.begin(), shapes_.end(),
                            [&](const Shape& known) { return equal(known.body, body); });
  if (shape == shapes_.end()) {
    const auto surfels = bodyShape(body, bodyResolution(body));
    shape = shapes_.insert(shape, {body, surfels, radiusOf(*surfels)});
  }
  peer->name = name;
  peer->shape = shape->surfels;
  peer->radius = shape->radius;
  places_.are_known = false;
}

void Peers::keepAtLeast(double history) {
  const std::lock_guard<std::mutex> lock(mutex_);
  config_.history = std::max(config_.history, history);
}

std::optional<TimeNs> Peers::heardUntil(std::uint32_t id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto peer = peers_.find(id);
  if (peer == peers_.end()) return std::nullopt;
  return peer->second.heard_until;
}

// Queries are near the newest states, so the search begins there.
struct Peers::History {
  using State = std::deque<Told>::const_iterator;
  State oldest, end;  // including those before a placement

  bool empty() const { return oldest == end; }
  const KinematicState& back() const { return std::prev(end)->motion; }
  /// Whether a state is the first of its motion.
  bool begins(State state) const {
    return state == oldest || std::prev(state)->placements != std::prev(end)->placements;
  }
  /// The first state after an instant.
  State after(TimeNs t) const {
    State state = end;
    while (!begins(state) && std::prev(state)->motion.stamp > t) --state;
    return state;
  }
};

Peers::History Peers::knownOf(const Peer& peer, TimeNs known_until) {
  History known{peer.states.begin(), peer.states.end()};
  while (!known.empty() && known.back().stamp > known_until) --known.end;
  return known;
}

bool Peers::isGone(const History& known, TimeNs t) const {
  return known.empty() || toSeconds(t - known.back().stamp) > config_.timeout;
}

// Motion during a long silence is unknown: the UAV stays as it was seen before.
bool Peers::isBridged(const History& known, std::deque<Told>::const_iterator after) const {
  return after != known.end && toSeconds(after->motion.stamp - std::prev(after)->motion.stamp) <=
                                   2.0 * config_.extrapolation;
}

Pose Peers::poseAt(const History& known, TimeNs t) const {
  const auto after = known.after(t);
  if (known.begins(after)) return after->motion.X_WB;
  const KinematicState& before = std::prev(after)->motion;
  if (isBridged(known, after)) return interpolatePose(before, after->motion, t);
  return carriedOn(before, std::min(toSeconds(t - before.stamp), config_.extrapolation));
}

// As poseAt() without the orientation, which costs more.
Eigen::Vector3d Peers::positionAt(const History& known, TimeNs t) const {
  const auto after = known.after(t);
  if (known.begins(after)) return after->motion.X_WB.p;
  const KinematicState& before = std::prev(after)->motion;
  if (isBridged(known, after)) return interpolatePose(before, after->motion, t).p;
  return positionCarriedOn(before, std::min(toSeconds(t - before.stamp), config_.extrapolation));
}

std::optional<Pose> Peers::poseAt(std::uint32_t id, TimeNs t, TimeNs known_until) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto peer = peers_.find(id);
  if (peer == peers_.end()) return std::nullopt;
  const History known = knownOf(peer->second, known_until);
  if (isGone(known, t)) return std::nullopt;
  return poseAt(known, t);
}

void Peers::setMass(std::uint32_t id, const PeerMass& mass) {
  if (!mass.isSound()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (Peer* peer = admit(id)) peer->mass = mass;
}

std::optional<PeerMotion> Peers::motionAt(std::uint32_t id, TimeNs t, TimeNs known_until) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = peers_.find(id);
  if (found == peers_.end()) return std::nullopt;
  const History known = knownOf(found->second, known_until);
  const PeerMass& mass = found->second.mass;
  if (isGone(known, t) || !mass.isSound()) return std::nullopt;
  PeerMotion motion{mass, poseAt(known, t)};
  const auto after = known.after(t);
  if (known.begins(after)) return motion;
  const KinematicState& before = std::prev(after)->motion;
  const double seconds = toSeconds(t - before.stamp);
  if (seconds > config_.extrapolation) return motion;  // it stays where it was
  motion.v_WB = before.v_WB + seconds * before.a_WB;
  motion.w_WB_B = before.w_WB_B;
  return motion;
}

void Peers::appendObjects(TimeNs begin, TimeNs end, std::vector<MovingObject>& objects) const {
  appendOthers(kMapIdentity, begin, end, objects);
}

void Peers::appendOthers(std::uint32_t own, TimeNs begin, TimeNs end,
                         std::vector<MovingObject>& objects, TimeNs known_until) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [id, peer] : peers_) {
    if (id == own) continue;
    if (auto object = objectOf(id, peer, begin, end, known_until)) {
      objects.push_back(std::move(*object));
    }
  }
}

std::optional<MovingObject> Peers::objectOf(std::uint32_t id, const Peer& peer, TimeNs begin,
                                            TimeNs end, TimeNs known_until) const {
  if (peer.shape == nullptr) return std::nullopt;
  const History known = knownOf(peer, known_until);
  if (isGone(known, begin)) return std::nullopt;
  MovingObject object =
      movingObject(peer.shape, id, begin, end, [&](TimeNs t) { return poseAt(known, t); });
  object.semantic_class = map::semantic::kOtherVehicle;
  return object;
}

const std::vector<Peers::Places::Place>& Peers::placesAt(TimeNs t, TimeNs known_until) const {
  if (places_.are_known && places_.time == t && places_.known_until == known_until) {
    return places_.places;
  }
  places_.places.clear();
  for (const auto& [id, peer] : peers_) {
    if (peer.shape == nullptr) continue;
    const History known = knownOf(peer, known_until);
    if (known.empty()) continue;
    places_.places.push_back({positionAt(known, t), peer.radius, id, &peer});
  }
  places_.time = t;
  places_.known_until = known_until;
  places_.are_known = true;
  return places_.places;
}

double Peers::appendOthersNear(std::uint32_t own, const BoundingSphere& near, TimeNs begin,
                               TimeNs end, std::vector<MovingObject>& objects,
                               TimeNs known_until) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  double others_gap = std::numeric_limits<double>::infinity();
  for (const Places::Place& place : placesAt(end, known_until)) {
    if (place.id == own) continue;
    const double gap = (place.p_WB - near.centre).norm() - place.radius - near.radius;
    if (gap > 0.0) {
      others_gap = std::min(others_gap, gap);
    } else if (auto object = objectOf(place.id, *place.peer, begin, end, known_until)) {
      objects.push_back(std::move(*object));
    }
  }
  return others_gap;
}

std::vector<PeerReport> Peers::reports(TimeNs now) const {
  std::vector<PeerReport> reports;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [id, peer] : peers_) {
    PeerReport report = peer.counts;
    report.id = id;
    report.name = peer.name;
    report.has_body = peer.shape != nullptr;
    report.age = peer.states.empty() ? std::numeric_limits<double>::infinity()
                                     : toSeconds(now - peer.states.back().motion.stamp);
    report.held = report.age > config_.extrapolation;
    report.dropped = isGone(knownOf(peer, kAllKnown), now);
    report.is_claimed_twice = peer.clashes >= kClashes;
    report.machine = peer.machine;
    report.other_machine = peer.other_machine;
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace marsim::scene
