// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/common/units.hpp"

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"

namespace marsim {
namespace {

TEST(ParseQuantity, BareNumberIsSi) {
  EXPECT_DOUBLE_EQ(parseQuantity("0.25", Quantity::kAngle), 0.25);
  EXPECT_DOUBLE_EQ(parseQuantity(" -3e2 ", Quantity::kLength), -300.0);
}

TEST(ParseQuantity, UnitsConvertToSi) {
  EXPECT_DOUBLE_EQ(parseQuantity("3mrad", Quantity::kAngle), 3e-3);
  EXPECT_NEAR(parseQuantity("90deg", Quantity::kAngle), 1.5707963267948966, 1e-15);
  EXPECT_DOUBLE_EQ(parseQuantity("5 cm", Quantity::kLength), 0.05);
  EXPECT_NEAR(parseQuantity("600rpm", Quantity::kAngularSpeed), 62.83185307179586, 1e-12);
  EXPECT_DOUBLE_EQ(parseQuantity("2.304 us", Quantity::kTime), 2.304e-6);
  EXPECT_DOUBLE_EQ(parseQuantity("0.2kHz", Quantity::kFrequency), 200.0);
  EXPECT_DOUBLE_EQ(parseQuantity("36km/h", Quantity::kSpeed), 10.0);
}

TEST(ParseQuantity, RefusesGarbageAndForeignUnits) {
  EXPECT_THROW(parseQuantity("", Quantity::kLength), Error);
  EXPECT_THROW(parseQuantity("abc", Quantity::kLength), Error);
  EXPECT_THROW(parseQuantity("nan", Quantity::kLength), Error);
  EXPECT_THROW(parseQuantity("inf", Quantity::kLength), Error);
  EXPECT_THROW(parseQuantity("3 m", Quantity::kNumber), Error);
  try {
    parseQuantity("3 furlong", Quantity::kLength);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "'3 furlong' has the unit 'furlong', allowed: m, cm, mm, km");
  }
}

}  // namespace
}  // namespace marsim
