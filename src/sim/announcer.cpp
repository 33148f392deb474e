// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/announcer.hpp"

#include <algorithm>
#include <tuple>

#include "marsim/sim/body.hpp"

namespace marsim::sim {
namespace {

constexpr TimeNs kBodyPeriod = kNsPerSecond;

// Not inlined: GCC 12 drops the two conversions when it vectorises neighbouring numbers.
[[gnu::noinline]] double inSinglePrecision(double x) {
  return static_cast<double>(static_cast<float>(x));
}

Eigen::Vector3d inSinglePrecision(const Eigen::Vector3d& v) {
  return {inSinglePrecision(v.x()), inSinglePrecision(v.y()), inSinglePrecision(v.z())};
}

Eigen::Quaterniond inSinglePrecision(const Eigen::Quaterniond& q) {
  return {inSinglePrecision(q.w()), inSinglePrecision(q.x()), inSinglePrecision(q.y()),
          inSinglePrecision(q.z())};
}

}  // namespace

scene::PeerState inSinglePrecision(const scene::PeerState& state) {
  scene::PeerState told = state;
  told.motion = KinematicState();  // fields that are not announced are zero
  told.motion.stamp = state.motion.stamp;
  told.motion.X_WB.p = inSinglePrecision(state.motion.X_WB.p);
  told.motion.X_WB.q = inSinglePrecision(state.motion.X_WB.q);
  told.motion.v_WB = inSinglePrecision(state.motion.v_WB);
  told.motion.a_WB = inSinglePrecision(state.motion.a_WB);
  told.motion.w_WB_B = inSinglePrecision(state.motion.w_WB_B);
  return told;
}

Impact inSinglePrecision(const Impact& impact) {
  Impact told = impact;
  for (Eigen::Vector3d Impact::*vector :
       {&Impact::impulse_W, &Impact::moment_W, &Impact::p_W, &Impact::normal_W, &Impact::v_rel_W}) {
    told.*vector = inSinglePrecision(impact.*vector);
  }
  return told;
}

scene::BodyConfig announcedBodyOf(const vehicle::VehicleConfig& vehicle) {
  scene::BodyConfig body = bodyOf(vehicle);
  for (double* length : {&body.arm_radius, &body.propeller_radius, &body.propeller_half_height}) {
    *length = inSinglePrecision(*length);
  }
  return body;
}

scene::PeerMass announcedMassOf(const vehicle::VehicleConfig& vehicle) {
  return {inSinglePrecision(vehicle.totalMass()), inSinglePrecision(vehicle.inertia)};
}

Announcer::Announcer(std::uint32_t id, std::uint32_t run, TimeNs period) : period_(period) {
  state_.id = id;
  state_.run = run;
}

std::optional<Announcement> Announcer::announce(const KinematicState& motion,
                                                std::uint32_t placements,
                                                const std::vector<Impact>& impacts) {
  const bool begins = last_ < 0 || motion.stamp < last_ || placements != state_.placements;
  const bool is_due = begins || motion.stamp / period_ != last_ / period_;
  if (!is_due && impacts.empty()) return std::nullopt;
  last_ = motion.stamp;
  const bool with_body = begins || motion.stamp - body_announced_ >= kBodyPeriod;
  if (with_body) body_announced_ = motion.stamp;
  state_.motion = motion;
  state_.placements = placements;
  ++state_.sequence;
  Announcement told{inSinglePrecision(state_), with_body, {}};
  for (const Impact& impact : impacts) told.impacts.push_back(inSinglePrecision(impact));
  return told;
}

void PendingImpacts::put(std::uint32_t struck, const Impact& impact) {
  const auto box = impacts_.find(struck);
  if (box != impacts_.end()) box->second.push_back(impact);
}

std::vector<Impact> PendingImpacts::take(std::uint32_t struck, TimeNs known_until) {
  std::vector<Impact>& box = impacts_[struck];
  if (box.empty()) return {};
  const auto later = std::stable_partition(
      box.begin(), box.end(), [=](const Impact& impact) { return impact.stamp <= known_until; });
  std::vector<Impact> taken(box.begin(), later);
  box.erase(box.begin(), later);
  std::stable_sort(taken.begin(), taken.end(), [](const Impact& a, const Impact& b) {
    return std::tie(a.stamp, a.identity) < std::tie(b.stamp, b.identity);
  });
  return taken;
}

}  // namespace marsim::sim
