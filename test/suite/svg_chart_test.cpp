// SPDX-License-Identifier: BSD-3-Clause
#include "suite/svg_chart.hpp"

#include <cstdio>
#include <limits>

#include <gtest/gtest.h>

#include "suite/words.hpp"

namespace marsim::suite {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Ticks, AreRoundAndWithinTheRange) {
  EXPECT_EQ(ticks(0.0, 60.0, 7), (std::vector<double>{0, 10, 20, 30, 40, 50, 60}));
  EXPECT_EQ(ticks(-1.2, 1.3, 5), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
  EXPECT_EQ(ticks(0.0, 1e-3, 4), (std::vector<double>{0.0, 5e-4, 1e-3}));
  EXPECT_TRUE(ticks(1.0, 1.0, 5).empty());
  for (const double range : {0.013, 0.7, 1.0, 9.99, 42.0, 12345.0}) {
    EXPECT_LE(ticks(0.0, range, 6).size(), 7U) << range;
    EXPECT_GE(ticks(0.0, range, 6).size(), 3U) << range;
  }
}

TEST(ThinnedCurve, KeepsPeaksAndOrder) {
  std::vector<Eigen::Vector2d> points;
  for (int i = 0; i < 10000; ++i) points.emplace_back(i, 0.0);
  points[1234].y() = 9.0;
  points[7777].y() = -4.0;
  const auto thin = thinnedCurve(points, 400);
  EXPECT_LE(thin.size(), 400U);
  double least = 0.0, greatest = 0.0;
  for (std::size_t i = 0; i < thin.size(); ++i) {
    least = std::min(least, thin[i].y());
    greatest = std::max(greatest, thin[i].y());
    if (i > 0) {
      EXPECT_GT(thin[i].x(), thin[i - 1].x());
    }
  }
  EXPECT_EQ(greatest, 9.0);
  EXPECT_EQ(least, -4.0);
  EXPECT_EQ(thinnedCurve({{0, 1}, {1, 2}}, 400).size(), 2U);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(SvgChart, LeavesGapsWhereValuesAreNotFinite) {
  Chart chart;
  chart.curves = {{"c", "u0", {{0, 1}, {1, 2}, {2, kNan}, {3, 1}, {4, 1}}}};
  const std::string svg = svgFile(chart);
  const std::string path = svg.substr(svg.find("class=\"curve"));
  EXPECT_EQ(count(path.substr(0, path.find("/>")), "M"), 2U);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(SvgChart, EqualScaleKeepsShapes) {
  Chart chart;
  chart.equal_scale = true;
  chart.curves = {{"c", "u0", {{0, 0}, {2, 0}, {2, 1}}}};
  const std::string svg = svgFile(chart);
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  const std::string path = svg.substr(svg.find("d=\"", svg.find("class=\"curve")));
  ASSERT_EQ(std::sscanf(path.c_str(), "d=\"M%lf %lfL%lf %lfL%lf %lf", &x0, &y0, &x1, &y1, &x2, &y2),
            6);
  EXPECT_NEAR(x1 - x0, 2.0 * (y1 - y2), 0.3);
  EXPECT_GT(y1 - y2, 50.0);
}

TEST(SvgChart, StackedChartsHaveRegionsOfTheirOwn) {
  Chart chart;
  chart.curves = {{"c", "u0", {{0, 0}, {1, 1}}}};
  chart.height = 200.0;
  const std::string svg = svgFile({chart, chart});
  EXPECT_NE(svg.find("viewBox=\"0 0 560 400\""), std::string::npos);
  EXPECT_NE(svg.find("translate(0 200)"), std::string::npos);
  for (const char* id : {"id=\"plot0\"", "id=\"plot1\"", "(#plot0)", "(#plot1)"}) {
    EXPECT_EQ(count(svg, id), 1U) << id;
  }
}

TEST(Words, NumbersHaveFourDigits) {
  EXPECT_EQ(numberText(0.0), "0");
  EXPECT_EQ(numberText(0.123456), "0.1235");
  EXPECT_EQ(numberText(12.5), "12.5");
  EXPECT_EQ(numberText(100.0), "100");
  EXPECT_EQ(numberText(-3.14159), "-3.142");
  EXPECT_EQ(numberText(0.0012345), "0.001234");
  EXPECT_EQ(numberText(123456.7), "123457");
  EXPECT_EQ(numberText(1e-7), "1e-07");
  EXPECT_EQ(numberText(2.5e9), "2.5e+09");
}

}  // namespace
}  // namespace marsim::suite
