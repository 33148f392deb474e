#include <fmt/format.h>

#include "calibration_files.hpp"
#include "command_line.hpp"
#include "marsim/config/load.hpp"

int main(int argc, char** argv) {
  std::string vehicle = "hummingbird", lidar = "avia", imu = "vehicle", folder = "calibration";
  std::string depth = "none";
  marsim::tools::CarriedSensors sensors;
  CLI::App app(
      "Writes the true calibration of a UAV's sensors: imu.yaml and, of a depth camera, "
      "camchain.yaml\n"
      "(Kalibr), fast_lio.yaml (the LiDAR in the IMU, to copy into FAST-LIO2's configuration) and\n"
      "extrinsics.yaml (all poses).",
      "marsim calibration");
  app.option_defaults()->always_capture_default();
  app.add_option("--vehicle", vehicle, "name or YAML file, as in sim.launch");
  app.add_option("--lidar", lidar, "name or YAML file, as in sim.launch");
  app.add_option("--imu", imu, "vehicle, lidar, a name or YAML file, as in sim.launch");
  app.add_option("--depth", depth, "depth camera: none, a name or YAML file, as in sim.launch");
  app.add_option("--uav", sensors.uav, "namespace of the UAV");
  app.add_option("--out", folder, "folder to write to");
  return marsim::tools::runCommand(app, argc, argv, [&] {
    const marsim::lidar::LidarConfig config = marsim::config::loadLidar(lidar);
    sensors.lidar_name = config.name;
    sensors.X_BL = config.X_BS;
    sensors.imu = marsim::config::chooseImu(imu, marsim::config::loadVehicle(vehicle).imu, lidar);
    if (depth != "none") sensors.depth = marsim::config::loadDepthCamera(depth);
    for (const auto& path : marsim::tools::writeCalibration(sensors, folder)) {
      fmt::print("{}\n", path.string());
    }
    return 0;
  });
}
