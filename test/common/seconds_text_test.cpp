// SPDX-License-Identifier: BSD-3-Clause
#include "common/seconds_text.hpp"

#include <gtest/gtest.h>

namespace marsim {
namespace {

TEST(SecondsText, EveryNanosecond) {
  EXPECT_EQ(secondsText(0), "0.000000000");
  EXPECT_EQ(secondsText(1'700'000'000'000'000'001), "1700000000.000000001");
  EXPECT_EQ(secondsText(-50'000'000), "-0.050000000");
}

}  // namespace
}  // namespace marsim
