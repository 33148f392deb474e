// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>

#include "scene/places/forest_shapes.hpp"
#include "scene/places/materials.hpp"
#include "scene/places/part_shapes.hpp"
#include "scene/places/parts.hpp"
#include "scene/places/tunnel.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;
namespace semantic = map::semantic;

// Paint of a reflectivity from 0.15 to 0.9, from black over blue, green and red to white.
SurfaceChoice paintedAt(double reflectivity) {
  constexpr std::array<map::Colour, 8> kPaints = {{{34, 35, 38},
                                                   {38, 52, 88},
                                                   {44, 74, 58},
                                                   {138, 34, 36},
                                                   {46, 92, 150},
                                                   {118, 122, 126},
                                                   {186, 188, 192},
                                                   {236, 236, 234}}};
  const auto paint = static_cast<std::size_t>((reflectivity - 0.15) / 0.75 * kPaints.size());
  SurfaceChoice choice;
  choice.reflectivity = reflectivity;
  choice.colour = kPaints[std::min(paint, kPaints.size() - 1)];
  return choice;
}

void buildCar(PartBuilder& part) {
  const double l = part("length"), w = 0.5 * part("width"), h = part("height");
  SurfaceSampler& sampler = part.sampler;
  const SurfaceChoice paint = paintedAt(part.random().uniform(0.15, 0.9));
  part.of(paint.over(material::kPaint));
  // Outline from the rear over the roof to the front: x, z, half width.
  const double belt = 0.6 * h, roof = 0.8 * w;
  const std::vector<Vector3d> outline = {
      {-0.5 * l, 0.2, w},     {-0.5 * l, belt - 0.05, w}, {-0.42 * l, belt, w},
      {-0.3 * l, h, roof},    {0.08 * l, h, roof},        {0.24 * l, belt, w},
      {0.47 * l, 0.5 * h, w}, {0.5 * l, 0.42 * h, w},     {0.5 * l, 0.2, w}};
  const auto corner = [](const Vector3d& p, double side) {
    return Vector3d(p.x(), side * p.z(), p.y());
  };
  for (std::size_t i = 1; i < outline.size(); ++i) {
    const Vector3d &a = outline[i - 1], &b = outline[i];
    quad(corner(a, -1), corner(a, 1), corner(b, 1), corner(b, -1), sampler);
    for (const double side : {-1.0, 1.0}) {
      const Vector3d low_a(a.x(), side * w, a.y() > belt + 0.01 ? belt : 0.2);
      const Vector3d low_b(b.x(), side * w, b.y() > belt + 0.01 ? belt : 0.2);
      const bool cabin = a.y() > belt + 0.01 || b.y() > belt + 0.01;
      if (!cabin) {
        quad(low_a, low_b, corner(b, side), corner(a, side), sampler);
        continue;
      }
      const Vector3d belt_a(a.x(), side * w, belt), belt_b(b.x(), side * w, belt);
      quad({a.x(), side * w, 0.2}, {b.x(), side * w, 0.2}, belt_b, belt_a, sampler);
      quad(belt_a, belt_b, corner(b, side), corner(a, side), sampler);
    }
  }
  quad({-0.5 * l, -w, 0.2}, {0.5 * l, -w, 0.2}, {0.5 * l, w, 0.2}, {-0.5 * l, w, 0.2}, sampler);
  sampler.setMaterial(material::kRubber);
  for (const double x : {-0.3 * l, 0.31 * l}) {
    for (const double side : {-1.0, 1.0}) {
      const Vector3d hub(x, side * (w + 0.01), 0.31);
      drum(hub, hub - Vector3d(0.0, side * 0.22, 0.0), 0.31, sampler);
    }
  }
}

// A row of bays along x with their lines; cars stand in a share of them, nose to +y or to -y.
void buildParking(PartBuilder& part) {
  const double bay = part("bay"), length = part("length"), line = 0.1;
  const int bays = static_cast<int>(part("count"));
  RandomStream& random = part.random();
  for (int i = 0; i <= bays; ++i) {
    part.of(material::kWhiteWall, semantic::kLaneMarking);
    part.sampler.patch({i * bay - 0.5 * line, -0.5 * length, 0.003}, line * Vector3d::UnitX(),
                       length * Vector3d::UnitY());
    if (i == bays) break;
    const bool taken = random.uniform() < part("taken");
    const double stretch = random.uniform(0.88, 1.08), tall = random.uniform(1.4, 1.75);
    const double x = (i + 0.5) * bay + 0.1 * random.normal();
    const double turn = (random.uniform() < 0.3 ? -0.5 : 0.5) * kPi + 0.03 * random.normal();
    const double y = 0.04 * length * random.normal();
    if (!taken) continue;
    Part car;
    car.kind = "car";
    car.surface = paintedAt(random.uniform(0.15, 0.9));
    car.values = {{"length", 4.4 * stretch}, {"height", tall}};
    const Eigen::Isometry3d outer = part.sampler.frame();
    part.sampler.setFrame(outer * Eigen::Translation3d(x, y, 0.0) *
                          Eigen::AngleAxisd(turn, Vector3d::UnitZ()));
    PartBuilder inner(
        car, 1.0, RandomStream(random.next()), [](double, double) { return 0.0; }, part.sampler);
    part.sampler.beginThing();
    buildCar(inner);
    part.sampler.endThing();
    part.sampler.setFrame(outer);
  }
}

void buildTree(PartBuilder& part) {
  TreeDimensions shape;
  shape.foot = -0.05 * Vector3d::UnitZ();
  shape.height = part("height");
  shape.radius = part("radius");
  shape.conifer = part.random().uniform() < part("conifers");
  growTree(shape, part.sampler);
}

// A thin stem without a crown, with a few dead branches.
void buildPole(PartBuilder& part) {
  part.of(material::kBark);
  const double height = part("height"), radius = part("radius");
  RandomStream& random = part.random();
  const double lean_x = 0.06 * random.normal(), lean_y = 0.06 * random.normal();
  const Vector3d top(lean_x * height, lean_y * height, height);
  part.sampler.tube(
      top.norm(), [&](double s) -> Vector3d { return top * (s / top.norm()); },
      [&](double s) { return radius * (1.0 - 0.7 * s / top.norm()); });
  const int twigs = static_cast<int>(part("twigs"));
  for (int i = 0; i < twigs; ++i) {
    const double share = random.uniform(0.2, 0.95), azimuth = random.uniform(0.0, 2.0 * kPi);
    const double reach = random.uniform(0.3, 1.0) * (1.1 - share) * 0.25 * height;
    const Vector3d to(reach * std::cos(azimuth), reach * std::sin(azimuth), 0.4 * reach);
    rod(share * top, share * top + to, 0.012, part.sampler);
  }
}

void buildBush(PartBuilder& part) { growBush(Vector3d::Zero(), part("radius"), part.sampler); }
void buildRock(PartBuilder& part) { placeRock(Vector3d::Zero(), part("radius"), part.sampler); }

void buildGrass(PartBuilder& part) {
  part.of(material::kGrass, semantic::kVegetation);
  RandomStream& random = part.random();
  const double radius = part("radius"), height = part("height");
  const int blades = static_cast<int>(part("blades"));
  const int along = std::max(1, static_cast<int>(std::lround(height / part.sampler.spacing())));
  for (int i = 0; i < blades; ++i) {
    const double azimuth = random.uniform(0.0, 2.0 * kPi);
    const double reach = radius * std::sqrt(random.uniform());
    const double tall = height * random.uniform(0.5, 1.1), bend = random.uniform(0.1, 0.5) * tall;
    const Vector3d out(std::cos(azimuth), std::sin(azimuth), 0.0);
    for (int k = 0; k < along; ++k) {
      const double share = (k + random.uniform()) / along;
      part.sampler.point(
          reach * out + bend * share * share * out + share * tall * Vector3d::UnitZ(), out);
    }
  }
}

void buildLog(PartBuilder& part) {
  part.of(material::kBark);
  const double half = 0.5 * part("length"), radius = part("radius");
  drum({-half, 0.0, 0.8 * radius}, {half, 0.0, 0.8 * radius}, radius, part.sampler);
}

// Posts with boards across, as many as fit the height.
void buildFence(PartBuilder& part) {
  part.of(material::kRoughWood, semantic::kFence);
  const std::vector<Vector3d> path = part.groundedPath(part("every"));
  const double height = part("height"), board = part("board");
  const int rows = std::max(1, static_cast<int>(height / (board + part("between"))));
  for (std::size_t i = 0; i < path.size(); ++i) {
    rod(path[i], path[i] + height * Vector3d::UnitZ(), 0.06, part.sampler);
    if (i == 0) continue;
    for (int row = 0; row < rows; ++row) {
      const Vector3d low =
          path[i - 1] + (height - (row + 1) * board - row * part("between")) * Vector3d::UnitZ();
      part.sampler.patch(low, path[i] - path[i - 1], board * Vector3d::UnitZ());
    }
  }
}

// A dam of earth along a path: both slopes and a crest, uneven.
void buildBank(PartBuilder& part) {
  part.of(material::kGrass);
  const std::vector<Vector3d> path = part.groundedPath(2.0);
  const double height = part("height"), half = 0.5 * part("width"), crest = 0.15 * half;
  std::vector<Vector3d> across(path.size());
  std::vector<double> tall(path.size());
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Vector3d along = path[std::min(i + 1, path.size() - 1)] - path[i > 0 ? i - 1 : 0];
    across[i] = Vector3d(-along.y(), along.x(), 0.0).normalized();
    tall[i] = height * part.random().uniform(0.85, 1.1);
  }
  if ((path.front() - path.back()).norm() < 0.1) tall.back() = tall.front();
  const auto at = [&](std::size_t i, double side, double share) {
    return Vector3d(path[i] + side * across[i] + (share * tall[i] - 0.1) * Vector3d::UnitZ());
  };
  for (std::size_t i = 1; i < path.size(); ++i) {
    for (const double side : {-1.0, 1.0}) {
      quad(at(i - 1, side * half, 0), at(i, side * half, 0), at(i, side * 0.55 * half, 0.62),
           at(i - 1, side * 0.55 * half, 0.62), part.sampler);
      quad(at(i - 1, side * 0.55 * half, 0.62), at(i, side * 0.55 * half, 0.62),
           at(i, side * crest, 1), at(i - 1, side * crest, 1), part.sampler);
    }
    quad(at(i - 1, -crest, 1), at(i, -crest, 1), at(i, crest, 1), at(i - 1, crest, 1),
         part.sampler);
  }
}

void buildTunnel(PartBuilder& part) {
  part.of(material::kStone, semantic::kOtherStructure);
  sampleTunnel({part.part.path, part("width"), part("height"), part("roughness")}, part.sampler);
}

// Four legs that lean together, braced, and arms with insulators.
struct Pylon {
  Vector3d foot, across;
  double height, arm;

  Vector3d tip(int level, double side) const {
    return foot + side * arm * (1.0 - 0.15 * level) * across +
           height * (0.68 + 0.12 * level) * Vector3d::UnitZ();
  }
  Vector3d top() const { return foot + height * Vector3d::UnitZ(); }
};

void buildPylon(const Pylon& pylon, SurfaceSampler& sampler) {
  const Vector3d along(-pylon.across.y(), pylon.across.x(), 0.0);
  const double base = 0.09 * pylon.height;
  const auto leg = [&](int i, double share) -> Vector3d {
    const double half = base * (1.0 - 0.85 * std::min(1.0, share / 0.95));
    const double a = i == 0 || i == 3 ? -half : half, b = i < 2 ? -half : half;
    return pylon.foot + a * pylon.across + b * along + share * pylon.height * Vector3d::UnitZ();
  };
  constexpr int kLevels = 8;
  for (int i = 0; i < 4; ++i) {
    rod(leg(i, 0.0), leg(i, 1.0), 0.09, sampler);
    const int next = (i + 1) % 4;
    for (int level = 0; level < kLevels; ++level) {
      const double low = static_cast<double>(level) / kLevels, high = low + 1.0 / kLevels;
      rod(leg(i, low), leg(next, high), 0.045, sampler);
      rod(leg(next, low), leg(i, high), 0.045, sampler);
      rod(leg(i, high), leg(next, high), 0.045, sampler);
    }
  }
  for (int level = 0; level < 3; ++level) {
    for (const double side : {-1.0, 1.0}) {
      const Vector3d tip = pylon.tip(level, side);
      const double share = 0.68 + 0.12 * level;
      for (int i = 0; i < 4; ++i) {
        const bool same_side = (leg(i, share) - pylon.foot).dot(pylon.across) * side > 0.0;
        if (same_side) rod(leg(i, share), tip, 0.05, sampler);
        if (same_side) rod(leg(i, share + 0.05), tip, 0.05, sampler);
      }
      drum(tip, tip - 1.2 * Vector3d::UnitZ(), 0.1, sampler);
    }
  }
}

// A conductor between two points; the parabola stands for the catenary of so small a sag.
void hang(const Vector3d& from, const Vector3d& to, double sag, double radius,
          SurfaceSampler& sampler) {
  const double length = (to - from).norm();
  sampler.tube(
      length,
      [&](double s) -> Vector3d {
        const double u = s / length;
        return from + u * (to - from) - 4.0 * sag * u * (1.0 - u) * Vector3d::UnitZ();
      },
      [&](double) { return radius; });
}

void buildPowerLine(PartBuilder& part) {
  part.of(material::kConcrete, semantic::kPole);
  const std::vector<Vector3d>& path = part.part.path;
  std::vector<Pylon> pylons;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Vector3d along = path[std::min(i + 1, path.size() - 1)] - path[i > 0 ? i - 1 : 0];
    Pylon pylon{path[i], Vector3d(-along.y(), along.x(), 0.0).normalized(), part("height"),
                0.5 * part("width")};
    pylon.foot.z() += part.ground(path[i].x(), path[i].y());
    buildPylon(pylon, part.sampler);
    pylons.push_back(pylon);
  }
  const Vector3d below = -1.2 * Vector3d::UnitZ();
  for (std::size_t i = 1; i < pylons.size(); ++i) {
    for (int level = 0; level < 3; ++level) {
      for (const double side : {-1.0, 1.0}) {
        hang(pylons[i - 1].tip(level, side) + below, pylons[i].tip(level, side) + below,
             part("sag"), 0.015, part.sampler);
      }
    }
    hang(pylons[i - 1].top(), pylons[i].top(), 0.8 * part("sag"), 0.01, part.sampler);
  }
}

}  // namespace

std::vector<PartKind> outdoorParts() {
  const Quantity number = Quantity::kNumber;
  return {
      {"car",
       {{"length", 4.4, 2, 20}, {"width", 1.8, 1, 4}, {"height", 1.5, 1, 5}},
       buildCar,
       PartKind::kPlaced,
       true},
      {"parking",
       {{"count", 5, 1, 500, number},
        {"bay", 2.5, 1.5, 10},
        {"length", 5, 2, 20},
        {"taken", 0.6, 0, 1, number}},
       buildParking},
      {"tree",
       {{"height", 10, 2, 60}, {"radius", 0.16, 0.01, 3}, {"conifers", 0.4, 0, 1, number}},
       buildTree,
       PartKind::kPlaced,
       true},
      {"pole",
       {{"height", 5, 0.2, 60}, {"radius", 0.06, 0.003, 3}, {"twigs", 6, 0, 200, number}},
       buildPole},
      {"bush", {{"radius", 0.5, 0.05, 10}}, buildBush},
      {"rock", {{"radius", 0.4, 0.02, 50}}, buildRock},
      {"grass",
       {{"radius", 0.2, 0.01, 5}, {"height", 0.25, 0.02, 3}, {"blades", 12, 1, 1000, number}},
       buildGrass},
      {"log", {{"length", 4, 0.1, 60}, {"radius", 0.16, 0.01, 3}}, buildLog},
      {"fence",
       {{"height", 1.8, 0.1, 20},
        {"every", 2, 0.2, 20},
        {"board", 0.14, 0.01, 5},
        {"between", 0.05, 0, 5}},
       buildFence,
       PartKind::kAlongPath},
      {"bank", {{"height", 3, 0.1, 50}, {"width", 7, 0.2, 200}}, buildBank, PartKind::kAlongPath},
      {"tunnel",
       {{"width", 4, 0.5, 50}, {"height", 3.5, 0.5, 50}, {"roughness", 0.12, 0, 2}},
       buildTunnel,
       PartKind::kAlongPath},
      {"power_line",
       {{"height", 30, 5, 150}, {"width", 12, 1, 60}, {"sag", 4, 0, 50}},
       buildPowerLine,
       PartKind::kAlongPath},
  };
}

}  // namespace marsim::scene
