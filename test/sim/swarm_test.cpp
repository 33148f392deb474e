// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/swarm.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::sim {
namespace {

using Eigen::Vector3d;

std::string complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

double leastDistance(const std::vector<Start>& starts) {
  double least = INFINITY;
  for (std::size_t j = 1; j < starts.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      least = std::min(least, (starts[i].p_WB - starts[j].p_WB).norm());
    }
  }
  return least;
}

TEST(SwarmTest, NeighboursOfEveryFormationKeepTheSpacing) {
  for (const Formation formation :
       {Formation::kLine, Formation::kGrid, Formation::kCircle, Formation::kRings}) {
    SwarmConfig config;
    config.formation = formation;
    config.spacing = 1.3;
    config.yaw = 0.7;
    for (const int n : {1, 2, 3, 5, 10, 20, 77, kMostUavs}) {
      const std::vector<Start> starts = swarmStarts(config, n, "test");
      ASSERT_EQ(starts.size(), static_cast<std::size_t>(n));
      if (n > 1) {
        EXPECT_NEAR(leastDistance(starts), 1.3, 1e-9) << n;
      }
    }
  }
}

TEST(SwarmTest, TheMiddleOfEvenFormationsIsTheOrigin) {
  SwarmConfig config;
  config.origin = {3.0, -2.0, 1.0};
  for (const Formation formation : {Formation::kLine, Formation::kGrid, Formation::kCircle}) {
    config.formation = formation;
    Vector3d sum = Vector3d::Zero();
    for (const Start& start : swarmStarts(config, 9, "test")) sum += start.p_WB / 9.0;
    EXPECT_LT((sum - config.origin).norm(), 1e-9);
  }
}

TEST(SwarmTest, LineIsAbreastOfTheYaw) {
  SwarmConfig config;
  config.formation = Formation::kLine;
  config.yaw = 0.5 * kPi;  // looks along y, so that the first, on the left, has the least x
  config.spacing = 2.0;
  const std::vector<Start> starts = swarmStarts(config, 3, "test");
  EXPECT_LT((starts[0].p_WB - Vector3d(-2.0, 0.0, 1.5)).norm(), 1e-9);
  EXPECT_LT((starts[2].p_WB - Vector3d(2.0, 0.0, 1.5)).norm(), 1e-9);
  EXPECT_DOUBLE_EQ(starts[1].yaw, 0.5 * kPi);
}

TEST(SwarmTest, CircleIsAsWideAsAskedAndLooksInwards) {
  SwarmConfig config;
  config.formation = Formation::kCircle;
  config.radius = 4.0;
  config.facing = Facing::kInward;
  for (const Start& start : swarmStarts(config, 5, "test")) {
    const Vector3d offset = start.p_WB - config.origin;
    EXPECT_NEAR(offset.norm(), 4.0, 1e-9);
    const Vector3d ahead(std::cos(start.yaw), std::sin(start.yaw), 0.0);
    EXPECT_NEAR(ahead.dot(offset), -4.0, 1e-9);
  }
}

TEST(SwarmTest, MembersTakeWhatIsGivenForThem) {
  SwarmConfig config;
  config.members.resize(2);
  config.members[0].id = 4;
  config.members[0].position = Vector3d(9.0, 8.0, 7.0);
  config.members[1].id = 1;
  config.members[1].yaw = 0.3;
  config.validate("test");
  const std::vector<Start> starts = swarmStarts(config, 5, "test");
  const std::vector<Start> plain = swarmStarts(SwarmConfig{}, 5, "test");
  EXPECT_EQ(starts[4].p_WB, Vector3d(9.0, 8.0, 7.0));
  EXPECT_EQ(starts[4].yaw, plain[4].yaw);
  EXPECT_EQ(starts[1].p_WB, plain[1].p_WB);
  EXPECT_EQ(starts[1].yaw, 0.3);
  EXPECT_EQ(starts[3].p_WB, plain[3].p_WB);
}

TEST(SwarmTest, NumbersOutOfBounds) {
  for (const int n : {-1, 0, 201, 1000}) {
    const std::string said = complaint([&] { swarmStarts(SwarmConfig{}, n, "grid"); });
    EXPECT_EQ(said, "grid: number of UAVs is " + std::to_string(n) + ", allowed: 1 to 200");
  }
}

TEST(SwarmTest, DuplicateAndMissingIds) {
  SwarmConfig config;
  config.formation = Formation::kPoses;
  config.members.resize(2);
  config.members[0].id = config.members[1].id = 1;
  config.members[0].position = config.members[1].position = Vector3d::Zero();
  EXPECT_EQ(complaint([&] { config.validate("x.yaml"); }),
            "x.yaml: uavs[1].id is 1, allowed: each id once");
  config.members[1].id = 0;
  config.validate("x.yaml");
  EXPECT_EQ(complaint([&] { swarmStarts(config, 3, "x.yaml"); }),
            "x.yaml: uavs is without a position of id 2, allowed: a position for each id from 0 to "
            "2");
}

TEST(SwarmTest, UavsThatOverlap) {
  std::vector<StartingUav> uavs{
      {0, Vector3d::Zero(), 0.3}, {1, {2.0, 0.0, 0.0}, 0.25}, {7, {2.0, 0.3, 0.4}, 0.25}};
  requireApart(uavs, "x.yaml");  // touching is no overlap
  uavs[1].radius = 0.3;
  EXPECT_EQ(complaint([&] { requireApart(uavs, "x.yaml"); }),
            "x.yaml: distance of uav1 at (2.00, 0.00, 0.00) and uav7 at (2.00, 0.30, 0.40) is 0.50 "
            "m, allowed: 0.55 m or more, the sum of their radii");
}

}  // namespace
}  // namespace marsim::sim
