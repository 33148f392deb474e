// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/peer_message.hpp"

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lan/datagram_session.hpp"
#include "marsim/common/random.hpp"
#include "marsim/sim/announcer.hpp"
#include "ros/lan/peer_datagram.hpp"

namespace marsim::ros_nodes {
namespace {

scene::PeerState someState(std::uint32_t id) {
  RandomStream random(id);
  const auto vector = [&](double scale) -> Eigen::Vector3d {
    return Eigen::Vector3d(random.normal(), random.normal(), random.normal()) * scale;
  };
  scene::PeerState state;
  state.id = id;
  state.run = 0xfedcba98U;
  state.placements = 70'000;
  state.sequence = 65'535;
  state.motion.stamp = 123'456'789'012;
  state.motion.X_WB.p = vector(1000.0);
  state.motion.X_WB.q = expMap(vector(1.0));
  state.motion.v_WB = vector(5.0);
  state.motion.a_WB = vector(10.0);
  state.motion.w_WB_B = vector(3.0);
  return state;
}

scene::BodyConfig someBody() {
  scene::BodyConfig body;
  body.hub_half = {0.1, 0.2, 0.05};
  body.rotors = {{0.2, 0.1, 0.0}, {-0.2, 0.1, 0.03}};
  body.arm_radius = 0.01F;
  body.propeller_radius = 0.1F;
  body.propeller_half_height = 0.005F;
  body.cloud = "/somewhere/body.pcd";
  return body;
}

TEST(PeerMessage, StateStaysTheSameWithinSinglePrecision) {
  const scene::PeerState state = someState(65'535);
  const scene::PeerState back = fromMessage(toMessage(state));
  EXPECT_EQ(back.id, state.id);
  EXPECT_EQ(back.run, state.run);
  EXPECT_EQ(back.placements, state.placements);
  EXPECT_EQ(back.sequence, state.sequence);
  EXPECT_EQ(back.motion.stamp, state.motion.stamp);
  EXPECT_LT((back.motion.X_WB.p - state.motion.X_WB.p).norm(), 3e-4);
  EXPECT_LT(back.motion.X_WB.q.angularDistance(state.motion.X_WB.q), 1e-6);
  EXPECT_LT((back.motion.v_WB - state.motion.v_WB).norm(), 1e-5);
  EXPECT_LT((back.motion.a_WB - state.motion.a_WB).norm(), 1e-5);
  EXPECT_LT((back.motion.w_WB_B - state.motion.w_WB_B).norm(), 1e-5);
  EXPECT_EQ(scene::problemOf(back), "");
}

// So that sim::World, which has no messages, computes what nodes do.
TEST(PeerMessage, TheMessageHasTheCoresStateInSinglePrecision) {
  RandomStream random(1);
  const auto any = [&random] {
    return Eigen::Vector3d(random.normal(), random.normal(), random.normal());
  };
  for (std::uint32_t id = 0; id < 20; ++id) {
    const scene::PeerState told = sim::inSinglePrecision(someState(id));
    const KinematicState motion = fromMessage(toMessage(someState(id))).motion;
    EXPECT_EQ(motion.X_WB.p, told.motion.X_WB.p);
    EXPECT_EQ(motion.X_WB.q.coeffs(), told.motion.X_WB.q.coeffs());
    EXPECT_EQ(motion.v_WB, told.motion.v_WB);
    EXPECT_EQ(motion.a_WB, told.motion.a_WB);
    EXPECT_EQ(motion.w_WB_B, told.motion.w_WB_B);
    const sim::Impact impact{1, 2, any(), any(), any(), any(), any()};
    const sim::Impact told_impact = sim::inSinglePrecision(impact);
    const sim::Impact arrived = fromMessage(toMessage(impact));
    EXPECT_EQ(arrived.impulse_W, told_impact.impulse_W);
    EXPECT_EQ(arrived.moment_W, told_impact.moment_W);
    EXPECT_EQ(arrived.p_W, told_impact.p_W);
    EXPECT_EQ(arrived.normal_W, told_impact.normal_W);
    EXPECT_EQ(arrived.v_rel_W, told_impact.v_rel_W);
  }
}

TEST(PeerMessage, NotANumberArrivesAsSuch) {
  scene::PeerState state = someState(3);
  state.motion.a_WB.x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(scene::problemOf(fromMessage(toMessage(state))).find("uav 3: acceleration is (nan"),
            std::string::npos);
}

TEST(PeerMessage, BodyStaysTheSame) {
  const scene::BodyConfig body = someBody(), back = fromMessage(toMessage(body));
  EXPECT_EQ(back.hub_half, body.hub_half);
  EXPECT_EQ(back.rotors, body.rotors);
  EXPECT_EQ(back.arm_radius, body.arm_radius);
  EXPECT_EQ(back.propeller_radius, body.propeller_radius);
  EXPECT_EQ(back.propeller_half_height, body.propeller_half_height);
  EXPECT_EQ(back.cloud, body.cloud);
}

sim::Impact someImpact() {
  return {123, 5, {1, 2, 3}, {0.1, 0.2, 0.3}, {4, 5, 6}, {0, 0, 1}, {7, 8, 9}};
}

TEST(PeerMessage, ImpactStaysTheSame) {
  marsim::Impact message = toMessage(someImpact());
  EXPECT_EQ(message.struck, 5);
  message.by = 2;
  sim::Impact back = fromMessage(message);
  EXPECT_EQ(back.identity, 2U) << "for who is struck it is that of the other one";
  EXPECT_EQ(back.stamp, 123);
  EXPECT_TRUE(isFinite(back));
  EXPECT_EQ(back.impulse_W, someImpact().impulse_W);
  EXPECT_LT((back.moment_W - someImpact().moment_W).norm(), 1e-6);
  EXPECT_EQ(back.p_W, someImpact().p_W);
  EXPECT_EQ(back.normal_W, someImpact().normal_W);
  EXPECT_EQ(back.v_rel_W, someImpact().v_rel_W);
  message.position[1] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(isFinite(fromMessage(message)));
}

TEST(PeerDatagram, CarriesStatesBodiesAndImpacts) {
  std::vector<marsim::Peer> states;
  for (std::uint32_t id = 0; id < kStatesInDatagram; ++id)
    states.push_back(toMessage(someState(id)));
  const std::vector<std::uint8_t> datagram = toDatagram(states);
  EXPECT_LE(datagram.size() + DatagramSession::kTrailer, 1472U)
      << "of Ethernet's 1500, with the headers of IP and UDP";
  marsim::Peers message;
  ASSERT_TRUE(fromDatagram(datagram, message));
  ASSERT_EQ(message.peers.size(), states.size());
  EXPECT_EQ(message.peers[7].id, 7);
  EXPECT_EQ(message.peers[7].position, states[7].position);

  marsim::PeerBody body = toMessage(someBody());
  body.vehicle = "some";
  ASSERT_TRUE(fromDatagram(toDatagram(body), message));
  ASSERT_EQ(message.bodies.size(), 1U);
  EXPECT_EQ(message.bodies[0].vehicle, "some");
  EXPECT_EQ(message.bodies[0].cloud, "") << "the name of a file stays on its machine";
  EXPECT_EQ(message.bodies[0].rotors.size(), 2U);

  ASSERT_TRUE(fromDatagram(toDatagram(toMessage(someImpact())), message));
  ASSERT_EQ(message.impacts.size(), 1U);
  EXPECT_EQ(message.impacts[0].impulse[2], 3.0F);
}

TEST(PeerDatagram, CarriesGreetings) {
  Greeting greeting;
  greeting.known_run = 0x0123456789abcdefU;
  greeting.world.values = {1, 2, 3, 4, 5};
  const std::vector<std::uint8_t> datagram = toDatagram(greeting);
  Greeting back;
  ASSERT_TRUE(fromDatagram(datagram, back));
  EXPECT_EQ(back.known_run, greeting.known_run);
  EXPECT_EQ(back.world.values, greeting.world.values);
  marsim::Peers message;
  EXPECT_FALSE(fromDatagram(datagram, message));
  EXPECT_FALSE(fromDatagram(toDatagram({toMessage(someState(1))}), back));
  EXPECT_FALSE(fromDatagram({datagram.begin(), datagram.end() - 1}, back));
}

TEST(WorldDigest, NamesWhatDiffersAndIsKnown) {
  WorldDigest here, there;
  here.values = {0, 2, 3, 5, 4};
  there.values = {1, 2, 9, 9, 0};
  EXPECT_EQ(here.differences(there), (std::vector<std::string>{"surface", "epoch"}));
  here.values = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  there.values = {2, 2, 2, 2, 2, 2, 2, 2, 2};
  EXPECT_EQ(here.differences(there),
            (std::vector<std::string>{"map", "resolution", "surface", "epoch", "obstacles",
                                      "vegetation", "surfaces", "weather", "lan"}));
  EXPECT_EQ(here.differences(here), std::vector<std::string>());
  EXPECT_EQ(WorldDigest::of("forest"), WorldDigest::of("forest"));
  EXPECT_NE(WorldDigest::of("forest"), WorldDigest::of("building"));
}

TEST(PeerDatagram, AMachineTellsOfItsOwnUavsOnly) {
  marsim::Peers message;
  for (const std::uint32_t id : {1U, 2U, 7U}) {
    message.peers.push_back(toMessage(someState(id)));
    marsim::PeerBody body = toMessage(someBody());
    body.cloud = id == 1U ? "/etc/passwd" : "";
    body.id = static_cast<std::uint16_t>(id);
    message.bodies.push_back(body);
    marsim::Impact impact = toMessage(someImpact());
    impact.by = static_cast<std::uint16_t>(id);
    message.impacts.push_back(impact);
  }
  message.bodies[1].vehicle = std::string(65, 'x');
  const Removed removed = removeForeign({1, 2}, message);
  EXPECT_EQ(removed.numbers, std::set<int>{7});
  EXPECT_EQ(removed.foreign, 3U);
  EXPECT_EQ(removed.bodies, 2U);
  ASSERT_EQ(message.peers.size(), 2U);
  EXPECT_EQ(message.peers[1].id, 2);
  EXPECT_TRUE(message.bodies.empty()) << "one names a file, the other has an endless name";
  ASSERT_EQ(message.impacts.size(), 2U);
  EXPECT_EQ(message.impacts[0].by, 1);
}

TEST(PeerDatagram, NonsenseIsRefused) {
  marsim::Peers message;
  const std::vector<std::uint8_t> states = toDatagram({toMessage(someState(1))});
  const std::vector<std::uint8_t> body = toDatagram(toMessage(someBody()));
  for (std::size_t size = 0; size < states.size(); ++size) {
    EXPECT_EQ(fromDatagram({states.begin(), states.begin() + static_cast<long>(size)}, message),
              false);
  }
  const std::vector<std::uint8_t> impact = toDatagram(toMessage(someImpact()));
  for (std::size_t size = 0; size < impact.size(); ++size) {
    EXPECT_FALSE(fromDatagram({impact.begin(), impact.begin() + static_cast<long>(size)}, message));
  }
  for (std::size_t size = 0; size < body.size(); ++size) {
    EXPECT_FALSE(fromDatagram({body.begin(), body.begin() + static_cast<long>(size)}, message));
  }
  // Whatever the bytes are, nothing is read beyond them and no memory asked for that they do not
  // fill.
  RandomStream random(5);
  for (int i = 0; i < 100'000; ++i) {
    std::vector<std::uint8_t> broken = i % 2 == 0 ? states : body;
    for (int k = 0; k < 3; ++k) {
      broken[4 + random.index(broken.size() - 4)] = static_cast<std::uint8_t>(random.index(256));
    }
    marsim::Peers any;
    fromDatagram(broken, any);
  }
  EXPECT_TRUE(message.peers.empty());
}

}  // namespace
}  // namespace marsim::ros_nodes
