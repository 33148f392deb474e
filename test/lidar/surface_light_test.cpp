// SPDX-License-Identifier: BSD-3-Clause
// Mirrors, panes and retro-reflectors in scans, against closed forms, by every renderer.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lidar/planes.hpp"
#include "lidar/renderer_suite.hpp"

namespace marsim::lidar {
namespace {

constexpr TimeNs kScan = 10'000'000;
constexpr std::uint8_t kWall = 50, kMirror = 201, kPane = 202, kSign = 203;
constexpr double kStep = 0.1;  // [m] between surfels

/// A rectangle of surfels about a centre, `u` and `v` (unit) across it, half as wide and high.
struct Sheet {
  Eigen::Vector3d centre, u, v;
  double half_u, half_v;
  std::uint8_t semantic_class;
};

Map mapOf(const std::vector<Sheet>& sheets, const Maker& maker) {
  map::SurfelSet set;
  if (maker.blended) set.blending = {0.15F, 0.8F, 0.05F};
  set.planar_threshold = 0.02F;
  for (const Sheet& sheet : sheets) {
    const Eigen::Vector3d normal = sheet.u.cross(sheet.v);
    for (double a = -sheet.half_u; a <= sheet.half_u + 1e-9; a += kStep) {
      for (double b = -sheet.half_v; b <= sheet.half_v + 1e-9; b += kStep) {
        set.surfels.push_back(
            {(sheet.centre + a * sheet.u + b * sheet.v).cast<float>(), normal.cast<float>(), 0.0F});
        set.channels.classes.push_back(sheet.semantic_class);
      }
    }
  }
  return std::make_shared<const map::SurfelMap>(map::SurfelMap::of(set, {}));
}

const Eigen::Vector3d kX = Eigen::Vector3d::UnitX(), kY = Eigen::Vector3d::UnitY(),
                      kZ = Eigen::Vector3d::UnitZ();

/// x = `x`, `half` wide and high either way about z = 0.
Sheet across(double x, double half, std::uint8_t semantic_class) {
  return {x * kX, kY, kZ, half, half, semantic_class};
}

/// Beams within 8 degrees of the x axis, a grid a scan, `returns` a shot.
LidarConfig narrow(ReturnMode mode) {
  SpinningPatternConfig pattern;
  for (int i = -8; i <= 8; ++i) pattern.channels.push_back({radians(i), 0.0, 0.0});
  pattern.cycle_period = 1e-2 / 360.0;
  pattern.rotation_rate = 200.0 * kPi;
  LidarConfig config;
  config.name = "narrow";
  config.range_min = 0.0;
  config.range_max = 60.0;
  config.noise.range_by_reflectivity = {{1e-4, 1e5}};  // sees everything
  config.azimuth_min = radians(-8.3);
  config.azimuth_max = radians(8.3);
  config.pattern = pattern;
  config.returns.mode = mode;
  config.reflectivity = 0.4;
  config.intensity.scale = 100.0;
  return config;
}

class SurfaceLightTest : public testing::TestWithParam<Maker> {
 protected:
  static std::shared_ptr<const RayRenderer> caster(const Map& map, int threads = 1) {
    RendererConfig config = GetParam().config;
    config.threads = threads;
    return GetParam().make(map, config).rays;
  }
  static Scan scan(const LidarConfig& config, const std::shared_ptr<const RayRenderer>& renderer,
                   View<MovingObject> objects = {}) {
    return Lidar(config, renderer).scan(0, kScan, resting({}), objects);
  }
  static Scan scan(const LidarConfig& config, const std::vector<Sheet>& sheets) {
    return scan(config, caster(mapOf(sheets, GetParam())));
  }
};
INSTANTIATE_TEST_SUITE_P(All, SurfaceLightTest, testing::ValuesIn(rayMakers()), labelOf);

void expectSame(const Scan& a, const Scan& b) {
  ASSERT_EQ(a.points.size(), b.points.size());
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    ASSERT_EQ(a.points[i].range, b.points[i].range) << i;
    ASSERT_EQ(a.points[i].reflectivity, b.points[i].reflectivity) << i;
    ASSERT_EQ(a.points[i].p_W, b.points[i].p_W) << i;
    ASSERT_EQ(a.points[i].surfel, b.points[i].surfel) << i;
    ASSERT_EQ(a.points[i].shot, b.points[i].shot) << i;
  }
}

// A mirror through x = 4 turned by 45 degrees shows the wall y = 6 beside it.
TEST_P(SurfaceLightTest, AMirrorAddsUpThePath) {
  const std::vector<Sheet> sheets = {{4.0 * kX, (kX + kY).normalized(), kZ, 1.5, 1.5, kMirror},
                                     {{4.0, 6.0, 0.0}, kX, kZ, 4.0, 4.0, kWall}};
  LidarConfig config = narrow(ReturnMode::kDual);
  const double share = 0.7;
  config.surfaces.classes[kMirror].specular = share;
  const Scan found = scan(config, sheets);
  ASSERT_GT(found.points.size(), 400U);
  int of_mirror = 0, behind = 0;
  for (const ScanPoint& point : found.points) {
    const Eigen::Vector3d d = point.p_S.cast<double>().normalized();
    const double to_mirror = 4.0 / (d.x() - d.y());
    const Eigen::Vector3d at = to_mirror * d, on(d.y(), d.x(), d.z());  // x and y change places
    const double onward = (6.0 - at.y()) / on.y();
    const auto range = static_cast<double>(point.range);
    EXPECT_EQ(point.return_count, 2);
    if (point.semantic_class == kMirror) {
      ++of_mirror;
      EXPECT_NEAR(range, to_mirror, 2e-3);
      const double cosine = (d.x() - d.y()) / std::sqrt(2.0);
      EXPECT_NEAR(static_cast<double>(point.reflectivity), (1.0 - share) * 0.4 * cosine, 2e-3);
      continue;
    }
    ++behind;
    EXPECT_EQ(point.semantic_class, kWall);
    EXPECT_NEAR(range, to_mirror + onward, 4e-3);
    EXPECT_NEAR(static_cast<double>(point.reflectivity), share * share * 0.4 * on.y(), 2e-3);
    EXPECT_LT((point.p_S.cast<double>() - range * d).norm(), 1e-4) << "as if behind the mirror";
  }
  EXPECT_EQ(of_mirror, 17 * 17);
  EXPECT_EQ(behind, of_mirror);
}

// Reflectances of glass of n = 1.5 for unpolarised light, from tables of Fresnel's formulas: 4.00 %
// squarely, 4.15 % at 30 degrees, 8.92 % at 60, 17.07 % at 70. A pane has two faces: 2 R / (1 + R).
TEST_P(SurfaceLightTest, APaneMirrorsByItsAngle) {
  const std::vector<std::pair<double, double>> reflectances = {
      {0.0, 0.0400}, {30.0, 0.0415}, {60.0, 0.0892}, {70.0, 0.1707}};
  for (const auto& [angle, face] : reflectances) {
    SCOPED_TRACE(angle);
    // A surface through x = 4, turned by the angle about z, before the wall x = 9.
    const double a = radians(angle);
    const Eigen::Vector3d along(-std::sin(a), std::cos(a), 0.0);
    for (const double transparent : {0.0, 1.0}) {
      const double mirrored = transparent > 0.0 ? 2.0 * face / (1.0 + face) : face;
      LidarConfig config = narrow(transparent > 0.0 ? ReturnMode::kLast : ReturnMode::kFirst);
      config.azimuth_min = radians(-0.1);
      config.azimuth_max = radians(0.1);
      config.elevation_min = radians(-0.1);
      config.elevation_max = radians(0.1);
      config.surfaces.classes[kPane].refractive_index = 1.5;
      config.surfaces.classes[kPane].transparent = transparent;
      const Scan found =
          scan(config, {{4.0 * kX, along, kZ, 1.5, 1.5, kPane}, across(9.0, 3.0, kWall)});
      ASSERT_FALSE(found.points.empty());
      for (const ScanPoint& point : found.points) {
        const double left = 1.0 - mirrored;  // enters and is scattered, or passes twice
        const double expected = transparent > 0.0 ? left * left * 0.4 : left * 0.4 * std::cos(a);
        EXPECT_EQ(point.semantic_class, transparent > 0.0 ? kWall : kPane);
        EXPECT_NEAR(static_cast<double>(point.reflectivity) / expected, 1.0, 2e-3);
      }
    }
  }
}

// The strongest of pane and wall, one of whose shares changes, and the last, which is the wall.
TEST_P(SurfaceLightTest, APaneLetsAShareThrough) {
  const std::vector<Sheet> sheets = {across(4.0, 1.5, kPane), across(7.0, 3.0, kWall)};
  const auto renderer = caster(mapOf(sheets, GetParam()));
  for (const double share : {0.2, 0.5, 0.9, 1.0}) {
    SCOPED_TRACE(share);
    // Both ways through the pane, and as many times farther as 7 m are.
    const bool wall_is_stronger = share * share * 16.0 / 49.0 > 1.0 - share;
    for (const ReturnMode mode : {ReturnMode::kStrongest, ReturnMode::kLast, ReturnMode::kFirst}) {
      LidarConfig config = narrow(mode);
      config.surfaces.classes[kPane].transparent = share;
      const bool sees_wall = share == 1.0 || mode == ReturnMode::kLast ||
                             (mode == ReturnMode::kStrongest && wall_is_stronger);
      const Scan found = scan(config, renderer);
      ASSERT_EQ(found.points.size(), 17U * 17U);
      for (const ScanPoint& point : found.points) {
        const auto cosine = static_cast<double>(point.p_S.x() / point.range);
        const double at = sees_wall ? 7.0 : 4.0;
        EXPECT_NEAR(static_cast<double>(point.p_S.x()), at, 3e-3);
        EXPECT_EQ(point.semantic_class, sees_wall ? kWall : kPane);
        const double light = sees_wall ? share * share : 1.0 - share;
        EXPECT_NEAR(static_cast<double>(point.reflectivity), light * 0.4 * cosine, 2e-3);
      }
    }
  }
}

TEST_P(SurfaceLightTest, PaneAndWallAreTwoEchoesFromHalfAPulseOn) {
  constexpr double kPulse = 5e-9, kHalf = 0.5 * 299'792'458.0 * kPulse;
  for (const double gap : {kHalf - 0.02, kHalf + 0.02}) {
    LidarConfig config = narrow(ReturnMode::kDual);
    config.azimuth_min = radians(-1.0);
    config.azimuth_max = radians(1.0);
    config.elevation_min = radians(-1.0);
    config.elevation_max = radians(1.0);
    config.beam.pulse_length = kPulse;
    config.surfaces.classes[kPane].transparent = 0.6;
    const Scan found = scan(config, {across(4.0, 1.0, kPane), across(4.0 + gap, 2.0, kWall)});
    ASSERT_FALSE(found.points.empty());
    for (const ScanPoint& point : found.points) {
      EXPECT_EQ(point.return_count, gap < kHalf ? 1 : 2);
      if (gap > kHalf) continue;
      const double of_pane = 0.4 / 16.0, of_wall = 0.36 / std::pow(4.0 + gap, 2.0);
      const double mixed = 4.0 + gap * of_wall / (of_pane + of_wall);
      EXPECT_NEAR(static_cast<double>(point.p_S.x()), mixed, 3e-3);
    }
  }
}

// A pane mirrors a share and lets another through; each ray is followed once.
TEST_P(SurfaceLightTest, APaneMirrorsToo) {
  const std::vector<Sheet> sheets = {{4.0 * kX, (kX + kY).normalized(), kZ, 1.5, 1.5, kPane},
                                     across(9.0, 3.0, kWall),
                                     {{4.0, 3.0, 0.0}, kX, kZ, 3.0, 3.0, kPane},
                                     {{4.0, 5.0, 0.0}, kX, kZ, 3.0, 3.0, kWall}};
  LidarConfig config = narrow(ReturnMode::kTriple);
  config.azimuth_min = radians(-1.5);
  config.azimuth_max = radians(1.5);
  config.surfaces.classes[kPane] = {0.3, 0.5, 0.0, 0.0, 0.0};
  const Scan found = scan(config, sheets);
  ASSERT_FALSE(found.points.empty());
  ASSERT_EQ(found.points.size() % 3, 0U);
  for (std::size_t i = 0; i < found.points.size(); i += 3) {
    const Eigen::Vector3d d = found.points[i].p_S.cast<double>().normalized();
    const double to_pane = 4.0 / (d.x() - d.y());
    const double to_other = to_pane + (3.0 - to_pane * d.y()) / d.x();
    EXPECT_NEAR(static_cast<double>(found.points[i].range), to_pane, 2e-3);
    EXPECT_NEAR(static_cast<double>(found.points[i + 1].range), to_other, 4e-3);
    EXPECT_EQ(found.points[i + 1].semantic_class, kPane) << "not what is behind it";
    EXPECT_NEAR(static_cast<double>(found.points[i + 1].reflectivity), 0.09 * 0.2 * 0.4 * d.x(),
                1e-3);
    EXPECT_NEAR(static_cast<double>(found.points[i + 2].p_S.x()), 9.0, 3e-3);
  }
}

TEST_P(SurfaceLightTest, APerfectMirrorToTheSkyIsNoReturn) {
  LidarConfig config = narrow(ReturnMode::kStrongest);
  config.surfaces.classes[kMirror].specular = 1.0;
  const Scan found = scan(config, {{4.0 * kX, (kX + kY).normalized(), kZ, 1.5, 1.5, kMirror}});
  EXPECT_TRUE(found.points.empty());
  EXPECT_EQ(found.too_near, 0U);
}

// A sign of 40 x 40 cm at 10 m, before a wall 5 m behind. Beams that pass by within the angle have
// its range, as the wall is darker than the share that they get.
TEST_P(SurfaceLightTest, ARetroReflectorSaturatesAndBlooms) {
  const std::vector<Sheet> sheets = {across(10.0, 0.2, kSign), across(15.0, 4.0, kWall)};
  LidarConfig config = narrow(ReturnMode::kStrongest);
  const auto renderer = caster(mapOf(sheets, GetParam()));
  const Scan plain = scan(config, renderer);
  const double angle = radians(2.1);
  config.surfaces.classes[kSign] = {0.0, 0.0, 500.0, angle, 0.01};
  const Scan found = scan(config, renderer);
  ASSERT_EQ(found.points.size(), plain.points.size());
  std::vector<Eigen::Vector3d> signs;
  std::vector<float> ranges;
  for (const ScanPoint& point : plain.points) {
    if (point.semantic_class != kSign) continue;
    signs.push_back(point.p_S.cast<double>().normalized());
    ranges.push_back(point.range);
  }
  ASSERT_GT(signs.size(), 4U);
  int bloomed = 0, walls = 0;
  for (std::size_t i = 0; i < found.points.size(); ++i) {
    const ScanPoint& point = found.points[i];
    if (plain.points[i].semantic_class == kSign) {
      EXPECT_EQ(point.intensity, 255.0F);
      EXPECT_EQ(point.range, plain.points[i].range);
      continue;
    }
    const Eigen::Vector3d d = point.p_S.cast<double>().normalized();
    double nearest = std::numeric_limits<double>::infinity();
    for (const Eigen::Vector3d& sign : signs) {
      nearest = std::min(nearest, 2.0 * std::asin(0.5 * (sign - d).norm()));
    }
    if (std::abs(nearest - angle) < 1e-5) continue;
    if (nearest < angle) {
      ++bloomed;
      EXPECT_EQ(point.semantic_class, kSign);
      EXPECT_NE(std::find(ranges.begin(), ranges.end(), point.range), ranges.end());
      EXPECT_EQ(point.intensity, 255.0F) << "a hundredth of 500 is 5 times white";
    } else {
      ++walls;
      EXPECT_EQ(point.semantic_class, kWall);
      EXPECT_EQ(point.range, plain.points[i].range);
      EXPECT_EQ(point.reflectivity, plain.points[i].reflectivity);
    }
  }
  EXPECT_GT(bloomed, 10);
  EXPECT_GT(walls, 100);
}

// An object that moves, by its number, whatever its class.
TEST_P(SurfaceLightTest, AnObjectIsAMirrorByItsNumber) {
  MovingObject plate;
  plate.shape =
      mapOf({{Eigen::Vector3d::Zero(), (kX + kY).normalized(), kZ, 1.5, 1.5, kMirror}}, GetParam());
  plate.identity = scene::kFirstObstacleIdentity + 3;
  plate.X_WM = {{Eigen::Quaterniond::Identity(), 4.0 * kX}};
  plate.semantic_class = kPane;
  const auto renderer = caster(mapOf({{{4.0, 6.0, 0.0}, kX, kZ, 4.0, 4.0, kWall}}, GetParam()));
  LidarConfig config = narrow(ReturnMode::kStrongest);
  config.surfaces.classes[kPane].transparent = 1.0;
  config.surfaces.objects[plate.identity].specular = 1.0;
  const std::vector<MovingObject> objects = {plate};
  const Scan found = scan(config, renderer, objects);
  ASSERT_EQ(found.points.size(), 17U * 17U);
  for (const ScanPoint& point : found.points) {
    const Eigen::Vector3d d = point.p_S.cast<double>().normalized();
    const double to_plate = 4.0 / (d.x() - d.y());
    EXPECT_NEAR(static_cast<double>(point.range), to_plate + (6.0 - to_plate * d.y()) / d.x(),
                4e-3);
    EXPECT_EQ(point.identity, kMapIdentity);
  }
}

std::vector<Sheet> street() {
  return {across(12.0, 4.0, kWall),
          across(6.0, 0.3, kSign),
          {{5.0, 0.6, 0.0}, (kX + kY).normalized(), kZ, 0.3, 1.0, kMirror},
          {{5.0, -0.6, 0.0}, kY, kZ, 0.3, 1.0, kPane},
          {{5.0, 5.0, 0.0}, kX, kZ, 4.0, 4.0, kWall}};
}

LidarConfig streetLidar(int rays) {
  LidarConfig config = narrow(ReturnMode::kDual);
  config.beam.rays = rays;
  config.beam.pulse_length = 5e-9;
  if (rays > 1) config.beam.divergence_horizontal = config.beam.divergence_vertical = 3e-3;
  config.noise.range_sigma = 0.01;
  return config;
}

TEST_P(SurfaceLightTest, ScansDoNotDependOnTheNumberOfThreads) {
  const Map map = mapOf(street(), GetParam());
  for (const int rays : {1, 9}) {
    LidarConfig config = streetLidar(rays);
    config.surfaces.classes[kMirror].specular = 0.8;
    config.surfaces.classes[kPane] = {0.1, 0.8, 0.0, 0.0, 0.0};
    config.surfaces.classes[kSign] = {0.0, 0.0, 300.0, radians(1.0), 0.02};
    const Scan one = scan(config, caster(map, 1));
    EXPECT_GT(one.points.size(), one.rays);
    expectSame(one, scan(config, caster(map, 3)));
    Lidar again(config, caster(map));
    again.scan(0, kScan, resting({}));
    expectSame(one, again.scan(0, kScan, resting({})));
  }
}

// Where nothing of what the settings name is met, and for shots that meet nothing of it.
TEST_P(SurfaceLightTest, OtherSurfacesAreAsTheyWere) {
  const auto renderer = caster(mapOf(street(), GetParam()));
  for (const int rays : {1, 9}) {
    LidarConfig config = streetLidar(rays);
    const Scan plain = scan(config, renderer);
    config.surfaces.classes[17] = {0.5, 0.5, 100.0, 0.1, 1.0};
    expectSame(plain, scan(config, renderer));
    config.surfaces.classes.clear();
    config.surfaces.classes[kMirror].specular = 0.9;
    const Scan mirrored = scan(config, renderer);
    std::size_t same = 0;
    for (const ScanPoint& point : plain.points) {
      const float slope = point.p_S.y() / point.p_S.x();
      if ((slope > 0.05F && slope < 0.22F) || point.return_count > 1) continue;  // the mirror
      const auto found = std::find_if(mirrored.points.begin(), mirrored.points.end(),
                                      [&](const ScanPoint& p) { return p.shot == point.shot; });
      ASSERT_NE(found, mirrored.points.end());
      EXPECT_EQ(found->range, point.range);
      EXPECT_EQ(found->reflectivity, point.reflectivity);
      ++same;
    }
    EXPECT_GT(same, 100U);
  }
}

}  // namespace
}  // namespace marsim::lidar
