// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/stream_meter.hpp"

#include <gtest/gtest.h>

namespace marsim::dataset {
namespace {

TEST(StreamMeter, CountsIntervals) {
  StreamMeter meter;
  EXPECT_EQ(meter.rate(), 0.0);
  for (const TimeNs stamp : {100, 110, 120, 135, 145}) meter.add(stamp);
  EXPECT_EQ(meter.count(), 5U);
  EXPECT_EQ(meter.first(), 100);
  EXPECT_EQ(meter.last(), 145);
  EXPECT_EQ(meter.shortest(), 10);
  EXPECT_EQ(meter.longest(), 15);
  EXPECT_DOUBLE_EQ(meter.rate(), 4.0 / 45e-9);
  EXPECT_EQ(meter.intervals(), (std::map<TimeNs, std::size_t>{{10, 3}, {15, 1}}));
}

TEST(StreamMeter, HoldsABoundedNumberOfIntervals) {
  StreamMeter meter;
  TimeNs stamp = 0;
  const auto count = static_cast<TimeNs>(StreamMeter::kMostIntervals) + 500;
  for (TimeNs interval = 1; interval <= count; ++interval) meter.add(stamp += interval);
  EXPECT_EQ(meter.intervals().size(), StreamMeter::kMostIntervals);
  std::size_t sum = 0;
  for (const auto& [interval, times] : meter.intervals()) sum += times;
  EXPECT_EQ(sum, meter.count() - 1);
  EXPECT_EQ(meter.longest(), count);
}

}  // namespace
}  // namespace marsim::dataset
