// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/collision/support.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "marsim/common/units.hpp"

namespace marsim::collision {
namespace {

/// Points of a sheet through the origin, searched one by one.
class Sheet : public Neighbours {
 public:
  /// Tilted about y, from -half_width to half_width along y.
  Sheet(double tilt, bool planar, double half_width = 1.0) {
    const Eigen::Vector3d along(std::cos(tilt), 0.0, std::sin(tilt));
    const Eigen::Vector3d normal(-std::sin(tilt), 0.0, std::cos(tilt));
    for (double a = -1.0; a <= 1.0; a += 0.05) {
      for (double b = -half_width; b <= half_width; b += 0.05) {
        map::FoundSurfel point;
        point.position = (a * along + b * Eigen::Vector3d::UnitY()).cast<float>();
        point.normal = normal.cast<float>();
        point.planar = planar;
        points_.push_back(point);
      }
    }
  }
  void within(const Eigen::Vector3d& p_W, double radius,
              std::vector<map::FoundSurfel>& found) const override {
    for (const map::FoundSurfel& point : points_) {
      if ((point.position.cast<double>() - p_W).norm() <= radius) found.push_back(point);
    }
  }
  void inBox(const Pose& X_WB, const Eigen::AlignedBox3d& box_B,
             std::vector<map::FoundSurfel>& found) const override {
    for (const map::FoundSurfel& point : points_) {
      if (box_B.contains(X_WB.inverse() * point.position.cast<double>())) found.push_back(point);
    }
  }
  double nearest(const Eigen::Vector3d& p_W, double limit, map::FoundSurfel& found) const override {
    for (const map::FoundSurfel& point : points_) {
      const double distance = (point.position.cast<double>() - p_W).norm();
      if (distance >= limit) continue;
      limit = distance;
      found = point;
    }
    return limit;
  }
  Eigen::Vector3d origin() const override { return Eigen::Vector3d::Zero(); }
  double resolution() const override { return 0.05; }

 private:
  std::vector<map::FoundSurfel> points_;
};

/// Four feet 0.2 m off the middle and 0.1 m below it; it stands there in level ground at z = 0.
const BodyHull kBody({},
                     {{0.2, 0.2, -0.1}, {-0.2, 0.2, -0.1}, {-0.2, -0.2, -0.1}, {0.2, -0.2, -0.1}});
const Pose kStanding{Eigen::Quaterniond::Identity(), {0.0, 0.0, 0.1}};

TEST(CarryingSurface, IsThePlaneOfTheSheetUnderTheFeet) {
  const auto plane = carryingSurface(Sheet(0.0, true), kBody, kStanding, radians(45.0));
  ASSERT_TRUE(plane);
  EXPECT_NEAR(plane->heightOf({0.3, -0.7, 0.0}), 0.0, 1e-6);
  EXPECT_NEAR(plane->normal_W.z(), 1.0, 1e-6);
}

TEST(CarryingSurface, IsNoSteeperThanAllowed) {
  for (const double degrees : {30.0, 50.0}) {
    const Sheet sheet(radians(degrees), true);
    EXPECT_EQ(carryingSurface(sheet, kBody, kStanding, radians(degrees - 5.0)).has_value(), false);
    const auto plane = carryingSurface(sheet, kBody, kStanding, radians(degrees + 5.0));
    ASSERT_TRUE(plane) << degrees;
    EXPECT_NEAR(std::acos(plane->normal_W.z()), radians(degrees), 1e-6);
  }
}

TEST(CarryingSurface, IsPlanarAndUnderEveryFoot) {
  EXPECT_FALSE(carryingSurface(Sheet(0.0, false), kBody, kStanding, radians(45.0)));
  EXPECT_FALSE(carryingSurface(Sheet(0.0, true, 0.1), kBody, kStanding, radians(45.0)));
  EXPECT_TRUE(carryingSurface(Sheet(0.0, true, 0.25), kBody, kStanding, radians(45.0)));
}

}  // namespace
}  // namespace marsim::collision
