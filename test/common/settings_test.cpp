// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/common/settings.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"

namespace marsim {
namespace {

struct Wheel {
  double radius = 0.1;
  void declare(Settings& settings) { settings.required("radius", radius, "m", {0.0, 1.0, true}); }
};

struct Cart {
  double mass = 2.0;
  int seats = 1;
  std::optional<double> load;
  Eigen::Vector3d size = Eigen::Vector3d::Ones();
  double slow = 1.0, fast = 2.0;
  Settings::Table wear{{0.0, 0.5}, {1.0, 0.5}};
  std::vector<Wheel> wheels = std::vector<Wheel>(2);
  void declare(Settings& settings) {
    settings.required("mass", mass, "kg", kPositive);
    settings.optional("seats", seats, "", {1.0, 4.0});
    settings.optional("load", load, "kg", kNotNegative);
    settings.optional("size", size, "m", {0.0, 3.0});
    settings.optional("speed", slow, fast, "m/s", {0.0, 5.0});
    settings.optional("wear", wear, {"m"}, {"", kShare});
    settings.optional("axle", [&](Settings& axle) { axle.required("wheels", wheels); });
  }
};

std::string afterChange(const std::function<void(Cart&)>& change) {
  Cart cart;
  change(cart);
  try {
    checkSettings("x.yaml", cart);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Settings, CheckNamesFieldValueAndBounds) {
  EXPECT_EQ(afterChange([](Cart&) {}), "no error");
  EXPECT_EQ(afterChange([](Cart& c) { c.mass = 0.0; }),
            "x.yaml: mass is 0, allowed: more than 0 kg");
  EXPECT_EQ(afterChange([](Cart& c) { c.mass = INFINITY; }),
            "x.yaml: mass is inf, allowed: more than 0 kg");
  EXPECT_EQ(afterChange([](Cart& c) { c.seats = 5; }), "x.yaml: seats is 5, allowed: 1 to 4");
  EXPECT_EQ(afterChange([](Cart& c) { c.load = -1.0; }),
            "x.yaml: load is -1, allowed: 0 or more kg");
  EXPECT_EQ(afterChange([](Cart& c) { c.size.y() = 4.0; }),
            "x.yaml: size[1] is 4, allowed: 0 to 3 m");
  EXPECT_EQ(afterChange([](Cart& c) { c.fast = 6.0; }), "x.yaml: speed is 6, allowed: 0 to 5 m/s");
  EXPECT_EQ(afterChange([](Cart& c) { c.fast = 0.5; }),
            "x.yaml: speed is [1, 0.5], allowed: the smaller number first");
  EXPECT_EQ(afterChange([](Cart& c) { c.wear[0].first = NAN; }),
            "x.yaml: wear[0][0] is nan, allowed: a finite number m");
  EXPECT_EQ(afterChange([](Cart& c) { c.wear[1].second = 2.0; }),
            "x.yaml: wear[1][1] is 2, allowed: 0 to 1");
  EXPECT_EQ(afterChange([](Cart& c) { c.wear[1].first = 0.0; }),
            "x.yaml: wear[1][0] is 0, allowed: more than the one before, 0");
  EXPECT_EQ(afterChange([](Cart& c) { c.wheels[1].radius = 0.0; }),
            "x.yaml: axle.wheels[1].radius is 0, allowed: more than 0, up to 1 m");
}

TEST(Settings, EveryNumberIsShownOnce) {
  std::string seen;
  forEachNumber(Cart{}, [&](const std::string& field, double, const Unit& unit, const Bounds&) {
    seen += field + " " + unit.text + "\n";
  });
  EXPECT_EQ(seen,
            "mass kg\nseats \nsize[0] m\nsize[1] m\nsize[2] m\nspeed m/s\nspeed m/s\n"
            "wear[0][0] m\nwear[0][1] \nwear[1][0] m\nwear[1][1] \naxle.wheels[0].radius m\n"
            "axle.wheels[1].radius m\n");
}

TEST(Settings, UnitsKnowTheirQuantity) {
  EXPECT_EQ(Unit("rad/s").quantity, Quantity::kAngularSpeed);
  EXPECT_EQ(Unit("m").quantity, Quantity::kLength);
  for (const char* plain : {"", "cm", "1/m", "px"}) {
    EXPECT_EQ(Unit(plain).quantity, Quantity::kNumber) << plain;
  }
}

}  // namespace
}  // namespace marsim
