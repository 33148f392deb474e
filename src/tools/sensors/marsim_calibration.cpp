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
  using marsim::config::defaultOf;
  std::string vehicle = defaultOf("vehicle"), lidar = defaultOf("lidar"), imu = defaultOf("imu");
  std::string depth = defaultOf("depth"), camera = defaultOf("camera"), settings = "none";
  std::string obstacles = defaultOf("obstacles");
  std::string output = defaultOf("output"), folder = "calibration";
  std::optional<double> imu_rate;
  marsim::tools::CarriedSensors sensors;
  CLI::App app(
      "Writes the true calibration of a UAV's sensors: imu.yaml and, of cameras, camchain.yaml\n"
      "(Kalibr), fast_lio.yaml (the LiDAR in the IMU, to copy into FAST-LIO2's configuration) and\n"
      "extrinsics.yaml (all poses). Of chessboards and AprilGrids among the obstacles: "
      "target.yaml\n"
      "(Kalibr) and corners.csv (the true corners).",
      "marsim calibration");
  app.option_defaults()->always_capture_default();
  app.add_option("--vehicle", vehicle, "name or YAML file, as in sim.launch")
      ->type_name(marsim::tools::kInput);
  app.add_option("--lidar", lidar, "name or YAML file, as in sim.launch")
      ->type_name(marsim::tools::kInput);
  app.add_option("--imu", imu, "vehicle, lidar, auto, a name or YAML file, as in sim.launch")
      ->type_name(marsim::tools::kInput);
  app.add_option("--imu-rate", imu_rate,
                 "[Hz] in place of the IMU's own; prints the sigmas of one sample at it")
      ->transform(marsim::tools::number(marsim::Quantity::kFrequency, {0.1, 1e6}));
  app.add_option("--depth", depth, "depth camera: none, a name or YAML file, as in sim.launch")
      ->type_name(marsim::tools::kInput);
  app.add_option("--camera", camera, "cameras: none, a name or YAML file, as in sim.launch")
      ->type_name(marsim::tools::kInput);
  app.add_option("--obstacles", obstacles, "obstacles: none, a name or YAML file, as in sim.launch")
      ->type_name(marsim::tools::kInput);
  app.add_option("--uav", sensors.uav, "namespace of the UAV")->type_name(marsim::tools::kName);
  const CLI::Option* out =
      app.add_option("--out", folder, "folder to write to")->type_name(marsim::tools::kFolder);
  app.add_option("--settings", settings,
                 "fast_lio, point_lio, fast_livo2, dlio or openvins: the parameters of that client "
                 "for these "
                 "sensors instead, printed or, with --out, written as fast_lio.yaml")
      ->type_name(marsim::tools::kWord);
  app.add_option("--output", output, "with --settings: the LiDAR's layout, as in slam.launch")
      ->type_name(marsim::tools::kWord);
  return marsim::tools::runCommand(app, argc, argv, [&] {
    marsim::lidar::LidarConfig config = marsim::config::loadLidar(lidar);
    sensors.lidar_name = config.name;
    sensors.X_BL = config.X_BS;
    sensors.lidar_clock = config.clock;
    sensors.imu = marsim::config::chooseImu(imu, marsim::config::loadVehicle(vehicle).imu, lidar);
    if (imu_rate) sensors.imu.rate = *imu_rate;
    if (depth != "none") sensors.depth = marsim::config::loadDepthCamera(depth);
    if (camera != "none") sensors.cameras = marsim::config::loadCameras(camera);
    const auto write = [&](const marsim::tools::CalibrationFiles& files) {
      for (const auto& path : marsim::tools::writeCalibration(files, folder)) {
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
      const std::string text = marsim::tools::clientSettings(settings, sensors, config);
      if (out->count() > 0) {
        write({{settings + ".yaml", text}});
      } else {
        fmt::print("{}", text);
      }
      return 0;
    }
    marsim::tools::CalibrationFiles files = calibrationFiles(sensors);
    if (obstacles != "none") {
      auto targets = marsim::tools::targetFiles(marsim::config::loadObstacles(obstacles));
      marsim::Validator("command line")
          .require(!targets.empty(), "--obstacles", fmt::format("'{}'", marsim::clipped(obstacles)),
                   "obstacles with a chessboard or an aprilgrid");
      std::move(targets.begin(), targets.end(), std::back_inserter(files));
    }
    write(files);
    if (imu_rate) fmt::print("{}", marsim::tools::imuSigmas(sensors.imu));
    return 0;
  });
}
