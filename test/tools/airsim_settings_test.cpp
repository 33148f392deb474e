// SPDX-License-Identifier: BSD-3-Clause
#include "tools/dataset/airsim_settings.hpp"

#include <variant>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::tools {
namespace {

class Airsim : public testing::Test {
 protected:
  AirsimSensors read(const std::string& sensors) const {
    return loadAirsim(folder_.write("settings.json", R"({"SettingsVersion": 1.2, "Vehicles": {"D": {
      "VehicleType": "SimpleFlight", "Sensors": {)" + sensors +
                                                         "}}}}"),
                      vehicle::ImuConfig());
  }
  std::string refusal(const std::string& sensors) const {
    try {
      read(sensors);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  const TemporaryFolder folder_;
};

// 0.3 deg/sqrt(h), 4.6 deg/h over sqrt(500 s), 0.24 mg/sqrt(Hz), 36 ug over sqrt(800 s), in SI.
TEST_F(Airsim, DefaultsOfTheImuAreAnMpu6000s) {
  const AirsimSensors sensors = read(R"("Imu": {"SensorType": 2, "Enabled": true})");
  ASSERT_TRUE(sensors.imu);
  EXPECT_NEAR(sensors.imu->gyroscope.noise_density, 8.726646e-5, 1e-11);
  EXPECT_NEAR(sensors.imu->gyroscope.random_walk, 9.973502e-7, 1e-13);
  EXPECT_NEAR(sensors.imu->accelerometer.noise_density, 2.353596e-3, 1e-9);
  EXPECT_NEAR(sensors.imu->accelerometer.random_walk, 1.248183e-5, 1e-11);
  EXPECT_FALSE(sensors.lidar);
}

TEST_F(Airsim, LidarIsTurnedToForwardLeftUp) {
  const AirsimSensors sensors = read(R"("L": {"SensorType": 6, "NumberOfChannels": 32,
      "PointsPerSecond": 300000, "RotationsPerSecond": 10, "VerticalFOVUpper": 30,
      "VerticalFOVLower": -15, "HorizontalFOVStart": -30, "HorizontalFOVEnd": 60, "Range": 80,
      "X": 0.1, "Y": 0.2, "Z": -1, "Yaw": 90, "DataFrame": "SensorLocalFrame"})");
  ASSERT_TRUE(sensors.lidar);
  const lidar::LidarConfig& lidar = *sensors.lidar;
  EXPECT_EQ(lidar.X_BS.p, Eigen::Vector3d(0.1, -0.2, 1.0));
  // 90 degrees to the right: forward of the sensor is right of the body.
  EXPECT_TRUE((lidar.X_BS.q * Eigen::Vector3d::UnitX()).isApprox(-Eigen::Vector3d::UnitY(), 1e-9));
  EXPECT_DOUBLE_EQ(lidar.azimuth_min, radians(-60.0));
  EXPECT_DOUBLE_EQ(lidar.azimuth_max, radians(30.0));
  EXPECT_EQ(lidar.range_max, 80.0);
  const auto& pattern = std::get<lidar::SpinningPatternConfig>(lidar.pattern);
  ASSERT_EQ(pattern.channels.size(), 32U);
  EXPECT_DOUBLE_EQ(pattern.channels.front().elevation, radians(30.0));
  EXPECT_DOUBLE_EQ(pattern.channels.back().elevation, radians(-15.0));
  EXPECT_NEAR(lidar::makePattern(lidar.pattern)->pointsPerSecond(), 300'000.0, 1.0);
}

TEST_F(Airsim, AWholeTurnIsAWholeTurnWhereverItBegins) {
  for (const char* turn : {R"("HorizontalFOVStart": 0, "HorizontalFOVEnd": 359)",
                           R"("HorizontalFOVStart": -180, "HorizontalFOVEnd": 180)"}) {
    const AirsimSensors sensors = read(std::string(R"("L": {"SensorType": 6, )") + turn + "}");
    EXPECT_DOUBLE_EQ(sensors.lidar->azimuth_max - sensors.lidar->azimuth_min, radians(360.0));
  }
  EXPECT_NE(refusal(R"("L": {"SensorType": 6, "HorizontalFOVStart": 170, "HorizontalFOVEnd": 190})")
                .find("HorizontalFOVEnd is 190, allowed: more than HorizontalFOVStart, up to 180"),
            std::string::npos);
}

// LidarSimpleParams.hpp of AirSim.
TEST_F(Airsim, DefaultsOfTheLidarTurnAllRound) {
  const AirsimSensors sensors = read(R"("L": {"SensorType": 6})");
  const lidar::LidarConfig& lidar = *sensors.lidar;
  EXPECT_DOUBLE_EQ(lidar.azimuth_max - lidar.azimuth_min, radians(360.0));
  const auto& pattern = std::get<lidar::SpinningPatternConfig>(lidar.pattern);
  EXPECT_EQ(pattern.channels.size(), 16U);
  EXPECT_DOUBLE_EQ(pattern.channels.front().elevation, radians(-15.0));
  EXPECT_DOUBLE_EQ(pattern.channels.back().elevation, radians(-45.0));
  EXPECT_EQ(lidar.X_BS.p, Eigen::Vector3d::Zero());
}

TEST_F(Airsim, PassesOverOtherSensorsAndThoseThatAreOff) {
  const AirsimSensors sensors =
      read(R"("B": {"SensorType": 1}, "L": {"SensorType": 6, "Enabled": false})");
  EXPECT_FALSE(sensors.imu);
  EXPECT_FALSE(sensors.lidar);
}

TEST_F(Airsim, BadInputIsOneLine) {
  EXPECT_NE(
      refusal(R"("L": {"SensorType": 6, "NumberOfChanels": 3})")
          .find("unknown key of Sensors.L 'NumberOfChanels' (did you mean 'NumberOfChannels'?)"),
      std::string::npos);
  EXPECT_NE(refusal(R"("L": {"SensorType": 6, "NumberOfChannels": 2.5})")
                .find("Sensors.L.NumberOfChannels is 2.5, allowed: a whole number from 1 to 1024"),
            std::string::npos);
  EXPECT_NE(refusal(R"("L": {"SensorType": 6, "PointsPerSecond": 0})")
                .find("PointsPerSecond is 0, allowed: more than 0"),
            std::string::npos);
  EXPECT_NE(refusal(R"("I": {"SensorType": 2, "AngularRandomWalk": "x"})")
                .find("Sensors.I.AngularRandomWalk is \"x\", allowed: a number"),
            std::string::npos);
  EXPECT_NE(refusal(R"("L": {"SensorType": "Lidar"})")
                .find("Sensors.L.SensorType is \"Lidar\", allowed: a number"),
            std::string::npos);
  EXPECT_NE(refusal(R"("L": {"SensorType": 6, "Enabled": "yes"})")
                .find("Sensors.L.Enabled is \"yes\", allowed: true | false"),
            std::string::npos);
  EXPECT_NE(refusal(R"("A": {"SensorType": 6}, "B": {"SensorType": 6})").find("a second LiDAR"),
            std::string::npos);
  EXPECT_NE(refusal("}").find("is no JSON object"), std::string::npos);
  EXPECT_THROW(loadAirsim(folder_.write("none.json", "{}"), {}), FileError);
  EXPECT_THROW(loadAirsim(folder_.path() / "missing.json", {}), FileError);
}

}  // namespace
}  // namespace marsim::tools
