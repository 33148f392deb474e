#include "marsim/common/clock_sync.hpp"

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
  const ClockServer server(kAnyLocal, [&] {
    const TimeNs wall = wallNow();
    return ClockReading{wall, wall - zero, 1.0, 9};
  });
  ClockClient client(kAnyLocal, server.local(), 10.0);
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

TEST(ClockSync, WithoutALeaderNothingRuns) {
  ClockClient client(kAnyLocal, resolveEndpoint("127.0.0.1", 1), 10.0);
  EXPECT_EQ(client.now(), 0);
  EXPECT_FALSE(client.status().synchronised);
  EXPECT_THROW(ClockClient(kAnyLocal, kAnyLocal, 50.0), ConfigError);
}

}  // namespace
}  // namespace marsim
