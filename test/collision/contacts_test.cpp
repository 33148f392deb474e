// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/collision/contacts.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace marsim::collision {
namespace {

using Eigen::Vector3d;

constexpr TimeNs kMs = kNsPerSecond / 1000;

FastestTouch hit(std::uint32_t identity, double x = 0.0) {
  FastestTouch hit;
  hit.identity = identity;
  hit.p_W.x() = x;
  return hit;
}

TEST(ContactTracker, BeginsAndEndsEachContactOnceThoughItFlickers) {
  ContactTracker tracker(100 * kMs);
  std::vector<ContactEvent> events;
  for (TimeNs t = 0; t <= 1000 * kMs; t += kMs) {
    std::vector<FastestTouch> hits;
    const bool touches = t >= 200 * kMs && t <= 400 * kMs;
    if (touches && t % (20 * kMs) != 0) hits.push_back(hit(5, toSeconds(t)));
    if (t == 300 * kMs) hits.push_back(hit(scene::kMapIdentity));
    tracker.update(t, hits, events);
  }
  ASSERT_EQ(events.size(), 4U);
  EXPECT_TRUE(events[0].begins);
  EXPECT_EQ(events[0].hit.identity, 5U);
  EXPECT_EQ(events[0].stamp, 201 * kMs);
  EXPECT_TRUE(events[1].begins);
  EXPECT_EQ(events[1].hit.identity, scene::kMapIdentity);
  EXPECT_FALSE(events[2].begins);
  EXPECT_EQ(events[2].hit.identity, scene::kMapIdentity);
  EXPECT_EQ(events[2].stamp, 300 * kMs);
  EXPECT_FALSE(events[3].begins);
  EXPECT_EQ(events[3].hit.identity, 5U);
  EXPECT_EQ(events[3].stamp, 399 * kMs) << "when it touched last";
  EXPECT_NEAR(events[3].hit.p_W.x(), 0.399, 1e-12);
  EXPECT_EQ(tracker.begun(), 2U);
  EXPECT_EQ(tracker.touching(), 0U);
}

TEST(ContactTracker, EndsAllWhenTheBodyIsTakenElsewhere) {
  ContactTracker tracker(0);
  std::vector<ContactEvent> events;
  tracker.update(kMs, {hit(1), hit(2)}, events);
  tracker.update(2 * kMs, {hit(1), hit(2)}, events);
  EXPECT_EQ(events.size(), 2U);
  tracker.update(3 * kMs, {hit(2)}, events);
  ASSERT_EQ(events.size(), 3U) << "without a release time an end is at once";
  EXPECT_EQ(events[2].hit.identity, 1U);
  tracker.clear(events);
  ASSERT_EQ(events.size(), 4U);
  EXPECT_FALSE(events[3].begins);
  EXPECT_EQ(events[3].hit.identity, 2U);
  EXPECT_EQ(events[3].stamp, 3 * kMs);
  EXPECT_EQ(tracker.touching(), 0U);
}

TEST(HitsOf, OneAThingWithTheFastestPointAndTheMeanNormal) {
  map::PointCloud cloud;
  cloud.points = {{0.0F, 0.0F, 0.0F}, {0.2F, 0.0F, 0.0F}};
  const BodyVoxels body(cloud, 0.1);
  KinematicState state;
  state.v_WB = {3.0, 0.0, 0.0};
  state.w_WB_B = {0.0, 0.0, 2.0};
  Touch left{
      7, 0, {2, 0, 0}, {0.2, 0.1, 0.0}, Vector3d(-1.0, 1.0, 0.0).normalized(), {-1.0, 0.0, 0.0}};
  Touch right = left;
  right.p_W.y() = -0.1;
  right.normal_W.y() *= -1.0;
  Touch of_map = left;
  of_map.identity = scene::kMapIdentity;
  const std::vector<FastestTouch> hits = fastestTouches({left, right, of_map}, body, state);
  ASSERT_EQ(hits.size(), 2U);
  EXPECT_EQ(hits[0].identity, 7U);
  EXPECT_EQ(hits[0].p_W, right.p_W) << "the body's turn adds to its speed there";
  EXPECT_NEAR((hits[0].v_rel_W - Vector3d(4.2, 0.4, 0.0)).norm(), 0.0, 1e-12);
  EXPECT_NEAR((hits[0].normal_W - Vector3d(-1.0, 0.0, 0.0)).norm(), 0.0, 1e-12);
  EXPECT_NEAR((hits[0].p_BV - Vector3d(0.2, 0.0, 0.0)).norm(), 0.0, 1e-12);
  EXPECT_EQ(hits[1].identity, scene::kMapIdentity);
}

}  // namespace
}  // namespace marsim::collision
