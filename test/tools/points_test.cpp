// SPDX-License-Identifier: BSD-3-Clause
#include "tools/map/points.hpp"

#include <gtest/gtest.h>

#include "common/bounds.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "tools/process/command_line.hpp"

namespace marsim::tools {
namespace {

TEST(Points, ReadsNumbersAndUnits) {
  EXPECT_EQ(parsePoint("10,11,1.8", "--start"), Eigen::Vector3d(10, 11, 1.8));
  EXPECT_EQ(parsePoint(" -1 , 50cm, 2 m", "--start"), Eigen::Vector3d(-1, 0.5, 2));
}

TEST(Points, ReadsLists) {
  const auto points = parsePoints("1,2,3; 4,5,6;", "--goals");
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0], Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(points[1], Eigen::Vector3d(4, 5, 6));
}

TEST(Points, RefusesWhatIsNoPoint) {
  for (const char* text :
       {"", "1,2", "1,2,3,4", "1,x,3", "1,nan,3", "1,inf,3", "1;2;3", "1,2deg,3"}) {
    EXPECT_THROW(parsePoint(text, "--start"), ConfigError) << text;
  }
  EXPECT_THROW(parsePoints("", "--goals"), ConfigError);
  EXPECT_THROW(parsePoints("1,2,3;;4,5,6", "--goals"), ConfigError);
}

TEST(Points, ReadsPoses) {
  const Pose pose = parsePose("1,2,3m,90deg,0.1,-20deg", "--pose");
  EXPECT_EQ(pose.p, Eigen::Vector3d(1, 2, 3));
  const Eigen::Vector3d rpy = toRollPitchYaw(pose.q);
  EXPECT_NEAR(rpy.x(), radians(-20.0), 1e-12);
  EXPECT_NEAR(rpy.y(), 0.1, 1e-12);
  EXPECT_NEAR(rpy.z(), radians(90.0), 1e-12);
  EXPECT_NEAR(yawOf(parsePose("0,0,0,1", "--pose").q), 1.0, 1e-12);
  EXPECT_TRUE(parsePose("0,0,0", "--pose").q.isApprox(Eigen::Quaterniond::Identity()));
  for (const char* text : {"", "1,2", "1,2,3,4,5,6,7", "1,2,3,x", "1,2,3,1m", "1,2,3deg"}) {
    EXPECT_THROW(parsePose(text, "--pose"), ConfigError) << text;
  }
}

TEST(Points, FarPlacesAndLargeAnglesAreRefused) {
  EXPECT_THROW(parsePoint("1e30,0,1", "--start"), ConfigError);
  EXPECT_THROW(parsePoint("0,0,-1001km", "--start"), ConfigError);
  EXPECT_THROW(parsePose("0,0,1,1e30", "--pose"), ConfigError);
  testing::internal::CaptureStderr();
  EXPECT_NEAR(yawOf(parsePose("0,0,1,7", "--pose").q), 7.0 - 2.0 * kPi, 1e-12);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "warning: --pose: 7 rad is more than a turn: were degrees meant (7deg)?\n");
  testing::internal::CaptureStderr();
  EXPECT_EQ(parseOption("--step", "90", Quantity::kAngle, kAngles), 90.0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "warning: --step: 90 rad is more than a turn: were degrees meant (90deg)?\n");
}

TEST(Points, ErrorNamesOptionPointAndText) {
  try {
    parsePoints("1,2,3;4,5", "--goals");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "command line: --goals, point 2 is '4,5', allowed: x,y,z in metres, e.g. "
                 "10,11,1.8");
  }
}

}  // namespace
}  // namespace marsim::tools
