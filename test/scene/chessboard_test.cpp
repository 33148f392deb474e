// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/scene/chessboard.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "marsim/common/random.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

Chessboard smallBoard() {
  Chessboard board;
  board.columns = 4;
  board.rows = 3;
  board.square = 0.1;
  board.margin = 0.05;
  return board;
}

// Five squares wide from y = -0.25, four high from z = -0.2; the one at the bottom left is dark.
bool isDark(double y, double z) {
  const double column = std::floor((y + 0.25) / 0.1), row = std::floor((z + 0.2) / 0.1);
  if (column < 0.0 || column > 4.0 || row < 0.0 || row > 3.0) return false;
  return std::fmod(column + row, 2.0) == 0.0;
}

TEST(Chessboard, DarkShareIsThatOfManyPlaces) {
  const Print print = smallBoard().print();
  RandomStream random(3);
  for (int i = 0; i < 300; ++i) {
    const Vector2d middle(random.uniform(-0.35, 0.35), random.uniform(-0.3, 0.3));
    const Vector2d half(random.uniform(1e-4, 0.12), random.uniform(1e-4, 0.12));
    constexpr int kPlaces = 200;
    int dark = 0;
    for (int row = 0; row < kPlaces; ++row) {
      for (int column = 0; column < kPlaces; ++column) {
        const Vector2d part(2.0 * (column + 0.5) / kPlaces - 1.0,
                            2.0 * (row + 0.5) / kPlaces - 1.0);
        const Vector2d place = middle + half.cwiseProduct(part);
        dark += isDark(place.x(), place.y()) ? 1 : 0;
      }
    }
    ASSERT_NEAR(print.darkShare(middle, half), dark / (1.0 * kPlaces * kPlaces), 0.011);
  }
  EXPECT_EQ(print.darkShare({-0.2, -0.15}, {0.05, 0.05}), 1.0);
  EXPECT_EQ(print.darkShare({-0.1, -0.15}, {0.04, 0.04}), 0.0);
  EXPECT_NEAR(print.darkShare({0.05, 0.0}, {0.01, 0.01}), 0.5, 1e-12);
}

TEST(Chessboard, CornersAreWhereFourSquaresMeet) {
  const Chessboard board = smallBoard();
  const std::vector<Vector3d> corners = board.corners();
  ASSERT_EQ(corners.size(), 12U);
  EXPECT_TRUE(corners.front().isApprox(Vector3d(0.0, -0.15, 0.1))) << "top left";
  EXPECT_TRUE(corners[3].isApprox(Vector3d(0.0, 0.15, 0.1))) << "top right";
  EXPECT_TRUE(corners.back().isApprox(Vector3d(0.0, 0.15, -0.1)));
  constexpr double kStep = 0.02;
  for (const Vector3d& p : corners) {
    EXPECT_EQ(isDark(p.y() - kStep, p.z() - kStep), isDark(p.y() + kStep, p.z() + kStep));
    EXPECT_NE(isDark(p.y() - kStep, p.z() - kStep), isDark(p.y() + kStep, p.z() - kStep));
  }
  EXPECT_DOUBLE_EQ(board.width(), 0.6);
  EXPECT_DOUBLE_EQ(board.height(), 0.5);
}

}  // namespace
}  // namespace marsim::scene
