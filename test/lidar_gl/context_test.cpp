// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar_gl/context.hpp"

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "lidar/surfel_sets.hpp"
#include "lidar_gl/fault.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/lidar_gl/renderer.hpp"

namespace marsim::lidar_gl {
namespace {

constexpr ContextOptions kHeadless{ContextSource::kEgl, true};

TEST(GlContext, SaysWhatItGot) {
  const Context context(kHeadless);
  const ContextInfo& info = context.info();
  EXPECT_EQ(info.source, ContextSource::kEgl);
  EXPECT_FALSE(info.renderer.empty());
  EXPECT_NE(info.text().find(info.renderer), std::string::npos);
  EXPECT_NE(info.text().find("through egl"), std::string::npos);
  // Minima of OpenGL 4.3.
  EXPECT_GE(info.block_bytes, std::size_t{1} << 24);
  EXPECT_GE(info.blocks, 8);
}

TEST(GlContext, IsEglWhereNoDisplayIsNamed) {
  unsetenv("DISPLAY");
  unsetenv("WAYLAND_DISPLAY");
  EXPECT_EQ(Context({}).info().source, ContextSource::kEgl);
}

TEST(GlContext, DoesJobsOfAllThreadsInOne) {
  Context context(kHeadless);
  std::thread::id home;
  context.run([&] { home = std::this_thread::get_id(); });
  EXPECT_NE(home, std::this_thread::get_id());
  int jobs = 0;  // guarded by the one thread
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        context.run([&] {
          EXPECT_EQ(std::this_thread::get_id(), home);
          ++jobs;
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(jobs, 200);
}

TEST(GlContext, PassesErrorsOnAndLives) {
  Context context(kHeadless);
  EXPECT_THROW(context.run([] { throw GlError("a fault"); }), GlError);
  context.run([&] { context.requireAlive(); });
  loseOnPurpose(context);
  EXPECT_TRUE(context.lost());
  EXPECT_THROW(context.run([] {}), GlError);
  bool released = false;
  context.release([&] { released = true; });
  EXPECT_TRUE(released);
}

TEST(GlContext, IsSharedWhileItIsAlive) {
  const auto first = Context::shared(kHeadless);
  EXPECT_EQ(Context::shared(kHeadless), first);
  EXPECT_EQ(Context::shared({ContextSource::kEgl, true}), first);
  loseOnPurpose(*first);
  EXPECT_NE(Context::shared(kHeadless), first);
}

// Renderers of one map share what lies on the device.
TEST(GlRayCaster, HasAMapOnce) {
  const auto context = Context::shared(kHeadless);
  const GlOptions options{kHeadless};
  EXPECT_EQ(context->mapBytes(), 0U);
  const auto map = lidar::roomMap({1.0, 1.0, 1.0}, 0.1, lidar::Kind::kMixed);
  const auto another = lidar::roomMap({1.0, 1.0, 0.5}, 0.1, lidar::Kind::kMixed);
  const std::size_t bytes = map::bytesOf(map->tree());
  const std::size_t of_another = map::bytesOf(another->tree());
  auto first = makeRayCaster(map, {}, options);
  EXPECT_EQ(context->mapBytes(), bytes);
  auto second = makeRayCaster(map, {}, options);
  EXPECT_EQ(context->mapBytes(), bytes);
  const auto third = makeRayCaster(another, {}, options);
  EXPECT_EQ(context->mapBytes(), bytes + of_another);
  first.reset();
  EXPECT_EQ(context->mapBytes(), bytes + of_another);
  second.reset();
  EXPECT_EQ(context->mapBytes(), of_another);
}

lidar::MovingObject ball(std::uint32_t identity, const Eigen::Vector3d& from,
                         const Eigen::Vector3d& to) {
  lidar::MovingObject object;
  object.shape = lidar::scatteredMap(identity, 200, 0.2, 0.1, lidar::Kind::kMixed);
  object.identity = identity;
  object.X_WM = {Pose{fromRollPitchYaw(0, 0, 0), from}, Pose{fromRollPitchYaw(0.1, 0, 0.4), to}};
  object.step = 0.1;
  return object;
}

// Objects that move beside the map, from several threads at once.
TEST(GlRayCaster, AgreesWithTheProcessorOnWhatMoves) {
  const auto map = lidar::roomMap({3.0, 2.0, 1.2}, 0.1, lidar::Kind::kMixed);
  const std::vector<lidar::MovingObject> objects = {ball(3, {1.5, 0, 0}, {1.5, 0.6, 0.1}),
                                                    ball(7, {-1.0, 0.5, 0}, {-1.0, 0.0, 0.2})};
  RandomStream random(5);
  std::vector<lidar::Ray> rays;
  for (int i = 0; i < 4000; ++i) {
    rays.push_back({lidar::randomInCube(random, 0.2).cast<float>(), 8.0F,
                    lidar::randomDirection(random).cast<float>(), 0.1F * (i % 100) / 100.0F});
  }
  lidar::ImageGrid grid;
  grid.width = 90;
  grid.height = 30;
  grid.elevation_min = radians(-30);
  grid.elevation_max = radians(30);
  const auto cpu = lidar::makeRayCaster(map, {});
  const auto gl = makeRayCaster(map, {}, {kHeadless});
  std::vector<lidar::Hit> expected, expected_image;
  cpu->cast(rays, objects, expected);
  cpu->renderImage(grid, {}, 8.0, objects, expected_image);
  std::atomic<int> wrong{0}, of_objects{0};
  const auto compare = [&](const std::vector<lidar::Hit>& a, const std::vector<lidar::Hit>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      const bool same = a[i].valid() == b[i].valid() && a[i].identity == b[i].identity &&
                        (!a[i].valid() || std::abs(a[i].range - b[i].range) < 2e-3F);
      wrong += same ? 0 : 1;
      of_objects += a[i].identity != lidar::kMapIdentity ? 1 : 0;
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      std::vector<lidar::Hit> hits;
      gl->cast(rays, objects, hits);
      compare(hits, expected);
      gl->renderImage(grid, {}, 8.0, objects, hits);
      compare(hits, expected_image);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(of_objects, 300);
  EXPECT_LE(wrong, 9);  // ambiguous ones: a thousandth
}

}  // namespace
}  // namespace marsim::lidar_gl
