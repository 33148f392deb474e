#include "marsim/sim/announcer.hpp"

#include <algorithm>
#include <tuple>

#include "marsim/sim/body.hpp"

namespace marsim::sim {
namespace {

// Not inlined: GCC 12 drops the two conversions of neighbouring numbers that it vectorises.
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
  told.motion = KinematicState();  // what is not told is zero
  told.motion.stamp = state.motion.stamp;
  told.motion.X_WB.p = inSinglePrecision(state.motion.X_WB.p);
  told.motion.X_WB.q = inSinglePrecision(state.motion.X_WB.q);
  told.motion.v_WB = inSinglePrecision(state.motion.v_WB);
  told.motion.a_WB = inSinglePrecision(state.motion.a_WB);
  told.motion.w_WB_B = inSinglePrecision(state.motion.w_WB_B);
  return told;
}

Strike inSinglePrecision(const Strike& strike) {
  Strike told = strike;
  for (Eigen::Vector3d Strike::*vector :
       {&Strike::impulse_W, &Strike::moment_W, &Strike::p_W, &Strike::normal_W, &Strike::v_rel_W}) {
    told.*vector = inSinglePrecision(strike.*vector);
  }
  return told;
}

scene::BodyConfig toldBodyOf(const vehicle::VehicleConfig& vehicle) {
  scene::BodyConfig body = bodyOf(vehicle);
  for (double* length : {&body.arm_radius, &body.propeller_radius, &body.propeller_half_height}) {
    *length = inSinglePrecision(*length);
  }
  return body;
}

scene::PeerMass toldMassOf(const vehicle::VehicleConfig& vehicle) {
  return {inSinglePrecision(vehicle.mass), inSinglePrecision(vehicle.inertia)};
}

Announcer::Announcer(std::uint32_t id, std::uint32_t run, TimeNs period) : period_(period) {
  state_.id = id;
  state_.run = run;
}

std::optional<Announcement> Announcer::announce(const KinematicState& motion,
                                                std::uint32_t placements,
                                                const std::vector<Strike>& strikes) {
  const bool begins = last_ < 0 || motion.stamp < last_ || placements != state_.placements;
  const bool is_due = begins || motion.stamp / period_ != last_ / period_;
  if (!is_due && strikes.empty()) return std::nullopt;
  last_ = motion.stamp;
  state_.motion = motion;
  state_.placements = placements;
  ++state_.sequence;
  Announcement told{inSinglePrecision(state_), {}};
  for (const Strike& strike : strikes) told.strikes.push_back(inSinglePrecision(strike));
  return told;
}

void StrikeBox::put(std::uint32_t struck, const Strike& strike) {
  const auto box = strikes_.find(struck);
  if (box != strikes_.end()) box->second.push_back(strike);
}

std::vector<Strike> StrikeBox::take(std::uint32_t struck, TimeNs told_until) {
  std::vector<Strike>& box = strikes_[struck];
  if (box.empty()) return {};
  const auto later = std::stable_partition(
      box.begin(), box.end(), [=](const Strike& strike) { return strike.stamp <= told_until; });
  std::vector<Strike> taken(box.begin(), later);
  box.erase(box.begin(), later);
  std::stable_sort(taken.begin(), taken.end(), [](const Strike& a, const Strike& b) {
    return std::tie(a.stamp, a.identity) < std::tie(b.stamp, b.identity);
  });
  return taken;
}

}  // namespace marsim::sim
