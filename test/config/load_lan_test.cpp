// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "config/lan.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

const char* const kTwo =
    "machines:\n"
    "  - name: alpha\n"
    "    address: 10.0.0.1\n"
    "    uavs:\n"
    "      - {id: 0, position: [0, 0, 1.5]}\n"
    "  - name: beta\n"
    "    address: 10.0.0.2\n"
    "    uavs:\n"
    "      - {id: 7, position: [2, 0, 1.5], yaw: 90deg, vehicle: iris}\n";

class LoadLan : public ConfigTest {
 protected:
  std::string complaintOf(const std::string& part, const std::string& by) {
    const std::string path = write("lan.yaml", replaced(kTwo, part, by));
    return complaint([&] { loadLan(path); });
  }
  void expectComplaint(const std::string& part, const std::string& by, const std::string& text) {
    const std::string said = complaintOf(part, by);
    EXPECT_NE(said.find(text), std::string::npos) << said;
    EXPECT_NE(said.find("lan.yaml"), std::string::npos) << said;
  }
};

TEST_F(LoadLan, BundledOnes) {
  ASSERT_FALSE(knownNames("lan").empty());
  for (const std::string& name : knownNames("lan")) EXPECT_NO_THROW(loadLan(name)) << name;
}

TEST_F(LoadLan, MachinesAndTheirUavs) {
  const LanConfig lan = loadLan(write("lan.yaml", kTwo));
  EXPECT_EQ(lan.leader, "alpha");
  EXPECT_EQ(lan.sync_rate, 5.0);
  ASSERT_EQ(lan.machines.size(), 2U);
  const LanMachine& beta = lan.machine("beta", "there");
  EXPECT_EQ(beta.address, "10.0.0.2");
  EXPECT_EQ(beta.port, 11612);
  ASSERT_EQ(beta.uavs.size(), 1U);
  EXPECT_EQ(beta.uavs[0].id, 7);
  EXPECT_NEAR(beta.uavs[0].yaw, kPi / 2, 1e-12);
  EXPECT_EQ(beta.uavs[0].vehicle, "iris");
  EXPECT_EQ(complaint([&] { lan.machine("bta", "there"); }),
            "there: unknown machine 'bta' (did you mean 'beta'?), known: alpha, beta");
}

TEST_F(LoadLan, TheKeyLiesBesideTheFile) {
  EXPECT_FALSE(loadLan(write("lan.yaml", kTwo)).readKey().isSecret());
  const std::string path =
      write("lan.yaml", replaced(kTwo, "machines:", "key: lan.key\nmachines:"));
  EXPECT_NE(complaint([&] { loadLan(path).readKey(); }).find("lan.key"), std::string::npos);
  write("lan.key", "0123456789abcdef0123456789abcdef\n");
  EXPECT_TRUE(loadLan(path).readKey().isSecret());
  EXPECT_EQ(loadLan(path).key, folder_ / "lan.key");
}

TEST_F(LoadLan, TheSummaryTellsWhatAFileSays) {
  const auto of = [&](const std::string& text) { return loadLan(write("x.yaml", text)).summary(); };
  const std::string summary = of(kTwo);
  EXPECT_EQ(of(std::string("# of the second room\nkey: other.key\n") + kTwo), summary);
  for (const auto& [part, by] : {std::pair{"10.0.0.2", "10.0.0.3"},
                                 {"id: 7", "id: 8"},
                                 {"[2, 0, 1.5]", "[2, 0, 1.4]"},
                                 {"90deg", "91deg"},
                                 {"iris", "crazyflie"},
                                 {"name: beta", "name: gamma"},
                                 {"machines:", "leader: beta\nmachines:"}}) {
    EXPECT_NE(of(replaced(kTwo, part, by)), summary) << by;
  }
}

TEST_F(LoadLan, WrongOnesAreNamed) {
  expectComplaint("id: 7", "id: 0", "machines: uav 0 of beta is also one of alpha");
  expectComplaint("id: 7", "id: 70000", "allowed: 0 to 65535");
  expectComplaint("id: 7, ", "", "id is missing");
  expectComplaint("beta", "alpha", "machines: alpha is there twice");
  expectComplaint("beta", "be-ta", "machines: name is 'be-ta'");
  expectComplaint("10.0.0.2", "10.0.0.1", "machines: beta: address is 10.0.0.1, port 11612");
  expectComplaint("address: 10.0.0.2", "address: 10.0.0.2\n    port: 80", "port is 80");
  expectComplaint("machines:", "leader: gamma\nmachines:", "leader is 'gamma'");
  expectComplaint("machines:", "sync_rate: 20Hz\nmachines:", "sync_rate is 20");
  expectComplaint("yaw", "yow", "yow");
}

// By the radii of hummingbird (the launch file's word) and iris, on different machines.
TEST_F(LoadLan, UavsThatOverlap) {
  const auto said = [&](const char* usual, const std::string& position) {
    const LanConfig lan = loadLan(write("lan.yaml", replaced(kTwo, "[2, 0, 1.5]", position)));
    return complaint([&] { requireApart(lan, usual, "lan.yaml"); });
  };
  EXPECT_EQ(said("hummingbird", "[2, 0, 1.5]"), "no error");
  EXPECT_EQ(said("hummingbird", "[0.6, 0, 1.5]"),
            "lan.yaml: distance of uav0 at (0.00, 0.00, 1.50) and uav7 at (0.60, 0.00, 1.50) is "
            "0.60 m, allowed: 0.66 m or more, the sum of their radii");
  EXPECT_EQ(said("crazyflie", "[0.6, 0, 1.5]"), "no error");
  EXPECT_NE(said("humingbird", "[2, 0, 1.5]").find("did you mean 'hummingbird'"),
            std::string::npos);
}

}  // namespace
}  // namespace marsim::config
