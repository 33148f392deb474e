#include "marsim/collision/impact.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim::collision {
namespace {

using Eigen::Vector3d;

RigidBody someBody() {
  RigidBody body;
  body.mass = 0.7;
  body.inertia = {0.007, 0.008, 0.012};
  return body;
}

Touch touchAt(const Vector3d& p, const Vector3d& n) {
  Touch touch;
  touch.p_W = p;
  touch.normal_W = n;
  return touch;
}

// A central blow: closed forms.
TEST(Impact, ACentralBlowReturnsTheShareOfTheSpeed) {
  ImpactConfig config;
  config.restitution = 0.5;
  config.yield_speed = 2.0;
  for (const double speed : {0.5, 2.0, 8.0}) {
    RigidBody body = someBody();
    body.v_WB = {0.0, 0.0, -speed};
    const Touch floor = touchAt({0.0, 0.0, -0.1}, Vector3d::UnitZ());
    EXPECT_TRUE(bounce(config, {floor}, body));
    const double share = speed <= 2.0 ? 0.5 : 0.5 * std::pow(4.0, -0.25);
    EXPECT_NEAR(body.v_WB.z(), share * speed, 1e-12);
    EXPECT_LT(body.w_WB_B.norm(), 1e-12);
    EXPECT_FALSE(bounce(config, {floor}, body)) << "it leaves";
  }
}

// A point mass (a blow through the centre along the normal's plane): Coulomb's law.
TEST(Impact, FrictionTakesFromTheWaySidewaysWhatCoulombAllows) {
  ImpactConfig config;
  config.restitution = 0.0;
  config.friction = 0.25;
  RigidBody body = someBody();
  body.inertia = Vector3d::Constant(1e9);  // does not turn
  body.v_WB = {4.0, 0.0, -2.0};
  EXPECT_TRUE(bounce(config, {touchAt({0.0, 0.0, -0.1}, Vector3d::UnitZ())}, body));
  EXPECT_NEAR(body.v_WB.x(), 4.0 - 0.25 * 2.0, 1e-6);
  EXPECT_NEAR(body.v_WB.z(), 0.0, 1e-6);
  body.v_WB = {0.1, 0.0, -2.0};
  EXPECT_TRUE(bounce(config, {touchAt({0.0, 0.0, -0.1}, Vector3d::UnitZ())}, body));
  EXPECT_NEAR(body.v_WB.norm(), 0.0, 1e-6) << "sticks";
}

TEST(Impact, NeverAddsEnergyWhateverIsHitAndHowever) {
  RandomStream random(1, "blows");
  const auto vector = [&](double scale) {
    return Vector3d(scale * random.normal(), scale * random.normal(), scale * random.normal());
  };
  int struck = 0;
  for (int i = 0; i < 20000; ++i) {
    ImpactConfig config;
    config.restitution = random.uniform();
    config.friction = random.uniform(0.0, 3.0);
    RigidBody body = someBody();
    body.inertia = {random.uniform(0.001, 0.02), random.uniform(0.001, 0.02),
                    random.uniform(0.001, 0.02)};
    body.X_WB.p = vector(5.0);
    body.X_WB.q = expMap(vector(2.0));
    body.v_WB = vector(5.0);
    body.w_WB_B = vector(10.0);
    const double before = body.kineticEnergy();
    std::vector<Touch> touches;
    for (int k = 0; k < 1 + i % 4; ++k) {
      touches.push_back(touchAt(body.X_WB.p + vector(0.2), vector(1.0).normalized()));
    }
    struck += bounce(config, touches, body) ? 1 : 0;
    ASSERT_LE(body.kineticEnergy(), before * (1.0 + 1e-12));
    if (touches.size() > 1) continue;
    // Seen from the only touch it leaves, or slides along.
    const Vector3d v = body.v_WB + (body.X_WB.q * body.w_WB_B).cross(touches[0].p_W - body.X_WB.p);
    ASSERT_GE(v.dot(touches[0].normal_W), -1e-6 * (1.0 + std::sqrt(before)));
  }
  EXPECT_GT(struck, 10000);
}

TEST(Impact, WhatMovesPushesTheBodyAlong) {
  ImpactConfig config;
  config.restitution = 0.0;
  RigidBody body = someBody();
  Touch ram = touchAt({-0.1, 0.0, 0.0}, Vector3d::UnitX());
  ram.v_W = {3.0, 0.0, 0.0};
  EXPECT_TRUE(bounce(config, {ram}, body));
  EXPECT_NEAR(body.v_WB.x(), 3.0, 1e-12);
}

TEST(Impact, RefusesWhatCannotBe) {
  const auto messageOf = [](const ImpactConfig& config) -> std::string {
    try {
      config.validate("uav0");
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  ImpactConfig config;
  EXPECT_EQ(messageOf(config), "");
  config.restitution = 1.2;
  EXPECT_NE(messageOf(config).find("uav0: restitution is 1.2"), std::string::npos);
  config.restitution = 0.3;
  config.friction = -1.0;
  EXPECT_NE(messageOf(config).find("uav0: friction is -1"), std::string::npos);
  config.friction = 0.3;
  config.yield_speed = 0.0;
  EXPECT_NE(messageOf(config).find("uav0: yield_speed is 0,"), std::string::npos);
}

}  // namespace
}  // namespace marsim::collision
