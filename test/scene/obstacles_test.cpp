// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/scene/obstacles.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/pose.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;

constexpr TimeNs kHours = 10LL * 3600 * kNsPerSecond;

ObstacleGroup groupOf(ObstacleKind kind, int number = 5) {
  ObstacleGroup group = usualGroup(kind);
  group.name = "g" + std::to_string(static_cast<int>(kind));
  group.number = number;
  group.region = {Vector3d(-10.0, -8.0, 0.0), Vector3d(10.0, 8.0, 6.0)};
  group.body.hub_half = {0.1, 0.1, 0.05};
  group.body.rotors = {{0.2, 0.0, 0.0}, {-0.2, 0.0, 0.0}};
  group.body.arm_radius = 0.01;
  group.body.propeller_radius = 0.1;
  group.body.propeller_half_height = 0.01;
  if (kind == ObstacleKind::kWaypoints) {
    group.points = {{0.0, 0.0, 1.0}, {4.0, 0.0, 1.0}, {4.0, 3.0, 2.0}};
  }
  return group;
}

ObstaclesConfig allKinds() {
  ObstaclesConfig config;
  config.seed = 42;
  for (const ObstacleKind kind :
       {ObstacleKind::kUav, ObstacleKind::kSphere, ObstacleKind::kBox, ObstacleKind::kWalker,
        ObstacleKind::kWaypoints, ObstacleKind::kOrbit, ObstacleKind::kDriven}) {
    config.groups.push_back(groupOf(kind));
  }
  return config;
}

ObstaclesConfig only(const ObstacleGroup& group, std::uint64_t seed = 1) { return {seed, {group}}; }

// A pillar in the middle and a floor at z = 0, which is taken for the region's lower side.
double pillarAndFloor(const Vector3d& p, double) {
  const double pillar = std::max(p.head<2>().norm() - 3.0, 0.0);
  return std::min(pillar, std::abs(p.z()));
}

std::string complaint(const ObstaclesConfig& config, const MapDistance& clearance = {}) {
  try {
    Obstacles(config, clearance, "file.yaml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}

std::vector<TimeNs> randomTimes(int count, std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<TimeNs> times;
  for (int i = 0; i < count; ++i) {
    times.push_back(static_cast<TimeNs>(random.index(static_cast<std::uint64_t>(kHours))));
  }
  return times;
}

std::uint64_t bitsOf(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Everything about everyone at some times.
std::uint64_t hashAt(const Obstacles& obstacles, const std::vector<TimeNs>& times) {
  std::uint64_t hash = obstacles.digest();
  for (const TimeNs time : times) {
    for (std::size_t i = 0; i < obstacles.size(); ++i) {
      const Pose pose = obstacles.poseAt(i, time);
      for (const double value : {pose.p.x(), pose.p.y(), pose.p.z(), pose.q.w(), pose.q.z()}) {
        hash = mixBits(hash + bitsOf(value));
      }
    }
  }
  return hash;
}

TEST(Obstacles, AreTheSameInAnyOrderOfQuestionsAndInOtherProcesses) {
  const Obstacles one(allKinds(), pillarAndFloor, "test"),
      other(allKinds(), pillarAndFloor, "test");
  const std::vector<TimeNs> times = randomTimes(60, 7);
  std::vector<TimeNs> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  std::map<std::pair<TimeNs, std::size_t>, Pose> poses;
  for (const TimeNs time : times) {
    for (std::size_t i = 0; i < one.size(); ++i) poses[{time, i}] = one.poseAt(i, time);
  }
  // A second instance is asked in order, and in between about what comes just before.
  for (const TimeNs time : sorted) {
    for (std::size_t i = 0; i < other.size(); ++i) {
      const Pose pose = other.poseAt(i, time);
      ASSERT_EQ(pose.p, (poses[{time, i}].p)) << other.nameOf(i) << " at " << toSeconds(time);
      ASSERT_EQ(pose.q.coeffs(), (poses[{time, i}].q.coeffs())) << other.nameOf(i);
      other.poseAt(i, time - static_cast<TimeNs>(i) * 1'000'000'000);
    }
  }
  const std::uint64_t expected = hashAt(one, sorted);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Obstacles its(allKinds(), pillarAndFloor, "test");
    const std::uint64_t hash = hashAt(its, sorted);
    _exit(write(ends[1], &hash, sizeof hash) == sizeof hash ? 0 : 1);
  }
  std::uint64_t hash = 0;
  ASSERT_EQ(read(ends[0], &hash, sizeof hash), static_cast<ssize_t>(sizeof hash));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(hash, expected);
  EXPECT_NE(hashAt(Obstacles({43, allKinds().groups}, pillarAndFloor, "test"), sorted), expected)
      << "another seed";
}

// Another machine, another day: what the draws lead to does not change unnoticed.
TEST(Obstacles, AreThoseOfEveryDay) {
  const Obstacles obstacles(only(groupOf(ObstacleKind::kBox, 3), 9), {}, "test");
  const Vector3d p = obstacles.poseAt(2, 5000 * kNsPerSecond).p;
  const Vector3d expected(4.8153919815919277, -0.70025941128475988, 1.4119422652506679);
  EXPECT_NEAR((p - expected).norm(), 0.0, 1e-12) << p.transpose();
}

TEST(Obstacles, GroupsDoNotDependOnEachOther) {
  ObstaclesConfig few = allKinds();
  few.groups.erase(few.groups.begin() + 1);
  const Obstacles all(allKinds(), {}, "test"), fewer(few, {}, "test");
  const std::size_t of_all = *all.numberOf("g3_2"), of_fewer = *fewer.numberOf("g3_2");
  EXPECT_EQ(all.poseAt(of_all, kHours).p, fewer.poseAt(of_fewer, kHours).p);
  EXPECT_FALSE(fewer.numberOf("g1_0"));
}

// Splits what happens in [0, duration] where the obstacle jumps.
std::vector<std::vector<Pose>> livesOf(const Obstacles& obstacles, std::size_t number,
                                       double duration, double step) {
  std::vector<std::vector<Pose>> lives(1);
  for (int i = 0; i * step < duration; ++i) {
    const Pose pose = obstacles.poseAt(number, toNs(i * step));
    if (!lives.back().empty() && (pose.p - lives.back().back().p).norm() > 0.35) {
      lives.emplace_back();
    }
    lives.back().push_back(pose);
  }
  return lives;
}

TEST(Obstacles, UavsFlyStraightOnAndSpheresFall) {
  const double step = 0.01;
  for (const bool falls : {false, true}) {
    ObstacleGroup group = groupOf(falls ? ObstacleKind::kSphere : ObstacleKind::kUav);
    group.speed_min = 0.5;
    group.speed_max = 2.5;
    const Obstacles obstacles(only(group), pillarAndFloor, "test");
    const Vector3d acceleration(0.0, 0.0, falls ? -kGravity : 0.0);
    std::size_t lives_seen = 0;
    for (std::size_t i = 0; i < obstacles.size(); ++i) {
      const auto lives = livesOf(obstacles, i, 60.0, step);
      lives_seen += lives.size();
      for (const auto& life : lives) {
        for (std::size_t k = 2; k < life.size(); ++k) {
          const Vector3d second = (life[k].p - 2.0 * life[k - 1].p + life[k - 2].p) / (step * step);
          ASSERT_NEAR((second - acceleration).norm(), 0.0, 1e-6);
          ASSERT_TRUE(group.region.exteriorDistance(life[k].p) < 1e-9);
        }
        if (life.size() < 3) continue;
        const Vector3d v = (life[1].p - life[0].p) / step;
        const double speed = falls ? v.head<2>().norm() : v.norm();
        EXPECT_GE(speed, group.speed_min - 1e-9);
        EXPECT_LE(speed, group.speed_max + 1e-9);
        EXPECT_GT((life[0].q * Vector3d::UnitX()).head<2>().dot(v.head<2>()),
                  0.9 * v.head<2>().norm());
      }
    }
    EXPECT_GT(lives_seen, obstacles.size() * 3);
  }
}

// At the very beginning of a life an obstacle is clear of the pillar and the floor by its size.
TEST(Obstacles, BeginAtFreePlaces) {
  const ObstacleGroup group = groupOf(ObstacleKind::kSphere, 10);
  const Obstacles obstacles(only(group), pillarAndFloor, "test");
  int begun = 0;
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    std::vector<MovingObject> objects;
    obstacles.appendObjects(0, 100 * kNsPerSecond, objects);
    for (const MovingObject& object : objects) {
      if (object.identity != obstacles.identityOf(i) || object.from < 0.0) continue;
      EXPECT_GE(pillarAndFloor(object.at(object.from).p, 9.0), 0.5 * group.size_max);
      ++begun;
    }
  }
  EXPECT_GT(begun, 500);
}

TEST(Obstacles, HaveTheReflectivityOfTheirGroup) {
  ObstacleGroup plain = groupOf(ObstacleKind::kBox, 2), told = groupOf(ObstacleKind::kSphere, 3);
  plain.name = "plain";
  told.reflectivity = 0.4;
  const Obstacles obstacles({1, {plain, told}}, {}, "test");
  std::vector<MovingObject> objects;
  obstacles.appendObjects(0, 10 * kNsPerSecond, objects);
  for (const MovingObject& object : objects) {
    const bool is_plain = object.identity < obstacles.identityOf(2);
    EXPECT_EQ(object.reflectivity, is_plain ? std::nullopt : std::optional<std::uint8_t>(102));
  }
}

TEST(Obstacles, HaveTheClassOfTheirGroupOrTheUsualOne) {
  ObstacleGroup group = groupOf(ObstacleKind::kSphere, 1);
  EXPECT_EQ(group.semanticClass(), 99);
  group.kind = ObstacleKind::kWalker;
  EXPECT_EQ(group.semanticClass(), 30);
  group.shape = ObstacleShape::kUav;
  EXPECT_EQ(group.semanticClass(), 20);
  group = groupOf(ObstacleKind::kSphere, 1);
  group.semantic_class = 70;
  std::vector<MovingObject> objects;
  Obstacles(only(group), {}, "test").appendObjects(0, 0, objects);
  EXPECT_EQ(objects.at(0).semantic_class, std::optional<std::uint8_t>(70));
}

TEST(Obstacles, RandomWalksStayInsideAndTurn) {
  ObstacleGroup group = groupOf(ObstacleKind::kBox, 10);
  const Obstacles obstacles(only(group), {}, "test");
  int turns = 0, bends = 0;
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    for (const auto& life : livesOf(obstacles, i, 40.0, 0.02)) {
      for (std::size_t k = 2; k < life.size(); ++k) {
        ASSERT_TRUE(group.region.exteriorDistance(life[k].p) < 1e-6);
        const Vector3d a = life[k - 1].p - life[k - 2].p, b = life[k].p - life[k - 1].p;
        ASSERT_LE(b.norm(), 0.02 * group.speed_max + 1e-9);
        bends += (a - b).norm() > 1e-9 ? 1 : 0;
      }
      ++turns;
    }
  }
  EXPECT_GT(bends, 10 * 5);
}

TEST(Obstacles, WalkersKeepToTheGroundAndClearOfThePillar) {
  ObstacleGroup group = groupOf(ObstacleKind::kWalker, 4);
  group.region = {Vector3d(-10.0, -8.0, -1.0), Vector3d(10.0, 8.0, 4.0)};
  // A slope of 0.1.
  const MapDistance slope = [](const Vector3d& p, double) {
    const double ground = std::abs(p.z() - 0.1 * p.x()) / std::sqrt(1.01);
    return std::min(ground, std::max(p.head<2>().norm() - 3.0, 0.0));
  };
  const Obstacles obstacles(only(group), slope, "test");
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    Vector3d last = obstacles.poseAt(i, 0).p;
    double walked = 0.0;
    for (int k = 0; k < 1000; ++k) {
      const Vector3d p = obstacles.poseAt(i, toNs(0.1 * k)).p;
      const double feet = p.z() - 0.5 * obstacles.sizeOf(i);
      ASSERT_NEAR(feet, 0.1 * p.x(), 0.06);
      ASSERT_GE(p.head<2>().norm(), 3.0 + 0.5 * 0.3 * obstacles.sizeOf(i) - 0.05);
      if ((p - last).norm() < 0.3) walked += (p - last).norm();
      last = p;
    }
    EXPECT_GT(walked, 0.8 * 95.0);
    EXPECT_LT(walked, 1.6 * 100.5);
  }
}

TEST(Obstacles, DrivenOnesGoAsToldAndStopWhenNothingIsHeard) {
  ObstacleGroup group = groupOf(ObstacleKind::kDriven, 2);
  group.points = {{1.0, 2.0, 3.0}};
  Obstacles obstacles(only(group), {}, "test");
  EXPECT_EQ(obstacles.poseAt(0, kHours).p, group.points[0]);
  EXPECT_TRUE(group.region.contains(obstacles.poseAt(1, 0).p));
  Obstacles::Driven state;
  state.stamp = toNs(10.0);
  state.p = {1.0, 2.0, 3.0};
  state.v = {2.0, 0.0, 0.0};
  state.yaw_rate = 1.0;
  obstacles.drive(0, state);
  EXPECT_NEAR(obstacles.poseAt(0, toNs(10.1)).p.x(), 1.2, 1e-9);
  EXPECT_NEAR(yawOf(obstacles.poseAt(0, toNs(10.1)).q), 0.1, 1e-9);
  EXPECT_NEAR(obstacles.poseAt(0, toNs(99.0)).p.x(), 1.6, 1e-9) << "0.3 s on, then it rests";
  state.stamp = toNs(10.1);
  state.p.x() = 1.3;
  obstacles.drive(0, state);
  EXPECT_NEAR(obstacles.poseAt(0, toNs(10.05)).p.x(), 1.15, 1e-9) << "between both";
  EXPECT_EQ(obstacles.poseAt(0, toNs(9.0)).p.x(), 1.0);
  state.stamp = toNs(5.0);  // time was set back
  state.p.x() = 7.0;
  obstacles.drive(0, state);
  EXPECT_NEAR(obstacles.poseAt(0, toNs(10.0)).p.x(), 7.6, 1e-9);
  EXPECT_EQ(obstacles.driven(0).p.x(), 7.0);
  state.p.x() = std::nan("");
  EXPECT_THROW(obstacles.drive(0, state), Error);
  EXPECT_THROW(obstacles.drive(7, state), Error);
  EXPECT_FALSE(Obstacles(only(groupOf(ObstacleKind::kBox)), {}, "test").isDriven(0));
}

// As one answers who has heard of no later states.
TEST(Obstacles, DrivenOnesAreKnownAsFarAsWasTold) {
  ObstacleGroup group = groupOf(ObstacleKind::kDriven, 1);
  group.points = {{1.0, 2.0, 3.0}};
  const ObstaclesConfig config{1, {group, groupOf(ObstacleKind::kBox, 2)}};
  Obstacles all(config, {}, "test"), heard(config, {}, "test");
  EXPECT_TRUE(all.hasDriven());
  EXPECT_FALSE(Obstacles(only(groupOf(ObstacleKind::kBox)), {}, "test").hasDriven());
  RandomStream random(5);
  std::vector<Obstacles::Driven> states;
  for (int i = 0; i < 20; ++i) {
    Obstacles::Driven state;
    state.stamp = toNs(10.0 + 0.02 * i);
    state.p = group.points[0] + 0.1 * i * Vector3d::Ones();
    state.v = {random.normal(), random.normal(), random.normal()};
    state.yaw = random.normal();
    state.yaw_rate = random.normal();
    states.push_back(state);
    all.drive(0, state);
  }
  std::size_t known = 0;
  for (TimeNs known_until = toNs(9.99); known_until < toNs(10.45); known_until += toNs(0.005)) {
    while (known < states.size() && states[known].stamp <= known_until) {
      heard.drive(0, states[known++]);
    }
    const TimeNs begin = known_until - toNs(0.1);
    for (const TimeNs end : {begin, begin + toNs(0.12), begin + toNs(1.0)}) {
      std::vector<MovingObject> objects, expected;
      all.appendKnownObjects(begin, end, known_until, objects);
      heard.appendObjects(begin, end, expected);
      ASSERT_EQ(objects.size(), expected.size());
      for (std::size_t i = 0; i < objects.size(); ++i) {
        ASSERT_EQ(objects[i].identity, expected[i].identity);
        ASSERT_EQ(objects[i].from, expected[i].from);
        ASSERT_EQ(objects[i].until, expected[i].until);
        ASSERT_EQ(objects[i].X_WM.size(), expected[i].X_WM.size());
        for (std::size_t k = 0; k < objects[i].X_WM.size(); ++k) {
          ASSERT_EQ(objects[i].X_WM[k].p, expected[i].X_WM[k].p);
          ASSERT_EQ(objects[i].X_WM[k].q.coeffs(), expected[i].X_WM[k].q.coeffs());
        }
      }
    }
  }
  EXPECT_EQ(known, states.size());
}

// Objects appended for an interval are where the obstacles are at each time in it.
TEST(Obstacles, ObjectsAreWhereTheObstaclesAre) {
  const Obstacles obstacles(allKinds(), pillarAndFloor, "test");
  RandomStream random(3);
  int bits = 0;
  for (const TimeNs begin : randomTimes(20, 11)) {
    std::vector<MovingObject> objects;
    obstacles.appendObjects(begin, begin + toNs(2.0), objects);
    for (const MovingObject& object : objects) object.validate("object");
    for (int k = 0; k < 40; ++k) {
      const double s = random.uniform(0.0, 2.0);
      std::map<std::uint32_t, int> present;
      for (const MovingObject& object : objects) {
        if (!object.isThere(toSeconds(toNs(s)))) continue;
        ++present[object.identity];
        const Pose pose =
            obstacles.poseAt(object.identity - kFirstObstacleIdentity, begin + toNs(s));
        ASSERT_NEAR((object.at(s).p - pose.p).norm(), 0.0, 1e-4);
        ASSERT_LT(object.at(s).q.angularDistance(pose.q), 1e-3);
        bits += object.from > 0.0 ? 1 : 0;
      }
      ASSERT_EQ(present.size(), obstacles.size());
      for (const auto& [identity, times] : present) ASSERT_EQ(times, 1) << identityName(identity);
    }
    objects.clear();
    obstacles.appendObjects(begin, begin, objects);
    ASSERT_EQ(objects.size(), obstacles.size());
    ASSERT_EQ(objects[0].X_WM.size(), 1U);
  }
  EXPECT_GT(bits, 100);
}

TEST(Obstacles, ShareFewShapesOfTheRightSize) {
  ObstacleGroup group = groupOf(ObstacleKind::kSphere, 100);
  group.size_min = 0.4;
  group.size_max = 1.0;
  const Obstacles obstacles(only(group), {}, "test");
  std::vector<MovingObject> objects;
  obstacles.appendObjects(0, 0, objects);
  std::map<const map::SurfelMap*, double> shapes;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    shapes[objects[i].shape.get()] = obstacles.sizeOf(i);
  }
  EXPECT_EQ(shapes.size(), 4U);
  for (const auto& [shape, size] : shapes) {
    for (const map::Surfel& surfel : shape->surfels()) {
      ASSERT_NEAR(surfel.position.norm(), 0.5 * size, 1e-4);
      ASSERT_NEAR(std::abs(surfel.normal.dot(surfel.position.normalized())), 1.0, 1e-5);
    }
  }
}

TEST(Obstacles, SurfelsCoverEveryShape) {
  for (const ObstacleShape kind :
       {ObstacleShape::kSphere, ObstacleShape::kBox, ObstacleShape::kCapsule}) {
    ObstacleGroup group = groupOf(ObstacleKind::kDriven, 1);
    group.shape = kind;
    group.size_min = group.size_max = 1.0;
    const Obstacles obstacles(only(group), {}, "test");
    std::vector<MovingObject> objects;
    obstacles.appendObjects(0, 0, objects);
    const map::SurfelMap& shape = *objects[0].shape;
    const std::vector<map::Surfel> surfels = shape.surfels();
    RandomStream random(5);
    for (int i = 0; i < 2000; ++i) {
      // A point of the surface: the box's faces, else along a random direction from the axis.
      Vector3d d(random.normal(), random.normal(), random.normal());
      d.normalize();
      Vector3d p = 0.5 * d;
      if (kind == ObstacleShape::kBox) p = 0.5 * d / d.cwiseAbs().maxCoeff();
      if (kind == ObstacleShape::kCapsule) {
        p = 0.15 * d + Vector3d(0.0, 0.0, random.uniform() < 0.5 ? 0.35 : -0.35);
        if (p.z() * d.z() < 0.0) {
          d.z() = 0.0;
          p = 0.15 * d.normalized() + Vector3d(0.0, 0.0, random.uniform(-0.35, 0.35));
        }
      }
      const float nearest = [&] {
        float least = 9.0F;
        for (const map::Surfel& surfel : surfels) {
          least = std::min(least, (surfel.position - p.cast<float>()).norm());
        }
        return least;
      }();
      ASSERT_LE(nearest, shape.radius()) << "shape " << static_cast<int>(kind);
    }
  }
}

TEST(Obstacles, SayWhatIsWrong) {
  const auto contains = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  ObstacleGroup group = groupOf(ObstacleKind::kSphere);
  EXPECT_EQ(complaint(only(group)), "none");
  // Everything is nearer than 5 cm to something.
  contains(complaint(only(group), [](const Vector3d&, double) { return 0.05; }),
           "file.yaml: groups[0]: region is [-10, -8, 0] to [10, 8, 6] m, allowed: a region with a "
           "free place");
  contains(
      complaint(only(groupOf(ObstacleKind::kWalker)), [](const Vector3d&, double) { return 9.0; }),
      "holds ground on which a walker of 1.9 m height can walk");
  contains(complaint({1, {}}), "groups is empty");
  contains(complaint({1, {group, group}}), "groups[1].name is 'g1', allowed: a name of its own");
  const auto changed = [&](auto change) {
    ObstacleGroup bad = group;
    change(bad);
    return complaint(only(bad));
  };
  contains(changed([](ObstacleGroup& g) { g.number = 0; }), "number is 0, allowed: 1 to 10000");
  contains(changed([](ObstacleGroup& g) { g.reflectivity = 1.5; }), "reflectivity is 1.5");
  contains(changed([](ObstacleGroup& g) { g.name = "a/b"; }), "name is 'a/b'");
  contains(changed([](ObstacleGroup& g) { g.size_min = -1.0; }), "size is -1");
  contains(changed([](ObstacleGroup& g) { g.size_min = 2.0; }), "the smaller number first");
  contains(changed([](ObstacleGroup& g) { g.speed_max = std::nan(""); }), "speed is nan");
  contains(changed([](ObstacleGroup& g) { g.region.min().z() = 6.0; }), "region is");
  ObstacleGroup path = groupOf(ObstacleKind::kWaypoints);
  path.points.resize(1);
  contains(complaint(only(path)), "points is 1, allowed: at least two corners");
  group.number = 9999;
  ObstacleGroup more = groupOf(ObstacleKind::kBox);
  contains(complaint({1, {group, more}}), "at most 10000 together");
}

}  // namespace
}  // namespace marsim::scene
