// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sensors/calibration_files.hpp"

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "common/data_dir.hpp"
#include "common/input_file.hpp"
#include "common/text.hpp"
#include "config/launch_words.hpp"
#include "lidar/output/slam_client.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "temporary_folder.hpp"
#include "tools/sensors/client_settings.hpp"

namespace marsim::tools {
namespace {

CarriedSensors mid360WithItsImu() {
  CarriedSensors sensors;
  sensors.lidar_name = "Livox Mid-360";
  sensors.X_BL = config::loadLidar("mid360").X_BS;
  sensors.imu = config::loadLidarImu("mid360");
  return sensors;
}

TEST(CalibrationFiles, FastLioOfTheMid360IsWhatItsConfigurationSays) {
  EXPECT_EQ(fastLioExtrinsics(mid360WithItsImu()),
            "# Livox Mid-360 in the IMU, exact: for the `mapping` part of FAST-LIO2's "
            "configuration.\n"
            "mapping:\n"
            "  extrinsic_est_en: false\n"
            "  extrinsic_T: [-0.011, -0.02329, 0.04412]\n"
            "  extrinsic_R: [1.0, 0.0, 0.0,\n"
            "                 0.0, 1.0, 0.0,\n"
            "                 0.0, 0.0, 1.0]\n");
}

/// "a/b: value" of every leaf, numbers as numbers.
void flatten(const YAML::Node& node, const std::string& path,
             std::map<std::string, std::string>& leaves) {
  if (node.IsMap()) {
    for (const auto& entry : node) {
      flatten(entry.second, path + "/" + entry.first.as<std::string>(), leaves);
    }
  } else if (node.IsSequence()) {
    for (std::size_t i = 0; i < node.size(); ++i) {
      flatten(node[i], path + "/" + std::to_string(i), leaves);
    }
  } else {
    const std::string text = node.as<std::string>();
    double number = 0.0;
    leaves[path] = YAML::convert<double>::decode(node, number) ? std::to_string(number) : text;
  }
}

/// Settings of a client for a LiDAR on a Hummingbird and a stereo pair, as slam.launch makes them.
YAML::Node settingsOf(const std::string& client, const std::string& lidar) {
  lidar::LidarConfig config = config::loadLidar(lidar);
  config.outputs = lidar::outputsFor(client, config.outputs, "auto", lidar);
  CarriedSensors sensors;
  sensors.lidar_name = config.name;
  sensors.X_BL = config.X_BS;
  sensors.imu = config::chooseImu(client == "openvins" ? "vehicle" : "auto",
                                  config::loadVehicle("hummingbird").imu, lidar);
  sensors.cameras = config::loadCameras("stereo");
  return YAML::Load(clientSettings(client, sensors, config));
}

// The files of config/slam were written by hand, each for one sensor.
TEST(CalibrationFiles, FastLioSettingsAreThoseOfConfigSlam) {
  for (const std::string name : {"mid360", "avia", "vlp16", "os1_64"}) {
    std::map<std::string, std::string> made, by_hand;
    flatten(settingsOf("fast_lio", name), "", made);
    const auto file = dataDir() / "config" / "slam" / ("fast_lio_" + name + ".yaml");
    flatten(YAML::LoadFile(file.string()), "", by_hand);
    EXPECT_EQ(made, by_hand) << name;
  }
}

TEST(CalibrationFiles, FastLioSettingsFollowTheLayout) {
  lidar::LidarConfig config = config::loadLidar("mid360");
  config.outputs = {lidar::OutputConfig{}};
  EXPECT_THROW(clientSettings("fast_lio", mid360WithItsImu(), config), Error);  // xyzit
  config.outputs[0].layout = lidar::CloudLayout::kVelodyne;
  config.outputs[0].time_unit = 1e-6;
  const YAML::Node settings = YAML::Load(clientSettings("fast_lio", mid360WithItsImu(), config));
  EXPECT_EQ(settings["preprocess"]["lidar_type"].as<int>(), 2);
  EXPECT_EQ(settings["preprocess"]["timestamp_unit"].as<int>(), 2);
  EXPECT_EQ(settings["common"]["lid_topic"].as<std::string>(), "/velodyne_points");
}

// livox/imu is in g, imu/data in m/s^2; periods are those of the sensors' own IMUs and scans.
TEST(CalibrationFiles, PointLioKnowsTheUnitOfTheImu) {
  YAML::Node settings = settingsOf("point_lio", "mid360");
  EXPECT_EQ(settings["common"]["imu_topic"].as<std::string>(), "/livox/imu");
  EXPECT_EQ(settings["mapping"]["acc_norm"].as<double>(), 1.0);
  EXPECT_EQ(settings["mapping"]["satu_acc"].as<double>(), 3.0);
  EXPECT_EQ(settings["mapping"]["imu_time_inte"].as<double>(), 0.005);
  EXPECT_EQ(settings["mapping"]["extrinsic_T"].as<std::vector<double>>(),
            (std::vector<double>{-0.011, -0.02329, 0.04412}));
  settings = settingsOf("point_lio", "os1_64");
  EXPECT_EQ(settings["common"]["imu_topic"].as<std::string>(), "/os_cloud_node/imu");
  EXPECT_EQ(settings["mapping"]["acc_norm"].as<double>(), 9.81);
  EXPECT_EQ(settings["mapping"]["imu_time_inte"].as<double>(), 0.01);
  EXPECT_EQ(settings["preprocess"]["lidar_type"].as<int>(), 3);
  EXPECT_EQ(settings["preprocess"]["scan_line"].as<int>(), 64);
  lidar::LidarConfig of_one_instant = config::loadLidar("mid360");
  of_one_instant.outputs[0].layout = lidar::CloudLayout::kXyzi;
  EXPECT_THROW(clientSettings("point_lio", mid360WithItsImu(), of_one_instant), Error);
}

TEST(CalibrationFiles, DlioHasBothSensorsInTheBody) {
  const YAML::Node dlio = settingsOf("dlio", "mid360")["dlio"];
  const auto place = [&](const char* sensor) {
    const auto t = dlio["extrinsics"][sensor]["t"].as<std::vector<double>>();
    return Eigen::Vector3d(t.at(0), t.at(1), t.at(2));
  };
  EXPECT_LT((place("baselink2lidar") - config::loadLidar("mid360").X_BS.p).norm(), 1e-9);
  EXPECT_LT((place("baselink2imu") - config::loadLidarImu("mid360").X_BI.p).norm(), 1e-9);
  EXPECT_EQ(dlio["extrinsics"]["baselink2imu"]["R"].size(), 9U);
  EXPECT_LT(dlio["odom"]["imu"]["calibration"]["time"].as<double>(), 2.0) << "flights rest for 2 s";
  EXPECT_EQ(dlio["frames"]["imu"].as<std::string>(), "uav0/imu_link");
  lidar::LidarConfig config = config::loadLidar("mid360");
  config.outputs[0].layout = lidar::CloudLayout::kLivoxCustom;
  EXPECT_THROW(clientSettings("dlio", mid360WithItsImu(), config), Error);
}

// A point ahead of the LiDAR lies where the left camera's own pose in the body puts it.
TEST(CalibrationFiles, FastLivo2HasTheLidarInTheCamera) {
  const YAML::Node settings = settingsOf("fast_livo2", "mid360");
  const auto R = settings["extrin_calib"]["Rcl"].as<std::vector<double>>();
  const auto t = settings["extrin_calib"]["Pcl"].as<std::vector<double>>();
  const lidar::CameraRigConfig rig = config::loadCameras("stereo");
  const Eigen::Vector3d p_L(3.0, 0.4, -0.2);
  const Eigen::Vector3d p_B = config::loadLidar("mid360").X_BS * p_L;
  const Eigen::Vector3d p_C = rig.cameras[0].X_BC.inverse() * p_B;
  for (int row = 0; row < 3; ++row) {
    const Eigen::Vector3d r(R.at(3 * row), R.at(3 * row + 1), R.at(3 * row + 2));
    EXPECT_NEAR(r.dot(p_L) + t.at(row), p_C[row], 1e-9) << row;
  }
  EXPECT_EQ(settings["common"]["img_topic"].as<std::string>(), "/uav0/camera/left/image_raw");
  EXPECT_EQ(settings["extrin_calib"]["extrinsic_T"].as<std::vector<double>>(),
            (std::vector<double>{-0.011, -0.02329, 0.04412}));
  CarriedSensors blind = mid360WithItsImu();
  EXPECT_THROW(clientSettings("fast_livo2", blind, config::loadLidar("mid360")), Error);
}

// OpenVINS has the cameras in the IMU, Kalibr the IMU in the cameras.
TEST(CalibrationFiles, OpenVinsCamerasAreKalibrsInverted) {
  const YAML::Node settings = settingsOf("openvins", "mid360");
  CarriedSensors sensors;
  sensors.imu = config::loadVehicle("hummingbird").imu;
  sensors.cameras = config::loadCameras("stereo");
  const YAML::Node chain = YAML::Load(kalibrCameras(sensors));
  for (const std::string camera : {"cam0", "cam1"}) {
    Eigen::Matrix4d X_IC, X_CI;
    for (int i = 0; i < 16; ++i) {
      X_IC(i / 4, i % 4) = settings[camera + "_T_imu_cam"][i].as<double>();
      X_CI(i / 4, i % 4) = chain[camera]["T_cam_imu"][i / 4][i % 4].as<double>();
    }
    EXPECT_LT((X_IC * X_CI - Eigen::Matrix4d::Identity()).norm(), 1e-9) << camera;
    for (const char* key : {"rostopic", "intrinsics", "distortion_model", "distortion_coeffs",
                            "resolution", "timeshift_cam_imu"}) {
      EXPECT_EQ(YAML::Dump(settings[camera + "_" + key]), YAML::Dump(chain[camera][key])) << key;
    }
  }
  EXPECT_EQ(settings["max_cameras"].as<int>(), 2);
  EXPECT_EQ(settings["imu0_rostopic"].as<std::string>(), "/uav0/imu/data");
  const YAML::Node imu = YAML::Load(kalibrImu(sensors));
  for (const std::string key : {"gyroscope_noise_density", "accelerometer_random_walk"}) {
    EXPECT_EQ(settings["imu0_" + key].as<double>(), imu[key].as<double>()) << key;
  }
  sensors.cameras.reset();
  EXPECT_THROW(clientSettings("openvins", sensors, config::loadLidar("mid360")), Error);
}

TEST(CalibrationFiles, RotationsTakeLidarPointsIntoTheImu) {
  CarriedSensors sensors;
  sensors.X_BL.q = fromRollPitchYaw(0.0, radians(90.0), 0.0);  // looks down
  sensors.X_BL.p = {0.0, 0.0, -0.1};
  sensors.imu.X_BI.q = fromRollPitchYaw(0.0, 0.0, radians(90.0));  // its x to the body's left
  // Ahead of the LiDAR is down, which is the IMU's -z; left stays the body's left, the IMU's x.
  EXPECT_NE(extrinsicsTable(sensors, true)
                .find("T_imu_lidar:\n"
                      "  - [0.0, 1.0, 0.0, 0.0]\n"
                      "  - [0.0, 0.0, -1.0, 0.0]\n"
                      "  - [-1.0, 0.0, 0.0, -0.1]\n"),
            std::string::npos)
      << extrinsicsTable(sensors, true);
}

TEST(CalibrationFiles, KalibrGetsDensities) {
  CarriedSensors sensors = mid360WithItsImu();
  sensors.uav = "uav3";
  const std::string text = kalibrImu(sensors);
  for (const char* line :
       {"rostopic: /uav3/imu/data_raw\n", "update_rate: 200.0 ",
        "accelerometer_noise_density: 0.0006865 ", "gyroscope_noise_density: 6.632e-05 "}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

// By hand: 8.726646e-5 rad/s/sqrt(Hz) sqrt(300 Hz), 9.973502e-7 rad/s^2/sqrt(Hz) / sqrt(300 Hz),
// and of 2.353596e-3 m/s^2/sqrt(Hz) and 1.248183e-5 m/s^3/sqrt(Hz).
TEST(CalibrationFiles, SigmasBelongToARate) {
  CarriedSensors sensors;
  sensors.imu = config::loadImu("airsim_mpu6000");
  sensors.imu.rate = 300.0;
  const std::string text = imuSigmas(sensors.imu);
  std::vector<double> values;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "noise" || word == "bias") {
      double value = 0.0;
      words >> value;
      values.push_back(value);
    }
  }
  ASSERT_EQ(values.size(), 4U) << text;
  EXPECT_NEAR(values[0] / 0.04076547, 1.0, 1e-4);
  EXPECT_NEAR(values[1] / 7.206388e-7, 1.0, 1e-4);
  EXPECT_NEAR(values[2] / 0.001511499, 1.0, 1e-4);
  EXPECT_NEAR(values[3] / 5.758204e-8, 1.0, 1e-4);
  EXPECT_NE(kalibrImu(sensors).find("# Standard deviations of one sample at 300.0 Hz\n"),
            std::string::npos);
}

double valueOf(const std::string& text, const std::string& key) {
  const std::size_t at = text.find("\n" + key + ": ");
  return at == std::string::npos ? std::nan("") : std::stod(text.substr(at + key.size() + 3));
}

// RotorS' own random walks (gazebo_imu_plugin.h), from which sigma = K sqrt(tau / 2) of its preset
// follows; of the VN-100 by hand: 4.85e-5 sqrt(2 / 500 s) and 3.92e-4 sqrt(2 / 500 s).
TEST(CalibrationFiles, GaussMarkovBiasesWalkForKalibr) {
  CarriedSensors sensors;
  sensors.imu = config::loadImu("rotors_adis16448");
  const std::string rotors = kalibrImu(sensors);
  EXPECT_NEAR(valueOf(rotors, "gyroscope_random_walk") / 3.8785e-5, 1.0, 1e-4) << rotors;
  EXPECT_NEAR(valueOf(rotors, "accelerometer_random_walk") / 6.0e-3, 1.0, 1e-4);
  EXPECT_NE(rotors.find("# The gyroscope's bias is a Gauss-Markov process"), std::string::npos);
  EXPECT_NE(rotors.find("tau 1000.0 s"), std::string::npos);
  EXPECT_NE(rotors.find("sigma sqrt(2 / tau)"), std::string::npos);
  sensors.imu = config::loadImu("vn100");
  EXPECT_NEAR(valueOf(kalibrImu(sensors), "gyroscope_random_walk") / 3.0674e-6, 1.0, 1e-4);
  EXPECT_NEAR(valueOf(kalibrImu(sensors), "accelerometer_random_walk") / 2.4792e-5, 1.0, 1e-4);
  sensors.imu.gyroscope.random_walk = 4e-6;
  EXPECT_NEAR(valueOf(kalibrImu(sensors), "gyroscope_random_walk"), std::hypot(4e-6, 3.0674e-6),
              1e-9);
  sensors.imu = config::loadImu("euroc_adis16448");
  EXPECT_NEAR(valueOf(kalibrImu(sensors), "gyroscope_random_walk"), 1.9393e-5, 1e-12);
  EXPECT_EQ(kalibrImu(sensors).find("Gauss"), std::string::npos);
}

TEST(CalibrationFiles, KalibrsCameraLooksForward) {
  CarriedSensors sensors = mid360WithItsImu();
  EXPECT_THROW(kalibrCameras(sensors), Error);
  sensors.imu.X_BI = {};
  sensors.depth = config::loadDepthCamera("planner");
  sensors.depth->X_BC.p = {0.1, 0.0, 0.0};
  const std::string text = kalibrCameras(sensors);
  // The body's left is the camera's -x, up its -y, ahead its z; the IMU is 0.1 m behind it.
  EXPECT_NE(text.find("  T_cam_imu:\n"
                      "    - [0.0, -1.0, 0.0, 0.0]\n"
                      "    - [0.0, 0.0, -1.0, 0.0]\n"
                      "    - [1.0, 0.0, 0.0, -0.1]\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("intrinsics: [387.229, 387.229, 321.046, 243.45]\n"), std::string::npos);
  EXPECT_NE(text.find("resolution: [640, 480]\n"), std::string::npos);
}

// Read back by yaml-cpp, and checked by where a point appears: in the right camera fx B / z to the
// left of where it is in the left one.
TEST(CalibrationFiles, KalibrsChainOfAPairAndAFisheye) {
  CarriedSensors sensors = mid360WithItsImu();
  sensors.imu.X_BI = {Eigen::Quaterniond(Eigen::AngleAxisd(0.5 * kPi, Eigen::Vector3d::UnitZ())),
                      {0.01, 0.02, 0.03}};
  sensors.cameras = config::loadCameras("stereo");
  sensors.cameras->cameras.push_back(config::loadCameras("fisheye").cameras.front());
  sensors.cameras->cameras.back().name = "wide";
  const YAML::Node chain = YAML::Load(kalibrCameras(sensors));
  const auto pose = [](const YAML::Node& rows) {
    Eigen::Matrix4d X;
    for (int i = 0; i < 16; ++i) X(i / 4, i % 4) = rows[i / 4][i % 4].as<double>();
    return X;
  };
  const Eigen::Vector3d p_B(4.1, 0.3, 0.2);
  const Eigen::Vector3d p_I = sensors.imu.X_BI.inverse() * p_B;
  const auto pixel = [&](const char* camera) {
    const Eigen::Vector4d p_C = pose(chain[camera]["T_cam_imu"]) * p_I.homogeneous();
    const auto k = chain[camera]["intrinsics"].as<std::vector<double>>();
    return Eigen::Vector2d(k[0] * p_C.x() / p_C.z() + k[2], k[1] * p_C.y() / p_C.z() + k[3]);
  };
  const Eigen::Vector2d left = pixel("cam0"), right = pixel("cam1");
  EXPECT_NEAR(left.x(), 375.5 - 376.0 * (0.3 - 0.06) / 4.0, 1e-6);
  EXPECT_NEAR(left.y(), 239.5 - 376.0 * 0.2 / 4.0, 1e-6);
  EXPECT_NEAR(left.x() - right.x(), 376.0 * 0.12 / 4.0, 1e-6);
  EXPECT_NEAR(left.y(), right.y(), 1e-6);
  const Eigen::Matrix4d X_01 =
      pose(chain["cam1"]["T_cam_imu"]) * pose(chain["cam0"]["T_cam_imu"]).inverse();
  EXPECT_LT((pose(chain["cam1"]["T_cn_cnm1"]) - X_01).norm(), 1e-9);
  EXPECT_FALSE(chain["cam0"]["T_cn_cnm1"]);
  EXPECT_EQ(chain["cam0"]["rostopic"].as<std::string>(), "/uav0/camera/left/image_raw");
  EXPECT_EQ(chain["cam1"]["cam_overlaps"].as<std::vector<int>>(), (std::vector<int>{0, 2}));
  EXPECT_EQ(chain["cam1"]["distortion_model"].as<std::string>(), "radtan");
  EXPECT_EQ(chain["cam2"]["distortion_model"].as<std::string>(), "equidistant");
  EXPECT_EQ(chain["cam2"]["distortion_coeffs"].size(), 4U);

  sensors.cameras->cameras[0].model.distortion[4] = 0.01;
  try {
    kalibrCameras(sensors);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "camchain.yaml: camera 'left' has k3 = 0.01, Kalibr's radtan only k1, k2, p1, p2");
  }
}

TEST(CalibrationFiles, AreWrittenOrNamedWhereTheyCannotBe) {
  const TemporaryFolder folder;
  const CalibrationFiles files = calibrationFiles(mid360WithItsImu());
  const auto paths = writeCalibration(files, folder.path() / "a" / "b");
  ASSERT_EQ(paths.size(), 3U);
  for (const auto& path : paths) EXPECT_GT(std::filesystem::file_size(path), 100U);
  EXPECT_NO_THROW(writeCalibration(files, folder.path() / "a" / "b"));
  folder.write("file", "");
  EXPECT_THROW(writeCalibration(files, folder.path() / "file"), FileError);
  folder.write("extrinsics.yaml", "another's");
  EXPECT_THROW(writeCalibration(files, folder.path()), FileError);
  EXPECT_EQ(readFile(folder.path() / "extrinsics.yaml", 100), "another's");
}

TEST(CalibrationFiles, TargetsOfChessboards) {
  scene::ObstaclesConfig config = config::loadObstacles("chessboard");
  CalibrationFiles files = targetFiles(config);
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].first, "target.yaml");
  const YAML::Node target = YAML::Load(files[0].second);
  EXPECT_EQ(target["target_type"].as<std::string>(), "checkerboard");
  EXPECT_EQ(target["targetCols"].as<int>(), 9);
  EXPECT_EQ(target["targetRows"].as<int>(), 6);
  EXPECT_EQ(target["rowSpacingMeters"].as<double>(), 0.08);
  EXPECT_EQ(target["colSpacingMeters"].as<double>(), 0.08);
  EXPECT_EQ(files[1].first, "corners.csv");
  // The board faces -x: its right, seen from the front, is -y.
  const std::string corners = files[1].second;
  EXPECT_EQ(corners.rfind("board,column,row,x [m],y [m],z [m],tag,corner\n"
                          "board,0,0,0.000000000,0.320000000,1.700000000,,\n"
                          "board,1,0,0.000000000,0.240000000,1.700000000,,\n",
                          0),
            0U)
      << corners;
  EXPECT_NE(corners.find("board,8,5,0.000000000,-0.320000000,1.300000000,,\n"), std::string::npos)
      << corners;

  config.groups.push_back(config.groups.front());
  config.groups.back().name = "moved";
  config.groups.back().kind = scene::ObstacleKind::kDriven;
  files = targetFiles(config);
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[1].first, "target_moved.yaml");
  EXPECT_EQ(files[2].second, corners) << "without the board that moves";
  EXPECT_TRUE(targetFiles(config::loadObstacles("forest")).empty());
}

// By hand: the dark squares end 0.3564 m from the middle, where the first tag's corner is 0.0264 m
// further in. Tag 0 has Kalibr's corners 0, 1, 13 and 12 of 12 in a row.
TEST(CalibrationFiles, TargetOfAnAprilGrid) {
  const CalibrationFiles files = targetFiles(config::loadObstacles("aprilgrid"));
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].first, "target.yaml");
  const YAML::Node target = YAML::Load(files[0].second);
  EXPECT_EQ(target["target_type"].as<std::string>(), "aprilgrid");
  EXPECT_EQ(target["tagCols"].as<int>(), 6);
  EXPECT_EQ(target["tagRows"].as<int>(), 6);
  EXPECT_EQ(target["tagSize"].as<double>(), 0.088);
  EXPECT_EQ(target["tagSpacing"].as<double>(), 0.3);
  const std::vector<std::string> lines = split(files[1].second, '\n');
  ASSERT_GE(lines.size(), 145U);
  EXPECT_EQ(lines[1], "grid,0,0,0.000000000,0.330000000,1.170000000,0,0");
  EXPECT_EQ(lines[2], "grid,1,0,0.000000000,0.242000000,1.170000000,0,1");
  EXPECT_EQ(lines[3], "grid,2,0,0.000000000,0.215600000,1.170000000,1,0");
  EXPECT_EQ(lines[13], "grid,0,1,0.000000000,0.330000000,1.258000000,0,3");
  EXPECT_EQ(lines[14], "grid,1,1,0.000000000,0.242000000,1.258000000,0,2");
  EXPECT_EQ(lines[25], "grid,0,2,0.000000000,0.330000000,1.284400000,6,0");
  EXPECT_EQ(lines[144], "grid,11,11,0.000000000,-0.330000000,1.830000000,35,2");
}

}  // namespace
}  // namespace marsim::tools
