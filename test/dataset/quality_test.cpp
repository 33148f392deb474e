// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/quality.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "dataset/sharpness.hpp"

namespace marsim::dataset {
namespace {

TEST(Moments, AreThoseOfAllNumbersTogether) {
  std::mt19937 random(3);
  std::normal_distribution<double> draw(5.0, 2.0);
  std::vector<double> numbers(1000);
  Moments moments;
  for (double& number : numbers) moments.add(number = draw(random));
  double sum = 0.0, squares = 0.0;
  for (const double number : numbers) sum += number;
  const double mean = sum / 1000.0;
  for (const double number : numbers) squares += (number - mean) * (number - mean);
  EXPECT_NEAR(moments.mean(), mean, 1e-12);
  EXPECT_NEAR(moments.deviation(), std::sqrt(squares / 1000.0), 1e-12);
  EXPECT_EQ(moments.least(), *std::min_element(numbers.begin(), numbers.end()));
  EXPECT_EQ(moments.most(), *std::max_element(numbers.begin(), numbers.end()));
  EXPECT_EQ(Moments().deviation(), 0.0);
}

TEST(ThinnedSeries, KeepsFewPointsEvenlyApart) {
  ThinnedSeries series;
  for (int i = 0; i < 100'000; ++i) series.add({static_cast<double>(i), 0.0});
  const auto& points = series.points();
  ASSERT_LE(points.size(), ThinnedSeries::kMost);
  ASSERT_GE(points.size(), ThinnedSeries::kMost / 2 - 1);
  const double step = points[1].x();
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(points[i].x(), static_cast<double>(i) * step);
  }
}

TEST(LogHistogram, KnowsTheMedianToOnePercent) {
  std::mt19937 random(5);
  std::lognormal_distribution<double> draw(3.0, 2.0);
  std::vector<double> numbers(1001);
  LogHistogram histogram;
  EXPECT_EQ(histogram.median(), 0.0);
  for (double& number : numbers) histogram.add(number = draw(random));
  std::sort(numbers.begin(), numbers.end());
  EXPECT_NEAR(histogram.median() / numbers[500], 1.0, 0.02);
  const double quarter = 0.25 * numbers[500];
  const auto below = std::lower_bound(numbers.begin(), numbers.end(), quarter) - numbers.begin();
  EXPECT_NEAR(static_cast<double>(histogram.below(quarter)), static_cast<double>(below), 5.0);
  histogram.add(0.0);
  histogram.add(1e30);
  EXPECT_EQ(histogram.below(1e-9), 0U);
}

/// A map of three surfels, two of them in one cube of half a metre.
map::SurfelMap smallMap() {
  map::PointCloud cloud;
  cloud.points = {{0.1F, 0.1F, 0.1F}, {0.3F, 0.3F, 0.3F}, {0.7F, 0.1F, 0.1F}};
  map::SurfelMapConfig config;
  config.surface = map::Surface::kPaper;
  return map::SurfelMap::build(cloud, config);
}

lidar::ScanPoint returnOf(std::uint32_t identity, std::uint32_t surfel) {
  lidar::ScanPoint point{};
  point.p_S.setZero();
  point.p_W.setZero();
  point.identity = identity;
  point.surfel = surfel;
  return point;
}

TEST(SurfaceCoverage, CountsEachCubeOnce) {
  const map::SurfelMap map = smallMap();
  SurfaceCoverage coverage(map);
  EXPECT_EQ(coverage.cubes(), 2U);
  EXPECT_EQ(coverage.share(), 0.0);
  const std::vector<Eigen::Vector3f> positions = map.positions().points;
  lidar::Scan scan;
  for (std::uint32_t i = 0; i < positions.size(); ++i) {
    if (positions[i].x() > 0.5F) continue;  // the two of one cube
    scan.points.push_back(returnOf(lidar::kMapIdentity, i));
  }
  coverage.add(scan);
  EXPECT_EQ(coverage.seen(), 1U);
  coverage.add(scan);
  EXPECT_EQ(coverage.share(), 0.5);
}

TEST(SurfaceCoverage, LeavesOutWhatIsNotOfTheMap) {
  SurfaceCoverage coverage(smallMap());
  lidar::Scan scan;
  scan.points.push_back(returnOf(3, 0));                                   // of another UAV
  scan.points.push_back(returnOf(lidar::kMapIdentity, lidar::kNoSurfel));  // a false one
  coverage.add(scan);
  EXPECT_EQ(coverage.seen(), 0U);
}

/// A grating of so many radians a pixel to the right.
std::vector<std::uint8_t> grating(double amplitude, double wave, int bytes = 1) {
  std::vector<std::uint8_t> pixels;
  for (int row = 0; row < 64; ++row) {
    for (int column = 0; column < 200; ++column) {
      const auto grey = static_cast<std::uint8_t>(
          std::lround(128.0 + amplitude * std::sin(wave * static_cast<double>(column))));
      for (int i = 0; i < bytes; ++i) pixels.push_back(i == bytes / 2 ? grey : 0);
    }
  }
  return pixels;
}

// Means of two pixels of A sin(k x) are A cos(k / 2) sin(k (x + 1/2)), 2 k apart.
TEST(Look, IsThatOfAGrating) {
  const double amplitude = 80.0, wave = 0.3;
  const double seen = amplitude * std::cos(0.5 * wave);
  const double curved = seen * (2.0 - 2.0 * std::cos(2.0 * wave));
  for (const int bytes : {1, 3}) {
    const Look look = lookOf(grating(amplitude, wave, bytes), 200, bytes);
    EXPECT_NEAR(look.contrast / (seen / std::sqrt(2.0)), 1.0, 0.03);
    EXPECT_NEAR(look.sharpness / (0.5 * curved * curved), 1.0, 0.05);
  }
}

TEST(QualityMeter, CountsBlurredAndEmptyImages) {
  Sensors sensors;
  sensors.cameras.emplace();
  sensors.cameras->cameras.emplace_back();
  sensors.cameras->cameras[0].encoding = lidar::ImageEncoding::kMono8;
  sensors.cameras->cameras[0].model.width = 200;
  sensors.cameras->cameras[0].model.height = 64;
  QualityMeter meter(sensors, smallMap());
  const auto add = [&meter](double amplitude, double wave) {
    Image image;
    image.stamp = static_cast<TimeNs>(meter.images[0].meter.count()) * 50'000'000;
    image.pixels = grating(amplitude, wave);
    meter.addImage(image);
  };
  for (int i = 0; i < 7; ++i) add(80.0, 0.3);
  for (int i = 0; i < 2; ++i) add(80.0, 0.1);  // the curvature is a ninth
  add(1.0, 0.3);
  EXPECT_EQ(meter.images[0].meter.count(), 10U);
  EXPECT_EQ(meter.images[0].blurred(), 3U);
  EXPECT_EQ(meter.images[0].empty, 1U);
  EXPECT_EQ(meter.images[0].contrast.count(), 10U);
}

}  // namespace
}  // namespace marsim::dataset
