// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/common/random.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace marsim {
namespace {

TEST(RandomStream, SameSeedSameNumbersOtherIdOthers) {
  RandomStream a(7, "imu"), b(7, "imu"), c(7, "lidar"), d(8, "imu");
  const std::uint64_t first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
  EXPECT_NE(first, d.next());
}

// Reference values of SplitMix64's finaliser for the first two steps from zero, as published with
// the generator (0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4).
TEST(MixBits, MatchesPublishedSequence) {
  EXPECT_EQ(mixBits(0x9e3779b97f4a7c15ULL), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(mixBits(2 * 0x9e3779b97f4a7c15ULL), 0x6e789e6aa1b965f4ULL);
}

TEST(RandomStream, MomentsOfUniformAndNormal) {
  RandomStream random(3);
  constexpr int kCount = 200000;
  double uniform_sum = 0.0, normal_sum = 0.0, square_sum = 0.0, fourth_sum = 0.0;
  for (int i = 0; i < kCount; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    uniform_sum += u;
    const double n = random.normal();
    normal_sum += n;
    square_sum += n * n;
    fourth_sum += n * n * n * n;
  }
  // Five standard errors of each mean.
  EXPECT_NEAR(uniform_sum / kCount, 0.5, 5 * std::sqrt(1.0 / 12 / kCount));
  EXPECT_NEAR(normal_sum / kCount, 0.0, 5 / std::sqrt(kCount));
  EXPECT_NEAR(square_sum / kCount, 1.0, 5 * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(fourth_sum / kCount, 3.0, 5 * std::sqrt(96.0 / kCount));
}

TEST(RandomStream, IndexCoversItsRange) {
  RandomStream random(1);
  int seen[5] = {};
  for (int i = 0; i < 1000; ++i) ++seen[random.index(5)];
  for (const int count : seen) EXPECT_GT(count, 120);
}

}  // namespace
}  // namespace marsim
