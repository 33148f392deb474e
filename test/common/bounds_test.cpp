// SPDX-License-Identifier: BSD-3-Clause
#include "common/bounds.hpp"

#include <limits>

#include "marsim/common/error.hpp"

namespace marsim {
namespace {

TEST(Bounds, PlacesBeyondAMillionMetresAreRefused) {
  EXPECT_TRUE(isPlace({1e6, -1e6, 0.0}));
  EXPECT_FALSE(isPlace({1.1e6, 0.0, 0.0}));
  EXPECT_FALSE(isPlace({0.0, std::numeric_limits<double>::quiet_NaN(), 0.0}));
  try {
    requirePlace("command line", "--start", {1e30, 0.0, 1.0});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "command line: --start is (1e+30, 0, 1), allowed: -1000000 to 1000000 m along "
                 "each axis");
  }
  EXPECT_THROW(requireAngle("", "yaw", 1e30), ConfigError);
  EXPECT_NO_THROW(requireAngle("", "yaw", -700.0));
}

TEST(Bounds, AnglesOfMoreThanATurnAreAskedAbout) {
  EXPECT_EQ(degreesHint("90", Quantity::kAngle),
            "90 rad is more than a turn: were degrees meant (90deg)?");
  for (const char* fine : {"6.28", "-6.28", "90deg", "90 rad", "abc", "inf", ""}) {
    EXPECT_EQ(degreesHint(fine, Quantity::kAngle), "") << fine;
  }
  EXPECT_EQ(degreesHint("90", Quantity::kLength), "");
}

TEST(Bounds, HoldFromLowToHighAndNoNaN) {
  const Bounds closed{-1.0, 2.5}, above{0.0, 2.5, true};
  for (const double value : {-1.0, 0.0, 2.5}) EXPECT_TRUE(closed.hold(value)) << value;
  for (const double value : {-1.1, 2.6, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(closed.hold(value)) << value;
  }
  EXPECT_FALSE(above.hold(0.0));
  EXPECT_TRUE(above.hold(1e-300));
  EXPECT_EQ(closed.text("m"), "-1 to 2.5 m");
  EXPECT_EQ(above.text(), "more than 0, up to 2.5");
}

}  // namespace
}  // namespace marsim
