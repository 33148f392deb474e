// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/scene/obstacles.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/geometry/pose_settings.hpp"
#include "marsim/map/semantic_class.hpp"
#include "scene/movers/group_maker.hpp"
#include "scene/movers/obstacle_places.hpp"
#include "scene/movers/obstacle_track.hpp"
#include "scene/movers/walking_person.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;

constexpr TimeNs kStep = 5'000'000;       // between the poses of a curved motion
constexpr double kLeastSide = 0.5;        // [m] of a region
constexpr double kMostSpeed = 100.0;      // [m/s]
constexpr double kLeastWalk = 0.05;       // [m/s] below it people stand
constexpr double kDrivenStride = 1.1;     // [s] of driven people
constexpr TimeNs kLeastStep = 2'000'000;  // between a person's shapes

constexpr double kLargestPlate = 20.0;  // [m]

bool drawsPlaces(ObstacleKind kind) {
  return kind != ObstacleKind::kWaypoints && kind != ObstacleKind::kOrbit &&
         kind != ObstacleKind::kFixed;
}

bool hasRegion(ObstacleKind kind) {
  return kind != ObstacleKind::kWaypoints && kind != ObstacleKind::kFixed;
}

void checkRegion(const Validator& check, const Eigen::AlignedBox3d& region) {
  const Vector3d sides = region.max() - region.min();
  check.require(
      region.min().allFinite() && region.max().allFinite() && sides.minCoeff() >= kLeastSide &&
          region.min().cwiseAbs().maxCoeff() < 1e6 && region.max().cwiseAbs().maxCoeff() < 1e6,
      "region", fmt::format("{:.6g} x {:.6g} x {:.6g} m", sides.x(), sides.y(), sides.z()),
      fmt::format("min below max, each side at least {} m, within 1000 km", kLeastSide));
}

void checkPoints(const Validator& check, const ObstacleGroup& group) {
  const bool path = group.kind == ObstacleKind::kWaypoints;
  const char* field = path ? "points" : "starts";
  for (const Vector3d& p : group.points) {
    check.require(p.allFinite() && p.cwiseAbs().maxCoeff() < 1e6, field,
                  fmt::format("[{}, {}, {}]", p.x(), p.y(), p.z()), "places within 1000 km");
  }
  check.require(!path || group.points.size() >= 2, field, fmt::format("{}", group.points.size()),
                "at least two corners");
  for (std::size_t i = 1; path && i < group.points.size(); ++i) {
    check.require((group.points[i] - group.points[i - 1]).norm() > 1e-3, field,
                  "two equal corners in a row", "corners that differ");
  }
  check.require(path || group.points.size() <= static_cast<std::size_t>(group.number), field,
                fmt::format("{}", group.points.size()),
                fmt::format("no more than number, {}", group.number));
}

void checkTarget(const Validator& check, const ObstacleGroup& group) {
  const AprilGrid& grid = group.aprilgrid;
  const bool has_tags = group.shape == ObstacleShape::kAprilGrid;
  const int tags = has_tags ? grid.tag_columns * grid.tag_rows : 0;
  check.require(tags <= AprilGrid::kMostTags, "tag_rows", fmt::format("{}", grid.tag_rows),
                fmt::format("at most {} tags, this grid has {}", AprilGrid::kMostTags, tags));
  const double side = group.target()->size().maxCoeff();
  check.require(side <= kLargestPlate, has_tags ? "tag_size" : "square",
                fmt::format("{:.6g} m", has_tags ? grid.tag_size : group.chessboard.square),
                fmt::format("a plate of at most {} m, this one has {:.6g} m", kLargestPlate, side));
}

}  // namespace

ObstacleGroup usualGroup(ObstacleKind kind) {
  ObstacleGroup group;
  group.kind = kind;
  switch (kind) {
    case ObstacleKind::kUav:
      group.shape = ObstacleShape::kUav;
      group.speed_max = 3.0;
      break;
    case ObstacleKind::kSphere:
      group.size_max = 0.6;
      group.speed_min = group.speed_max = 0.0;
      break;
    case ObstacleKind::kBox:
      group.shape = ObstacleShape::kBox;
      group.size_max = 0.8;
      group.speed_max = 2.0;
      break;
    case ObstacleKind::kWalker:
      group.shape = ObstacleShape::kPerson;
      group.size_min = 1.5;
      group.size_max = 1.9;
      group.speed_min = 0.8;
      group.speed_max = 1.6;
      break;
    default:
      break;
  }
  return group;
}

std::uint8_t ObstacleGroup::semanticClass() const {
  if (semantic_class) return *semantic_class;
  if (shape == ObstacleShape::kUav) return map::semantic::kOtherVehicle;
  return kind == ObstacleKind::kWalker ? map::semantic::kPerson : map::semantic::kOtherObject;
}

const CalibrationTarget* ObstacleGroup::target() const {
  if (shape == ObstacleShape::kChessboard) return &chessboard;
  return shape == ObstacleShape::kAprilGrid ? &aprilgrid : nullptr;
}

void ObstacleGroup::declare(Settings& settings) {
  const bool may_rest = kind == ObstacleKind::kSphere || kind == ObstacleKind::kUav ||
                        kind == ObstacleKind::kBox || kind == ObstacleKind::kDriven;
  settings.required("name", name);
  if (kind == ObstacleKind::kFixed) {
    declarePose(settings, X_WM);
  } else {
    settings.optional("number", number, "", {1.0, kMaxObstacles});
  }
  settings.optional("shape", shape,
                    {{"uav", ObstacleShape::kUav},
                     {"sphere", ObstacleShape::kSphere},
                     {"box", ObstacleShape::kBox},
                     {"capsule", ObstacleShape::kCapsule},
                     {"person", ObstacleShape::kPerson},
                     {"sitting_person", ObstacleShape::kSittingPerson},
                     {"chessboard", ObstacleShape::kChessboard},
                     {"aprilgrid", ObstacleShape::kAprilGrid}});
  settings.optional("resolution", resolution, "m");
  settings.optional("reflectivity", reflectivity, "", kShare);
  settings.optional("class", semantic_class, map::semantic::names());
  if (shape == ObstacleShape::kChessboard) {
    chessboard.declare(settings);
  } else if (shape == ObstacleShape::kAprilGrid) {
    aprilgrid.declare(settings);
  } else if (shape != ObstacleShape::kUav) {
    settings.optional("size", size_min, size_max, "m", {0.02, 20.0});
  }
  if (shape == ObstacleShape::kCapsule || shape == ObstacleShape::kPerson) {
    settings.optional("width", width_ratio, "", {0.05, 1.0});
  }
  if (kind != ObstacleKind::kDriven && kind != ObstacleKind::kFixed) {
    settings.optional("speed", speed_min, speed_max, "m/s", {may_rest ? 0.0 : 0.01, kMostSpeed});
  }
  if (kind == ObstacleKind::kBox) {
    settings.optional("turn", turn_min, turn_max, "s", {0.05, 1000.0});
  } else if (kind == ObstacleKind::kOrbit) {
    settings.optional("radius", orbit_min, orbit_max, "m", {0.01, 1e4});
  } else if (kind == ObstacleKind::kWaypoints) {
    settings.required("points", points, "m");
    settings.optional("path", loop, {{"loop", true}, {"back_and_forth", false}});
  } else if (kind == ObstacleKind::kDriven) {
    settings.optional("starts", points, "m");
  } else if (kind == ObstacleKind::kFixed && target() == nullptr) {
    settings.optional("swing", swing, "rad", {0.0, kPi});
    settings.optional("swing_period", swing_period, "s", {0.1, 1000.0});
  }
}

void ObstacleGroup::validate(const std::string& where) const {
  checkSettings(where, *this);
  const Validator check(where);
  check.require(!name.empty() &&
                    std::all_of(name.begin(), name.end(),
                                [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; }) &&
                    std::isalpha(static_cast<unsigned char>(name[0])) != 0,
                "name", fmt::format("'{}'", name), "letters, digits and _, a letter first");
  if (shape == ObstacleShape::kUav) body.validate(where);
  check.require(resolution == 0.0 || (resolution >= 0.005 && resolution <= 1.0), "resolution",
                fmt::format("{} m", resolution), "0.005 to 1 m");
  if (target() != nullptr) checkTarget(check, *this);
  check.require(X_WM.p.allFinite() && X_WM.p.cwiseAbs().maxCoeff() < 1e6, "position",
                fmt::format("[{}, {}, {}]", X_WM.p.x(), X_WM.p.y(), X_WM.p.z()),
                "a place within 1000 km");
  if (hasRegion(kind)) checkRegion(check, region);
  checkPoints(check, *this);
}

void ObstaclesConfig::validate(const std::string& where) const {
  const Validator check(where);
  check.require(!groups.empty(), "groups", "empty", "at least one");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i].validate(fmt::format("{}: groups[{}]", where, i));
    for (std::size_t k = 0; k < i; ++k) {
      check.require(groups[k].name != groups[i].name, fmt::format("groups[{}].name", i),
                    fmt::format("'{}'", groups[i].name), "a name of its own");
    }
  }
  check.require(count() <= kMaxObstacles, "groups", fmt::format("{} obstacles", count()),
                fmt::format("at most {} together", kMaxObstacles));
}

std::size_t ObstaclesConfig::count() const {
  std::size_t sum = 0;
  for (const ObstacleGroup& group : groups) sum += static_cast<std::size_t>(group.number);
  return sum;
}

namespace {

// A share as a byte, 255 for 1.
std::optional<std::uint8_t> byteOf(const std::optional<double>& share) {
  if (!share) return std::nullopt;
  return static_cast<std::uint8_t>(std::lround(255.0 * *share));
}

// An object that follows a leg from `first` to `last`, in an interval that begins at `begin`.
MovingObject pieceOf(const TrackLeg& leg, TimeNs begin, TimeNs first, TimeNs last) {
  MovingObject object;
  object.begin = toSeconds(first - begin);
  if (first == last || leg.still()) {
    object.X_WM = {leg.at(first)};
    return object;
  }
  const TimeNs steps = leg.straight() ? 1 : (last - first + kStep - 1) / kStep;
  object.step = toSeconds(last - first) / static_cast<double>(steps);
  object.X_WM.reserve(static_cast<std::size_t>(steps) + 1);
  for (TimeNs i = 0; i <= steps; ++i) {
    object.X_WM.push_back(leg.at(first + (last - first) * i / steps));
  }
  return object;
}

}  // namespace

/// The shape of an obstacle until `end`.
struct Obstacles::Look {
  std::shared_ptr<const map::SurfelMap> shape;
  TimeNs end;
};

// A person's stride takes the time given by its speed. A driven person's always takes the same
// time, since its speed may change at any time.
Obstacles::Look Obstacles::lookOf(const WalkingPerson& person, const Obstacle& obstacle,
                                  const TrackLeg& leg, TimeNs time) {
  const double speed = leg.radius > 0.0 ? std::abs(leg.yaw_rate) * leg.radius : leg.v.norm();
  if (speed < kLeastWalk) return {person.standing(), leg.end};
  const double stride =
      obstacle.driven != nullptr ? kDrivenStride : WalkingPerson::kStride * obstacle.size / speed;
  const auto phases = static_cast<TimeNs>(WalkingPerson::kPhases);
  const TimeNs step = std::max(toNs(stride) / phases, kLeastStep);
  const TimeNs steps = time / step - (time % step < 0 ? 1 : 0);
  const TimeNs phase = (steps + 5 * obstacle.number) % phases;  // people are not all in step
  return {person.at(static_cast<std::size_t>(phase < 0 ? phase + phases : phase)),
          std::min(leg.end, (steps + 1) * step)};
}

Obstacles::Obstacles(const ObstaclesConfig& config, const MapDistance& clearance,
                     const std::string& where)
    : config_(config) {
  config_.validate(where);
  for (std::size_t g = 0; g < config_.groups.size(); ++g) {
    const ObstacleGroup& group = config_.groups[g];
    GroupMaker maker(group, config_.seed);
    const bool all_told = group.kind == ObstacleKind::kDriven &&
                          group.points.size() == static_cast<std::size_t>(group.number);
    places_.push_back(std::make_unique<ObstaclePlaces>());
    if (drawsPlaces(group.kind) && !all_told) {
      *places_.back() = findPlaces(group, maker.room(), maker.seed(), clearance,
                                   fmt::format("{}: groups[{}]", where, g));
    }
    for (int i = 0; i < group.number; ++i) {
      obstacles_.push_back(maker.make(i, *places_.back()));
      obstacles_.back().group = g;
    }
  }
}

Obstacles::~Obstacles() = default;

void Obstacles::appendKnownObjects(TimeNs begin, TimeNs end, TimeNs known_until,
                                   std::vector<MovingObject>& objects) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  objects.reserve(objects.size() + obstacles_.size());
  for (std::size_t i = 0; i < obstacles_.size(); ++i) {
    const Obstacle& obstacle = obstacles_[i];
    const ObstacleGroup& group = config_.groups[obstacle.group];
    const auto reflectivity = byteOf(group.reflectivity);
    for (TimeNs time = begin; time <= end;) {
      const TrackLeg leg = obstacle.driven != nullptr
                               ? obstacle.driven->knownLegAt(time, known_until)
                               : obstacle.track->legAt(time);
      const Look look = obstacle.person != nullptr ? lookOf(*obstacle.person, obstacle, leg, time)
                                                   : Look{obstacle.shape, leg.end};
      MovingObject& object =
          objects.emplace_back(pieceOf(leg, begin, time, std::min(end, look.end)));
      object.shape = look.shape;
      object.identity = identityOf(i);
      object.reflectivity = reflectivity;
      object.semantic_class = group.semanticClass();
      object.print = obstacle.print;
      if (time > begin) object.from = toSeconds(time - begin);
      if (look.end > end) break;
      object.until = toSeconds(look.end - begin);
      time = look.end;
    }
  }
}

std::size_t Obstacles::size() const { return obstacles_.size(); }

std::string Obstacles::nameOf(std::size_t number) const {
  const Obstacle& obstacle = obstacles_.at(number);
  return fmt::format("{}_{}", config_.groups[obstacle.group].name, obstacle.number);
}

std::optional<std::size_t> Obstacles::numberOf(const std::string& name) const {
  for (std::size_t i = 0; i < obstacles_.size(); ++i) {
    if (nameOf(i) == name) return i;
  }
  return std::nullopt;
}

const ObstacleGroup& Obstacles::groupOf(std::size_t number) const {
  return config_.groups[obstacles_.at(number).group];
}

double Obstacles::sizeOf(std::size_t number) const { return obstacles_.at(number).size; }

Pose Obstacles::poseAt(std::size_t number, TimeNs time) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return obstacles_.at(number).track->legAt(time).at(time);
}

std::uint64_t Obstacles::digest() const {
  std::uint64_t hash = 0;
  for (const auto& places : places_) {
    for (const Vector3d& place : places->free) {
      for (int axis = 0; axis < 3; ++axis) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &place[axis], sizeof bits);
        hash = mixBits(hash + bits);
      }
    }
    hash = mixBits(hash + places->free.size());
    for (const auto& ways : places->ways) {
      for (const ObstaclePlaces::Way& way : ways) hash = mixBits(hash + way.corners.size());
    }
  }
  return hash;
}

bool Obstacles::isDriven(std::size_t number) const {
  return obstacles_.at(number).driven != nullptr;
}

bool Obstacles::hasDriven() const {
  return std::any_of(obstacles_.begin(), obstacles_.end(),
                     [](const Obstacle& obstacle) { return obstacle.driven != nullptr; });
}

void Obstacles::drive(std::size_t number, const Driven& state) {
  if (number >= obstacles_.size() || !isDriven(number)) {
    throw Error(fmt::format("obstacle {} is none that is driven", number));
  }
  if (!state.p.allFinite() || !state.v.allFinite() || !std::isfinite(state.yaw) ||
      !std::isfinite(state.yaw_rate)) {
    throw Error(fmt::format("the state told of obstacle '{}' is not finite", nameOf(number)));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  obstacles_[number].driven->drive(state);
}

Obstacles::Driven Obstacles::driven(std::size_t number) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!isDriven(number)) throw Error(fmt::format("obstacle {} is none that is driven", number));
  return obstacles_[number].driven->last();
}

}  // namespace marsim::scene
