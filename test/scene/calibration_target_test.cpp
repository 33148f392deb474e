// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/scene/calibration_target.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/scene/obstacles.hpp"

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

// Share of dark places in a rectangle, of `places` by `places`.
double darkShareOfPlaces(const Vector2d& middle, const Vector2d& half, int places,
                         bool (*isDarkAt)(double x, double y)) {
  int dark = 0;
  for (int row = 0; row < places; ++row) {
    for (int column = 0; column < places; ++column) {
      const Vector2d part(2.0 * (column + 0.5) / places - 1.0, 2.0 * (row + 0.5) / places - 1.0);
      const Vector2d place = middle + half.cwiseProduct(part);
      dark += isDarkAt(place.x(), place.y()) ? 1 : 0;
    }
  }
  return dark / (1.0 * places * places);
}

TEST(Chessboard, DarkShareIsThatOfManyPlaces) {
  const Print print = smallBoard().print();
  RandomStream random(3);
  for (int i = 0; i < 300; ++i) {
    const Vector2d middle(random.uniform(-0.35, 0.35), random.uniform(-0.3, 0.3));
    const Vector2d half(random.uniform(1e-4, 0.12), random.uniform(1e-4, 0.12));
    ASSERT_NEAR(print.darkShare(middle, half), darkShareOfPlaces(middle, half, 200, isDark), 0.011);
  }
  EXPECT_NEAR(print.darkShare({-0.2, -0.15}, {0.05, 0.05}), 1.0, 1e-12);
  EXPECT_NEAR(print.darkShare({-0.1, -0.15}, {0.04, 0.04}), 0.0, 1e-12);
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
  EXPECT_TRUE(board.size().isApprox(Vector2d(0.6, 0.5)));
}

// Two tags of 1 m in a row and four in a column, 0.25 m apart.
AprilGrid smallGrid() {
  AprilGrid grid;
  grid.tag_columns = 2;
  grid.tag_rows = 4;
  grid.tag_size = 1.0;
  grid.tag_spacing = 0.25;
  grid.margin = 0.1;
  return grid;
}

// From the bottom left of the outer dark squares: every 1.25 m a space of 0.25 m, then a tag. Codes
// apart, of which only tag 3 is known here: 0xe479e9c98, by rows 111001 000111 100111 101001
// 110010 011000.
bool isDarkInGrid(double y, double z) {
  const double column = std::floor(y / 1.25), row = std::floor(z / 1.25);
  const double x = (y - 1.25 * column - 0.25) * 10.0, up = (z - 1.25 * row - 0.25) * 10.0;
  if (y < 0.0 || z < 0.0 || y > 2.75 || z > 5.25) return false;
  if (x < 0.0 || up < 0.0) return x < 0.0 && up < 0.0;
  if (x < 2.0 || x > 8.0 || up < 2.0 || up > 8.0) return true;
  static const char* const kRows[] = {"111001", "000111", "100111", "101001", "110010", "011000"};
  return kRows[static_cast<int>(8.0 - up)][static_cast<int>(x - 2.0)] == '0';
}

TEST(AprilGrid, DarkShareIsThatOfManyPlaces) {
  const Print print = smallGrid().print();
  RandomStream random(4);
  for (int i = 0; i < 500; ++i) {
    // Around tag 3, and around the grid's lower border.
    const bool is_tag = i % 2 == 0;
    Vector2d middle(random.uniform(1.35, 2.65), random.uniform(1.35, 2.65)), half(0.15, 0.1);
    if (!is_tag) {
      middle = {random.uniform(-0.2, 2.95), random.uniform(-0.2, 0.3)};
      half = {random.uniform(1e-4, 0.2), random.uniform(1e-4, 0.1)};
    }
    const Vector2d corner(1.375, 2.625);
    ASSERT_NEAR(print.darkShare(middle - corner, half),
                darkShareOfPlaces(middle, half, 100, isDarkInGrid), 0.021)
        << middle.transpose();
  }
}

TEST(AprilGrid, CornersAreKalibrsFromTheBottomLeft) {
  const AprilGrid grid = smallGrid();
  const std::vector<Vector3d> corners = grid.corners();
  ASSERT_EQ(corners.size(), 32U);
  ASSERT_EQ(grid.cornerColumns(), 4);
  for (int i = 0; i < 32; ++i) {
    const int column = i % 4, row = i / 4;
    // GridCalibrationTargetAprilgrid of Kalibr counts from the first tag's corner.
    const double x = column / 2 * 1.25 + column % 2, y = row / 2 * 1.25 + row % 2;
    const Vector3d from_first = corners[static_cast<std::size_t>(i)] - corners[0];
    EXPECT_TRUE(from_first.isApprox(Vector3d(0.0, x, y), 1e-12) || i == 0) << i;
  }
  EXPECT_TRUE(corners[0].isApprox(Vector3d(0.0, -1.125, -2.375)));
  EXPECT_TRUE(grid.size().isApprox(Vector2d(2.95, 5.45)));
}

std::string complaint(const ObstacleGroup& group) {
  try {
    Obstacles({1, {group}}, {}, "file.yaml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}

TEST(CalibrationTargets, RestAsTold) {
  ObstacleGroup group = usualGroup(ObstacleKind::kFixed);
  group.name = "board";
  group.shape = ObstacleShape::kChessboard;
  group.X_WM = {fromRollPitchYaw(0.2, -0.4, 2.0), {3.0, -1.0, 1.5}};
  group.chessboard.square = 0.1;
  const Obstacles obstacles({1, {group}}, {}, "test");
  std::vector<MovingObject> objects;
  obstacles.appendObjects(0, 36'000 * kNsPerSecond, objects);
  ASSERT_EQ(objects.size(), 1U);
  ASSERT_EQ(objects[0].X_WM.size(), 1U);
  EXPECT_TRUE(objects[0].X_WM[0].p.isApprox(group.X_WM.p));
  EXPECT_TRUE(objects[0].X_WM[0].q.isApprox(group.X_WM.q));
  ASSERT_NE(objects[0].print, nullptr);
  EXPECT_DOUBLE_EQ(obstacles.sizeOf(0), std::hypot(1.16, 0.86));
  Eigen::AlignedBox3f box;
  for (const map::Surfel& surfel : objects[0].shape->surfels()) {
    box.extend(surfel.position);
    ASSERT_NEAR(std::abs(surfel.normal.x()), 1.0F, 1e-4F);
  }
  const float reach = objects[0].shape->radius();
  EXPECT_TRUE(box.sizes().isApprox(Eigen::Vector3f(0.0F, 1.16F, 0.86F), 0.1F)) << box.sizes();
  EXPECT_GE(box.sizes().y() + 2.0F * reach, 1.16F);
  EXPECT_LT(box.sizes().y(), 1.16F);
}

TEST(CalibrationTargets, SayWhatIsWrong) {
  ObstacleGroup group = usualGroup(ObstacleKind::kFixed);
  group.name = "board";
  group.shape = ObstacleShape::kChessboard;
  EXPECT_EQ(complaint(group), "none");
  const auto changed = [&](auto change) {
    ObstacleGroup bad = group;
    change(bad);
    return complaint(bad);
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find("file.yaml: groups[0]: " + part), std::string::npos) << text;
  };
  expect(changed([](ObstacleGroup& g) { g.chessboard.columns = 0; }),
         "columns is 0, allowed: 2 to 100");
  expect(changed([](ObstacleGroup& g) { g.chessboard.rows = -3; }),
         "rows is -3, allowed: 2 to 100");
  expect(changed([](ObstacleGroup& g) { g.chessboard.square = 0.0; }),
         "square is 0, allowed: 0.005 to 2 m");
  expect(changed([](ObstacleGroup& g) { g.chessboard.margin = -0.1; }),
         "margin is -0.1, allowed: 0 to 2 m");
  expect(changed([](ObstacleGroup& g) { g.chessboard.square = 2.0; }),
         "square is 2 m, allowed: a plate of at most 20 m, this one has 20.16 m");
  expect(changed([](ObstacleGroup& g) { g.X_WM.p.x() = 1e7; }), "position is [10000000, 0, 0]");

  group.shape = ObstacleShape::kAprilGrid;
  EXPECT_EQ(complaint(group), "none");
  expect(changed([](ObstacleGroup& g) { g.aprilgrid.tag_columns = 0; }),
         "tag_columns is 0, allowed: 1 to 587");
  expect(changed([](ObstacleGroup& g) { g.aprilgrid.tag_rows = 98; }),
         "tag_rows is 98, allowed: at most 587 tags, this grid has 588");
  expect(changed([](ObstacleGroup& g) { g.aprilgrid.tag_spacing = 0.0; }),
         "tag_spacing is 0, allowed: 0.05 to 1");
  expect(changed([](ObstacleGroup& g) { g.aprilgrid.tag_size = 2.5; }),
         "tag_size is 2.5 m, allowed: a plate of at most 20 m, this one has 20.33 m");
}

}  // namespace
}  // namespace marsim::scene
