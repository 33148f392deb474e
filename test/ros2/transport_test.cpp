// SPDX-License-Identifier: BSD-3-Clause
// How messages travel: large clouds, readers that stop or die, another machine, what is left of
// dead programs, the environment.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>

#include <fcntl.h>
#include <unistd.h>

#include "dataset/cdr.hpp"
#include "marsim/common/error.hpp"
#include "ros2/child.hpp"
#include "ros2/cyclone.hpp"
#include "ros2/participant.hpp"

namespace marsim {
namespace {

using namespace std::chrono_literals;
namespace types = dataset::ros2_types;

/// Sends ten messages a second of so many bytes of data.
void sendTen(ros2::Publication& writer, std::size_t bytes, int count,
             const std::function<void()>& each) {
  for (int i = 0; i < count; ++i) {
    dataset::Cdr cdr;
    cdr.addHeader(i, "lidar");
    for (const std::uint32_t number : {1U, 1U, 0U}) cdr.add(number);  // height, width, fields
    cdr.add(std::uint8_t{0});
    cdr.add(static_cast<std::uint32_t>(bytes));
    cdr.add(static_cast<std::uint32_t>(bytes));
    cdr.addSequence(std::string(bytes, 'x'));
    cdr.add(std::uint8_t{1});
    writer.write(cdr.take());
    std::this_thread::sleep_for(100ms);
    each();
  }
}

/// A participant that sends clouds to two programs of its own kind and one of Cyclone DDS.
struct CloudSender {
  explicit CloudSender(std::size_t size) : bytes(size) {
    ready = reader.waitForWriter();
    while (participant.readers("/points") < 3) std::this_thread::sleep_for(10ms);
    std::this_thread::sleep_for(500ms);  // until the others know the writer, too
    // Cyclone DDS often misses the first large one while it makes room for it.
    sendTen(writer, bytes, 1, [] {});
    std::this_thread::sleep_for(1s);
    reader.takeAll([](const auto&) {});
  }
  /// Returns the number of clouds that Cyclone DDS heard.
  int send(int count) {
    int complete = 0;
    const auto take = [&] {
      reader.takeAll([&](const auto& m) { complete += m.data_._length == bytes ? 1 : 0; });
    };
    sendTen(writer, bytes, count, take);
    for (int i = 0; i < 40 && complete < count; ++i) {
      std::this_thread::sleep_for(50ms);
      take();
    }
    return complete;
  }

  std::size_t bytes;
  ros2::Environment environment{testDomain() + 1, true, {}, false};
  ros2::Participant participant{environment, {bytes, true}};
  ros2::Publication& writer =
      participant.advertise("/points", types::kPointCloud2, {5, false, true});
  std::string domain = std::to_string(environment.domain);
  Child listener{{MARSIM_READER, domain, "best_effort", "31"}};
  Child other{{MARSIM_READER, domain, "reliable", "31"}};
  Cyclone cyclone{environment.domain};
  CycloneReader<sensor_msgs_msg_dds__PointCloud2_> reader{cyclone, "rt/points",
                                                          sensor_msgs_msg_dds__PointCloud2__desc};
  bool ready = false;
};

/// Clouds of 5, 29 and 58 MB/s to a reliable reader of Cyclone DDS and two of Fast DDS with its
/// defaults, one without reliability.
class Clouds : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Clouds, AllArrive) {
  CloudSender sender(GetParam());
  ASSERT_TRUE(sender.ready);
  EXPECT_EQ(sender.send(30), 30);
  EXPECT_TRUE(sender.participant.dropped().empty());
  EXPECT_EQ(sender.listener.end(0), 0) << "a reader of Fast DDS missed clouds";
  EXPECT_EQ(sender.other.end(0), 0) << "a reliable reader of Fast DDS missed clouds";
}
INSTANTIATE_TEST_SUITE_P(Sizes, Clouds, ::testing::Values(500'000, 2'900'000, 5'800'000));

// write() returns at once, and the others miss a second at most.
TEST(Readers, StoppedAndKilledOnesStopNobody) {
  CloudSender sender(2'900'000);
  ASSERT_TRUE(sender.ready);
  sender.listener.end(SIGKILL);
  sender.other.signal(SIGSTOP);
  EXPECT_GE(sender.send(30), 20);
  sender.other.end(SIGKILL);
}

/// A network namespace "other machine" with a link to this one; not made without the rights, or
/// where discovery's multicast has no route.
class OtherMachine {
 public:
  OtherMachine() : name_("marsim_ros2_" + std::to_string(getpid() % 10000)) {
    const std::string link = "mr" + std::to_string(getpid() % 10000);
    is_made_ =
        run("ip route get 239.255.0.1 && ip netns add " + name_ + " && ip link add " + link +
            "a type veth peer name " + link + "b netns " + name_ +
            " && ip addr add 10.93.0.1/24 dev " + link + "a && ip link set " + link +
            "a up && ip -n " + name_ + " addr add 10.93.0.2/24 dev " + link + "b && ip -n " +
            name_ + " link set " + link + "b up && ip -n " + name_ + " link set lo up && ip -n " +
            name_ + " route add default via 10.93.0.1 && timeout 10 sh -c 'until ip link show " +
            link + "a | grep -q \"state UP\"; do sleep 0.05; done'");  // Fast DDS looks once
  }
  ~OtherMachine() { run("ip netns del " + name_); }
  OtherMachine(const OtherMachine&) = delete;
  OtherMachine& operator=(const OtherMachine&) = delete;

  bool isMade() const { return is_made_; }
  /// Whether a program there hears clouds.
  bool hears(int domain, const std::string& topic) const {
    return run("ip netns exec " + name_ + " " + MARSIM_READER + " " + std::to_string(domain) +
               " best_effort 10 " + topic + " 10.93.0.1");
  }

 private:
  static bool run(const std::string& line) {
    return std::system(("(" + line + ") > /dev/null 2>&1").c_str()) == 0;
  }
  std::string name_;
  bool is_made_ = false;
};

TEST(Network, IsReachedWhenAskedFor) {
  const OtherMachine other;
  if (!other.isMade()) GTEST_SKIP() << "network namespaces cannot be made here";
  const int domain = testDomain() + 4;
  setenv("ROS_STATIC_PEERS", "10.93.0.2", 1);
  {
    const Child child({MARSIM_FLY2, "map:=forest", "lidar:=mid360", "transport:=udp"}, domain);
    EXPECT_TRUE(other.hears(domain, "/uav0/points"));
  }
  unsetenv("ROS_STATIC_PEERS");
}

TEST(RemoveLeftovers, TakesOnlyThoseOfTheDead) {
  const auto segments = [] {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
      const std::string name = entry.path().filename().string();
      const bool is_port = name.rfind("fastrtps_port", 0) == 0;  // small; Fast DDS uses them again
      count += name.rfind("fastrtps_", 0) == 0 && !is_port ? 1 : 0;
    }
    return count;
  };
  ros2::removeLeftovers();
  const int before = segments();
  ros2::Environment environment;
  environment.domain = testDomain() + 2;
  const ros2::Participant alive(environment, {0, true});
  const int with_one = segments();
  EXPECT_GT(with_one, before);
  EXPECT_EQ(ros2::removeLeftovers(), 0);
  {
    Child child({MARSIM_READER, std::to_string(environment.domain), "reliable", "1"});
    for (int i = 0; i < 400 && segments() <= with_one; ++i) std::this_thread::sleep_for(10ms);
    std::this_thread::sleep_for(300ms);
    child.end(SIGKILL);
  }
  EXPECT_GT(segments(), with_one);
  EXPECT_GT(ros2::removeLeftovers(), 0);
  EXPECT_EQ(segments(), with_one);
}

TEST(Environment, ReadsTheVariablesOfRos2) {
  const auto read = [](std::map<std::string, std::string> variables) {
    return ros2::Environment::read([&variables](const char* name) -> const char* {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
  };
  EXPECT_TRUE(read({}).is_local);
  EXPECT_EQ(read({{"ROS_DOMAIN_ID", "42"}}).domain, 42);
  EXPECT_FALSE(read({{"ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET"}}).is_local);
  EXPECT_TRUE(
      read({{"ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET"}, {"ROS_LOCALHOST_ONLY", "1"}}).is_local);
  const ros2::Environment peers = read({{"ROS_STATIC_PEERS", "10.0.0.2;10.0.0.3"}});
  EXPECT_FALSE(peers.is_local);
  EXPECT_EQ(peers.peers, (std::vector<std::string>{"10.0.0.2", "10.0.0.3"}));
  EXPECT_TRUE(read({{"ROS_DISTRO", "humble"}}).has_wide_gids);
  EXPECT_FALSE(read({{"ROS_DISTRO", "jazzy"}}).has_wide_gids);
  EXPECT_THROW(read({{"ROS_DOMAIN_ID", "233"}}), Error);
  EXPECT_THROW(read({{"ROS_DOMAIN_ID", "4x"}}), Error);
  EXPECT_THROW(read({{"ROS_AUTOMATIC_DISCOVERY_RANGE", "OFF"}}), Error);
}

}  // namespace
}  // namespace marsim
