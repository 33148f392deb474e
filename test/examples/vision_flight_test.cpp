// SPDX-License-Identifier: BSD-3-Clause
// A sequence among people and a hover of examples/vision, each of 10 s.
#include <gtest/gtest.h>

#include "hover.hpp"
#include "sequence.hpp"

namespace vision {
namespace {

TEST(VisionFlight, LeavingOutMovingPointsHalvesTheErrorAmongPeopleWhoWalk) {
  const SequenceResult result = run(kSequences.at("walking_static"), 10.0);
  ASSERT_EQ(result.images, 151U);
  EXPECT_GE(result.with_removal.size(), 145U);
  const double cleaned = statisticsOf(absoluteErrors(result.with_removal)).rms,
               plain = statisticsOf(absoluteErrors(result.without)).rms;
  EXPECT_LT(cleaned, 0.5 * plain);
  EXPECT_LT(cleaned, 0.05);
  EXPECT_GT(static_cast<double>(result.moving_found), 0.8 * static_cast<double>(result.moving));
  EXPECT_GT(static_cast<double>(result.still_kept), 0.5 * static_cast<double>(result.still));
  EXPECT_GT(result.velocity_errors.size(), 50U);
  EXPECT_LT(statisticsOf(result.velocity_errors).median, 0.15);
}

TEST(VisionFlight, HoversOnTheOdometryOfAnRgbdCamera) {
  const Hover result = hover("d435i", 10.0);
  EXPECT_TRUE(result.on_estimates);
  EXPECT_EQ(result.lost, 0U);
  EXPECT_LT(result.largest.x(), 0.10);
  EXPECT_LT(result.largest.y(), 0.05);
  EXPECT_LT(result.largest.z(), 0.09);
}

}  // namespace
}  // namespace vision
