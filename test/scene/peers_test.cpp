// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/scene/peers.hpp"
#include "scene/movers/peer_news.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim::scene {
namespace {

constexpr TimeNs kPeriod = kNsPerSecond / 50;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A flight on a circle of 3 m at 5 m/s, nose forward, banked: known at every time.
KinematicState onCircle(double t) {
  const double radius = 3.0, w = 5.0 / radius;
  KinematicState state;
  state.stamp = toNs(t);
  const double c = std::cos(w * t), s = std::sin(w * t);
  state.X_WB.p = {radius * c, radius * s, 1.5};
  state.v_WB = radius * w * Eigen::Vector3d(-s, c, 0.0);
  state.a_WB = -radius * w * w * Eigen::Vector3d(c, s, 0.0);
  const Eigen::Quaterniond bank(Eigen::AngleAxisd(-0.7, Eigen::Vector3d::UnitX()));
  state.X_WB.q =
      Eigen::Quaterniond(Eigen::AngleAxisd(w * t + M_PI / 2, Eigen::Vector3d::UnitZ())) * bank;
  state.w_WB_B = bank.conjugate() * Eigen::Vector3d(0.0, 0.0, w);
  return state;
}

PeerState told(std::uint32_t id, int i, double begin = 10.0) {
  PeerState state;
  state.id = id;
  state.run = 77;
  state.sequence = static_cast<std::uint16_t>(i);
  state.motion = onCircle(begin + i * toSeconds(kPeriod));
  return state;
}

BodyConfig someBody() {
  BodyConfig body;
  body.hub_half = {0.1, 0.08, 0.03};
  body.rotors = {
      {0.15, 0.15, 0.02}, {-0.15, 0.15, 0.02}, {-0.15, -0.15, 0.02}, {0.15, -0.15, 0.02}};
  body.arm_radius = 0.01;
  body.propeller_radius = 0.1;
  body.propeller_half_height = 0.005;
  return body;
}

double distanceAt(const Peers& peers, double t) {
  const auto X_WB = peers.poseAt(3, toNs(t));
  return X_WB ? (X_WB->p - onCircle(t).X_WB.p).norm() : kNaN;
}
double angleAt(const Peers& peers, double t) {
  return peers.poseAt(3, toNs(t))->q.angularDistance(onCircle(t).X_WB.q);
}

TEST(Peers, InterpolateAndCarryOn) {
  Peers peers;
  for (int i = 0; i <= 50; ++i) EXPECT_EQ(peers.push(told(3, i)), Peers::Effect::kTaken);
  for (double t = 10.05; t < 11.0; t += 0.0031) {
    EXPECT_LT(distanceAt(peers, t), 2e-4) << t;
    EXPECT_LT(angleAt(peers, t), 1e-4) << t;
  }
  // Past the newest state, at 11 s, the error grows with the jerk, 14 m/s^3 here.
  for (const double late : {0.01, 0.05, 0.1}) {
    EXPECT_LT(distanceAt(peers, 11.0 + late), 14.0 * late * late * late / 6.0 + 1e-6) << late;
    EXPECT_LT(angleAt(peers, 11.0 + late), 1e-6) << "it turns steadily";
  }
}

TEST(Peers, AreHeldAndThenDropped) {
  PeersConfig config;
  config.extrapolation = 0.1;
  config.timeout = 2.0;
  Peers peers(config);
  peers.push(told(3, 0));
  const Pose held = *peers.poseAt(3, toNs(10.1));
  EXPECT_GT((held.p - onCircle(10.0).X_WB.p).norm(), 0.4);
  EXPECT_EQ(peers.poseAt(3, toNs(11.9))->p, held.p);
  EXPECT_FALSE(peers.poseAt(3, toNs(12.01)));
  EXPECT_FALSE(peers.poseAt(4, toNs(10.0)));
  EXPECT_EQ(peers.reports(toNs(10.02))[0].summary(), "uav 3: its body is not known yet");
  peers.setBody(3, "some", someBody());
  EXPECT_EQ(peers.reports(toNs(10.02))[0].summary(), "uav 3: 20 ms old");
  EXPECT_EQ(peers.reports(toNs(10.5))[0].summary(),
            "uav 3: silent for 0.5 s, held where last seen");
  EXPECT_EQ(peers.reports(toNs(15.2))[0].summary(), "uav 3: silent for 5.2 s, dropped");
  // It is back: nothing is made up for the time between, also not for looks back.
  peers.push(told(3, 0, 15.2));
  EXPECT_TRUE(peers.poseAt(3, toNs(15.2)));
  EXPECT_EQ(peers.poseAt(3, toNs(11.9))->p, held.p);
  EXPECT_EQ(peers.reports(toNs(15.21))[0].summary(), "uav 3: 10 ms old");
}

// Any order and any loss that leaves neighbours gives the same motion.
TEST(Peers, OrderDoesNotMatter) {
  RandomStream random(4);
  Peers in_order, shuffled;
  std::vector<int> order;
  for (int i = 0; i <= 40; ++i) order.push_back(i);
  for (std::size_t i = 1; i < order.size(); ++i) {  // neighbours change places
    if (random.uniform() < 0.4) std::swap(order[i - 1], order[i]);
  }
  for (int i = 0; i <= 40; ++i) in_order.push(told(3, i));
  for (const int i : order) {
    EXPECT_EQ(shuffled.push(told(3, i)), Peers::Effect::kTaken);
    EXPECT_EQ(shuffled.push(told(3, i)), Peers::Effect::kRepeated);
  }
  for (double t = 10.0; t < 10.9; t += 0.0037) {
    EXPECT_EQ(in_order.poseAt(3, toNs(t))->p, shuffled.poseAt(3, toNs(t))->p);
  }
  const PeerReport report = shuffled.reports(toNs(10.8))[0];
  EXPECT_EQ(report.taken, 41U);
  EXPECT_EQ(report.repeated, 41U);
  EXPECT_GT(report.late, 5U);
  EXPECT_EQ(report.lost, 0U) << "what came late after all";
}

TEST(Peers, CountTheLost) {
  Peers peers;
  for (int i = 65500; i < 65600; ++i) {  // sequence numbers begin again in between
    if (i % 10 != 3) peers.push(told(3, i, -1300.0));
  }
  const PeerReport report = peers.reports(toNs(12.0))[0];
  EXPECT_EQ(report.lost, 10U);
  EXPECT_EQ(report.taken, 90U);
  EXPECT_EQ(peers.push(told(3, 65500, -1300.0)), Peers::Effect::kTooLate);
}

TEST(Peers, RefuseWhatIsNotFinite) {
  Peers peers;
  peers.push(told(3, 0));
  PeerState bad = told(3, 1);
  bad.motion.v_WB.y() = kNaN;
  EXPECT_EQ(problemOf(bad).substr(0, 20), "uav 3: velocity is (");
  EXPECT_NE(problemOf(bad).find("nan"), std::string::npos);
  EXPECT_NE(problemOf(bad).find("allowed: finite numbers"), std::string::npos);
  EXPECT_EQ(peers.push(bad), Peers::Effect::kRejected);
  bad = told(3, 1);
  bad.motion.X_WB.p.x() = std::numeric_limits<double>::infinity();
  EXPECT_EQ(peers.push(bad), Peers::Effect::kRejected);
  bad = told(3, 1);
  bad.motion.X_WB.q.coeffs() *= 0.0;
  EXPECT_EQ(problemOf(bad), "uav 3: orientation is of length 0, allowed: a quaternion of length 1");
  EXPECT_EQ(peers.push(bad), Peers::Effect::kRejected);
  bad = told(kFirstObstacleIdentity, 1);
  EXPECT_EQ(problemOf(bad), "uav 65536: number is 65536, allowed: 0 to 65535");
  EXPECT_EQ(peers.push(bad), Peers::Effect::kRejected);
  ASSERT_EQ(peers.reports(toNs(10.0)).size(), 1U);
  EXPECT_EQ(peers.reports(toNs(10.0))[0].rejected, 3U);
  EXPECT_LT(distanceAt(peers, 10.02), 1e-3);

  bad = told(5, 0);
  bad.motion.a_WB.z() = kNaN;
  peers.push(bad);
  EXPECT_FALSE(peers.poseAt(5, toNs(10.0)));
  EXPECT_EQ(peers.reports(toNs(10.0))[1].summary(), "uav 5: no usable state yet");
}

// A sender of nonsense under ever new numbers neither fills the memory nor the diagnostics.
TEST(Peers, UnusableOnesAreBoundedAndForgotten) {
  Peers peers;
  peers.push(told(3, 0));
  peers.setBody(3, "hummingbird", someBody());
  PeerState bad = told(0, 0);
  bad.motion.X_WB.p.x() = kNaN;
  for (std::uint32_t id = 100; id < 5000; ++id) {
    bad.id = id;
    EXPECT_EQ(peers.push(bad), Peers::Effect::kRejected);
    peers.setBody(id, "x", someBody());
    peers.setMass(id, {1.0, {0.1, 0.1, 0.1}});
  }
  EXPECT_EQ(peers.reports(0).size(), 1 + Peers::kMostUnusable);
  EXPECT_EQ(peers.refusedUnknown(), 4900 - Peers::kMostUnusable);
  EXPECT_EQ(peers.push(told(4, 0)), Peers::Effect::kTaken) << "a usable one is let in all the same";

  const auto forgetAt = [&](double seconds) { peers.forget(toNs(seconds)); };
  forgetAt(10.0);
  peers.push(told(3, 1, 65.0));
  forgetAt(65.0);
  EXPECT_EQ(peers.reports(0).size(), 2 + Peers::kMostUnusable) << "55 s ago they were heard";
  forgetAt(71.0);
  ASSERT_EQ(peers.reports(0).size(), 1U);
  EXPECT_EQ(peers.reports(0)[0].id, 3U);
  EXPECT_TRUE(peers.reports(0)[0].has_body) << "its body is kept, whoever else had the same";
  forgetAt(5.0);  // the simulation was started anew
  forgetAt(50.0);
  EXPECT_EQ(peers.reports(0).size(), 1U);
  forgetAt(66.0);
  EXPECT_TRUE(peers.reports(0).empty());
}

TEST(Peers, RefuseWhatIsFiniteButAbsurd) {
  Peers peers;
  PeerState bad = told(3, 1);
  bad.motion.a_WB.z() = -3e6;
  EXPECT_NE(problemOf(bad).find("-3000000), allowed: finite numbers up to 1e+06"),
            std::string::npos);
  EXPECT_EQ(peers.push(bad), Peers::Effect::kRejected);
  for (const double mass : {1e-300, 1e300}) {
    EXPECT_FALSE((PeerMass{mass, {0.1, 0.1, 0.1}}).isSound()) << mass;
    EXPECT_FALSE((PeerMass{1.0, {0.1, mass, 0.1}}).isSound()) << mass;
  }
}

// Stamps and placements of one wrong state must not make all that follow too late.
TEST(Peers, AUavIsShownAgainAfterAStateFromTheFuture) {
  for (const bool by_stamp : {true, false}) {
    Peers peers;
    for (int i = 0; i < 5; ++i) peers.push(told(3, i));
    PeerState wrong = told(3, 5);
    if (by_stamp) {
      wrong.motion.stamp = 4'294'967'295 * kNsPerSecond;
    } else {
      wrong.placements = (1U << 31U) - 1;
    }
    EXPECT_EQ(peers.push(wrong), Peers::Effect::kTaken);
    for (int i = 6; i < 60; ++i) peers.push(told(3, i));
    EXPECT_LT(distanceAt(peers, 10.0 + 59 * 0.02), 1e-3);
    EXPECT_GT(peers.reports(toNs(11.2))[0].taken, 45U);
  }
}

TEST(PeerNews, SilenceOfOthersIsToldAndNotOnesOwn) {
  Peers peers;
  peers.push(told(1, 0));
  peers.push(told(2, 0));
  PeerNews one, both, none;
  one.addOwn(1);
  both.addOwn(1);
  both.addOwn(2);
  for (PeerNews* news : {&one, &both, &none})
    EXPECT_TRUE(news->of(peers.reports(toNs(10))).empty());
  const auto silent = peers.reports(toNs(20.0));
  const auto news = one.of(silent);
  ASSERT_EQ(news.size(), 1U) << "uav 1 does not say of itself that it is silent";
  EXPECT_EQ(news[0].text, "uav 2: silent for 10.0 s, dropped");
  EXPECT_TRUE(news[0].is_silent);
  EXPECT_TRUE(one.of(silent).empty()) << "once";
  EXPECT_EQ(both.of(silent).size(), 2U) << "each of a process may be told of the other";
  EXPECT_EQ(none.of(silent).size(), 2U);
  peers.push(told(2, 1, 20.0));
  const auto back = one.of(peers.reports(toNs(20.1)));
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].text, "uav 2 is back");
  EXPECT_FALSE(back[0].is_silent);
}

TEST(Peers, ALeapIsNoMotion) {
  Peers peers;
  for (int i = 0; i < 5; ++i) peers.push(told(3, i));
  PeerState there = told(3, 5);
  there.motion.X_WB.p.x() += 20.0;
  there.placements = 1;
  EXPECT_EQ(peers.push(there), Peers::Effect::kTaken);
  EXPECT_EQ(peers.poseAt(3, toNs(10.09))->p, there.motion.X_WB.p);
  EXPECT_EQ(peers.push(told(3, 4)), Peers::Effect::kTooLate);
  // A simulation that began anew: stamps go back.
  PeerState again = told(3, 6, 0.0);
  again.placements = 2;
  EXPECT_EQ(peers.push(again), Peers::Effect::kTaken);
  EXPECT_TRUE(peers.poseAt(3, again.motion.stamp));
}

// A flight that is placed 20 m farther on twice: at the stamp of a state that was told already, and
// then as any state.
std::vector<PeerState> placedFlight() {
  std::vector<PeerState> states;
  const auto tell = [&states](int i, std::uint32_t placements) {
    PeerState state = told(3, i);
    state.sequence = static_cast<std::uint16_t>(states.size());
    state.placements = placements;
    state.motion.X_WB.p.x() += 20.0 * placements;
    states.push_back(state);
  };
  for (int i = 0; i <= 30; ++i) {
    tell(i, (i > 12 ? 1U : 0U) + (i > 20 ? 1U : 0U));
    if (i == 12) tell(i, 1);
  }
  return states;
}

TEST(Peers, AnswerLikeOneWhoHeardNoMoreThanWasToldUntil) {
  const std::vector<PeerState> states = placedFlight();
  Peers all, heard;
  for (Peers* peers : {&all, &heard}) {
    peers->setBody(3, "some", someBody());
    peers->setMass(3, {0.7, Eigen::Vector3d::Ones()});
  }
  for (const PeerState& state : states) EXPECT_EQ(all.push(state), Peers::Effect::kTaken);
  std::size_t known = 0;
  for (TimeNs until = toNs(9.99); until < toNs(10.65); until += toNs(0.005)) {
    while (known < states.size() && states[known].motion.stamp <= until)
      heard.push(states[known++]);
    for (const double later : {-0.1, -0.007, 0.0, 0.013, 0.02, 0.04, 0.4, 2.99, 3.1}) {
      const TimeNs t = until + toNs(later);
      const auto pose = all.poseAt(3, t, until), expected = heard.poseAt(3, t);
      const auto motion = all.motionAt(3, t, until), expected_motion = heard.motionAt(3, t);
      ASSERT_EQ(pose.has_value(), expected.has_value()) << toSeconds(t);
      ASSERT_EQ(motion.has_value(), expected_motion.has_value());
      std::vector<MovingObject> objects, expected_objects;
      all.appendOthers(1, t, t + toNs(0.05), objects, until);
      heard.appendOthers(1, t, t + toNs(0.05), expected_objects);
      ASSERT_EQ(objects.size(), expected_objects.size());
      if (!pose) continue;
      ASSERT_EQ(pose->p, expected->p) << toSeconds(t);
      ASSERT_EQ(pose->q.coeffs(), expected->q.coeffs());
      ASSERT_EQ(motion->v_WB, expected_motion->v_WB);
      ASSERT_EQ(motion->w_WB_B, expected_motion->w_WB_B);
      for (std::size_t k = 0; k < objects[0].X_WM.size(); ++k) {
        ASSERT_EQ(objects[0].X_WM[k].p, expected_objects[0].X_WM[k].p);
      }
    }
  }
  EXPECT_EQ(known, states.size());
}

TEST(Peers, QueriesBeforeAPlacementSeeTheOldMotion) {
  Peers peers;
  for (const PeerState& state : placedFlight()) peers.push(state);
  struct Case {
    double t, known_until, x;  // x [m] how far it was moved on
  };
  const std::vector<Case> cases = {
      {10.20, 10.2399, 0.0}, {10.25, 10.2399, 0.0},  {10.25, 10.24, 20.0}, {10.27, 10.26, 20.0},
      {10.41, 10.41, 20.0},  {10.43, 10.4199, 20.0}, {10.43, 10.42, 40.0}, {10.43, 99.0, 40.0}};
  for (const Case& now : cases) {
    const auto pose = peers.poseAt(3, toNs(now.t), toNs(now.known_until));
    ASSERT_TRUE(pose);
    const Eigen::Vector3d expected = onCircle(now.t).X_WB.p + now.x * Eigen::Vector3d::UnitX();
    EXPECT_LT((pose->p - expected).norm(), 1e-3) << now.t << ", told until " << now.known_until;
  }
  EXPECT_FALSE(peers.poseAt(3, toNs(10.0), toNs(9.99))) << "nothing was told yet";
}

TEST(Peers, SayUntilWhenTheyHeard) {
  Peers peers;
  EXPECT_FALSE(peers.heardUntil(3));
  peers.setBody(3, "some", someBody());
  EXPECT_FALSE(peers.heardUntil(3));
  for (const int i : {0, 2, 1, 3}) {
    peers.push(told(3, i));
    EXPECT_EQ(peers.heardUntil(3), told(3, i).motion.stamp) << "what came last";
  }
  PeerState stranger = told(3, 5);
  stranger.run = 78;
  EXPECT_EQ(peers.push(stranger), Peers::Effect::kStranger);
  EXPECT_EQ(peers.heardUntil(3), stranger.motion.stamp);
  PeerState bad = told(3, 6);
  bad.motion.v_WB.x() = kNaN;
  peers.push(bad);
  EXPECT_EQ(peers.heardUntil(3), stranger.motion.stamp);
}

TEST(Peers, KeepAsMuchMotionAsAnybodyNeeds) {
  PeersConfig config;
  config.history = 0.1;
  for (const double needed : {0.05, 0.1, 0.5}) {
    Peers peers(config);
    peers.keepAtLeast(needed);
    peers.keepAtLeast(0.01);
    for (int i = 0; i <= 50; ++i) peers.push(told(3, i));
    const double kept = std::max(needed, config.history);
    EXPECT_LT(distanceAt(peers, 11.0 - kept), 1e-3) << needed;
    EXPECT_GT(distanceAt(peers, 11.0 - kept - 0.1), 0.1) << needed;
  }
}

TEST(Peers, OneStartedAnewTakesItsPlaceBack) {
  Peers peers;
  for (int i = 0; i < 5; ++i) peers.push(told(3, i));
  for (int i = 0; i < 5; ++i) {
    PeerState state = told(3, i, 1.0);
    state.run = 78;
    EXPECT_EQ(peers.push(state), i < 2 ? Peers::Effect::kStranger : Peers::Effect::kTaken);
  }
  EXPECT_LT(distanceAt(peers, 1.07), 1e-3);
  EXPECT_FALSE(peers.reports(toNs(1.1))[0].is_claimed_twice);
}

TEST(Peers, TwoOfOneNumberAreNoticed) {
  Peers peers;
  int i = 0;
  for (; i < 10; ++i) {
    peers.push(told(3, i));
    PeerState other = told(3, i);
    other.run = 78;
    other.motion.X_WB.p.x() += 5.0;
    EXPECT_EQ(peers.push(other), Peers::Effect::kStranger);
  }
  EXPECT_LT(distanceAt(peers, 10.1), 1e-3) << "the first one stays";
  EXPECT_EQ(peers.reports(toNs(10.2))[0].summary(),
            "uav 3: two UAVs have this number, both on this machine; give each its own uav_id");
  for (; i < 300; ++i) peers.push(told(3, i));
  EXPECT_FALSE(peers.reports(toNs(16.0))[0].is_claimed_twice) << "the other one is gone";
}

TEST(Peers, TwoOfOneNumberAreToldWithTheirMachines) {
  Peers peers;
  for (int i = 0; i < 10; ++i) {
    peers.push(told(3, i));
    PeerState other = told(3, i);
    other.run = 78;
    peers.push(other, "beta");
  }
  EXPECT_EQ(peers.reports(toNs(1.0))[0].summary(),
            "uav 3: two UAVs have this number, on this machine and on machine beta; give each its "
            "own uav_id");
}

TEST(Peers, AreObjectsToTheOthers) {
  Peers peers;
  for (const std::uint32_t id : {1U, 3U, 4U}) {
    for (int i = 0; i < 10; ++i) peers.push(told(id, i));
    if (id != 4U) peers.setBody(id, "some", someBody());
  }
  std::vector<MovingObject> objects;
  peers.appendObjects(toNs(10.0), toNs(10.1), objects);
  ASSERT_EQ(objects.size(), 2U) << "without a body there is nothing to show";
  EXPECT_EQ(objects[0].shape, objects[1].shape) << "equal bodies are one";
  objects.clear();
  peers.appendOthers(1, toNs(10.0), toNs(10.1), objects);
  ASSERT_EQ(objects.size(), 1U);
  const MovingObject& object = objects[0];
  EXPECT_EQ(object.identity, 3U);
  EXPECT_NO_THROW(object.validate("object"));
  for (double t = 0.0; t <= 0.1; t += 0.001) {
    EXPECT_LT((object.at(t).p - onCircle(10.0 + t).X_WB.p).norm(), 5e-4);
    EXPECT_LT(object.at(t).q.angularDistance(onCircle(10.0 + t).X_WB.q), 1e-3);
  }
  objects.clear();
  peers.appendObjects(toNs(10.05), toNs(10.05), objects);
  ASSERT_EQ(objects.size(), 2U);
  EXPECT_EQ(objects[0].X_WM.size(), 1U);
  objects.clear();
  peers.appendObjects(toNs(20.0), toNs(20.1), objects);
  EXPECT_TRUE(objects.empty()) << "both are gone by then";
}

// Beside all of them one by one, also when something was told between two questions.
TEST(Peers, NearPeersAreAllWhoseSpheresMeet) {
  Peers peers;
  RandomStream random(1, "near");
  const double radius = radiusOf(*bodyShape(someBody(), bodyResolution(someBody())));
  for (std::uint32_t id = 0; id < 40; ++id) peers.setBody(id, "some", someBody());
  int met = 0;
  for (int i = 0; i < 30; ++i) {
    for (std::uint32_t id = 0; id < 40; ++id) {
      if (i > 20 && id % 5 == 0) continue;  // silent
      PeerState state = told(id, i);
      for (int axis = 0; axis < 3; ++axis) state.motion.X_WB.p[axis] = random.uniform(-2.0, 2.0);
      state.placements = i > 10 && id % 7 == 0 ? 1 : 0;
      peers.push(state);
    }
    for (const double later : {0.0, 0.001, 0.3, 3.1}) {
      const TimeNs end = told(0, i).motion.stamp + toNs(later), begin = end - toNs(0.002);
      const TimeNs until = i % 2 == 0 ? kAllKnown : end - kPeriod;
      const BoundingSphere ball{{random.uniform(-2.0, 2.0), random.uniform(-2.0, 2.0), 0.0}, 0.4};
      std::vector<MovingObject> all, near, expected;
      peers.appendOthers(7, begin, end, all, until);
      double gap = std::numeric_limits<double>::infinity();
      for (const MovingObject& object : all) {
        const double here = (object.X_WM.back().p - ball.centre).norm() - radius - ball.radius;
        if (here <= 0.0) expected.push_back(object);
        if (here > 0.0) gap = std::min(gap, here);
      }
      const double others_gap = peers.appendOthersNear(7, ball, begin, end, near, until);
      ASSERT_EQ(near.size(), expected.size());
      for (std::size_t k = 0; k < near.size(); ++k) {
        ASSERT_EQ(near[k].identity, expected[k].identity);
        ASSERT_EQ(near[k].X_WM.back().p, expected[k].X_WM.back().p);
        ASSERT_EQ(near[k].X_WM.back().q.coeffs(), expected[k].X_WM.back().q.coeffs());
      }
      EXPECT_LE(others_gap, gap + 1e-12) << "who has gone may count";
      if (later < 2.0) {
        EXPECT_NEAR(others_gap, gap, 1e-9);
      }
      met += static_cast<int>(near.size());
    }
  }
  EXPECT_GT(met, 20);
}

TEST(Peers, ABadConfigurationIsRefused) {
  PeersConfig config;
  config.timeout = 0.0;
  EXPECT_THROW(Peers{config}, ConfigError);
  config = {};
  config.extrapolation = -1.0;
  EXPECT_THROW(Peers{config}, ConfigError);
}

// The speed at an instant is that of the pose: by differences.
TEST(Peers, MotionIsThatOfThePoseAndNeedsAMass) {
  Peers peers;
  for (int i = 0; i < 20; ++i) peers.push(told(3, i));
  EXPECT_FALSE(peers.motionAt(3, toNs(10.2))) << "its mass is not known";
  peers.setMass(3, {0.7, {0.007, 0.007, kNaN}});
  peers.setMass(3, {-1.0, Eigen::Vector3d::Ones()});
  EXPECT_FALSE(peers.motionAt(3, toNs(10.2))) << "not a sound one";
  peers.setMass(3, {0.7, {0.007, 0.008, 0.012}});
  EXPECT_FALSE(peers.motionAt(4, toNs(10.2)));
  for (const double t : {10.2, 10.213, 10.38, 10.45, 10.6}) {
    const auto motion = peers.motionAt(3, toNs(t));
    ASSERT_TRUE(motion);
    EXPECT_EQ(motion->mass.mass, 0.7);
    EXPECT_EQ(motion->X_WB.p, peers.poseAt(3, toNs(t))->p);
    const Eigen::Vector3d v =
        (peers.poseAt(3, toNs(t + 1e-4))->p - peers.poseAt(3, toNs(t))->p) / 1e-4;
    EXPECT_LT((motion->v_WB - v).norm(), 0.03) << t;
    EXPECT_GT(motion->w_WB_B.norm(), 1.0) << t;
  }
  EXPECT_EQ(peers.motionAt(3, toNs(11.0))->v_WB.norm(), 0.0) << "held where it was";
  EXPECT_FALSE(peers.motionAt(3, toNs(20.0)));
}

}  // namespace
}  // namespace marsim::scene
