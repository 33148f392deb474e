// SPDX-License-Identifier: BSD-3-Clause
#include "sim/view_watch.hpp"

#include <gtest/gtest.h>

namespace marsim::sim {
namespace {

constexpr TimeNs kPeriod = 100'000'000;  // [ns] of scans

/// Feeds a watch scans of 1,000 shots and counts its lines.
class ViewWatchTest : public testing::Test {
 protected:
  void look(double seconds, std::size_t returns, std::size_t too_near = 0) {
    for (const TimeNs end = now_ + toNs(seconds); now_ < end; now_ += kPeriod) {
      lidar::Scan scan;
      scan.stamp = now_;
      scan.end = now_ + kPeriod;
      scan.rays = 1000;
      scan.too_near = too_near;
      if (const auto line = watch_.add(scan, returns)) lines_.push_back(*line);
    }
  }

  ViewWatch watch_{"uav0/lidar", 60.0};
  TimeNs now_ = 0;
  std::vector<std::string> lines_;
};

TEST_F(ViewWatchTest, SaysOnceThatHardlyAnyShotReturns) {
  look(10.0, 500);
  EXPECT_TRUE(lines_.empty());
  look(60.0, 3);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(lines_[0],
            "uav0/lidar: 0.3 % of 20,000 shots returned in the last 2.0 s: the map may end here, "
            "or lie farther than the sensor's range of 60 m");
}

TEST_F(ViewWatchTest, ShortGapsAndSparseViewsAreNoTrouble) {
  for (int i = 0; i < 20; ++i) {
    look(0.7, 0);
    look(0.7, 100);
  }
  look(10.0, 20);
  EXPECT_TRUE(lines_.empty());
}

TEST_F(ViewWatchTest, SaysSoAgainAfterAGoodViewAndAWhile) {
  look(4.0, 0);
  look(4.0, 500);
  look(4.0, 0);  // too soon
  EXPECT_EQ(lines_.size(), 1U);
  look(20.0, 500);
  look(4.0, 0);
  EXPECT_EQ(lines_.size(), 2U);
}

TEST_F(ViewWatchTest, CountsShotsAndNotReturns) {
  lidar::Scan scan;
  scan.stamp = 0;
  scan.end = ViewWatch::kWindow;
  scan.rays = 1000;
  for (std::uint8_t number : {1, 2, 3}) {
    for (int shot = 0; shot < 15; ++shot) scan.points.emplace_back().return_number = number;
  }
  const auto line = watch_.add(scan, lidar::shotsReturned(scan));
  ASSERT_TRUE(line);
  EXPECT_NE(line->find("1.5 % of 1,000 shots returned"), std::string::npos) << *line;
}

TEST_F(ViewWatchTest, SeesThatItIsInsideSomething) {
  look(4.0, 0, 900);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_NE(lines_[0].find("inside something"), std::string::npos) << lines_[0];
}

TEST_F(ViewWatchTest, TimeThatJumpsIsAnotherRun) {
  look(4.0, 0);
  now_ = 0;
  look(4.0, 0);
  EXPECT_EQ(lines_.size(), 2U);
  now_ += toNs(100.0);  // nobody looked: what was before does not count
  look(1.9, 0);
  EXPECT_EQ(lines_.size(), 2U);
}

}  // namespace
}  // namespace marsim::sim
