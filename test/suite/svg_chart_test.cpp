#include "suite/svg_chart.hpp"

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
  const std::string svg = svgChart(chart, "c");
  const std::string path = svg.substr(svg.find("class=\"curve"));
  EXPECT_EQ(count(path.substr(0, path.find("/>")), "M"), 2U);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(SvgChart, EqualScaleHasOneLengthOfAMetre) {
  Chart chart;
  chart.equal_scale = true;
  chart.height = 430.0;
  chart.background = "map";
  for (const Eigen::Vector2d& size : {Eigen::Vector2d(10, 4), Eigen::Vector2d(2, 50)}) {
    chart.curves = {{"c", "u0", {{0, 0}, size}}};
    const std::string svg = svgChart(chart, "c");
    double a = 0.0, d = 0.0;
    ASSERT_EQ(std::sscanf(svg.c_str() + svg.find("matrix("), "matrix(%lf 0 0 %lf", &a, &d), 2);
    EXPECT_GT(a, 0.0);
    EXPECT_EQ(a, -d);
    double x0 = 0.0, y0 = 0.0, x1 = 0.0, y1 = 0.0;
    ASSERT_EQ(std::sscanf(svg.c_str() + svg.find("d=\"M", svg.find("curve")),
                          "d=\"M%lf %lfL%lf %lf", &x0, &y0, &x1, &y1),
              4);
    EXPECT_NEAR((x1 - x0) / size.x(), a, 0.1);
    EXPECT_NEAR((y0 - y1) / size.y(), a, 0.1);
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
