// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/vehicle/navigation_sensors.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::vehicle {
namespace {

GnssConfig zurich() {
  GnssConfig config;
  config.latitude = radians(47.4);
  config.longitude = radians(8.55);
  config.altitude = 450.0;
  return config;
}

// Radii of curvature of WGS 84 at a latitude: along the meridian, and along the parallel's normal.
struct Curvature {
  double meridian, normal;
};
Curvature curvatureAt(double latitude) {
  const double a = 6378137.0, b = 6356752.314245;
  const double w = std::hypot(a * std::cos(latitude), b * std::sin(latitude));
  return {a * a * b * b / (w * w * w), a * a / w};
}

TEST(Wgs84Test, TheOriginIsItself) {
  const Geodetic origin{radians(-33.0), radians(151.0), 20.0};
  const Geodetic at = toGeodetic(origin, Eigen::Vector3d::Zero());
  EXPECT_NEAR(at.latitude, origin.latitude, 1e-14);
  EXPECT_NEAR(at.longitude, origin.longitude, 1e-14);
  EXPECT_NEAR(at.altitude, origin.altitude, 1e-8);
}

TEST(Wgs84Test, SmallStepsFollowTheRadiiOfCurvature) {
  for (const double latitude : {-80.0, -33.0, 0.0, 10.0, 47.4, 85.0}) {
    const Geodetic origin{radians(latitude), radians(8.55), 450.0};
    const Curvature radius = curvatureAt(origin.latitude);
    const Geodetic north = toGeodetic(origin, {0.0, 10.0, 0.0});
    EXPECT_NEAR(north.latitude - origin.latitude, 10.0 / (radius.meridian + 450.0), 1e-11);
    const Geodetic east = toGeodetic(origin, {10.0, 0.0, 0.0});
    EXPECT_NEAR(east.longitude - origin.longitude,
                10.0 / ((radius.normal + 450.0) * std::cos(origin.latitude)), 1e-10);
    const Geodetic up = toGeodetic(origin, {0.0, 0.0, 10.0});
    EXPECT_NEAR(up.altitude, 460.0, 1e-7);
    EXPECT_NEAR(up.latitude, origin.latitude, 1e-13);
  }
}

TEST(Wgs84Test, APlaneLeavesTheEllipsoidWithTheSquareOfTheDistance) {
  const Geodetic origin{radians(47.4), radians(8.55), 0.0};
  const double altitude = toGeodetic(origin, {0.0, 1000.0, 0.0}).altitude;
  EXPECT_NEAR(altitude, 1e6 / (2.0 * curvatureAt(origin.latitude).meridian), 1e-4);
}

TEST(BarometerTest, FollowsTheStandardAtmosphere) {
  // Tables of ICAO Doc 7488: pressure [Pa] at geopotential altitudes [m].
  EXPECT_NEAR(standardPressure(0.0, 101325.0), 101325.0, 0.01);
  EXPECT_NEAR(standardPressure(1000.0, 101325.0), 89874.6, 1.0);
  EXPECT_NEAR(standardPressure(5000.0, 101325.0), 54019.9, 1.0);

  BarometerConfig config;
  config.origin_altitude = 1000.0;
  KinematicState state;
  state.X_WB.p.z() = 10.0;
  const double density = 1.1116;  // [kg/m^3] at 1 km
  EXPECT_NEAR(Barometer(config, 1).sample(state), 89874.6 - density * kGravity * 10.0, 1.5);
}

TEST(MagnetometerTest, TurnsWithTheBody) {
  MagnetometerConfig config;
  config.field_W = {1e-6, 21e-6, -43e-6};
  config.hard_iron = {0.0, 0.0, 2e-6};
  KinematicState state;
  state.X_WB.q = fromRollPitchYaw(0.0, 0.0, kPi / 2.0);  // facing north
  const Eigen::Vector3d reading = Magnetometer(config, 1).sample(state);
  EXPECT_NEAR((reading - Eigen::Vector3d(21e-6, -1e-6, -41e-6)).norm(), 0.0, 1e-15);
}

TEST(GnssTest, NoiseAndDriftHaveTheirSigmas) {
  GnssConfig config = zurich();
  config.rate = 1.0;
  config.horizontal_noise = 0.5;
  config.vertical_noise = 1.0;
  config.vertical_drift = {2.0, 3.0};
  config.velocity_noise = 0.1;
  Gnss gnss(config, 7);
  double north2 = 0.0, up2 = 0.0, lagged = 0.0, v2 = 0.0, before = 0.0;
  const int count = 40000;
  const double radius = curvatureAt(config.latitude).meridian + config.altitude;
  for (int i = 0; i < count; ++i) {
    const GnssFix fix = gnss.sample({});
    const double north = (fix.position.latitude - config.latitude) * radius;
    const double up = fix.position.altitude - config.altitude;
    north2 += north * north;
    up2 += up * up;
    lagged += up * before;
    v2 += fix.v_W.squaredNorm();
    before = up;
  }
  EXPECT_NEAR(std::sqrt(north2 / count), 0.5, 0.025);
  EXPECT_NEAR(std::sqrt(up2 / count), std::sqrt(1.0 + 4.0), 0.1);
  EXPECT_NEAR(lagged / count, 4.0 * std::exp(-1.0 / 3.0), 0.2);  // drift alone is correlated
  EXPECT_NEAR(std::sqrt(v2 / (3 * count)), 0.1, 0.005);
}

TEST(GnssTest, TheAntennaHasItsOwnPlaceAndVelocity) {
  GnssConfig config = zurich();
  config.p_BA = {0.0, 0.0, 0.5};
  KinematicState state;
  state.v_WB = {1.0, 0.0, 0.0};
  state.w_WB_B = {2.0, 0.0, 0.0};
  const GnssFix fix = Gnss(config, 1).sample(state);
  EXPECT_NEAR(fix.position.altitude, 450.5, 1e-6);
  EXPECT_NEAR((fix.v_W - Eigen::Vector3d(1.0, -1.0, 0.0)).norm(), 0.0, 1e-12);
}

TEST(NavigationSensorsTest, BadSettingsAreNamed) {
  EXPECT_THROW(Magnetometer(MagnetometerConfig{}, 1), ConfigError);  // no field
  GnssConfig gnss = zurich();
  gnss.latitude = radians(90.0);
  EXPECT_THROW(Gnss(gnss, 1), ConfigError);
  BarometerConfig barometer;
  barometer.drift.sigma = 1.0;  // without a correlation time
  EXPECT_THROW(Barometer(barometer, 1), ConfigError);
}

}  // namespace
}  // namespace marsim::vehicle
