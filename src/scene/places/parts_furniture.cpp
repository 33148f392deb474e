// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "scene/places/materials.hpp"
#include "scene/places/part_shapes.hpp"
#include "scene/places/parts.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;
namespace semantic = map::semantic;

void fourLegs(const Vector3d& size, double thickness, SurfaceSampler& sampler) {
  for (const double sx : {-0.5, 0.5}) {
    for (const double sy : {-0.5, 0.5}) {
      const Vector3d foot(sx * (size.x() - thickness), sy * (size.y() - thickness), 0.0);
      boxOn(foot, {thickness, thickness, size.z()}, sampler);
    }
  }
}

void tableAt(const Vector3d& size, SurfaceSampler& sampler) {
  constexpr double kBoard = 0.04;
  fourLegs({size.x(), size.y(), size.z() - kBoard}, 0.06, sampler);
  boxOn({0.0, 0.0, size.z() - kBoard}, {size.x(), size.y(), kBoard}, sampler);
}

void buildTable(PartBuilder& part) {
  part.of(material::kPlanedWood, semantic::kTable);
  tableAt({part("length"), part("width"), part("height")}, part.sampler);
}

void buildChair(PartBuilder& part) {
  part.of(material::kRoughWood, semantic::kChair);
  const double height = part("height");
  const double seat = 0.5 * height;
  fourLegs({0.44, 0.44, seat}, 0.04, part.sampler);
  boxOn({0.0, 0.0, seat}, {0.46, 0.46, 0.05}, part.sampler);
  boxOn({0.0, 0.21, seat + 0.12}, {0.44, 0.04, height - seat - 0.12}, part.sampler);
}

// A table with a screen, a keyboard and a drawer box; the chair at -y is a thing of its own.
void buildDesk(PartBuilder& part) {
  const double length = part("length"), width = part("width"), height = part("height");
  part.of(material::kPlanedWood, semantic::kTable);
  tableAt({length, width, height}, part.sampler);
  part.of(material::kWhiteWall, semantic::kOtherObject);
  boxOn({0.35 * length - 0.1, 0.0, 0.02}, {0.4, 0.7 * width, 0.55}, part.sampler);
  part.of(material::kStone, semantic::kOtherObject);
  RandomStream& random = part.random();
  const double x = random.uniform(-0.15, 0.15) * length;
  boxOn({x, 0.2 * width, height}, {0.22, 0.16, 0.02}, part.sampler);
  rod({x, 0.22 * width, height}, {x, 0.22 * width, height + 0.2}, 0.02, part.sampler);
  boxOn({x, 0.19 * width, height + 0.12}, {0.56, 0.04, 0.34}, part.sampler);
  boxOn({x, -0.2 * width, height}, {0.42, 0.14, 0.02}, part.sampler);
  // A chair on one leg with five feet.
  part.sampler.beginThing();
  part.of(material::kStone, semantic::kChair);
  const Vector3d chair(x + random.uniform(-0.15, 0.15), -0.5 * width - random.uniform(0.1, 0.4), 0);
  for (int i = 0; i < 5; ++i) {
    const double angle = 2.0 * kPi * i / 5.0;
    rod(chair + Vector3d(0, 0, 0.06),
        chair + Vector3d(0.3 * std::cos(angle), 0.3 * std::sin(angle), 0.04), 0.02, part.sampler);
  }
  rod(chair + Vector3d(0, 0, 0.06), chair + Vector3d(0, 0, 0.45), 0.03, part.sampler);
  boxOn(chair + Vector3d(0, 0, 0.45), {0.48, 0.48, 0.08}, part.sampler);
  boxOn(chair + Vector3d(0, -0.24, 0.58), {0.44, 0.06, 0.5}, part.sampler);
}

// Boards between posts with boxes on them, as full as asked.
void buildShelf(PartBuilder& part) {
  const double length = part("length"), depth = part("width"), height = part("height");
  constexpr double kBoard = 0.03;
  part.of(material::kRoughWood, semantic::kOtherObject);
  fourLegs({length, depth, height}, 0.05, part.sampler);
  const int boards = std::max(2, static_cast<int>(std::lround(height / 0.5)) + 1);
  const double gap = (height - kBoard) / (boards - 1);
  RandomStream& random = part.random();
  for (int i = 0; i < boards; ++i) {
    part.of(material::kRoughWood, semantic::kOtherObject);
    boxOn({0.0, 0.0, i * gap}, {length, depth, kBoard}, part.sampler);
    if (i + 1 == boards) break;
    part.of(material::kPlanedWood, semantic::kOtherObject);
    for (double x = -0.5 * length + 0.06; x < 0.5 * length - 0.2;) {
      const double wide = random.uniform(0.12, 0.45);
      const double tall = random.uniform(0.3, 0.85) * (gap - kBoard);
      const double deep = random.uniform(0.5, 0.9) * depth;
      const bool there = random.uniform() < part("fill");
      if (there && x + wide < 0.5 * length - 0.05) {
        boxOn({x + 0.5 * wide, 0.0, i * gap + kBoard}, {wide, deep, tall}, part.sampler);
      }
      x += wide + random.uniform(0.02, 0.1);
    }
  }
}

// Bed, headstock, a column with a spindle, a panel on an arm, handwheels.
void buildMachine(PartBuilder& part) {
  const double length = part("length"), width = part("width"), height = part("height");
  RandomStream& random = part.random();
  part.of(material::kStone, semantic::kOtherObject);
  boxOn(Vector3d::Zero(), {length, width, 0.38 * height}, part.sampler);
  boxOn({0.0, 0.0, 0.38 * height}, {0.8 * length, 0.6 * width, 0.08 * height}, part.sampler);
  part.of(material::kWhiteWall, semantic::kOtherObject);
  const double x = (random.uniform() < 0.5 ? -1.0 : 1.0) * 0.32 * length;
  boxOn({x, 0.2 * width, 0.38 * height}, {0.3 * length, 0.5 * width, 0.62 * height}, part.sampler);
  boxOn({0.4 * x, 0.0, 0.72 * height}, {0.45 * length, 0.35 * width, 0.2 * height}, part.sampler);
  part.of(material::kConcrete, semantic::kOtherObject);
  drum({0.2 * x, -0.05 * width, 0.55 * height}, {0.2 * x, -0.05 * width, 0.72 * height}, 0.07,
       part.sampler);
  rod({-x, -0.4 * width, 0.38 * height}, {-x, -0.4 * width, 0.8 * height}, 0.03, part.sampler);
  boxOn({-x, -0.42 * width, 0.7 * height}, {0.4, 0.12, 0.35}, part.sampler);
  for (const double wheel : {-0.15, 0.15}) {
    const Vector3d at(wheel * length, -0.5 * width, 0.3 * height);
    drum(at, at - Vector3d(0, 0.06, 0), 0.11, part.sampler);
  }
}

// A heavy table with a shelf below, a vise, tools and boxes.
void buildWorkbench(PartBuilder& part) {
  const double length = part("length"), width = part("width"), height = part("height");
  RandomStream& random = part.random();
  part.of(material::kRoughWood, semantic::kOtherObject);
  fourLegs({length, width, height}, 0.1, part.sampler);
  boxOn({0.0, 0.0, height - 0.06}, {length, width, 0.06}, part.sampler);
  boxOn({0.0, 0.0, 0.25}, {0.95 * length, 0.8 * width, 0.03}, part.sampler);
  part.of(material::kStone, semantic::kOtherObject);
  boxOn({-0.4 * length, -0.35 * width, height}, {0.2, 0.25, 0.18}, part.sampler);
  for (int i = 0; i < 5; ++i) {
    const double x = length * random.uniform(-0.25, 0.42);
    const double y = width * random.uniform(-0.25, 0.3);
    const Vector3d size(random.uniform(0.1, 0.4), random.uniform(0.08, 0.25),
                        random.uniform(0.05, 0.3));
    boxOn({x, y, i % 2 == 0 ? height : 0.28}, size, part.sampler);
  }
}

// Crates one on another, each turned out of line a little.
void buildCrates(PartBuilder& part) {
  RandomStream& random = part.random();
  const double length = part("length"), width = part("width"), height = part("height");
  part.of(material::kRoughWood, semantic::kOtherObject);
  const int layers = std::max(1, static_cast<int>(std::lround(height / 0.5)));
  for (int i = 0; i < layers; ++i) {
    const double shrink = random.uniform(0.75, 1.0);
    const Vector3d foot(0.08 * random.normal() * length, 0.08 * random.normal() * width,
                        i * height / layers);
    boxOn(foot, {shrink * length, shrink * width, height / layers}, part.sampler);
  }
}

void buildSofa(PartBuilder& part) {
  part.of(material::kRoughWood, semantic::kOtherObject);
  const double length = part("length"), width = part("width"), height = part("height");
  boxOn({0, 0, 0.1}, {length, width, 0.5 * height - 0.1}, part.sampler);
  boxOn({0, 0.42 * width, 0.5 * height}, {length, 0.16 * width, 0.5 * height}, part.sampler);
  for (const double x : {-0.46, 0.46}) {
    boxOn({x * length, 0, 0.5 * height}, {0.08 * length, width, 0.22 * height}, part.sampler);
  }
}

}  // namespace

std::vector<PartKind> furnitureParts() {
  const auto sized = [](double length, double width, double height) {
    return std::vector<PartParameter>{
        {"length", length, 0.1, 20.0}, {"width", width, 0.1, 20.0}, {"height", height, 0.1, 20.0}};
  };
  std::vector<PartParameter> shelf = sized(2.0, 0.45, 2.0);
  shelf.push_back({"fill", 0.7, 0.0, 1.0, Quantity::kNumber});
  return {
      {"table", sized(1.6, 0.8, 0.75), buildTable, PartKind::kPlaced, true},
      {"chair", {{"height", 0.9, 0.3, 3.0}}, buildChair, PartKind::kPlaced, true},
      {"desk", sized(1.6, 0.8, 0.74), buildDesk, PartKind::kPlaced, true},
      {"shelf", shelf, buildShelf, PartKind::kPlaced, true},
      {"machine", sized(2.4, 1.3, 1.9), buildMachine, PartKind::kPlaced, true},
      {"workbench", sized(2.0, 0.8, 0.9), buildWorkbench, PartKind::kPlaced, true},
      {"crates", sized(0.8, 0.6, 1.2), buildCrates, PartKind::kPlaced, true},
      {"sofa", sized(1.8, 0.85, 0.85), buildSofa, PartKind::kPlaced, true},
  };
}

}  // namespace marsim::scene
