#include "map_tools/survey.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "map/test_files.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/kd_tree.hpp"

namespace marsim::map_tools {
namespace {

/// Points at random on floor and walls of a room, on average one a square of side `spacing`.
map::PointCloud room(double length, double width, double height, double spacing) {
  map::PointCloud cloud;
  RandomStream random(3);
  const auto fill = [&](double area, const auto& place) {
    const auto count = static_cast<std::size_t>(area / (spacing * spacing));
    for (std::size_t i = 0; i < count; ++i) {
      const double u = random.uniform(), v = random.uniform();
      cloud.points.push_back(place(u, v));
    }
  };
  fill(length * width, [&](double u, double v) {
    return Eigen::Vector3d(length * u, width * v, 0).cast<float>().eval();
  });
  fill(2 * length * height, [&](double u, double v) {
    return Eigen::Vector3d(length * u, v < 0.5 ? 0 : width, height * std::fmod(2 * v, 1.0))
        .cast<float>()
        .eval();
  });
  return cloud;
}

TEST(Survey, SpacingIsThatOfThePoints) {
  for (const double spacing : {0.02, 0.1}) {
    EXPECT_NEAR(surveyCloud(room(10, 8, 3, spacing)).spacing, spacing, 0.1 * spacing);
  }
}

TEST(Survey, BeamsPassAsOftenAsAtRandomHoles) {
  const map::PointCloud cloud = room(10, 8, 3, 0.1);
  const Survey survey = surveyCloud(cloud);
  const KdTree tree(cloud.points);
  RandomStream random(8);
  for (const double resolution : {0.1, 0.15}) {
    int open = 0;
    constexpr int kProbes = 20000;
    for (int i = 0; i < kProbes; ++i) {  // of the floor, away from its rims
      const Eigen::Vector3d p(random.uniform(1, 9), random.uniform(1, 7), 0);
      const double reach = 0.5 * std::sqrt(3.0) * resolution;
      open += tree.nearest(p.cast<float>()).distance > static_cast<float>(reach) ? 1 : 0;
    }
    // The local spacing is known from eight points only: a factor of two.
    const double share = static_cast<double>(open) / kProbes;
    EXPECT_GT(survey.passing(resolution), 0.5 * share);
    EXPECT_LT(survey.passing(resolution), 4.0 * share + 0.01);
  }
  EXPECT_DOUBLE_EQ(survey.resolution, 0.2);
  EXPECT_DOUBLE_EQ(surveyCloud(room(10, 8, 3, 0.01)).resolution, 0.02);
}

TEST(Survey, StartHasTheClearanceItSays) {
  const map::PointCloud cloud = room(10, 8, 3, 0.05);
  const Survey survey = surveyCloud(cloud);
  ASSERT_TRUE(survey.start);
  EXPECT_GE(survey.start_clearance, 1.0);
  EXPECT_TRUE(survey.box.contains(*survey.start));
  const KdTree tree(cloud.points);
  EXPECT_NEAR(tree.nearest(survey.start->cast<float>()).distance, survey.start_clearance, 0.1);
}

TEST(Survey, UnitAndUpAxisThatLookWrongAreWarned) {
  EXPECT_TRUE(surveyCloud(room(10, 8, 3, 0.1)).warnings.empty());
  map::PointCloud turned = room(30, 20, 3, 0.1);
  for (Eigen::Vector3f& p : turned.points) p = {p.x(), p.z(), -p.y()};
  const Survey survey = surveyCloud(turned);
  EXPECT_GT(survey.planes[1], survey.planes[2]);
  ASSERT_EQ(survey.warnings.size(), 1U);
  EXPECT_NE(survey.warnings[0].find("--up"), std::string::npos);
  map::PointCloud millimetres = room(10, 8, 3, 0.1);
  for (Eigen::Vector3f& p : millimetres.points) p *= 1000.0F;
  ASSERT_FALSE(surveyCloud(millimetres).warnings.empty());
  EXPECT_NE(surveyCloud(millimetres).warnings[0].find("millimetres"), std::string::npos);
}

TEST(Survey, FewPointsAreNoError) {
  map::PointCloud cloud;
  cloud.points = {{0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
  const Survey survey = surveyCloud(cloud);
  EXPECT_EQ(survey.spacing, 0.0);
  EXPECT_EQ(survey.resolution, 0.0);
}

}  // namespace
}  // namespace marsim::map_tools
