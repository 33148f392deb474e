// SPDX-License-Identifier: BSD-3-Clause
// The checker against brute force: every point of the map and of the objects against every occupied
// cell, cell by cell, at thousands of poses.
#include "marsim/collision/checker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "collision/flat_tree.hpp"
#include "marsim/common/random.hpp"

namespace marsim::collision {
namespace {

using Eigen::Vector3d;

constexpr double kCell = 0.1;  // [m] resolution of the maps

// A body of the size and shape of a small quadrotor, lopsided.
scene::BodyConfig smallBody() {
  scene::BodyConfig body;
  body.hub_half = {0.08, 0.06, 0.05};
  body.rotors = {{0.2, 0.0, 0.03}, {0.0, 0.2, 0.03}, {-0.2, 0.0, 0.03}, {0.0, -0.25, 0.0}};
  body.arm_radius = 0.01;
  body.propeller_radius = 0.1;
  body.propeller_half_height = 0.01;
  return body;
}

map::Surfel surfelAt(const Vector3d& p, const Vector3d& n, bool planar) {
  return {p.cast<float>(), n.cast<float>(), planar ? 0.0F : 1.0F};
}

// Floor, a wall of one layer, a thick block filled with points, thin poles and single points.
std::shared_ptr<const map::SurfelMap> place(const Vector3d& centre) {
  std::vector<map::Surfel> surfels;
  RandomStream random(11, "place");
  const auto add = [&](double x, double y, double z, const Vector3d& n, bool planar) {
    const Vector3d off(random.uniform(-0.02, 0.02), random.uniform(-0.02, 0.02),
                       random.uniform(-0.02, 0.02));
    surfels.push_back(surfelAt(centre + Vector3d(x, y, z) + off, n, planar));
  };
  for (double a = -3.0; a < 3.0; a += kCell) {
    for (double b = -3.0; b < 3.0; b += kCell) add(a, b, -1.0, Vector3d::UnitZ(), true);
    for (double b = -1.0; b < 1.0; b += kCell) add(3.0, a, b, Vector3d::UnitX(), true);
    add(-1.0, 1.5, a, Vector3d::UnitY(), false);
    add(a, -2.0, 0.5, Vector3d::UnitZ(), false);
  }
  for (double x = -3.0; x < -2.0; x += kCell) {
    for (double y = -3.0; y < -2.0; y += kCell) {
      for (double z = -1.0; z < 0.0; z += kCell) add(x, y, z, Vector3d::UnitZ(), true);
    }
  }
  for (int i = 0; i < 40; ++i) {
    add(random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0), random.uniform(-1.0, 1.0),
        Vector3d::UnitX(), i % 2 == 0);
  }
  map::SurfelMapConfig config;
  config.resolution = kCell;
  return std::make_shared<const map::SurfelMap>(surfels, config);
}

Pose randomPose(RandomStream& random, const Vector3d& centre) {
  Pose pose;
  pose.p = centre + Vector3d(random.uniform(-3.3, 3.3), random.uniform(-3.3, 3.3),
                             random.uniform(-1.3, 1.3));
  pose.q = Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal())
               .normalized();
  return pose;
}

// Which identity and surfel touches which cell.
using Pair = std::tuple<std::uint32_t, std::uint32_t, int, int, int>;

std::set<Pair> pairsOf(const std::vector<Touch>& touches) {
  std::set<Pair> pairs;
  for (const Touch& touch : touches) {
    pairs.emplace(touch.identity, touch.surfel, touch.cell.x(), touch.cell.y(), touch.cell.z());
  }
  return pairs;
}

// Every point against every cell. Points nearer than this to a cell's face may go either way.
constexpr double kDoubt = 1e-9;

class BruteForce {
 public:
  explicit BruteForce(const BodyVoxels& body) : body_(body), cells_(body.cells()) {}

  void point(const Pose& X_WB, std::uint32_t identity, std::uint32_t surfel, const Vector3d& p_W) {
    const Vector3d p_B = X_WB.inverse() * p_W;
    if (p_B.norm() > body_.radius() + least_) return;  // cannot change anything
    for (const Eigen::Vector3i& cell : cells_) {
      const Vector3d off = (p_B - body_.cell() * cell.cast<double>()).cwiseAbs();
      const Vector3d outside = (off - Vector3d::Constant(0.5 * body_.cell())).cwiseMax(0.0);
      least_ = std::min(least_, outside.norm());
      if (off.maxCoeff() > 0.5 * body_.cell()) continue;
      pairs_.emplace(identity, surfel, cell.x(), cell.y(), cell.z());
      if (off.maxCoeff() > 0.5 * body_.cell() - kDoubt) doubt_ = true;
    }
  }
  std::set<Pair> pairs_;
  double least_ = 1e3;
  bool doubt_ = false;

 private:
  const BodyVoxels& body_;
  std::vector<Eigen::Vector3i> cells_;
};

enum class Search { kMapTree, kKdTree };

class Checker : public testing::TestWithParam<std::tuple<Search, double>> {
 protected:
  Vector3d centre_ = Vector3d::Constant(std::get<1>(GetParam()));
  std::shared_ptr<const map::SurfelMap> map_ = place(centre_);
  BodyVoxels body_{smallBody(), kCell};
  std::vector<map::Surfel> surfels_ = map::decodeSurfels(map_->tree());

  CollisionChecker checker() const {
    if (std::get<0>(GetParam()) == Search::kMapTree) return {body_, makeNeighbours(map_)};
    return {body_, std::make_shared<const FlatTree>(*map_)};
  }
  BruteForce bruteForce(const Pose& X_WB) const {
    BruteForce all(body_);
    for (std::uint32_t i = 0; i < surfels_.size(); ++i) {
      all.point(X_WB, scene::kMapIdentity, i, map_->origin() + surfels_[i].position.cast<double>());
    }
    return all;
  }
  void expectSame(CollisionChecker& checker, const Pose& X_WB) {
    const BruteForce all = bruteForce(X_WB);
    if (all.doubt_) return;
    const std::vector<Touch>& touches = checker.check(X_WB, 0);
    ASSERT_EQ(pairsOf(touches), all.pairs_);
    ASSERT_EQ(touches.size(), all.pairs_.size());
    touching_ += touches.empty() ? 0 : 1;
    for (const Touch& touch : touches) {
      ASSERT_GE((X_WB.p - touch.p_W).dot(touch.normal_W), -1e-12);
      ASSERT_NEAR(touch.normal_W.norm(), 1.0, 1e-6);
    }
  }
  int touching_ = 0;
};

TEST_P(Checker, EqualsBruteForceAtRandomPoses) {
  CollisionChecker checker = this->checker();
  RandomStream random(1, "poses");
  for (int i = 0; i < 500; ++i) {
    ASSERT_NO_FATAL_FAILURE(expectSame(checker, randomPose(random, centre_)));
  }
  EXPECT_GT(touching_, 80);
  EXPECT_LT(touching_, 420);
}

// Small steps, most of which need no search: the answer is the same.
TEST_P(Checker, EqualsBruteForceAlongFlights) {
  CollisionChecker checker = this->checker();
  RandomStream random(2, "flights");
  int steps = 0;
  for (int flight = 0; flight < 6; ++flight) {
    Pose pose = randomPose(random, centre_);
    const Vector3d v = 0.02 * randomPose(random, Vector3d::Zero()).p.normalized();
    const Vector3d w(0.02 * random.normal(), 0.02 * random.normal(), 0.02 * random.normal());
    for (int i = 0; i < 100; ++i, ++steps) {
      ASSERT_NO_FATAL_FAILURE(expectSame(checker, pose));
      pose.p += v;
      pose.q = (pose.q * expMap(w)).normalized();
    }
  }
  EXPECT_GT(touching_, 30);
  EXPECT_LT(checker.searches(), static_cast<std::uint64_t>(steps)) << "never rested";
}

// Where the middle stands still it is the turn alone that brings an arm to something.
TEST_P(Checker, EqualsBruteForceWhileItTurnsOnTheSpot) {
  CollisionChecker checker = this->checker();
  RandomStream random(4, "turns");
  int begun = 0;
  for (int turn = 0; turn < 60; ++turn) {
    Pose pose = randomPose(random, centre_);
    if (bruteForce(pose).least_ > 0.1) continue;
    const Vector3d w = 0.03 * randomPose(random, Vector3d::Zero()).p.normalized();
    for (int i = 0; i < 60; ++i) {
      const int before = touching_;
      ASSERT_NO_FATAL_FAILURE(expectSame(checker, pose));
      const bool touches = touching_ > before;
      if (touches && i > 0) {
        ++begun;
        break;
      }
      if (touches) break;
      pose.q = (pose.q * expMap(w)).normalized();
    }
  }
  EXPECT_GT(begun, 2);
}

TEST_P(Checker, ClearanceEqualsBruteForce) {
  CollisionChecker checker = this->checker();
  RandomStream random(3, "poses");
  for (int i = 0; i < 200; ++i) {
    Pose pose = randomPose(random, centre_);
    if (i % 10 == 0) pose.p.z() += 5.0;
    const BruteForce all = bruteForce(pose);
    const Clearance clearance = checker.clearance(pose, 0, 4.0);
    if (all.least_ < 4.0) {
      ASSERT_NEAR(clearance.distance, all.least_, 1e-9);
      ASSERT_NEAR(body_.distance(pose.inverse() * clearance.p_W, 10.0), all.least_, 1e-9);
    } else {
      ASSERT_TRUE(std::isinf(clearance.distance));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Searches, Checker,
                         testing::Values(std::make_tuple(Search::kMapTree, 0.0),
                                         std::make_tuple(Search::kMapTree, 2000.0),
                                         std::make_tuple(Search::kKdTree, 0.0),
                                         std::make_tuple(Search::kKdTree, 2000.0)));

// Objects: a ball of points each, on straight ways at up to 20 m/s past and through a body that
// turns and flies.
std::vector<scene::MovingObject> objectsDuring(TimeNs begin, TimeNs end) {
  static const auto shape = [] {
    std::vector<map::Surfel> surfels;
    RandomStream random(5, "ball");
    for (int i = 0; i < 150; ++i) {
      const Vector3d n = Vector3d(random.normal(), random.normal(), random.normal()).normalized();
      surfels.push_back(surfelAt(0.25 * n, n, i % 3 != 0));
    }
    map::SurfelMapConfig config;
    config.resolution = 0.02;
    return std::make_shared<const map::SurfelMap>(surfels, config);
  }();
  std::vector<scene::MovingObject> objects;
  for (std::uint32_t i = 0; i < 20; ++i) {
    RandomStream random(100 + i, "object");
    const Vector3d through(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0),
                           random.uniform(-0.5, 0.5));
    const Vector3d v = random.uniform(0.5, 20.0) *
                       Vector3d(random.normal(), random.normal(), random.normal()).normalized();
    const double when = random.uniform(0.0, 1.0);
    const Vector3d spin(random.normal(), random.normal(), random.normal());
    objects.push_back(
        scene::movingObject(shape, scene::kFirstObstacleIdentity + i, begin, end, [&](TimeNs t) {
          return Pose{expMap(toSeconds(t) * spin), through + (toSeconds(t) - when) * v};
        }));
  }
  return objects;
}

TEST(CheckerOfObjects, EqualsBruteForceAsTheyFlyThroughTheBody) {
  const BodyVoxels body(smallBody(), kCell);
  CollisionChecker checker(body, nullptr, scene::kFirstObstacleIdentity + 3);
  int touching = 0;
  for (TimeNs t = 0; t <= kNsPerSecond; t += kNsPerSecond / 1000) {
    const double s = toSeconds(t);
    const Pose X_WB{expMap(s * Vector3d(1.0, 2.0, 0.5)), Vector3d(0.5 * s, -0.3 * s, 0.2)};
    BruteForce all(body);
    const std::vector<scene::MovingObject> objects = objectsDuring(t, t);
    for (const scene::MovingObject& object : objects) {
      if (object.identity == scene::kFirstObstacleIdentity + 3) continue;
      const std::vector<map::Surfel> surfels = object.shape->surfels();
      for (std::uint32_t k = 0; k < surfels.size(); ++k) {
        all.point(X_WB, object.identity, k,
                  object.at(0.0) * Vector3d(surfels[k].position.cast<double>()));
      }
    }
    if (all.doubt_) continue;
    const std::vector<Touch>& touches = checker.check(X_WB, t, objectsDuring);
    ASSERT_EQ(pairsOf(touches), all.pairs_) << "at " << s << " s";
    touching += touches.empty() ? 0 : 1;
    const bool moves = t > 0;
    for (const Touch& touch : touches) {
      const auto& object = objects[touch.identity - scene::kFirstObstacleIdentity];
      const auto later =
          objectsDuring(t + 100'000, t + 100'000)[touch.identity - scene::kFirstObstacleIdentity];
      const Vector3d p_M = object.at(0.0).inverse() * touch.p_W;
      const Vector3d v = (later.at(0.0) * p_M - touch.p_W) / 1e-4;
      if (moves) {
        ASSERT_LT((touch.v_W - v).norm(), 0.02);
      }
    }
    // Asked in between, the clearance is that of brute force too.
    if (t % (kNsPerSecond / 50) == 0) {
      ASSERT_NEAR(checker.clearance(X_WB, t, 1e3, objectsDuring).distance, all.least_, 1e-9);
    }
  }
  EXPECT_GT(touching, 30);
}

// An object whose motion begins anew elsewhere is told by two of one identity, each for its time.
TEST(CheckerOfObjects, ObjectsThatHaveGoneElsewhereNoLongerTouch) {
  const TimeNs leaps = kNsPerSecond / 2 - kNsPerSecond / 4000;
  const auto objectsNear = [leaps](TimeNs begin, TimeNs end) {
    std::vector<scene::MovingObject> objects(2, objectsDuring(begin, end).front());
    for (scene::MovingObject& object : objects) object.X_WM = {Pose{}};
    objects[0].until = objects[1].from = toSeconds(leaps - begin);
    objects[1].X_WM[0].p.x() = 5.0;
    return objects;
  };
  CollisionChecker checker(BodyVoxels(smallBody(), kCell), nullptr);
  for (TimeNs t = kNsPerSecond / 2 - 5'000'000; t < kNsPerSecond / 2 + 5'000'000; t += 1'000'000) {
    EXPECT_EQ(checker.check(Pose{}, t, objectsNear).empty(), t >= leaps) << toSeconds(t);
    const Clearance clearance = checker.clearance(Pose{}, t, 20.0, objectsNear);
    EXPECT_EQ(clearance.distance > 4.0, t >= leaps) << toSeconds(t);
  }
}

// The discs of objects end where those of a map with surfels of several sizes do.
TEST(CheckerOfObjects, TouchDiscsBesideSizedMaps) {
  map::SurfelMapConfig config;
  config.resolution = kCell;
  const auto shape = std::make_shared<const map::SurfelMap>(
      std::vector<map::Surfel>{surfelAt(Vector3d::Zero(), Vector3d::UnitX(), true)}, config);
  config.surface = map::Surface::kSized;
  const auto far_map = std::make_shared<const map::SurfelMap>(
      std::vector<map::Surfel>{surfelAt({50.0, 0.0, 0.0}, Vector3d::UnitX(), true)}, config);
  CollisionChecker checker(BodyVoxels(smallBody(), kCell, true), makeNeighbours(far_map));
  for (const double edge : {-0.005, 0.005}) {  // [m] from the hub to the disc's edge
    const auto objectsNear = [&](TimeNs begin, TimeNs) {
      const double up = 0.05 + edge + static_cast<double>(map::discRadius(kCell));
      return std::vector<scene::MovingObject>{
          scene::movingObject(shape, scene::kFirstObstacleIdentity, begin, begin, [&](TimeNs) {
            return Pose{Eigen::Quaterniond::Identity(), {0.05, 0.0, -up}};
          })};
    };
    EXPECT_EQ(checker.check(Pose{}, 0, objectsNear).empty(), edge > 0.0) << edge;
    EXPECT_NEAR(checker.clearance(Pose{}, 0, 1.0, objectsNear).distance, std::max(edge, 0.0),
                0.003);
  }
}

TEST(CheckerOfObjects, AreAskedForEveryStepOnlyWhereTheyCouldBeNear) {
  CollisionChecker checker(BodyVoxels(smallBody(), kCell), nullptr);
  for (const double away : {100.0, 1.5, 0.7}) {
    int asked = 0;
    const auto objectsNear = [&](TimeNs begin, TimeNs end) {
      ++asked;
      std::vector<scene::MovingObject> objects{objectsDuring(begin, end).front()};
      objects[0].X_WM = {Pose{Eigen::Quaterniond::Identity(), {away, 0.0, 0.0}}};
      return objects;
    };
    for (TimeNs t = 0; t < kNsPerSecond; t += kNsPerSecond / 1000) {
      ASSERT_TRUE(checker.check(Pose{}, t, objectsNear).empty());
    }
    EXPECT_LE(asked, away > 50.0 ? 50 : away > 1.0 ? 120 : 1000);
    EXPECT_GE(asked, 50) << "something new is noticed";
  }
}

TEST(BodyVoxels, AreTheCellsThatHoldPointsAndWhatTheyEnclose) {
  map::PointCloud cloud;
  for (double a = -0.5; a <= 0.501; a += 0.02) {
    for (double b = -0.5; b <= 0.501; b += 0.02) {
      for (const float side : {-0.5F, 0.5F}) {
        const auto u = static_cast<float>(a), v = static_cast<float>(b);
        cloud.points.emplace_back(side, u, v);
        cloud.points.emplace_back(u, side, v);
        cloud.points.emplace_back(u, v, side);
      }
    }
  }
  const BodyVoxels box(cloud, 0.11);
  EXPECT_EQ(box.count(), 11U * 11U * 11U) << "filled";
  EXPECT_EQ(box.cells().size(), box.count());
  EXPECT_TRUE(box.occupied(Eigen::Vector3i::Zero()));
  EXPECT_FALSE(box.occupied(Eigen::Vector3i(6, 0, 0)));
  EXPECT_NEAR(box.radius(), std::sqrt(3.0) * 0.605, 1e-9);
  EXPECT_NEAR(box.distance({1.605, 0.0, 0.3}, 10.0), 1.0, 1e-9);
  EXPECT_EQ(box.distance({0.2, 0.0, 0.3}, 10.0), 0.0);
  EXPECT_EQ(box.distance({9.0, 0.0, 0.3}, 0.5), 0.5);
}

template <class Make>
std::string messageOf(const Make& make) {
  try {
    make();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(BodyVoxels, RefuseWhatIsNoBody) {
  const std::string zero = messageOf([] { BodyVoxels(smallBody(), 0.0); });
  EXPECT_NE(zero.find("collision: cell is 0,"), std::string::npos) << zero;
  map::PointCloud cloud;
  const std::string none = messageOf([&] { BodyVoxels(cloud, 0.1); });
  EXPECT_NE(none.find("collision: body is without points"), std::string::npos) << none;
  cloud.points = {{0.0F, 0.0F, 0.0F}, {40.0F, 40.0F, 40.0F}};
  const std::string large = messageOf([&] { BodyVoxels(cloud, 0.01); });
  EXPECT_NE(large.find("allowed: at least 0.078 m"), std::string::npos) << large;
  cloud.points = {{0.0F, 0.0F, std::numeric_limits<float>::quiet_NaN()}};
  EXPECT_NE(messageOf([&] { BodyVoxels(cloud, 0.1); }).find("not finite"), std::string::npos);
}

// Points beside a map, far from its origin; positions are stored to less than a millimetre.
TEST(Neighbours, KnowPointsBesideTheMap) {
  const Vector3d centre(300, -200, 5);
  const auto map = place(centre);
  RandomStream random(8, "points");
  std::vector<Vector3d> all, others;
  for (const map::Surfel& surfel : map::decodeSurfels(map->tree())) {
    all.push_back(map->origin() + surfel.position.cast<double>());
  }
  for (int i = 0; i < 500; ++i) others.push_back(randomPose(random, centre + Vector3d(2, 0, 0)).p);
  all.insert(all.end(), others.begin(), others.end());
  const auto neighbours = makeNeighbours(map, others);
  int of_others = 0;
  for (int i = 0; i < 300; ++i) {
    const Vector3d p = randomPose(random, centre).p;
    double least = 1e9;
    std::size_t near = 0, nearly = 0;
    for (const Vector3d& point : all) {
      const double distance = (point - p).norm();
      least = std::min(least, distance);
      near += distance < 0.999 ? 1 : 0;
      nearly += distance < 1.001 ? 1 : 0;
    }
    map::FoundSurfel point;
    EXPECT_NEAR(neighbours->nearest(p, 10.0, point), least, 1e-3);
    const Vector3d found_at = neighbours->origin() + point.position.cast<double>();
    EXPECT_NEAR((found_at - p).norm(), least, 1e-3);
    const bool is_other = point.number >= map->size();
    of_others += is_other ? 1 : 0;
    EXPECT_FALSE(is_other && point.planar);
    std::vector<map::FoundSurfel> found, boxed;
    neighbours->within(p, 1.0, found);
    EXPECT_GE(found.size(), near);
    EXPECT_LE(found.size(), nearly);
    neighbours->inBox({Eigen::Quaterniond::Identity(), p},
                      {Vector3d(-1, -1, -1), Vector3d(1, 1, 1)}, boxed);
    for (const map::FoundSurfel& one : found) {
      EXPECT_TRUE(std::any_of(boxed.begin(), boxed.end(),
                              [&](const auto& other) { return other.number == one.number; }));
    }
  }
  EXPECT_GT(of_others, 50);
  EXPECT_LT(of_others, 290);
}

TEST(CheckerOfPlants, TouchesPointsBesideTheMap) {
  const auto map = place(Vector3d::Zero());
  const Vector3d stem(0.3, 0.2, 0.0);
  CollisionChecker checker(BodyVoxels(smallBody(), kCell), makeNeighbours(map, {stem}));
  CollisionChecker without(BodyVoxels(smallBody(), kCell), makeNeighbours(map));
  Pose pose;
  pose.p = stem;
  const std::vector<Touch>& touches = checker.check(pose, 0);
  ASSERT_EQ(touches.size(), without.check(pose, 0).size() + 1);
  EXPECT_EQ(touches.back().identity, scene::kMapIdentity);
  EXPECT_EQ(touches.back().surfel, map->size());
  EXPECT_LT((touches.back().p_W - stem).norm(), 1e-3);
}

// Discs of twice the usual radius stand two resolutions apart: the body meets points between them.
TEST(Neighbours, HavePointsOnLargeDiscs) {
  map::SurfelSet set;
  set.planar_threshold = 0.1F;
  for (int i = 0; i < 400; ++i) {
    const Eigen::Vector3f cell(static_cast<float>(i / 20), static_cast<float>(i % 20), 5.0F);
    set.surfels.push_back({0.2F * cell, Eigen::Vector3f::UnitZ(), 0.0F});
  }
  set.sizes.assign(set.surfels.size(), 0);
  map::SurfelMapConfig config;
  config.resolution = kCell;
  config.surface = map::Surface::kSized;
  const auto neighbours =
      makeNeighbours(std::make_shared<const map::SurfelMap>(map::SurfelMap::of(set, config)));
  constexpr double kReach = 0.08;  // [m] the discs' middles are up to 0.14 away
  const Vector3d half = Vector3d::Constant(kReach);
  RandomStream random(8);
  for (int i = 0; i < 500; ++i) {
    const Vector3d p(random.uniform(0.3, 3.5), random.uniform(0.3, 3.5), 1.0);
    map::FoundSurfel nearest;
    const double distance = neighbours->nearest(p, 1.0, nearest);
    EXPECT_LT(distance, kReach);
    const Vector3d p_O = p - neighbours->origin();
    EXPECT_NEAR((nearest.position.cast<double>() - p_O).norm(), distance, 1e-9);
    std::vector<map::FoundSurfel> found, boxed;
    neighbours->within(p, kReach, found);
    EXPECT_FALSE(found.empty());
    for (const map::FoundSurfel& point : found) {
      EXPECT_LE((point.position.cast<double>() - p_O).norm(), kReach);
    }
    neighbours->inBox({Eigen::Quaterniond::Identity(), p}, Eigen::AlignedBox3d(-half, half), boxed);
    EXPECT_GE(boxed.size(), found.size());
  }
}

}  // namespace
}  // namespace marsim::collision
