// SPDX-License-Identifier: BSD-3-Clause
#include "clock/clock_sync.hpp"

#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"

namespace marsim {
namespace {

using std::chrono::milliseconds;

const Endpoint kAnyLocal = resolveEndpoint("127.0.0.1", 0);
const HmacKey kKey("a secret of this test, long enough");

template <class Condition>
bool comesTrue(Condition condition) {
  const TimeNs end = wallNow() + 20 * kNsPerSecond;
  while (!condition() && wallNow() < end) std::this_thread::sleep_for(milliseconds(5));
  return condition();
}

ClockReading noon() { return {wallNow(), 12, 1.0, 9}; }

TEST(DatagramSocket, CarriesBytes) {
  DatagramSocket a(kAnyLocal), b(kAnyLocal);
  EXPECT_EQ(toString({0x7f000001U, 80}), "127.0.0.1:80");
  EXPECT_TRUE(a.send(b.local(), "hello", 5));
  std::vector<std::uint8_t> data;
  const auto from = b.receive(data, milliseconds(2000));
  ASSERT_TRUE(from);
  EXPECT_EQ(*from, a.local());
  EXPECT_EQ(std::string(data.begin(), data.end()), "hello");
  EXPECT_FALSE(b.receive(data, milliseconds(1)));
}

TEST(DatagramSocket, SaysWhatIsWrong) {
  const DatagramSocket taken(kAnyLocal);
  const auto complaint = [](const Endpoint& endpoint) -> std::string {
    try {
      const DatagramSocket socket(endpoint);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(complaint(taken.local()),
            toString(taken.local()) + ": cannot be listened on: Address already in use");
  EXPECT_NE(complaint({0x01020304U, 0}).find("1.2.3.4:0: cannot be listened on"),
            std::string::npos);
  EXPECT_THROW(resolveEndpoint("no such host", 1), Error);
}

// The server's clock is this machine's, so the truth is known.
TEST(ClockSync, TheClientIsWhereTheServerIs) {
  const TimeNs zero = wallNow() - 50 * kNsPerSecond;
  const ClockServer server(kAnyLocal, kKey, {kAnyLocal}, [&] {
    const TimeNs wall = wallNow();
    return ClockReading{wall, wall - zero, 1.0, 9};
  });
  ClockClient client(kAnyLocal, server.local(), kKey, 10.0);
  const TimeNs end = wallNow() + 20 * kNsPerSecond;
  while (client.status().answered < 3 && wallNow() < end) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  const ClockClient::Status status = client.status();
  ASSERT_TRUE(status.synchronised);
  EXPECT_EQ(status.pace, 1.0);
  EXPECT_EQ(server.answered() >= 3, true);
  client.now();
  std::this_thread::sleep_for(milliseconds(20));
  const TimeNs before = wallNow() - zero;
  const TimeNs told = client.now();
  const TimeNs after = wallNow() - zero;
  // As sure as it says it is: the bound is the round trip's.
  const double doubt = client.status().uncertainty + std::abs(client.status().error) + 1e-3;
  EXPECT_GT(toSeconds(told - before), -doubt);
  EXPECT_LT(toSeconds(told - after), doubt);
}

TEST(ClockSync, OnlyKnownMachinesWithTheKeyAreAnswered) {
  const ClockServer others_only(kAnyLocal, kKey, {resolveEndpoint("127.0.0.9", 0)}, noon);
  const ClockServer server(kAnyLocal, kKey, {kAnyLocal}, noon);
  const ClockClient unknown(kAnyLocal, others_only.local(), kKey, 10.0);
  const ClockClient stranger(kAnyLocal, server.local(), HmacKey("another secret"), 10.0);
  EXPECT_TRUE(comesTrue([&] { return others_only.refused() >= 2 && server.refused() >= 2; }));
  EXPECT_EQ(others_only.answered() + server.answered(), 0U);
  DatagramSocket socket(kAnyLocal);
  for (std::size_t size = 0; size <= 64; ++size) {
    const std::vector<std::uint8_t> zeros(size);
    socket.send(server.local(), zeros.data(), zeros.size());
  }
  EXPECT_TRUE(comesTrue([&] { return server.refused() >= 60; }));
  EXPECT_EQ(server.answered(), 0U);
}

// A leader without the key, one that answers what was not asked, and one that answers twice.
TEST(ClockSync, AnswersOfOthersAreNotTaken) {
  const ClockServer forger(kAnyLocal, HmacKey(), {kAnyLocal}, noon);
  const ClockClient deceived(kAnyLocal, forger.local(), kKey, 10.0);
  EXPECT_TRUE(comesTrue([&] { return forger.refused() >= 1; })) << "it cannot read the question";

  // Between a client and its leader: hands every question on, and every answer back twice.
  const ClockServer server(kAnyLocal, kKey, {kAnyLocal}, noon);
  DatagramSocket to_client(kAnyLocal), to_server(kAnyLocal);
  ClockClient client(kAnyLocal, to_client.local(), kKey, 10.0);
  std::vector<std::uint8_t> data;
  for (int i = 0; i < 3; ++i) {
    const auto from = to_client.receive(data, milliseconds(5000));
    ASSERT_TRUE(from);
    to_server.send(server.local(), data.data(), data.size());
    ASSERT_TRUE(to_server.receive(data, milliseconds(5000)));
    for (int copy = 0; copy < 2; ++copy) to_client.send(*from, data.data(), data.size());
    for (std::uint8_t& byte : data) {  // and damaged
      byte ^= 1U;
      to_client.send(*from, data.data(), data.size());
      byte ^= 1U;
    }
  }
  EXPECT_TRUE(comesTrue([&] { return client.status().refused >= 3 * (1 + 56); }));
  EXPECT_EQ(client.status().answered, 3U);
  EXPECT_FALSE(deceived.status().synchronised);
}

TEST(ClockSync, WithoutALeaderNothingRuns) {
  ClockClient client(kAnyLocal, resolveEndpoint("127.0.0.1", 1), kKey, 10.0);
  EXPECT_EQ(client.now(), 0);
  EXPECT_FALSE(client.status().synchronised);
  EXPECT_THROW(ClockClient(kAnyLocal, kAnyLocal, kKey, 50.0), ConfigError);
}

}  // namespace
}  // namespace marsim
