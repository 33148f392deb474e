// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <gtest/gtest.h>

#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/geometry/pose.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

using scene::ObstacleKind;
using scene::ObstacleShape;

class LoadObstacles : public ConfigTest {
 protected:
  std::string complaintOf(const std::string& text) const {
    const std::string path = write("obstacles.yaml", text);
    return complaint([&] { loadObstacles(path); });
  }
};

const char* const kRegion = "region: {min: [-5, -4, 0], max: [5, 4, 300cm]}\n";

TEST_F(LoadObstacles, BundledOnes) {
  ASSERT_FALSE(knownNames("obstacles").empty());
  for (const std::string& name : knownNames("obstacles")) {
    const scene::ObstaclesConfig config = loadObstacles(name);
    EXPECT_EQ(scene::Obstacles(config, {}, name).size(), config.count()) << name;
  }
  EXPECT_EQ(loadObstacles("forest").groups.size(), 7U) << "one of every kind";
}

TEST_F(LoadObstacles, ReadsAFilesValues) {
  const std::string text =
      std::string("seed: 7\n") + kRegion +
      "groups:\n"
      "  - {name: quad, kind: uav, number: 3, vehicle: crazyflie, speed: [36km/h, 11],\n"
      "     reflectivity: 0.1}\n"
      "  - {name: crate, kind: orbit, shape: box, size: [20cm, 0.4], radius: [1, 2],\n"
      "     region: {min: [0, 0, 1], max: [9, 9, 2]}}\n"
      "  - {name: bus, kind: waypoints, points: [[0, 0, 1], [1, 0, 1]], path: back_and_forth}\n"
      "  - {name: car, kind: driven, starts: [[1, 2, 3]]}\n"
      "  - {name: board, kind: fixed, shape: chessboard, position: [1, 2, 3], rpy: [0, 0, 90deg],\n"
      "     columns: 7, rows: 5, square: 4cm, margin: 10mm}\n"
      "  - {name: grid, kind: fixed, shape: aprilgrid, position: [1, 2, 3],\n"
      "     tag_columns: 4, tag_rows: 5, tag_size: 5cm, tag_spacing: 0.25, margin: 10mm}\n"
      "  - {name: sitter, kind: fixed, shape: sitting_person, position: [1, 2, 3], swing: 90deg,\n"
      "     swing_period: 6s}\n";
  const scene::ObstaclesConfig config = loadObstacles(write("obstacles.yaml", text));
  EXPECT_EQ(config.seed, 7U);
  EXPECT_EQ(config.count(), 9U);
  const auto& groups = config.groups;
  EXPECT_EQ(groups[0].kind, ObstacleKind::kUav);
  EXPECT_EQ(groups[0].speed_min, 10.0);
  EXPECT_EQ(groups[0].body.rotors.size(), 4U);
  EXPECT_EQ(groups[0].region.max().z(), 3.0);
  EXPECT_EQ(groups[0].reflectivity, 0.1);
  EXPECT_FALSE(groups[1].reflectivity);
  EXPECT_EQ(groups[1].shape, ObstacleShape::kBox);
  EXPECT_EQ(groups[1].size_min, 0.2);
  EXPECT_EQ(groups[1].region.min().z(), 1.0);
  EXPECT_FALSE(groups[2].loop);
  EXPECT_EQ(groups[3].points.at(0), Eigen::Vector3d(1.0, 2.0, 3.0));
  EXPECT_EQ(groups[4].kind, ObstacleKind::kFixed);
  EXPECT_EQ(groups[4].shape, ObstacleShape::kChessboard);
  EXPECT_EQ(groups[4].X_WM.p, Eigen::Vector3d(1.0, 2.0, 3.0));
  EXPECT_NEAR(yawOf(groups[4].X_WM.q), 0.5 * kPi, 1e-12);
  EXPECT_EQ(groups[4].chessboard.columns, 7);
  EXPECT_EQ(groups[4].chessboard.rows, 5);
  EXPECT_EQ(groups[4].chessboard.square, 0.04);
  EXPECT_EQ(groups[4].chessboard.margin, 0.01);
  EXPECT_EQ(groups[5].shape, ObstacleShape::kAprilGrid);
  EXPECT_EQ(groups[5].aprilgrid.tag_columns, 4);
  EXPECT_EQ(groups[5].aprilgrid.tag_rows, 5);
  EXPECT_EQ(groups[5].aprilgrid.tag_size, 0.05);
  EXPECT_EQ(groups[5].aprilgrid.tag_spacing, 0.25);
  EXPECT_EQ(groups[5].aprilgrid.margin, 0.01);
  EXPECT_NEAR(groups[6].swing, 0.5 * kPi, 1e-12);
  EXPECT_EQ(groups[6].swing_period, 6.0);
  EXPECT_EQ(readObstacles(text, "a topic").groups.size(), 7U);
}

TEST_F(LoadObstacles, WrongOnesAreNamed) {
  const std::string head = std::string(kRegion) + "groups:\n  - ";
  EXPECT_EQ(complaintOf(head + "{name: a, kind: sphere}\n"), "no error");
  const auto expect = [&](const std::string& text, const std::string& part) {
    const std::string said = complaintOf(text);
    EXPECT_NE(said.find(part), std::string::npos) << said;
    EXPECT_NE(said.find("obstacles.yaml"), std::string::npos) << said;
  };
  expect("groups: []\n", "groups is empty, allowed: at least one");
  expect("groups:\n  - {name: a, kind: sphere}\n", "groups[0].region is missing");
  expect(head + "{name: a, kind: shpere}\n", "did you mean 'sphere'?");
  expect(head + "{name: a, kind: sphere, turn: [1, 2]}\n", "groups[0].turn is an unknown key");
  expect(head + "{name: a, kind: box, size: 3}\n", "groups[0].size");
  expect(head + "{name: a, kind: box, number: -2}\n", "groups[0].number is '-2'");
  expect(head + "{name: a, kind: box, number: 20000}\n", "number is 20000, allowed: 1 to 10000");
  expect(head + "{name: a, kind: waypoints, points: [[1, 2]]}\n", "groups[0].points[0]");
  expect(head + "{name: a, kind: fixed, shape: chessboard}\n", "groups[0].position is missing");
  const std::string board = "{name: a, kind: fixed, shape: chessboard, position: [0, 0, 1], ";
  expect(head + board + "columns: 0}\n", "groups[0]: columns is 0, allowed: 2 to 100");
  expect(head + board + "rows: 2.5}\n", "groups[0].rows is '2.5'");
  expect(head + board + "square: -8cm}\n", "groups[0]: square is -0.08, allowed: 0.005 to 2 m");
  expect(head + board + "tag_size: 8cm}\n", "groups[0].tag_size is an unknown key");
  expect(head + board + "number: 2}\n", "groups[0].number is an unknown key");
  expect(head + board + "size: [1, 1]}\n", "groups[0].size is an unknown key");
  expect(head + board + "swing: 0.1}\n", "groups[0].swing is an unknown key");
  expect(head + "{name: a, kind: fixed, position: [0, 0, 1], swing_period: 0}\n",
         "groups[0]: swing_period is 0, allowed: 0.1 to 1000 s");
  expect(head + "{kind: box}\n", "groups[0].name is missing");
  EXPECT_NE(
      complaint([] { readObstacles("groups: 3\n", "/obstacles"); }).find("/obstacles: groups"),
      std::string::npos);
  EXPECT_NE(complaint([] { loadObstacles("forrest"); }).find("did you mean 'forest'?"),
            std::string::npos);
}

}  // namespace
}  // namespace marsim::config
