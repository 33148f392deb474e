// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/text.hpp"
#include "config/defaults.hpp"
#include "config/launch_words.hpp"
#include "lidar/output/slam_client.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "tools/process/command_line.hpp"
#include "tools/sensors/calibration_files.hpp"
#include "tools/sensors/client_settings.hpp"

int main(int argc, char** argv) {
  using namespace marsim::tools;
  using marsim::config::defaultOf;
  std::string vehicle = defaultOf("vehicle"), lidar = defaultOf("lidar"), imu = defaultOf("imu");
  std::string depth = defaultOf("depth"), camera = defaultOf("camera"), settings = "none";
  std::string obstacles = defaultOf("obstacles");
  std::string output = defaultOf("output"), folder = "calibration";
  std::optional<double> imu_rate;
  CarriedSensors sensors;
  CommandLine line(
      "Writes the true calibration of a UAV's sensors: imu.yaml and, of cameras, camchain.yaml\n"
      "(Kalibr), fast_lio.yaml (the LiDAR in the IMU, to copy into FAST-LIO2's configuration) and\n"
      "extrinsics.yaml (all poses). Of chessboards and AprilGrids among the obstacles: "
      "target.yaml\n"
      "(Kalibr) and corners.csv (the true corners).",
      "marsim calibration");
  line.option("--vehicle", vehicle, kInput, "name or YAML file, as in sim.launch");
  line.option("--lidar", lidar, kInput, "name or YAML file, as in sim.launch");
  line.option("--imu", imu, kInput, "vehicle, lidar, auto, a name or YAML file, as in sim.launch");
  line.option("--imu-rate", imu_rate, number(marsim::Quantity::kFrequency, {0.1, 1e6}),
              "[Hz] in place of the IMU's own; prints the sigmas of one sample at it");
  line.option("--depth", depth, kInput,
              "depth camera: none, a name or YAML file, as in sim.launch");
  line.option("--camera", camera, kInput, "cameras: none, a name or YAML file, as in sim.launch");
  line.option("--obstacles", obstacles, kInput,
              "obstacles: none, a name or YAML file, as in sim.launch");
  line.option("--uav", sensors.uav, kName, "namespace of the UAV");
  const Option out = line.option("--out", folder, kFolder, "folder to write to");
  line.option("--settings", settings, kWord,
              "fast_lio, point_lio, fast_livo2, dlio or openvins: the parameters of that client "
              "for these "
              "sensors instead, printed or, with --out, written as fast_lio.yaml");
  line.option("--output", output, kWord, "with --settings: the LiDAR's layout, as in slam.launch");
  return line.run(argc, argv, [&] {
    marsim::lidar::LidarConfig config = marsim::config::loadLidar(lidar);
    sensors.lidar_name = config.name;
    sensors.X_BL = config.X_BS;
    sensors.lidar_clock = config.clock;
    sensors.imu = marsim::config::chooseImu(imu, marsim::config::loadVehicle(vehicle).imu, lidar);
    if (imu_rate) sensors.imu.rate = *imu_rate;
    if (depth != "none") sensors.depth = marsim::config::loadDepthCamera(depth);
    if (camera != "none") sensors.cameras = marsim::config::loadCameras(camera);
    const auto write = [&](const CalibrationFiles& files) {
      for (const auto& path : writeCalibration(files, folder)) {
        fmt::print("{}\n", path.string());
      }
    };
    marsim::Validator("command line")
        .require(settings != "none" || output == "auto", "--output",
                 fmt::format("'{}'", marsim::clipped(output)), "with --settings only");
    if (settings != "none") {
      const auto known = marsim::config::knownNames("clients");
      if (std::find(known.begin(), known.end(), settings) == known.end()) {
        throw marsim::UnknownNameError("command line", "--settings", settings, known);
      }
      config.outputs = marsim::lidar::outputsFor(settings, config.outputs, output, "command line");
      const std::string text = clientSettings(settings, sensors, config);
      if (out.isGiven()) {
        write({{settings + ".yaml", text}});
      } else {
        fmt::print("{}", text);
      }
      return 0;
    }
    CalibrationFiles files = calibrationFiles(sensors);
    if (obstacles != "none") {
      auto targets = targetFiles(marsim::config::loadObstacles(obstacles));
      marsim::Validator("command line")
          .require(!targets.empty(), "--obstacles", fmt::format("'{}'", marsim::clipped(obstacles)),
                   "obstacles with a chessboard or an aprilgrid");
      std::move(targets.begin(), targets.end(), std::back_inserter(files));
    }
    write(files);
    if (imu_rate) fmt::print("{}", imuSigmas(sensors.imu));
    return 0;
  });
}
