// SPDX-License-Identifier: BSD-3-Clause
// Wind and failures as launch arguments say them.
#include "config/launch_words.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

using Eigen::Vector3d;

TEST(WindOf, WordsAndNumbers) {
  EXPECT_FALSE(windOf("none", "none", "x").isOn());
  EXPECT_FALSE(windOf("", "", "x").isOn());
  EXPECT_EQ(windOf("1, -2,36km/h", "none", "x").mean_W, Vector3d(1.0, -2.0, 10.0));
  EXPECT_NEAR(windOf("none", "light", "x").gusts, 7.7167, 1e-4);
  EXPECT_NEAR(windOf("none", "moderate", "x").gusts, 15.4333, 1e-4);
  EXPECT_NEAR(windOf("none", "severe", "x").gusts, 23.15, 1e-4);
  EXPECT_EQ(windOf("none", "5m/s", "x").gusts, 5.0);
}

TEST(WindOf, BadTextIsNamed) {
  for (const std::string wrong : {"5", "1,2", "1,2,3,4", "1,2,x", "1,2,nan", "1,2,3m"}) {
    EXPECT_EQ(complaint([&] { windOf(wrong, "none", "/uav0/quadrotor"); }),
              "/uav0/quadrotor: wind is '" + wrong + "', allowed: none | x,y,z in W [m/s]");
  }
  for (const std::string wrong : {"strong", "nan", "5m"}) {
    EXPECT_EQ(complaint([&] { windOf("none", wrong, "y"); }),
              "y: gusts is '" + wrong +
                  "', allowed: none | light | moderate | severe | a speed W20 [m/s]");
  }
  EXPECT_EQ(complaint([] { windOf("none", "-1", "y"); }), "y: gusts is -1, allowed: 0 to 100 m/s");
  EXPECT_EQ(complaint([] { windOf("0,0,101", "none", "y"); }),
            "y: wind is of 101 m/s, allowed: up to 100 m/s");
}

TEST(MotorFailuresOf, RotorTimeAndShare) {
  EXPECT_TRUE(motorFailuresOf("none", "x").empty());
  const auto failures = motorFailuresOf("2@10s, 0@500ms:0.5", "x");
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(failures[0].rotor, 2);
  EXPECT_EQ(failures[0].at, 10 * kNsPerSecond);
  EXPECT_EQ(failures[0].effectiveness, 0.0);
  EXPECT_EQ(failures[1].rotor, 0);
  EXPECT_EQ(failures[1].at, kNsPerSecond / 2);
  EXPECT_EQ(failures[1].effectiveness, 0.5);
}

TEST(MotorFailuresOf, BadTextIsNamed) {
  for (const std::string wrong :
       {"2", "@10", "x@10", "-1@10", "8@10", "2@", "2@-1", "2@nan", "2@10:2", "2@10:-0.1",
        "2@10:nan", "2@10:0.5:1", "1@2@3", "1@2,"}) {
    EXPECT_EQ(complaint([&] { motorFailuresOf(wrong, "x"); }),
              "x: motor_failure is '" + wrong +
                  "', allowed: none | ROTOR@TIME or ROTOR@TIME:EFFECTIVENESS, comma-separated: a "
                  "rotor of the vehicle's file from 0 on (at most 7), simulated time [s], 0 to 1");
  }
}

}  // namespace
}  // namespace marsim::config
