// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

class LoadSwarmTest : public ConfigTest {
 protected:
  std::string complaintAbout(const std::string& text) const {
    return complaint([&] { loadSwarm(write("swarm.yaml", text)); });
  }
};

TEST_F(LoadSwarmTest, BundledFormationsKeepTwentyLargeVehiclesApart) {
  const std::vector<std::string> names = knownNames("swarm");
  EXPECT_GE(names.size(), 5U);
  const double radius = loadVehicle("iris").radius;
  for (const std::string& name : names) {
    const sim::SwarmConfig config = loadSwarm(name);
    const int n = config.formation == sim::Formation::kPoses ? 3 : 20;
    std::vector<sim::StartingUav> uavs;
    for (const sim::Start& start : sim::swarmStarts(config, n, name)) {
      uavs.push_back({static_cast<int>(uavs.size()), start.p_WB, radius});
    }
    EXPECT_NO_THROW(sim::requireApart(uavs, name));
  }
}

TEST_F(LoadSwarmTest, EveryKey) {
  const sim::SwarmConfig config = loadSwarm(write("all.yaml", R"(
formation: circle
origin: [1, 2cm, 3]
spacing: 150cm
radius: 2.5m
yaw: 90deg
facing: outward
uavs:
  - {id: 3, position: [1, 1, 1], yaw: -90deg, vehicle: iris, lidar: avia}
  - {id: 0}
)"));
  EXPECT_EQ(config.formation, sim::Formation::kCircle);
  EXPECT_EQ(config.origin, Eigen::Vector3d(1.0, 0.02, 3.0));
  EXPECT_DOUBLE_EQ(config.spacing, 1.5);
  EXPECT_DOUBLE_EQ(config.radius, 2.5);
  EXPECT_DOUBLE_EQ(config.yaw, radians(90.0));
  EXPECT_EQ(config.facing, sim::Facing::kOutward);
  ASSERT_NE(config.member(3), nullptr);
  EXPECT_EQ(config.member(3)->vehicle, "iris");
  EXPECT_EQ(config.member(3)->lidar, "avia");
  EXPECT_DOUBLE_EQ(*config.member(3)->yaw, radians(-90.0));
  EXPECT_FALSE(config.member(0)->position);
  EXPECT_EQ(config.member(1), nullptr);
}

TEST_F(LoadSwarmTest, BadFilesSayWhatIsAllowed) {
  EXPECT_NE(complaint([] { loadSwarm("gird"); }).find("did you mean 'grid'"), std::string::npos);
  const auto expect = [this](const std::string& text, const std::string& said) {
    EXPECT_NE(complaintAbout(text).find(said), std::string::npos) << complaintAbout(text);
  };
  expect("formation: wedge\n", "formation is 'wedge', allowed: line, grid, circle, rings, poses");
  expect("formation: grid\nspacing: 0\n", "spacing is 0");
  expect("formation: grid\nspacing: -1m\n", "spacing is -1");
  expect("formation: grid\nradius: 2\n", "radius");
  expect("formation: grid\norigin: [0, 0]\n", "origin");
  expect("formation: poses\n", "uavs");
  expect("formation: poses\nuavs:\n  - {position: [0, 0, 1]}\n", "uavs[0].id");
  expect("formation: poses\nuavs:\n  - {id: 1, position: [0, 0, 1]}\n  - {id: 1}\n",
         "uavs[1].id is 1, allowed: each id once");
  expect("formation: poses\nuavs:\n  - {id: 200, position: [0, 0, 1]}\n",
         "uavs[0].id is 200, allowed: a whole number from 0 to 199");
  expect("formation: poses\nuavs:\n  - {id: 0, postion: [0, 0, 1]}\n", "did you mean 'position'");
}

}  // namespace
}  // namespace marsim::config
