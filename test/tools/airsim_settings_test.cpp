// SPDX-License-Identifier: BSD-3-Clause
#include "tools/dataset/airsim_settings.hpp"

#include <cmath>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::tools {
namespace {

class Airsim : public testing::Test {
 protected:
  AirsimSensors readFile(const std::string& text, const std::string& vehicle = "") const {
    return loadAirsim(folder_.write("settings.json", text), vehicle, vehicle::ImuConfig());
  }
  // Reads the file of a vehicle with these sensors; `more` follows them.
  AirsimSensors read(const std::string& sensors, const std::string& more = "") const {
    return readFile(R"({"SettingsVersion": 1.2, "Vehicles": {"D": {
      "VehicleType": "SimpleFlight", "Sensors": {)" +
                    sensors + "}" + more + "}}}");
  }
  std::string refusal(const std::string& sensors, const std::string& more = "") const {
    try {
      read(sensors, more);
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

// 360 x 500 x 32 / 300000 = 19.2 degrees clockwise from one column to the next, ten scans a second.
TEST_F(Airsim, ScansAreOfOneUpdateHoweverFastTheLidarTurns) {
  const AirsimSensors sensors = read(R"("L": {"SensorType": 6, "NumberOfChannels": 32,
      "PointsPerSecond": 300000, "RotationsPerSecond": 500})");
  EXPECT_EQ(sensors.lidar->rate, 10.0);
  const auto pattern = lidar::makePattern(sensors.lidar->pattern);
  std::vector<lidar::Firing> firings;
  pattern->fire(0, toNs(1.0 / sensors.lidar->rate), firings);
  ASSERT_GE(firings.size(), 30'000U);
  EXPECT_LE(firings.size(), 30'032U);
  for (std::size_t i = 0; i < 3200; ++i) {
    const lidar::Firing& firing = firings[i];
    EXPECT_EQ(firing.stamp, firings[i / 32 * 32].stamp);
    const double azimuth = radians(-19.2) * static_cast<double>(i / 32);
    EXPECT_NEAR(
        std::remainder(std::atan2(firing.direction.y(), firing.direction.x()) - azimuth, 2.0 * kPi),
        0.0, 1e-4);
  }
}

TEST_F(Airsim, PosesOfAllSensorsCount) {
  const AirsimSensors sensors =
      read(R"("I": {"SensorType": 2, "X": 0.2, "Y": 0.1, "Z": -1, "Yaw": 90})");
  EXPECT_EQ(sensors.imu->X_BI.p, Eigen::Vector3d(0.2, -0.1, 1.0));
  EXPECT_TRUE(
      (sensors.imu->X_BI.q * Eigen::Vector3d::UnitX()).isApprox(-Eigen::Vector3d::UnitY(), 1e-9));
}

TEST_F(Airsim, CamerasSeeTheirFieldOfView) {
  const AirsimSensors sensors = readFile(R"({
      "CameraDefaults": {"CaptureSettings": [{"ImageType": 0, "Width": 640, "Height": 480}]},
      "Vehicles": {"D": {"Cameras": {
        "1": {},
        "right": {"CaptureSettings": [{"ImageType": 1, "Width": 10},
                                      {"ImageType": 0, "Width": 800, "FOV_Degrees": 60}],
                  "X": 0.3, "Y": 0.1, "Z": -0.2, "Pitch": -90}}}}})");
  ASSERT_TRUE(sensors.cameras);
  EXPECT_FALSE(sensors.imu || sensors.lidar);
  ASSERT_EQ(sensors.cameras->cameras.size(), 2U);
  const lidar::CameraConfig &plain = sensors.cameras->cameras[0],
                            &right = sensors.cameras->cameras[1];
  EXPECT_EQ(plain.name, "camera_1");
  EXPECT_EQ(plain.model.fx, 320.0);
  EXPECT_EQ(plain.model.cx, 320.0);
  EXPECT_EQ(plain.model.cy, 240.0);
  // Forward is the optical axis, right is x.
  EXPECT_TRUE((plain.X_BC.q * Eigen::Vector3d::UnitZ()).isApprox(Eigen::Vector3d::UnitX(), 1e-9));
  EXPECT_TRUE((plain.X_BC.q * Eigen::Vector3d::UnitX()).isApprox(-Eigen::Vector3d::UnitY(), 1e-9));
  EXPECT_EQ(right.model.width, 800);
  EXPECT_EQ(right.model.height, 480);
  EXPECT_NEAR(right.model.fx, 400.0 * std::sqrt(3.0), 1e-8);
  EXPECT_EQ(right.model.fy, right.model.fx);
  EXPECT_EQ(right.X_BC.p, Eigen::Vector3d(0.3, -0.1, 0.2));
  EXPECT_TRUE((right.X_BC.q * Eigen::Vector3d::UnitZ()).isApprox(-Eigen::Vector3d::UnitZ(), 1e-9));
}

TEST_F(Airsim, KeysHaveAnyLetterCase) {
  const AirsimSensors sensors =
      readFile(R"({"simMode": "car", "vehicles": {"D": {"sensors": {"L": {"sensortype": 6,
      "RANGE": 60, "numberOfChannels": 4, "x": 0.5}}}}})");
  EXPECT_EQ(sensors.lidar->range_max, 60.0);
  EXPECT_EQ(sensors.lidar->X_BS.p, Eigen::Vector3d(0.5, 0.0, 1.0));  // a car's is above it
  EXPECT_EQ(std::get<lidar::SpinningPatternConfig>(sensors.lidar->pattern).channels.size(), 4U);
  EXPECT_TRUE(sensors.notes.empty());
}

TEST_F(Airsim, UnknownKeysAreListedOnce) {
  const AirsimSensors sensors =
      read(R"("L": {"SensorType": 6, "NumberOfChanels": 3, "//": "text", "DataFrame": "x"},
              "I": {"SensorType": 2, "Mood": 1})",
           R"(, "Cameras": {"c": {"CaptureSettings": [{"TargetGamma": 1, "//": "text"}]}})");
  EXPECT_EQ(sensors.notes,
            std::vector<std::string>(
                {"unknown keys are ignored: Sensors.L.NumberOfChanels (did you mean "
                 "'NumberOfChannels'?), Sensors.I.Mood, Cameras.c.CaptureSettings.TargetGamma"}));
}

TEST_F(Airsim, AVehicleIsChosenByName) {
  const std::string text = R"({"Vehicles": {"A": {"X": 1},
      "B": {"Sensors": {"L": {"SensorType": 6, "Range": 10}}},
      "C": {"Sensors": {"L": {"SensorType": 6, "Range": 20}}}},
      "DefaultSensors": {"L": {"SensorType": 6, "Range": 30}}})";
  const AirsimSensors first = readFile(text);
  EXPECT_EQ(first.lidar->range_max, 10.0);
  EXPECT_EQ(first.notes, std::vector<std::string>(
                             {"the sensors of B are used; --airsim-vehicle takes those of C"}));
  EXPECT_EQ(readFile(text, "C").lidar->range_max, 20.0);
  EXPECT_TRUE(readFile(text, "C").notes.empty());
  EXPECT_EQ(readFile(text, "A").lidar->range_max, 30.0);
  try {
    readFile(text, "D");
    FAIL();
  } catch (const UnknownNameError& error) {
    EXPECT_NE(std::string(error.what()).find("settings.json: unknown vehicle"), std::string::npos)
        << error.what();
  }
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
  EXPECT_NE(refusal("", R"(, "Cameras": {"c": {"CaptureSettings": [{"FOV_Degrees": 180}]}})")
                .find("Cameras.c.CaptureSettings.FOV_Degrees is 180, allowed: more than 0, below"),
            std::string::npos);
  EXPECT_NE(refusal("", R"(, "Cameras": {"c": {"CaptureSettings": [{"Width": 1e5}]}})")
                .find("Cameras.c.CaptureSettings.Width is 100000, allowed: a whole number from 1"),
            std::string::npos);
  EXPECT_NE(refusal("}").find("is no JSON object"), std::string::npos);
  EXPECT_THROW(readFile("{}"), FileError);
  EXPECT_THROW(loadAirsim(folder_.path() / "missing.json", "", {}), FileError);
}

}  // namespace
}  // namespace marsim::tools
