// SPDX-License-Identifier: BSD-3-Clause
// Frontiers of rooms whose cells are known one by one.
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "explorer.hpp"

namespace autonomy {
namespace {

using Eigen::Vector3d;
using Cells = std::set<std::array<int, 3>>;

// Two rooms of 15 x 15 x 10 cells beside each other, the first from cell (0, 0, 0) on, a wall of
// one cell between them at x = 15 and around them.
constexpr int kRoom = 15, kHeight = 10, kWall = kRoom;
constexpr double kSide = 0.2;

ExplorerConfig twoRooms() {
  ExplorerConfig config;
  config.low = {0.0, 0.0, 0.0};
  config.high = {kSide * (2 * kRoom + 1), kSide * kRoom, kSide * kHeight};
  config.side = kSide;
  config.inflation = 0.3;
  config.lowest = 0.0;
  config.highest = 2.0;
  config.steepest_down = -1.5;
  config.steepest_up = 1.5;
  config.least = 1;
  return config;
}

Vector3d middle(int x, int y, int z) { return kSide * Vector3d(x + 0.5, y + 0.5, z + 0.5); }

// Walls around a room that begins at the column `first`, and its cells as free, but not those of
// `hidden`. A door is a hole in the wall between the rooms; its cells stay unknown.
void addRoom(Explorer& explorer, int first, const Cells& door, const Cells& hidden = {}) {
  std::vector<Vector3d> walls;
  for (int x = first - 1; x <= first + kRoom; ++x) {
    for (int y = -1; y <= kRoom; ++y) {
      for (int z = -1; z <= kHeight; ++z) {
        const bool is_x = x == first - 1 || x == first + kRoom;
        if (!is_x && y != -1 && y != kRoom && z != -1 && z != kHeight) continue;
        if (door.count({x, y, z}) == 0) walls.push_back(middle(x, y, z));
      }
    }
  }
  const Vector3d outside(100.0, 0.0, 0.0);
  explorer.addScan(outside, walls);
  // A ray along y clears its row and ends on a wall.
  for (int x = first; x < first + kRoom; ++x) {
    for (int z = 0; z < kHeight; ++z) {
      int y = 0;
      while (hidden.count({x, y, z}) != 0) ++y;
      explorer.addScan(middle(x, y, z), {middle(x, kRoom, z)});
    }
  }
}

Cells doorOf(int y, int z, int width, int height) {
  Cells cells;
  for (int i = 0; i < width * height; ++i) cells.insert({kWall, y + i % width, z + i / width});
  return cells;
}

Cells asSet(const std::vector<Cell>& cells) {
  Cells set;
  for (const Cell& cell : cells) set.insert({cell.x(), cell.y(), cell.z()});
  return set;
}

TEST(Explorer, FrontierOfARoomIsItsDoor) {
  Explorer explorer(twoRooms());
  EXPECT_TRUE(explorer.frontier().empty());  // nothing is free
  const Cells door = doorOf(5, 0, 5, 8);
  addRoom(explorer, 0, door);
  EXPECT_EQ(asSet(explorer.frontier()), door);
  EXPECT_TRUE(explorer.isFree(Cell(0, 0, 0)));
  EXPECT_TRUE(explorer.isUnknown(Cell(kWall + 1, 0, 0)));

  Explorer closed(twoRooms());
  addRoom(closed, 0, {});
  EXPECT_TRUE(closed.frontier().empty());
  EXPECT_FALSE(closed.next(middle(7, 7, 5)));
}

TEST(Explorer, NextViewpointIsTheNearestThatSeesTheDoor) {
  ExplorerConfig config = twoRooms();
  config.reach = 1.3;
  Explorer explorer(config);
  addRoom(explorer, 0, doorOf(7, 5, 1, 1));
  const auto viewpoint = explorer.next(middle(3, 7, 5));
  ASSERT_TRUE(viewpoint);
  // Straight towards the door at column 15; 9 is the first within 1.3 m of it.
  ASSERT_EQ(viewpoint->way.size(), 1U);
  EXPECT_LT((viewpoint->way.front() - middle(9, 7, 5)).norm(), 1e-9);
  EXPECT_EQ(asSet(viewpoint->cells), doorOf(7, 5, 1, 1));
  config.least = 2;
  Explorer greedy(config);
  addRoom(greedy, 0, doorOf(7, 5, 1, 1));
  EXPECT_FALSE(greedy.next(middle(3, 7, 5)));
}

TEST(Explorer, LeavesOutWhatItGaveUp) {
  Explorer explorer(twoRooms());
  const Cells door = doorOf(5, 0, 5, 8);
  addRoom(explorer, 0, door);
  explorer.giveUp({Cell(kWall, 5, 0)});
  EXPECT_EQ(explorer.frontier().size(), door.size() - 1);
  explorer.giveUp(explorer.frontier());
  EXPECT_FALSE(explorer.next(middle(7, 7, 5)));
}

TEST(Explorer, GoesThroughTheDoorToAHiddenCorner) {
  const Cells door = doorOf(5, 0, 5, 10);
  Cells corner;  // of the second room, beside the wall between the rooms
  for (int x = kWall + 1; x < kWall + 4; ++x) {
    for (int y = 0; y < 3; ++y) {
      for (int z = 0; z < kHeight; ++z) corner.insert({x, y, z});
    }
  }
  ExplorerConfig config = twoRooms();
  config.least = 40;
  Explorer explorer(config);
  addRoom(explorer, 0, door);
  addRoom(explorer, kWall + 1, door, corner);
  const Vector3d from = middle(12, 2, 5);
  std::vector<Cell> unknown_door;
  for (const auto& [x, y, z] : door) unknown_door.emplace_back(x, y, z);
  explorer.giveUp(unknown_door);
  EXPECT_FALSE(explorer.next(from));  // no way leads through unknown cells
  for (int z = 0; z < kHeight; ++z) {
    for (int y = 5; y < 10; ++y) {
      explorer.addScan(middle(kWall - 1, y, z), {middle(2 * kRoom + 1, y, z)});
    }
  }
  // The border of the corner: its cells that touch the free part of the room.
  Cells border;
  for (const auto& [x, y, z] : corner) {
    if (x == kWall + 3 || y == 2) border.insert({x, y, z});
  }
  EXPECT_EQ(asSet(explorer.frontier()), border);

  const auto viewpoint = explorer.next(from);
  ASSERT_TRUE(viewpoint);
  Vector3d last = from;
  for (const Vector3d& corner_p : viewpoint->way) {
    for (double share = 0.0; share <= 1.0; share += 0.01) {
      const Cell cell = explorer.map().cellOf(last + share * (corner_p - last));
      EXPECT_TRUE(explorer.isFree(cell) && !explorer.map().isBlocked(cell)) << cell.transpose();
    }
    last = corner_p;
  }
  EXPECT_GE(viewpoint->cells.size(), config.least);
  for (const auto& cell : asSet(viewpoint->cells)) EXPECT_EQ(border.count(cell), 1U);
}

TEST(Explorer, SeesOnlyTheSensorsElevations) {
  ExplorerConfig config = twoRooms();
  config.steepest_down = -0.1;
  config.lowest = 1.0;  // above the door
  Explorer explorer(config);
  addRoom(explorer, 0, doorOf(7, 0, 1, 1));
  EXPECT_FALSE(explorer.next(middle(7, 7, 6)));
  config.steepest_down = -0.6;
  Explorer down(config);
  addRoom(down, 0, doorOf(7, 0, 1, 1));
  EXPECT_TRUE(down.next(middle(7, 7, 6)));
}

}  // namespace
}  // namespace autonomy
