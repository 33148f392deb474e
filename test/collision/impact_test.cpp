// SPDX-License-Identifier: BSD-3-Clause
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

// Off what does not give way.
bool bounce(const ImpactConfig& config, const std::vector<Touch>& touches, RigidBody& body) {
  RigidBodies none;
  return collision::bounce(config, touches, body, none);
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

TEST(Impact, MovingObjectsPushTheBodyAlong) {
  ImpactConfig config;
  config.restitution = 0.0;
  RigidBody body = someBody();
  Touch ram = touchAt({-0.1, 0.0, 0.0}, Vector3d::UnitX());
  ram.v_W = {3.0, 0.0, 0.0};
  EXPECT_TRUE(bounce(config, {ram}, body));
  EXPECT_NEAR(body.v_WB.x(), 3.0, 1e-12);
}

// Two that meet centrally: the text books' closed forms for any masses.
TEST(Impact, BodiesThatGiveWayTakeTheOppositeMomentum) {
  ImpactConfig config;
  config.restitution = 0.4;
  config.yield_speed = 100.0;
  for (const double ratio : {0.1, 1.0, 20.0}) {
    RigidBody body = someBody();
    body.v_WB = {2.0, 0.0, 0.0};
    RigidBodies others{{7, someBody()}};
    RigidBody& other = others.at(7);
    other.mass *= ratio;
    other.X_WB.p = {0.2, 0.0, 0.0};
    other.v_WB = {-1.0, 0.0, 0.0};
    Touch touch = touchAt({0.1, 0.0, 0.0}, -Vector3d::UnitX());
    touch.identity = 7;
    EXPECT_TRUE(collision::bounce(config, {touch}, body, others));
    const double common = (2.0 - ratio) / (1.0 + ratio), left = 0.4 * 3.0 / (1.0 + ratio);
    EXPECT_NEAR(body.v_WB.x(), common - ratio * left, 1e-12);
    EXPECT_NEAR(other.v_WB.x(), common + left, 1e-12);
  }
}

TEST(Impact, TwoThatMeetAnyhowKeepTheirMomentaAndGainNoEnergy) {
  RandomStream random(2, "pairs");
  const auto vector = [&](double scale) {
    return Vector3d(scale * random.normal(), scale * random.normal(), scale * random.normal());
  };
  const auto spin = [](const RigidBody& body) {
    return Vector3d(body.X_WB.q * Vector3d(body.inertia.cwiseProduct(body.w_WB_B)) +
                    body.mass * body.X_WB.p.cross(body.v_WB));
  };
  int struck = 0;
  for (int i = 0; i < 5000; ++i) {
    ImpactConfig config;
    config.restitution = random.uniform();
    config.friction = random.uniform(0.0, 2.0);
    RigidBody body = someBody();
    RigidBodies others{{3, someBody()}};
    RigidBody& other = others.at(3);
    other.mass *= random.uniform(0.2, 5.0);
    other.X_WB.p = 0.3 * vector(1.0).normalized();
    for (RigidBody* one : {&body, &other}) {
      one->X_WB.q = expMap(vector(2.0));
      one->v_WB = vector(3.0);
      one->w_WB_B = vector(5.0);
    }
    std::vector<Touch> touches;
    for (int k = 0; k < 1 + i % 3; ++k) {
      const Vector3d normal = (vector(0.3) - other.X_WB.p).normalized();
      touches.push_back(touchAt(0.5 * other.X_WB.p + vector(0.05), normal));
      touches.back().identity = 3;
    }
    const Vector3d momentum = body.mass * body.v_WB + other.mass * other.v_WB;
    const Vector3d angular = spin(body) + spin(other);
    const double energy = body.kineticEnergy() + other.kineticEnergy();
    struck += collision::bounce(config, touches, body, others) ? 1 : 0;
    ASSERT_LT((body.mass * body.v_WB + other.mass * other.v_WB - momentum).norm(), 1e-10);
    ASSERT_LT((spin(body) + spin(other) - angular).norm(), 1e-10);
    ASSERT_LE(body.kineticEnergy() + other.kineticEnergy(), energy * (1.0 + 1e-12));
  }
  EXPECT_GT(struck, 2000);
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
