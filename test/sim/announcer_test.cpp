// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/announcer.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/random.hpp"
#include "marsim/sim/body.hpp"
#include "rounded.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::sim {
namespace {

using Eigen::Vector3d;

constexpr TimeNs kMs = 1'000'000;

TEST(InSinglePrecision, EveryNumberThatIsToldIsRoundedOnce) {
  RandomStream random(1);
  const auto any = [&random] {
    return Vector3d(random.normal(), random.normal(), random.normal());
  };
  for (int i = 0; i < 20; ++i) {
    scene::PeerState state;
    state.id = 3;
    state.run = 0xfedcba98U;
    state.placements = 70'000;
    state.sequence = 65'535;
    state.motion = {123'456'789'012, {expMap(any()), 1000.0 * any()}, any(), any(), any(), any()};
    const scene::PeerState told = inSinglePrecision(state);
    EXPECT_EQ(told.id, state.id);
    EXPECT_EQ(told.run, state.run);
    EXPECT_EQ(told.placements, state.placements);
    EXPECT_EQ(told.sequence, state.sequence);
    EXPECT_EQ(told.motion.stamp, state.motion.stamp);
    const Eigen::Vector4d q = state.motion.X_WB.q.coeffs();
    EXPECT_EQ(told.motion.X_WB.q.coeffs(), rounded(q));
    EXPECT_EQ(told.motion.X_WB.p, rounded(state.motion.X_WB.p));
    EXPECT_EQ(told.motion.v_WB, rounded(state.motion.v_WB));
    EXPECT_EQ(told.motion.a_WB, rounded(state.motion.a_WB));
    EXPECT_EQ(told.motion.w_WB_B, rounded(state.motion.w_WB_B));
    EXPECT_EQ(told.motion.dw_WB_B, Vector3d::Zero()) << "it is not told";

    const Impact impact{123'456'789'012, 7, any(), any(), any(), any(), any()};
    const Impact told_impact = inSinglePrecision(impact);
    EXPECT_EQ(told_impact.stamp, impact.stamp);
    EXPECT_EQ(told_impact.identity, impact.identity);
    EXPECT_EQ(told_impact.impulse_W, rounded(impact.impulse_W));
    EXPECT_EQ(told_impact.moment_W, rounded(impact.moment_W));
    EXPECT_EQ(told_impact.p_W, rounded(impact.p_W));
    EXPECT_EQ(told_impact.normal_W, rounded(impact.normal_W));
    EXPECT_EQ(told_impact.v_rel_W, rounded(impact.v_rel_W));
  }
  for (const vehicle::VehicleConfig& craft : vehicle::allVehicles()) {
    const scene::BodyConfig body = bodyOf(craft), told = announcedBodyOf(craft);
    EXPECT_EQ(told.arm_radius, rounded(body.arm_radius));
    EXPECT_EQ(told.propeller_radius, rounded(body.propeller_radius));
    EXPECT_EQ(told.propeller_half_height, rounded(body.propeller_half_height));
    EXPECT_EQ(told.hub_half, body.hub_half) << "of double precision in messages";
    EXPECT_EQ(told.rotors, body.rotors);
    EXPECT_EQ(announcedMassOf(craft).mass, rounded(craft.mass));
    EXPECT_EQ(announcedMassOf(craft).inertia, rounded(craft.inertia));
  }
}

KinematicState stateAt(TimeNs stamp) {
  KinematicState state;
  state.stamp = stamp;
  state.X_WB.p.x() = 0.1 * toSeconds(stamp);
  return state;
}

// At the first state in every period, whatever the step of states.
TEST(Announcer, TellsOnceInEveryPeriod) {
  const std::vector<std::pair<TimeNs, std::vector<TimeNs>>> cases = {
      {1 * kMs, {5 * kMs, 20 * kMs, 40 * kMs, 60 * kMs, 80 * kMs, 100 * kMs}},
      {7 * kMs, {5 * kMs, 26 * kMs, 40 * kMs, 61 * kMs, 82 * kMs}},
      {45 * kMs, {5 * kMs, 50 * kMs, 95 * kMs}}};
  for (const auto& [step, expected] : cases) {
    Announcer announcer(3, 77, 20 * kMs);
    std::vector<TimeNs> told;
    for (TimeNs stamp = 5 * kMs; stamp <= 100 * kMs; stamp += step) {
      const auto announcement = announcer.announce(stateAt(stamp), 1);
      if (!announcement) continue;
      told.push_back(stamp);
      const scene::PeerState& state = announcement->state;
      EXPECT_EQ(state.id, 3U);
      EXPECT_EQ(state.run, 77U);
      EXPECT_EQ(state.placements, 1U);
      EXPECT_EQ(state.sequence, told.size());
      EXPECT_EQ(state.motion.stamp, stamp);
      EXPECT_EQ(state.motion.X_WB.p.x(), rounded(0.1 * toSeconds(stamp)));
      EXPECT_TRUE(announcement->impacts.empty());
    }
    EXPECT_EQ(told, expected);
  }
}

TEST(Announcer, TellsAtOnceOfPlacementsImpactsAndTimeSetBack) {
  Impact impact;
  impact.identity = 4;
  impact.impulse_W.x() = 0.1;
  struct Case {
    TimeNs stamp;
    std::uint32_t placements;
    bool impacts, tells;
    const char* why;
  };
  const std::vector<Case> cases = {{0, 1, false, true, "the first"},
                                   {4 * kMs, 1, false, false, "of the same period"},
                                   {4 * kMs, 2, false, true, "placed"},
                                   {5 * kMs, 2, false, false, "told"},
                                   {6 * kMs, 2, true, true, "struck another"},
                                   {7 * kMs, 2, true, true, "and again"},
                                   {8 * kMs, 2, false, false, "told"},
                                   {20 * kMs, 2, false, true, "due all the same"},
                                   {35 * kMs, 2, true, true, "struck another"},
                                   {30 * kMs, 2, false, true, "time set back"},
                                   {31 * kMs, 2, false, false, "told"}};
  Announcer announcer(3, 77, 20 * kMs);
  std::uint16_t sequence = 0;
  for (const Case& now : cases) {
    const std::vector<Impact> impacts(now.impacts ? 1 : 0, impact);
    const auto told = announcer.announce(stateAt(now.stamp), now.placements, impacts);
    ASSERT_EQ(told.has_value(), now.tells) << now.why;
    if (!told) continue;
    EXPECT_EQ(told->state.sequence, ++sequence) << now.why;
    EXPECT_EQ(told->state.placements, now.placements) << now.why;
    ASSERT_EQ(told->impacts.size(), impacts.size()) << now.why;
    for (const Impact& given : told->impacts) EXPECT_EQ(given.impulse_W.x(), rounded(0.1));
  }
}

TEST(Announcer, TellsTheBodyOnceASecondAndWhereItBegins) {
  Announcer announcer(3, 77, 20 * kMs);
  std::vector<TimeNs> told;
  for (TimeNs stamp = 0; stamp <= 2500 * kMs; stamp += 10 * kMs) {
    const std::uint32_t placements = stamp < 1300 * kMs ? 1 : 2;
    const auto announcement = announcer.announce(stateAt(stamp), placements);
    if (announcement && announcement->with_body) told.push_back(stamp);
  }
  EXPECT_EQ(told, (std::vector<TimeNs>{0, 1000 * kMs, 1300 * kMs, 2300 * kMs}));
}

// In words: stamp [ms] and by whom.
std::string taken(PendingImpacts& box, std::uint32_t struck, TimeNs known_until) {
  std::string words;
  for (const Impact& impact : box.take(struck, known_until)) {
    words += std::to_string(impact.stamp / kMs) + " by " + std::to_string(impact.identity) + ", ";
  }
  return words;
}

TEST(PendingImpacts, GivesWhatWasToldInOrderAndOnce) {
  PendingImpacts box;
  const auto put = [&box](std::uint32_t struck, TimeNs stamp, std::uint32_t by) {
    Impact impact;
    impact.stamp = stamp;
    impact.identity = by;
    box.put(struck, impact);
  };
  put(1, 1 * kMs, 9);  // of whom nobody asks yet
  box.accept(1);
  box.accept(2);
  put(1, 30 * kMs, 5);
  put(1, 10 * kMs, 6);
  put(2, 10 * kMs, 1);
  put(1, 10 * kMs, 4);
  put(1, 20 * kMs, 3);
  EXPECT_EQ(taken(box, 1, 10 * kMs - 1), "");
  EXPECT_EQ(taken(box, 1, 20 * kMs), "10 by 4, 10 by 6, 20 by 3, ");
  EXPECT_EQ(taken(box, 1, 20 * kMs), "");
  put(1, 20 * kMs, 2);  // it came late
  EXPECT_EQ(taken(box, 1, scene::kAllKnown), "20 by 2, 30 by 5, ");
  EXPECT_EQ(taken(box, 2, scene::kAllKnown), "10 by 1, ");
}

}  // namespace
}  // namespace marsim::sim
