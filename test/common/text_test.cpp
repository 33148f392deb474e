// SPDX-License-Identifier: BSD-3-Clause
#include "common/text.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace marsim {
namespace {

TEST(NearestName, FindsSlipsOfTheKeyboard) {
  const std::vector<std::string> known{"avia", "mid360", "vlp16"};
  EXPECT_EQ(nearestName("avai", known), "avia");
  EXPECT_EQ(nearestName("Mid-360", known), "mid360");
  EXPECT_EQ(nearestName("ouster", known), "");
  EXPECT_EQ(nearestName("avia", {}), "");
}

TEST(ParseWhole, TakesWholeNumbersOf64Bits) {
  EXPECT_EQ(parseWhole("0"), 0U);
  EXPECT_EQ(parseWhole("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  for (const char* wrong : {"", "-1", "+1", " 1", "1.0", "1e3", "0x10", "18446744073709551616"}) {
    EXPECT_EQ(parseWhole(wrong), std::nullopt) << wrong;
  }
}

TEST(NaturalOrder, CountsNumbersByTheirValues) {
  const std::vector<std::string> rising{"",      "a",      "a1", "a2",    "a2b",  "a10",
                                        "a10b2", "a10b11", "b0", "b0099", "b100", "z"};
  for (std::size_t i = 0; i < rising.size(); ++i) {
    for (std::size_t k = 0; k < rising.size(); ++k) {
      const int order = naturalOrder(rising[i], rising[k]);
      EXPECT_EQ(order < 0, i < k) << rising[i] << " " << rising[k];
      EXPECT_EQ(order > 0, i > k) << rising[i] << " " << rising[k];
    }
  }
  EXPECT_EQ(naturalOrder("a01", "a1"), 0);
  EXPECT_EQ(naturalOrder("a0", "a00"), 0);
  EXPECT_LT(naturalOrder("18446744073709551616", "18446744073709551617"), 0);
}

TEST(NaturalOrder, CountsDecimalsOnRequest) {
  EXPECT_GT(naturalOrder("t1.25", "t1.3"), 0);
  EXPECT_LT(naturalOrder("t1.25", "t1.3", true), 0);
  EXPECT_EQ(naturalOrder("1.30", "1.3", true), 0);
  EXPECT_LT(naturalOrder("1.0", "1.001", true), 0);
  EXPECT_GT(naturalOrder("v.25", "v.3", true), 0) << "no number is before the point";
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("1,2,3", ','), (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
}

TEST(Trimmed, TakesWhiteSpaceOffBothEnds) {
  EXPECT_EQ(trimmed("  a b\t\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
}

TEST(Clipped, IsALineOf60CharactersAtMost) {
  EXPECT_EQ(clipped(std::string(60, 'a')), std::string(60, 'a'));
  EXPECT_EQ(clipped(std::string(61, 'a')), std::string(57, 'a') + "...");
  EXPECT_EQ(clipped("a\n\x1b[31mb"), "a??[31mb");
  EXPECT_EQ(clipped("ab\u00fccdef", 6), "ab...");  // not half a letter
  EXPECT_EQ(nearestName(std::string(1 << 20, 'a'), {"avia"}), "");
}

TEST(WithThousands, GroupsDigits) {
  EXPECT_EQ(withThousands(0), "0");
  EXPECT_EQ(withThousands(999), "999");
  EXPECT_EQ(withThousands(1000), "1,000");
  EXPECT_EQ(withThousands(1234567), "1,234,567");
}

}  // namespace
}  // namespace marsim
