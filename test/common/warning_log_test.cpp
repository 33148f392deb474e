// SPDX-License-Identifier: BSD-3-Clause
#include "common/warning_log.hpp"

#include <gtest/gtest.h>

namespace marsim {
namespace {

WarningTime at(double seconds) {
  return WarningTime(std::chrono::duration_cast<WarningTime::duration>(
      std::chrono::duration<double>(1000.0 + seconds)));
}

TEST(RecentCount, EventsAreForgottenAfterTenSecondsAndCountedForEver) {
  RecentCount count;
  EXPECT_EQ(count.lately(at(0.0)), 0U);
  for (int i = 0; i < 99; ++i) count.add(at(0.1 * i));
  EXPECT_EQ(count.lately(at(9.9)), 99U);
  EXPECT_LT(count.lately(at(15.0)), 60U);
  EXPECT_EQ(count.lately(at(20.0)), 0U);
  EXPECT_EQ(count.lately(at(1e6)), 0U);
  EXPECT_EQ(count.total(), 99U);
  count.add(at(25.0), 3);  // a slot of the ring that was used before
  EXPECT_EQ(count.lately(at(25.5)), 3U);
  EXPECT_EQ(count.total(), 102U);
}

TEST(WarningLog, EachKindIsCountedAndSaidOnceInAPeriod) {
  WarningLog log(5.0);
  EXPECT_TRUE(log.add("speed", "9 m/s", at(0.0)));
  EXPECT_FALSE(log.add("speed", "10 m/s", at(1.0)));
  EXPECT_TRUE(log.add("tilt", "60 deg", at(1.0))) << "another kind";
  EXPECT_FALSE(log.add("speed", "11 m/s", at(4.9)));
  EXPECT_TRUE(log.add("speed", "12 m/s", at(5.1)));
  ASSERT_EQ(log.entries().size(), 2U);
  EXPECT_EQ(log.entries().at("speed").count.total(), 4U);
  EXPECT_EQ(log.entries().at("speed").last, "12 m/s");
  EXPECT_EQ(log.total("tilt"), 1U);
  EXPECT_EQ(log.total("thrust"), 0U);
  EXPECT_TRUE(log.add("goal", "frame is 'moon'", at(6.0)));
  EXPECT_TRUE(log.add("goal", "z is -3 m", at(6.1))) << "another reason";
  EXPECT_FALSE(log.add("goal", "z is -4 m", at(6.2)));
  EXPECT_EQ(log.total("goal"), 3U);
  for (int i = 0; i < 5000; ++i) log.add("goal", std::string(i % 50, 'a') + "b", at(7.0));
  EXPECT_EQ(log.total("goal"), 5003U);
}

}  // namespace
}  // namespace marsim
