#include "dataset/quality.hpp"

#include <random>

#include <gtest/gtest.h>

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

/// A map of three surfels, two of them in one cube of half a metre.
map::SurfelMap smallMap() {
  map::PointCloud cloud;
  cloud.points = {{0.1F, 0.1F, 0.1F}, {0.3F, 0.3F, 0.3F}, {0.7F, 0.1F, 0.1F}};
  map::SurfelMapConfig config;
  config.surface = map::Surface::kPaper;
  Progress progress("test", Progress::Output::kNone);
  return map::SurfelMap::build(cloud, config, progress);
}

lidar::ScanPoint returnOf(std::uint32_t identity, std::uint32_t surfel) {
  lidar::ScanPoint point{};
  point.p_S.setZero();
  point.p_W.setZero();
  point.identity = identity;
  point.surfel = surfel;
  return point;
}

TEST(Coverage, CountsEachCubeOnce) {
  const map::SurfelMap map = smallMap();
  Coverage coverage(map);
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

TEST(Coverage, LeavesOutWhatIsNotOfTheMap) {
  Coverage coverage(smallMap());
  lidar::Scan scan;
  scan.points.push_back(returnOf(3, 0));                                   // of another UAV
  scan.points.push_back(returnOf(lidar::kMapIdentity, lidar::kNoSurfel));  // a false one
  coverage.add(scan);
  EXPECT_EQ(coverage.seen(), 0U);
}

}  // namespace
}  // namespace marsim::dataset
