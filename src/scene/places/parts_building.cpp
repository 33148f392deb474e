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

void buildBox(PartBuilder& part) {
  part.of(material::kConcrete);
  boxOn(Vector3d::Zero(), {part("length"), part("width"), part("height")}, part.sampler);
}

void buildCylinder(PartBuilder& part) {
  part.of(material::kConcrete);
  drum(Vector3d::Zero(), part("height") * Vector3d::UnitZ(), part("radius"), part.sampler);
}

void buildPipe(PartBuilder& part) {
  part.of(material::kWhiteWall, semantic::kOtherStructure);
  const std::vector<Vector3d>& path = part.part.path;
  for (std::size_t i = 1; i < path.size(); ++i) {
    rod(path[i - 1], path[i], part("radius"), part.sampler);
  }
}

// The openings of one straight piece of a wall, which begins at `begin` [m] along the wall.
std::vector<SurfaceSampler::Hole> openingsOf(const Part& part, double begin, double length) {
  std::vector<SurfaceSampler::Hole> holes;
  for (const Opening& opening : part.openings) {
    for (int i = 0; i < opening.count; ++i) {
      const double middle = opening.at + i * opening.every - begin;
      const double low = middle - 0.5 * opening.width, high = middle + 0.5 * opening.width;
      if (low < -1e-6 || high > length + 1e-6) continue;
      holes.push_back({low, high, opening.bottom, opening.bottom + opening.height});
    }
  }
  return holes;
}

void buildWallPiece(const Vector3d& from, const Vector3d& to, double thickness, double height,
                    const std::vector<SurfaceSampler::Hole>& holes, SurfaceSampler& sampler) {
  const Vector3d along = to - from;
  const Vector3d u = along.normalized();
  const Vector3d across = thickness * Vector3d(-u.y(), u.x(), 0.0);
  const Vector3d corner = from - 0.5 * across;
  const Vector3d up = height * Vector3d::UnitZ();
  wallFaces(corner, along, across, height, holes, sampler);
  sampler.patch(corner + up, along, across);
  sampler.patch(corner, across, up);
  sampler.patch(corner + along, across, up);
}

void buildWall(PartBuilder& part) {
  part.of(material::kWhiteWall, semantic::kWall);
  double begin = 0.0;
  const std::vector<Vector3d>& path = part.part.path;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const double length = (path[i] - path[i - 1]).norm();
    buildWallPiece(path[i - 1], path[i], part("thickness"), part("height"),
                   openingsOf(part.part, begin, length), part.sampler);
    begin += length;
  }
}

void buildSlab(PartBuilder& part) {
  part.of(material::kConcrete);
  const double thickness = part("thickness");
  const Eigen::AlignedBox2d& area = part.part.area;
  const Vector3d low(area.min().x(), area.min().y(), 0.0);
  const Vector3d a = area.sizes().x() * Vector3d::UnitX();
  const Vector3d b = area.sizes().y() * Vector3d::UnitY();
  const Vector3d down = -thickness * Vector3d::UnitZ();
  std::vector<SurfaceSampler::Hole> holes;
  for (const Eigen::AlignedBox2d& hole : part.part.holes) {
    holes.push_back({hole.min().x() - low.x(), hole.max().x() - low.x(), hole.min().y() - low.y(),
                     hole.max().y() - low.y()});
    const Vector3d at(hole.min().x(), hole.min().y(), 0.0);
    const Vector3d along_x = hole.sizes().x() * Vector3d::UnitX();
    const Vector3d along_y = hole.sizes().y() * Vector3d::UnitY();
    part.sampler.patch(at, along_x, down);
    part.sampler.patch(at, along_y, down);
    part.sampler.patch(at + along_x, along_y, down);
    part.sampler.patch(at + along_y, along_x, down);
  }
  part.of(material::kConcrete, semantic::kFloor);
  part.sampler.patch(low, a, b, holes);
  if (thickness <= 0.0) return;
  part.of(material::kConcrete, semantic::kCeiling);
  part.sampler.patch(low + down, a, b, holes);
  part.of(material::kConcrete);
  part.sampler.patch(low, a, down);
  part.sampler.patch(low, b, down);
  part.sampler.patch(low + a, b, down);
  part.sampler.patch(low + b, a, down);
}

void buildStairs(PartBuilder& part) {
  part.of(material::kConcrete);
  const double height = part("height"), run = part("length"), width = part("width");
  const int steps = std::max(1, static_cast<int>(std::lround(height / 0.17)));
  const double rise = height / steps, tread = run / steps;
  for (int i = 0; i < steps; ++i) {
    const Vector3d at(i * tread, -0.5 * width, i * rise);
    part.sampler.patch(at, width * Vector3d::UnitY(), rise * Vector3d::UnitZ());
    part.sampler.patch(at + rise * Vector3d::UnitZ(), width * Vector3d::UnitY(),
                       tread * Vector3d::UnitX());
  }
  const Vector3d soffit(tread, 0.0, 0.0);
  for (const double y : {-0.5 * width, 0.5 * width}) {
    part.sampler.patch({0.0, y, 0.0}, Vector3d(run, 0.0, height), Vector3d(tread, 0.0, 0.0));
  }
  part.sampler.patch(soffit - 0.5 * width * Vector3d::UnitY(), Vector3d(run, 0.0, height),
                     width * Vector3d::UnitY());
}

void buildRamp(PartBuilder& part) {
  part.of(material::kConcrete);
  const Vector3d along(part("length"), 0.0, part("height"));
  const Vector3d across = part("width") * Vector3d::UnitY();
  const Vector3d down = -part("thickness") * Vector3d::UnitZ();
  const Vector3d low = -0.5 * across;
  part.sampler.patch(low, along, across);
  part.sampler.patch(low + down, along, across);
  part.sampler.patch(low, along, down);
  part.sampler.patch(low + across, along, down);
}

void buildColumn(PartBuilder& part) {
  part.of(material::kStone, semantic::kBuilding);
  const double height = part("height"), radius = part("radius");
  const double plate = std::min(0.25, 0.08 * height);
  boxOn(Vector3d::Zero(), {3.0 * radius, 3.0 * radius, plate}, part.sampler);
  const Vector3d top(0.0, 0.0, height - plate);
  boxOn(top, {3.0 * radius, 3.0 * radius, plate}, part.sampler);
  const double shaft = height - 2.0 * plate;
  part.sampler.tube(
      shaft, [&](double s) { return Vector3d(0.0, 0.0, plate + s); },
      [&](double s) {
        const double to_end = std::min(s, shaft - s);
        return radius * (1.0 - 0.12 * s / shaft + 0.3 * std::exp(-to_end / 0.15));
      });
}

void buildLadder(PartBuilder& part) {
  part.of(material::kWhiteWall, semantic::kOtherStructure);
  const double height = part("height"), half = 0.5 * part("width");
  const Vector3d top(part("lean"), 0.0, height);
  for (const double y : {-half, half}) {
    rod({0.0, y, 0.0}, top + y * Vector3d::UnitY(), 0.025, part.sampler);
  }
  const int rungs = static_cast<int>(height / 0.3);
  for (int i = 1; i <= rungs; ++i) {
    const Vector3d at = top * (0.3 * i / height);
    rod(at - half * Vector3d::UnitY(), at + half * Vector3d::UnitY(), 0.014, part.sampler);
  }
}

void buildRailing(PartBuilder& part) {
  part.of(material::kWhiteWall, semantic::kFence);
  const std::vector<Vector3d> path = part.groundedPath(part("every"));
  const Vector3d up = part("height") * Vector3d::UnitZ();
  for (std::size_t i = 0; i < path.size(); ++i) {
    rod(path[i], path[i] + up, 0.022, part.sampler);
    if (i == 0) continue;
    rod(path[i - 1] + up, path[i] + up, 0.025, part.sampler);
    rod(path[i - 1] + 0.5 * up, path[i] + 0.5 * up, 0.015, part.sampler);
  }
}

// Two sloping planes and both gables over a rectangle round the part's origin, ridge along x.
void buildRoof(PartBuilder& part) {
  part.of(material::kStone, semantic::kBuilding);
  const double x = 0.5 * part("length"), y = 0.5 * part("width"), h = part("height");
  quad({-x, -y, 0}, {x, -y, 0}, {x, 0, h}, {-x, 0, h}, part.sampler);
  quad({-x, y, 0}, {x, y, 0}, {x, 0, h}, {-x, 0, h}, part.sampler);
  for (const double end : {-x, x}) {
    quad({end, -y, 0}, {end, y, 0}, {end, 0, h}, {end, 0, h}, part.sampler);
  }
}

// A lattice girder along x: two chords and a zigzag between.
void buildTruss(PartBuilder& part) {
  part.of(material::kWhiteWall, semantic::kOtherStructure);
  const double length = part("length"), height = part("height"), radius = part("radius");
  const Vector3d from(-0.5 * length, 0.0, 0.0), along(length, 0.0, 0.0), up(0.0, 0.0, height);
  rod(from, from + along, radius, part.sampler);
  rod(from + up, from + along + up, radius, part.sampler);
  const int fields = std::max(2, static_cast<int>(std::lround(length / height)));
  for (int i = 0; i < fields; ++i) {
    const Vector3d left = from + along * i / fields, right = from + along * (i + 1) / fields;
    const bool rises = i % 2 == 0;
    rod(left + (rises ? Vector3d::Zero() : up), right + (rises ? up : Vector3d::Zero()),
        0.7 * radius, part.sampler);
  }
}

// Vault of half an ellipse over a rectangle round the part's origin, its axis along x.
void buildVault(PartBuilder& part) {
  part.of(material::kWhiteWall);
  const double length = part("length"), half = 0.5 * part("width"), rise = part("height");
  constexpr int kFacets = 16;
  for (int i = 0; i < kFacets; ++i) {
    const double a = kPi * i / kFacets, b = kPi * (i + 1) / kFacets;
    const Vector3d from(-0.5 * length, half * std::cos(a), rise * std::sin(a));
    const Vector3d to(-0.5 * length, half * std::cos(b), rise * std::sin(b));
    part.sampler.patch(from, length * Vector3d::UnitX(), to - from);
  }
}

}  // namespace

std::vector<PartKind> buildingParts() {
  const PartParameter thickness{"thickness", 0.2, 0.0, 5.0};
  return {
      {"box",
       {{"length", 1, 0.005, 1000}, {"width", 1, 0.005, 1000}, {"height", 1, 0.005, 200}},
       buildBox},
      {"cylinder", {{"radius", 0.3, 0.005, 100}, {"height", 2, 0.005, 200}}, buildCylinder},
      {"pipe", {{"radius", 0.06, 0.002, 5}}, buildPipe, PartKind::kAlongPath},
      {"wall",
       {{"height", 3, 0.05, 100}, {"thickness", 0.2, 0.01, 5.0}},
       buildWall,
       PartKind::kWall},
      {"slab", {thickness}, buildSlab, PartKind::kSlab},
      {"stairs",
       {{"length", 4, 0.3, 100}, {"width", 1.4, 0.2, 50}, {"height", 3, 0.1, 50}},
       buildStairs},
      {"ramp",
       {{"length", 12, 0.3, 200}, {"width", 3.5, 0.2, 50}, {"height", 3, 0, 50}, thickness},
       buildRamp},
      {"column", {{"radius", 0.3, 0.02, 5}, {"height", 4, 0.3, 50}}, buildColumn},
      {"ladder",
       {{"height", 3, 0.3, 50}, {"width", 0.45, 0.1, 2}, {"lean", 0.8, 0, 20}},
       buildLadder},
      {"railing",
       {{"height", 1, 0.1, 5}, {"every", 1.2, 0.1, 10}},
       buildRailing,
       PartKind::kAlongPath},
      {"roof",
       {{"length", 10, 0.2, 500}, {"width", 8, 0.2, 200}, {"height", 3, 0.1, 50}},
       buildRoof},
      {"truss",
       {{"length", 10, 0.5, 200}, {"height", 1, 0.1, 10}, {"radius", 0.05, 0.005, 1}},
       buildTruss},
      {"vault",
       {{"length", 10, 0.2, 500}, {"width", 4, 0.2, 100}, {"height", 2, 0.1, 50}},
       buildVault},
  };
}

}  // namespace marsim::scene
