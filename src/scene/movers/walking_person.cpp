// SPDX-License-Identifier: BSD-3-Clause
#include "scene/movers/walking_person.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>

#include "marsim/common/units.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;
using map::Colour;

// [body heights]
constexpr double kHip = 0.530, kThigh = 0.245, kShank = 0.246, kAnkle = 0.039;
constexpr double kHipWidth = 0.10, kShoulder = 0.80, kShoulderWidth = 0.25;
constexpr double kUpperArm = 0.186, kForearm = 0.146, kHand = 0.06;
/// Half the swing of hip and shoulder, bend of knee and elbow [rad].
constexpr double kHipSwing = 0.42, kKneeBend = 1.0, kShoulderSwing = 0.38, kElbowBend = 0.35;

/// Part of a body: all points within `radius` of a line.
struct Capsule {
  Vector3d from, to;
  double radius;
  Colour colour;

  double distanceTo(const Vector3d& p) const {
    const Vector3d along = to - from;
    const double share =
        std::clamp((p - from).dot(along) / std::max(along.squaredNorm(), 1e-12), 0.0, 1.0);
    return (p - from - share * along).norm() - radius;
  }
};

struct Outfit {
  Colour shirt, trousers, hair;
};
constexpr std::array<Outfit, 4> kOutfits = {{{{150, 48, 44}, {46, 56, 84}, {58, 42, 32}},
                                             {{58, 92, 128}, {92, 84, 70}, {96, 72, 44}},
                                             {{196, 188, 168}, {52, 52, 56}, {36, 30, 28}},
                                             {{70, 104, 66}, {64, 58, 52}, {128, 120, 112}}}};
constexpr Colour kSkin = {204, 158, 128}, kShoes = {48, 42, 38};

// A unit vector down, swung forward by an angle.
Vector3d hanging(double angle) { return {std::sin(angle), 0.0, -std::cos(angle)}; }

/// `swing`: 1 for strides, 0 at rest. In body heights; z from the hip joint.
class Body {
 public:
  Body(double phase, double swing, const Outfit& outfit) : outfit_(outfit) {
    addTrunk();
    for (const double side : {1.0, -1.0}) {
      const double at = 2.0 * kPi * (side > 0.0 ? phase : phase + 0.5);
      addLeg(side, swing * kHipSwing * std::cos(at),
             swing * kKneeBend * std::max(-std::sin(at), 0.0));
      addArm(side, -swing * kShoulderSwing * std::cos(at), kElbowBend);
    }
  }

  /// Sits.
  explicit Body(const Outfit& outfit) : outfit_(outfit) {
    addTrunk();
    for (const double side : {1.0, -1.0}) {
      addLeg(side, 0.5 * kPi, 0.5 * kPi);
      addArm(side, 0.3, 1.2);
    }
  }

  const std::vector<Capsule>& parts() const { return parts_; }
  /// z of the lowest sole.
  double lowest() const {
    double lowest = 0.0;
    for (const Capsule& part : parts_) {
      lowest = std::min({lowest, part.from.z() - part.radius, part.to.z() - part.radius});
    }
    return lowest;
  }

 private:
  void add(const Vector3d& from, const Vector3d& to, double radius, const Colour& colour) {
    parts_.push_back({from, to, radius, colour});
  }

  void addTrunk() {
    const double chest = kShoulder - kHip - 0.03, waist = 0.06;
    add({0.0, -0.06, chest}, {0.0, -0.04, waist}, 0.062, outfit_.shirt);
    add({0.0, 0.06, chest}, {0.0, 0.04, waist}, 0.062, outfit_.shirt);
    add({0.01, 0.0, chest}, {0.005, 0.0, waist}, 0.07, outfit_.shirt);
    add({0.0, -0.035, 0.01}, {0.0, 0.035, 0.01}, 0.068, outfit_.trousers);
    add({0.0, 0.0, 0.27}, {0.01, 0.0, 0.36}, 0.036, kSkin);       // neck
    add({0.012, 0.0, 0.365}, {0.012, 0.0, 0.418}, 0.050, kSkin);  // head
    add({-0.004, 0.0, 0.395}, {0.0, 0.0, 0.422}, 0.052, outfit_.hair);
  }

  void addLeg(double side, double hip, double knee) {
    const Vector3d top(0.0, 0.5 * side * kHipWidth, 0.0);
    const Vector3d middle = top + kThigh * hanging(hip);
    const Vector3d ankle = middle + kShank * hanging(hip - knee);
    add(top, middle, 0.047, outfit_.trousers);
    add(middle, ankle, 0.034, outfit_.trousers);
    const double pitch = 0.6 * (hip - knee);  // of the foot
    const Vector3d forward(std::cos(pitch), 0.0, std::sin(pitch));
    const Vector3d heel = ankle + (kAnkle - 0.024) * hanging(pitch) - 0.025 * forward;
    add(heel, heel + 0.115 * forward, 0.024, kShoes);
  }

  void addArm(double side, double shoulder, double elbow) {
    const Vector3d top(0.0, 0.5 * side * kShoulderWidth, kShoulder - kHip - 0.01);
    const Vector3d out(0.0, 0.08 * side, 0.0);
    const Vector3d middle = top + kUpperArm * (hanging(shoulder) + out).normalized();
    const Vector3d wrist = middle + kForearm * hanging(shoulder + elbow);
    add(top, middle, 0.031, outfit_.shirt);
    add(middle, wrist, 0.025, outfit_.shirt);
    add(wrist, wrist + kHand * hanging(shoulder + elbow), 0.024, kSkin);
  }

  const Outfit& outfit_;
  std::vector<Capsule> parts_;
};

/// Surfels of the surface of a union of capsules.
class PersonSurface {
 public:
  PersonSurface(std::vector<Capsule> parts, double resolution)
      : parts_(std::move(parts)), resolution_(resolution) {
    for (const Capsule& part : parts_) addPart(part);
    set_.planar_threshold = static_cast<float>(0.2 * resolution);
  }

  const map::SurfelSet& set() const { return set_; }

 private:
  // Adds a surfel unless it lies inside another part.
  void add(const Capsule& part, const Vector3d& p, const Vector3d& n) {
    for (const Capsule& other : parts_) {
      if (&other != &part && other.distanceTo(p) < -0.1 * resolution_) return;
    }
    set_.surfels.push_back({p.cast<float>(), n.cast<float>().normalized(), 0.0F});
    set_.channels.colour.push_back(part.colour);
  }

  // Adds rings around the line, and a spiral of equal areas on each end's sphere.
  void addPart(const Capsule& part) {
    const Vector3d along = (part.to - part.from).normalized(), u = along.unitOrthogonal(),
                   v = along.cross(u);
    const double length = (part.to - part.from).norm(), step = resolution_;
    const int rows = std::max(1, static_cast<int>(std::ceil(length / step)));
    const int columns = std::max(8, static_cast<int>(std::ceil(2.0 * kPi * part.radius / step)));
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        const double angle = 2.0 * kPi * (column + 0.5 * (row % 2)) / columns;
        const Vector3d n = std::cos(angle) * u + std::sin(angle) * v;
        add(part, part.from + (row + 0.5) / rows * length * along + part.radius * n, n);
      }
    }
    const double area = 2.0 * kPi * part.radius * part.radius;
    const int count = std::max(12, static_cast<int>(std::ceil(area / (0.75 * step * step))));
    for (int i = 0; i < count; ++i) {
      const double z = (i + 0.5) / count, across = std::sqrt(1.0 - z * z);
      const Vector3d n =
          across * (std::cos(kGoldenAngle * i) * u + std::sin(kGoldenAngle * i) * v) + z * along;
      add(part, part.to + part.radius * n, n);
      const Vector3d back = n - 2.0 * z * along;
      add(part, part.from + part.radius * back, back);
    }
  }

  const std::vector<Capsule> parts_;
  const double resolution_;
  map::SurfelSet set_;
};

std::shared_ptr<const map::SurfelMap> shapeOf(const Body& body, double height, double resolution) {
  std::vector<Capsule> parts = body.parts();
  const Vector3d up(0.0, 0.0, -0.5 - body.lowest());
  for (Capsule& part : parts) {
    part.from = height * (part.from + up);
    part.to = height * (part.to + up);
    part.radius *= height;
  }
  map::SurfelMapConfig config;
  config.resolution = resolution;
  return std::make_shared<const map::SurfelMap>(
      map::SurfelMap::of(PersonSurface(std::move(parts), resolution).set(), config));
}

}  // namespace

WalkingPerson::WalkingPerson(double height, std::size_t outfit, double resolution) {
  const Outfit& clothes = kOutfits[outfit % kOutfits.size()];
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    const double part = static_cast<double>(phase) / static_cast<double>(kPhases);
    strides_.push_back(shapeOf(Body(part, 1.0, clothes), height, resolution));
  }
  standing_ = shapeOf(Body(0.0, 0.0, clothes), height, resolution);
}

std::shared_ptr<const map::SurfelMap> sittingPerson(double height, std::size_t outfit,
                                                    double resolution) {
  return shapeOf(Body(kOutfits[outfit % kOutfits.size()]), height, resolution);
}

}  // namespace marsim::scene
