// SPDX-License-Identifier: BSD-3-Clause
#include "ros/suite/scenario_uav.hpp"

#include <gtest/gtest.h>

namespace marsim::ros_nodes {
namespace {

TEST(ScenarioUav, DronesTakeTurnsOnATopicThatAllShare) {
  constexpr TimeNs kMs = kNsPerSecond / 1000;
  for (const int drones : {2, 3}) {
    int last = -1, changes = 0;
    TimeNs sent = 0;
    for (TimeNs now = 0; now < kNsPerSecond; now += kMs) {
      for (int drone = 0; drone < drones; ++drone) {
        if (!ScenarioUav::isTurnOf(drone, drones, now)) continue;
        if (last != -1 && drone != last) {
          EXPECT_EQ(drone, (last + 1) % drones);
          EXPECT_GE(now - sent, 50 * kMs);
          ++changes;
        }
        last = drone;
        sent = now;
      }
    }
    EXPECT_EQ(changes, 9) << drones;
  }
  EXPECT_TRUE(ScenarioUav::isTurnOf(0, 1, 70 * kMs));  // alone: always
}

}  // namespace
}  // namespace marsim::ros_nodes
