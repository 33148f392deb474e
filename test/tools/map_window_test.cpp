// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tools/map/orbit.hpp"

namespace marsim::tools {
namespace {

Eigen::Vector3f seen(const Orbit& orbit, const Eigen::Vector3f& p) {
  const Eigen::Vector4f clip = orbit.projection(1.5) * p.homogeneous();
  return clip.head<3>() / clip.w();
}

TEST(Orbit, SeesAllOfABoxZUp) {
  const Eigen::AlignedBox3f box(Eigen::Vector3f(-5, 10, -1), Eigen::Vector3f(25, 40, 4));
  Orbit orbit(box);
  for (const double right : {0.0, 0.3, 1.1}) {
    orbit.turn(right, 0.1);
    EXPECT_LT(seen(orbit, box.center()).head<2>().norm(), 1e-4F);
    for (int corner = 0; corner < 8; ++corner) {
      const Eigen::Vector3f p = box.corner(static_cast<Eigen::AlignedBox3f::CornerType>(corner));
      EXPECT_LT(seen(orbit, p).cwiseAbs().maxCoeff(), 1.0F) << p.transpose();
    }
    const Eigen::Vector3f above = box.center() + Eigen::Vector3f(0, 0, 1);
    EXPECT_GT(seen(orbit, above).y(), 0.0F);
  }
}

TEST(Orbit, MovesWithTheMouse) {
  const Eigen::AlignedBox3f box(Eigen::Vector3f(-1, -1, -1), Eigen::Vector3f(1, 1, 1));
  Orbit orbit(box);
  orbit.move(0.25, 0.1);  // of the height: half a unit of the clip space is a quarter
  const Eigen::Vector3f centre = seen(orbit, Eigen::Vector3f::Zero());
  EXPECT_NEAR(centre.x(), 0.5 / 1.5, 1e-4);
  EXPECT_NEAR(centre.y(), -0.2, 1e-4);
  const float before = seen(orbit, {0, 0, 1}).y() - centre.y();
  orbit.zoom(3.0);
  EXPECT_GT(seen(orbit, {0, 0, 1}).y() - seen(orbit, {0, 0, 0}).y(), 1.2F * before);
}

}  // namespace
}  // namespace marsim::tools
