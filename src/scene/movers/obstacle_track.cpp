// SPDX-License-Identifier: BSD-3-Clause
#include "scene/movers/obstacle_track.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/common/units.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;

constexpr double kForEver = std::numeric_limits<double>::infinity();
constexpr std::size_t kLegsKept = 16;
// A new obstacle should be visible for a while: the first of a few draws that last this long is
// taken, or the longest of them.
constexpr int kDraws = 8;
constexpr double kLongEnough = 2.0;  // [s]
constexpr TimeNs kLeastLeg = 10'000'000;
constexpr TimeNs kDrivenOn = 300'000'000;  // after the last known state
constexpr std::size_t kStatesKept = 256;

TimeNs floorMod(TimeNs value, TimeNs modulus) {
  const TimeNs rest = value % modulus;
  return rest < 0 ? rest + modulus : rest;
}

// [s] until a point at `p` with constant velocity leaves a box.
double timeInside(const Eigen::AlignedBox3d& box, const Vector3d& p, const Vector3d& v) {
  double time = kForEver;
  for (int axis = 0; axis < 3; ++axis) {
    if (v[axis] == 0.0) continue;
    const double side = v[axis] > 0.0 ? box.max()[axis] : box.min()[axis];
    time = std::min(time, (side - p[axis]) / v[axis]);
  }
  return std::max(time, 0.0);
}

// Uniform on the unit sphere, or the unit circle in x and y: by rejection, without the C library's
// sine.
Vector3d randomDirection(int dimensions, RandomStream& random) {
  while (true) {
    Vector3d d = Vector3d::Zero();
    for (int axis = 0; axis < dimensions; ++axis) d[axis] = random.uniform(-1.0, 1.0);
    const double squared = d.x() * d.x() + d.y() * d.y() + d.z() * d.z();
    if (squared <= 1.0 && squared > 0.01) return d / std::sqrt(squared);
  }
}

}  // namespace

Eigen::Quaterniond headingOf(const Vector3d& direction) {
  const double level = std::sqrt(direction.x() * direction.x() + direction.y() * direction.y());
  if (!(level > 1e-6)) return Eigen::Quaterniond::Identity();
  const double cosine = std::clamp(direction.x() / level, -1.0, 1.0);
  // Cosine and sine of half the angle.
  const double w = std::sqrt(0.5 * (1.0 + cosine)), z = std::sqrt(0.5 * (1.0 - cosine));
  return {w, 0.0, 0.0, direction.y() < 0.0 ? -z : z};
}

Pose TrackLeg::at(TimeNs time) const {
  const double s = begin == std::numeric_limits<TimeNs>::min() ? 0.0 : toSeconds(time - begin);
  const double turn = yaw_rate * s;
  Pose pose{q, p + s * v + (0.5 * s * s) * a};
  if (turn != 0.0)
    pose.q = q * Eigen::Quaterniond(std::cos(0.5 * turn), 0, 0, std::sin(0.5 * turn));
  if (radius > 0.0) {
    pose.p.x() += radius * std::cos(angle + turn);
    pose.p.y() += radius * std::sin(angle + turn);
  }
  return pose;
}

bool TrackLeg::still() const { return v.isZero() && a.isZero() && yaw_rate == 0.0; }

RandomTrack::RandomTrack(const ObstacleGroup& group, const ObstaclePlaces& places,
                         std::uint64_t seed, double lift)
    : group_(group), places_(places), seed_(seed), lift_(lift), random_(seed) {}

TrackLeg RandomTrack::legAt(TimeNs time) {
  // Epochs of obstacles begin at different times, so that not all are replaced at once.
  const auto phase = static_cast<TimeNs>(mixBits(seed_) >> (64 - kEpochBits));
  constexpr TimeNs kEpoch = TimeNs{1} << kEpochBits;
  const std::int64_t epoch = (time + phase - floorMod(time + phase, kEpoch)) / kEpoch;
  if (epoch != epoch_ || time < legs_.front().begin) {
    epoch_begin_ = epoch * kEpoch - phase;
    epoch_end_ = epoch_begin_ + kEpoch;
    beginEpoch(epoch);
  }
  while (legs_.back().end <= time) addLeg();
  return *std::find_if(legs_.rbegin(), legs_.rend(),
                       [&](const TrackLeg& leg) { return leg.begin <= time; });
}

void RandomTrack::beginEpoch(std::int64_t epoch) {
  epoch_ = epoch;
  random_ = RandomStream(seed_, static_cast<std::uint64_t>(epoch));
  legs_.clear();
  goes_on_ = false;
  way_ = nullptr;
  place_ = static_cast<std::uint32_t>(random_.index(places_.free.size()));
  speed_ = anySpeed();
  addLeg();
}

void RandomTrack::addLeg() {
  TrackLeg leg;
  switch (group_.kind) {
    case ObstacleKind::kSphere:
      leg = fallingLeg();
      break;
    case ObstacleKind::kBox:
      leg = wanderingLeg();
      break;
    case ObstacleKind::kWalker:
      leg = walkingLeg();
      break;
    default:
      leg = straightLeg();
  }
  const TimeNs duration = leg.end;  // as the drawing functions leave it
  leg.begin = legs_.empty() ? epoch_begin_ : legs_.back().end;
  leg.end = std::min(leg.begin + std::max(duration, kLeastLeg), epoch_end_);
  if (legs_.size() == kLegsKept) legs_.pop_front();
  legs_.push_back(leg);
}

const Vector3d& RandomTrack::anyPlace() { return places_.free[random_.index(places_.free.size())]; }

double RandomTrack::anySpeed() { return random_.uniform(group_.speed_min, group_.speed_max); }

namespace {

// A leg's duration, never more than an epoch's.
TimeNs lasting(double seconds) { return seconds < 2000.0 ? toNs(seconds) : toNs(2000.0); }

}  // namespace

// Takes the first of some draws that is long enough, or the longest; `draw` fills in a leg and
// returns its duration [s].
template <class Draw>
TrackLeg RandomTrack::longestLeg(const Draw& draw) {
  TrackLeg best;
  double longest = -1.0;
  for (int i = 0; i < kDraws && longest < kLongEnough; ++i) {
    TrackLeg leg;
    const double time = draw(leg);
    if (time <= longest) continue;
    longest = time;
    best = leg;
  }
  best.end = lasting(longest);
  return best;
}

TrackLeg RandomTrack::straightLeg() {
  return longestLeg([this](TrackLeg& leg) {
    leg.p = anyPlace();
    Vector3d direction = randomDirection(2, random_);
    direction.z() = random_.uniform(-0.2, 0.2);
    const double speed = anySpeed();
    const double length = std::sqrt(1.0 + direction.z() * direction.z());
    leg.v = direction * (speed / length);
    leg.q = headingOf(direction);
    return timeInside(group_.region, leg.p, leg.v);
  });
}

TrackLeg RandomTrack::fallingLeg() {
  return longestLeg([this](TrackLeg& leg) {
    leg.p = anyPlace();
    const Vector3d direction = randomDirection(2, random_);
    leg.v = direction * anySpeed();
    leg.a = {0.0, 0.0, -kGravity};
    leg.q = headingOf(direction);
    const double fall = std::sqrt(2.0 * (leg.p.z() - group_.region.min().z()) / kGravity);
    return std::min(fall, timeInside(group_.region, leg.p, leg.v));
  });
}

TrackLeg RandomTrack::wanderingLeg() {
  TrackLeg best;
  double longest = -1.0;
  const bool goes_on = goes_on_;
  const Vector3d here = goes_on ? legs_.back().at(legs_.back().end).p : Vector3d::Zero();
  for (int i = 0; i < (goes_on ? 1 : kDraws) && longest < group_.turn_min; ++i) {
    const Vector3d p = goes_on ? here : anyPlace();
    const Vector3d v = randomDirection(3, random_) * anySpeed();
    const double wanted = random_.uniform(group_.turn_min, group_.turn_max);
    const double inside = timeInside(group_.region, p, v);
    if (std::min(wanted, inside) <= longest) continue;
    longest = std::min(wanted, inside);
    goes_on_ = wanted < inside;
    best.p = p;
    best.v = v;
  }
  best.q = goes_on ? legs_.back().q : headingOf(randomDirection(2, random_));
  best.end = lasting(longest);
  return best;
}

TrackLeg RandomTrack::walkingLeg() {
  if (way_ == nullptr || corner_ + 1 == way_->corners.size()) {
    const auto& ways = places_.ways[place_];
    std::size_t next = random_.index(ways.size());
    // Does not return to where it came from, unless there is no other way.
    if (way_ != nullptr && ways[next].to == came_from_) next = (next + 1) % ways.size();
    came_from_ = place_;
    way_ = &ways[next];
    place_ = way_->to;
    corner_ = 0;
  }
  const Vector3d &from = way_->corners[corner_], &to = way_->corners[corner_ + 1];
  ++corner_;
  const Vector3d step = to - from;
  const double seconds =
      std::sqrt(step.x() * step.x() + step.y() * step.y() + step.z() * step.z()) / speed_;
  TrackLeg leg;
  leg.p = from + Vector3d(0.0, 0.0, lift_);
  leg.end = std::max(lasting(seconds), kLeastLeg);
  leg.v = step / toSeconds(leg.end);
  leg.q = headingOf(step);
  return leg;
}

PathTrack::PathTrack(const ObstacleGroup& group, double speed, double part) {
  std::vector<Vector3d> corners = group.points;
  if (group.loop) {
    corners.push_back(corners.front());
  } else {
    for (std::size_t i = group.points.size() - 1; i-- > 0;) corners.push_back(group.points[i]);
  }
  for (std::size_t i = 0; i + 1 < corners.size(); ++i) {
    const Vector3d way = corners[i + 1] - corners[i];
    TrackLeg leg;
    leg.begin = period_;
    leg.end = period_ + std::max(toNs(way.norm() / speed), TimeNs{1});
    leg.p = corners[i];
    leg.v = way / toSeconds(leg.end - leg.begin);
    leg.q = headingOf(way);
    period_ = leg.end;
    legs_.push_back(leg);
  }
  ahead_ = std::min(static_cast<TimeNs>(part * static_cast<double>(period_)), period_ - 1);
}

TrackLeg PathTrack::legAt(TimeNs time) {
  const TimeNs inside = floorMod(time + ahead_, period_);
  TrackLeg leg = *std::find_if(legs_.begin(), legs_.end(),
                               [&](const TrackLeg& candidate) { return inside < candidate.end; });
  const TimeNs round = time - inside;
  leg.begin += round;
  leg.end += round;
  return leg;
}

OrbitTrack::OrbitTrack(const Vector3d& middle, double radius, double rate, double angle)
    : period_(std::max(toNs(2.0 * kPi / std::abs(rate)), TimeNs{1000})) {
  leg_.p = middle;
  leg_.radius = radius;
  leg_.angle = angle;
  leg_.yaw_rate = (rate < 0.0 ? -2.0 : 2.0) * kPi / toSeconds(period_);
  const double yaw = angle + (rate < 0.0 ? -0.5 : 0.5) * kPi;
  leg_.q = {std::cos(0.5 * yaw), 0.0, 0.0, std::sin(0.5 * yaw)};
}

TrackLeg OrbitTrack::legAt(TimeNs time) {
  TrackLeg leg = leg_;
  leg.begin = time - floorMod(time, period_);
  leg.end = leg.begin + period_;
  return leg;
}

TrackLeg FixedTrack::legAt(TimeNs time) {
  TrackLeg leg;
  leg.p = group_.X_WM.p;
  leg.q = group_.X_WM.q;
  if (group_.swing == 0.0) return leg;
  const TimeNs half = toNs(0.5 * group_.swing_period);
  leg.begin = time - floorMod(time, half);
  leg.end = leg.begin + half;
  const double side = leg.begin / half % 2 == 0 ? 1.0 : -1.0;  // where the turn ends
  const double from = -0.5 * side * group_.swing;
  leg.q = leg.q * Eigen::Quaterniond(std::cos(from), 0.0, 0.0, std::sin(from));
  leg.yaw_rate = side * 2.0 * group_.swing / toSeconds(half);
  return leg;
}

void DrivenTrack::drive(const Obstacles::Driven& state) {
  while (!states_.empty() && states_.back().stamp >= state.stamp) states_.pop_back();
  states_.push_back(state);
  if (states_.size() > kStatesKept) states_.pop_front();
}

TrackLeg DrivenTrack::knownLegAt(TimeNs time, TimeNs known_until) const {
  const auto isBefore = [](TimeNs t, const Obstacles::Driven& state) { return t < state.stamp; };
  const auto end = std::upper_bound(states_.begin(), states_.end(), known_until, isBefore);
  const auto after = std::upper_bound(states_.begin(), end, time, isBefore);
  const auto legOf = [](const Obstacles::Driven& state) {
    TrackLeg leg;
    leg.begin = state.stamp;
    leg.p = state.p;
    leg.q = {std::cos(0.5 * state.yaw), 0.0, 0.0, std::sin(0.5 * state.yaw)};
    return leg;
  };
  if (after == states_.begin()) {  // before all known states
    TrackLeg leg = legOf(after == end ? start_ : *after);
    leg.begin = std::numeric_limits<TimeNs>::min();
    if (after != end) leg.end = after->stamp;
    return leg;
  }
  const Obstacles::Driven& now = *(after - 1);
  TrackLeg leg = legOf(now);
  if (after != end) {
    leg.end = after->stamp;
    const double seconds = toSeconds(leg.end - leg.begin);
    leg.v = (after->p - now.p) / seconds;
    leg.yaw_rate = std::remainder(after->yaw - now.yaw, 2.0 * kPi) / seconds;
    return leg;
  }
  leg.v = now.v;
  leg.yaw_rate = now.yaw_rate;
  leg.end = now.stamp + kDrivenOn;
  if (time < leg.end) return leg;
  const Pose rest = leg.at(leg.end);
  return {leg.end, std::numeric_limits<TimeNs>::max(), rest.p, Vector3d::Zero(), Vector3d::Zero(),
          rest.q};
}

}  // namespace marsim::scene
