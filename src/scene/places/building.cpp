// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/scene/places.hpp"
#include "scene/places/materials.hpp"
#include "scene/places/part_shapes.hpp"
#include "scene/places/surface_sampler.hpp"

namespace marsim::scene {
namespace {

using Hole = SurfaceSampler::Hole;

// Windows of one wall, evenly spaced, each shifted a little.
std::vector<Hole> windows(double length, double height, int count, RandomStream& random) {
  std::vector<Hole> holes;
  const double bay = length / count;
  const double width = std::min(1.6, 0.5 * bay);
  for (int i = 0; i < count; ++i) {
    const double middle = bay * (i + 0.5 + random.uniform(-0.08, 0.08));
    holes.push_back({middle - 0.5 * width, middle + 0.5 * width, 0.9, std::min(2.3, height - 0.4)});
  }
  return holes;
}

void buildShell(const BuildingConfig& config, double door_y, SurfaceSampler& sampler,
                RandomStream& layout) {
  const double t = config.wall_thickness;
  const double h = config.height;
  const double x0 = -0.5 * config.room_length;  // inner face of the west wall
  const double x1 = 0.5 * config.room_length;   // west face of the dividing wall
  const double x2 = x1 + t;                     // east face of the dividing wall
  const double x3 = x2 + config.room_length;    // inner face of the east wall
  const double y0 = -0.5 * config.room_width;
  const double y1 = 0.5 * config.room_width;
  const double whole = x3 - x0;
  const Eigen::Vector3d X = Eigen::Vector3d::UnitX();
  const Eigen::Vector3d Y = Eigen::Vector3d::UnitY();
  const int bays = std::max(2, static_cast<int>(std::lround(whole / 4.0)));

  // Outer walls along x extend over the corners, so that the outside is closed. A window in line
  // with the dividing wall would show it in the opening, so bays are counted per room.
  const auto long_wall_windows = [&] {
    std::vector<Hole> holes = windows(config.room_length, h, std::max(1, bays / 2), layout);
    for (Hole& hole : windows(config.room_length, h, std::max(1, bays / 2), layout)) {
      holes.push_back({hole.u_min + x2 - x0, hole.u_max + x2 - x0, hole.v_min, hole.v_max});
    }
    for (Hole& hole : holes) {
      hole.u_min += t;
      hole.u_max += t;
    }
    return holes;
  };
  sampler.setMaterial(material::of(material::kWhiteWall, map::semantic::kWall));
  const Eigen::Vector3d along_x = (whole + 2.0 * t) * X;
  wallFaces({x0 - t, y0, 0.0}, along_x, -t * Y, h, long_wall_windows(), sampler);
  wallFaces({x0 - t, y1, 0.0}, along_x, t * Y, h, {}, sampler);
  const Eigen::Vector3d along_y = config.room_width * Y;
  const auto side_windows = [&] { return windows(config.room_width, h, 2, layout); };
  wallFaces({x0, y0, 0.0}, along_y, -t * X, h, side_windows(), sampler);
  wallFaces({x3, y0, 0.0}, along_y, t * X, h, side_windows(), sampler);

  const double door_u = door_y - y0;
  const Hole door{door_u - 0.5 * config.door_width, door_u + 0.5 * config.door_width, 0.0,
                  config.door_height};
  wallFaces({x1, y0, 0.0}, along_y, t * X, h, {door}, sampler);

  for (const double z : {0.0, h}) {
    sampler.setMaterial(z == 0.0 ? material::of(material::kConcrete, map::semantic::kFloor)
                                 : material::of(material::kWhiteWall, map::semantic::kCeiling));
    sampler.patch({x0, y0, z}, config.room_length * X, along_y);
    sampler.patch({x2, y0, z}, config.room_length * X, along_y);
  }
  sampler.setMaterial(material::of(material::kConcrete, map::semantic::kFloor));
  sampler.patch({x1, door_y - 0.5 * config.door_width, 0.0}, t * X, config.door_width * Y);
  sampler.setMaterial(material::kConcrete);
  const double outer_width = config.room_width + 2.0 * t;
  sampler.patch({x0 - t, y0 - t, h + 0.2}, along_x, outer_width * Y);  // roof
}

void placeTable(const Eigen::Vector2d& centre, const Eigen::Vector2d& size,
                SurfaceSampler& sampler) {
  constexpr double kTop = 0.75;
  constexpr double kBoard = 0.04;
  constexpr double kLeg = 0.07;
  const Eigen::Vector3d low(centre.x() - 0.5 * size.x(), centre.y() - 0.5 * size.y(), 0.0);
  const Eigen::Vector3d high(centre.x() + 0.5 * size.x(), centre.y() + 0.5 * size.y(), kTop);
  sampler.box({Eigen::Vector3d(low.x(), low.y(), kTop - kBoard), high});
  for (const double x : {low.x(), high.x() - kLeg}) {
    for (const double y : {low.y(), high.y() - kLeg}) {
      sampler.box({Eigen::Vector3d(x, y, 0.0), Eigen::Vector3d(x + kLeg, y + kLeg, kTop - kBoard)});
    }
  }
}

// Boards between two uprights, open in front, with a few objects on them.
void placeShelf(const Eigen::Vector3d& corner, double length, double depth, double height,
                SurfaceSampler& sampler) {
  constexpr double kBoard = 0.03;
  constexpr int kBoards = 5;
  RandomStream& random = sampler.random();
  for (const double x : {0.0, length - kBoard}) {
    const Eigen::Vector3d low = corner + x * Eigen::Vector3d::UnitX();
    sampler.box({low, low + Eigen::Vector3d(kBoard, depth, height)});
  }
  const double gap = (height - kBoard) / (kBoards - 1);
  for (int i = 0; i < kBoards; ++i) {
    const Eigen::Vector3d low = corner + Eigen::Vector3d(0.0, 0.0, i * gap);
    sampler.box({low, low + Eigen::Vector3d(length, depth, kBoard)});
    if (i + 1 == kBoards) break;
    const double at = random.uniform(0.1, 0.6) * length;
    const double width = random.uniform(0.15, 0.3) * length;
    const double tall = random.uniform(0.4, 0.8) * gap;
    const Eigen::Vector3d object = low + Eigen::Vector3d(at, 0.2 * depth, kBoard);
    sampler.box({object, object + Eigen::Vector3d(width, 0.6 * depth, tall)});
  }
}

void furnish(const BuildingConfig& config, double door_y, SurfaceSampler& sampler,
             RandomStream& layout) {
  const double x0 = -0.5 * config.room_length;
  const double y1 = 0.5 * config.room_width;
  // The table stands in a corner of the first room away from the door.
  const double side = door_y > 0.0 ? -1.0 : 1.0;
  const Eigen::Vector2d table_size(0.18 * config.room_length, 0.12 * config.room_width);
  const double table_x = -config.room_length * layout.uniform(0.26, 0.32);
  const double table_y = side * config.room_width * layout.uniform(0.24, 0.30);
  sampler.setMaterial(material::of(material::kPlanedWood, map::semantic::kTable));
  sampler.beginThing();
  placeTable({table_x, table_y}, table_size, sampler);

  const double shelf_length = 0.28 * config.room_length;
  const double shelf_x = x0 + config.room_length * layout.uniform(0.55, 0.65);
  sampler.setMaterial(material::kPlanedWood);
  sampler.beginThing();
  placeShelf({shelf_x, y1 - 0.36, 0.0}, shelf_length, 0.34, std::min(2.0, config.height - 0.3),
             sampler);

  sampler.endThing();

  // Two columns on a diagonal of the second room.
  sampler.setMaterial(material::kConcrete);
  const double middle_x = config.room_length + config.wall_thickness;
  for (const double sign : {-1.0, 1.0}) {
    const double x = middle_x + sign * config.room_length * layout.uniform(0.12, 0.2);
    const double y = sign * side * config.room_width * layout.uniform(0.14, 0.22);
    rod({x, y, 0.0}, {x, y, config.height}, 0.2, sampler);
  }
}

}  // namespace

void BuildingConfig::declare(Settings& settings) {
  // With a finer spacing the floors and ceilings of both rooms would have over 10^9 points.
  const double finest = std::max(kSpacings.low, std::sqrt(4.0 * room_length * room_width / 1e9));
  settings.optional("room_length", room_length, "m", kRooms);
  settings.optional("room_width", room_width, "m", kRooms);
  settings.optional("height", height, "m", kHeights);
  settings.optional("wall_thickness", wall_thickness, "m", kWalls);
  settings.optional("door_width", door_width, "m", {kDoorWidths.low, 0.5 * room_width});
  settings.optional("door_height", door_height, "m", {kDoorHeights.low, height - 0.1});
  settings.optional("spacing", spacing, "m", {finest, kSpacings.high});
  settings.optional("range_noise", range_noise, "m", kRangeNoises);
}

map::PointCloud makeBuilding(const BuildingConfig& config) {
  config.validate("building");
  RandomStream layout(config.seed, "layout");
  SurfaceSampler sampler(RandomStream(config.seed, "surfaces"), config.spacing, config.range_noise);
  const double door_y = config.room_width * layout.uniform(-0.12, 0.12);
  buildShell(config, door_y, sampler, layout);
  furnish(config, door_y, sampler, layout);
  return sampler.takeCloud();
}

}  // namespace marsim::scene
