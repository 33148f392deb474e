// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sensors/client_settings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <variant>

#include <fmt/format.h>

#include "common/data_dir.hpp"
#include "common/input_file.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "tools/sensors/calibration_text.hpp"
#include "vehicle/bias_walk.hpp"

namespace marsim::tools {
namespace {

/// Values of a template, by the names that stand between two @ in it.
using Values = std::map<std::string, std::string>;

std::string filled(const std::string& client, const Values& values) {
  constexpr std::size_t kLargestTemplate = 1U << 20U;  // bytes
  const std::filesystem::path path = dataDir() / "config" / "clients" / (client + ".yaml");
  const std::vector<std::string> parts = split(readFile(path, kLargestTemplate), '@');
  std::string text = parts[0];
  for (std::size_t i = 1; i + 1 < parts.size(); i += 2) {
    const auto value = values.find(parts[i]);
    if (value == values.end())
      throw FileError(path.string(), "has no value for @" + parts[i] + "@");
    text += value->second + parts[i + 1];
  }
  return text;
}

/// FAST-LIO2's view of a layout, which is Point-LIO's too but for the last: `lidar_type` and the
/// topics of their own configuration files.
struct ReadByFastLio {
  int lidar_type;
  const char *cloud_topic, *imu_topic;

  bool isLivox() const { return lidar_type == 1; }
};

const ReadByFastLio& readByFastLio(const std::vector<lidar::OutputConfig>& outputs,
                                   const char* program) {
  static const ReadByFastLio livox{1, "/livox/lidar", "/livox/imu"};
  static const ReadByFastLio velodyne{2, "/velodyne_points", "/imu/data"};
  static const ReadByFastLio ouster{3, "/os_cloud_node/points", "/os_cloud_node/imu"};
  static const ReadByFastLio of_one_instant{4, "/quad0_pcl_render_node/sensor_cloud",
                                            "/quad_0/imu"};
  const lidar::CloudLayout layout = outputs.front().layout;
  const bool is_fast_lio = program == std::string("FAST-LIO2");
  if (lidar::isLivoxCustom(layout)) return livox;
  if (layout == lidar::CloudLayout::kVelodyne) return velodyne;
  if (layout == lidar::CloudLayout::kOuster) return ouster;
  if (layout == lidar::CloudLayout::kXyzi && is_fast_lio) return of_one_instant;
  throw Error(
      fmt::format("{} has no settings for the layout '{}', allowed: livox_custom, "
                  "livox_custom2, velodyne, ouster{}",
                  program, lidar::nameOf(layout), is_fast_lio ? ", xyzi" : ""));
}

/// Number of the unit of a Velodyne's times: 0 s, 1 ms, 2 us, 3 ns.
int timeUnit(const ReadByFastLio& read, const lidar::LidarConfig& lidar) {
  if (read.lidar_type != 2) return 3;
  return static_cast<int>(std::lround(-std::log10(lidar.outputs.front().time_unit) / 3.0));
}

/// Values that the clients of FAST-LIO2's kind share.
Values lidarValues(const ReadByFastLio& read, const CarriedSensors& sensors,
                   const lidar::LidarConfig& lidar) {
  return {{"lid_topic", read.cloud_topic},
          {"imu_topic", read.imu_topic},
          {"lidar_offset", number(-lidar.clock.offset)},
          {"lidar_type", std::to_string(read.lidar_type)},
          {"scan_line", std::to_string(lidar::makePattern(lidar.pattern)->rings())},
          {"scan_rate", fmt::format("{:.0f}", lidar.rate)},
          {"timestamp_unit", std::to_string(timeUnit(read, lidar))},
          {"blind", number(std::max(lidar.range_min, read.isLivox() ? 0.5 : 1.0))},
          {"extrinsics", std::string(trimmed(fastLioExtrinsics(sensors)))}};
}

std::string fastLioSettings(const CarriedSensors& sensors, const lidar::LidarConfig& lidar) {
  const ReadByFastLio& read = readByFastLio(lidar.outputs, "FAST-LIO2");
  const bool all_round = std::holds_alternative<lidar::Mid360PatternConfig>(lidar.pattern);
  Values values = lidarValues(read, sensors, lidar);
  values["fov_degree"] = !read.isLivox() ? "180" : all_round ? "360" : "90";
  values["det_range"] = number(lidar.range_max);
  return filled("fast_lio", values);
}

std::string pointLioSettings(const CarriedSensors& sensors, const lidar::LidarConfig& lidar) {
  const ReadByFastLio& read = readByFastLio(lidar.outputs, "Point-LIO");
  const bool livox = read.isLivox();
  Values values = lidarValues(read, sensors, lidar);
  values["imu_period"] = number(1.0 / sensors.imu.rate);
  values["scan_period"] = number(1.0 / lidar.rate);
  values["acc_norm"] = livox ? "1.0" : "9.81";  // the unit of imu_topic
  values["satu_acc"] = livox ? "3.0" : "30.0";
  values["point_filter_num"] = livox ? "1" : "4";
  values["filter_size_map"] = livox ? "0.4" : "0.5";
  return filled("point_lio", values);
}

std::string dlioSettings(const CarriedSensors& sensors, const lidar::LidarConfig& lidar) {
  using lidar::CloudLayout;
  const CloudLayout layout = lidar.outputs.front().layout;
  if (layout != CloudLayout::kLivox2 && layout != CloudLayout::kOuster &&
      layout != CloudLayout::kVelodyne && layout != CloudLayout::kHesai) {
    throw Error(
        fmt::format("DLIO has no settings for the layout '{}', allowed: livox2, ouster, "
                    "velodyne, hesai",
                    lidar::nameOf(layout)));
  }
  const std::size_t indent = 10;
  return filled("dlio", {{"uav", sensors.uav},
                         {"imu_t", numbers(sensors.imu.X_BI.p)},
                         {"imu_R", rotationRows(sensors.imu.X_BI, indent)},
                         {"lidar_t", numbers(sensors.X_BL.p)},
                         {"lidar_R", rotationRows(sensors.X_BL, indent)}});
}

std::string openVinsCamera(std::size_t i, const CarriedSensors& sensors,
                           const dataset::ImageStream& camera) {
  const Pose X_IC = sensors.imu.X_BI.inverse() * camera.X_BC;
  std::string rows;
  for (int row = 0; row < 3; ++row) {
    const Eigen::Vector3d R = X_IC.q.toRotationMatrix().row(row);
    rows += numbers(cleaned(R)) + ", " + number(cleaned(X_IC.p[row])) + ", ";
  }
  return fmt::format(
      "cam{0}_rostopic: /{1}/{2}\n"
      "cam{0}_T_imu_cam: [{3}0.0, 0.0, 0.0, 1.0]\n"
      "cam{0}_intrinsics: [{4}]\n"
      "cam{0}_distortion_model: {5}\n"
      "cam{0}_distortion_coeffs: [{6}]\n"
      "cam{0}_resolution: [{7}, {8}]\n"
      "cam{0}_timeshift_cam_imu: {9}\n",
      i, sensors.uav, camera.topic, rows, intrinsics(camera.model), kalibrModel(camera.model),
      distortion(camera.model), camera.model.width, camera.model.height,
      number(-clockOf(sensors, camera).offset));
}

std::string openVinsSettings(const CarriedSensors& sensors) {
  if (!sensors.cameras) throw Error("OpenVINS has no settings without cameras (--camera stereo)");
  if (!kalibrHolds(*sensors.cameras)) {
    throw Error("OpenVINS has no settings for cameras with k3, allowed: k1, k2, p1, p2");
  }
  const vehicle::InertialErrors& gyroscope = sensors.imu.gyroscope;
  const vehicle::InertialErrors& accelerometer = sensors.imu.accelerometer;
  const std::vector<dataset::ImageStream> streams = kalibrOrder(sensors);
  const std::size_t count = std::min<std::size_t>(sensors.cameras->cameras.size(), 2);
  std::string cameras;
  for (std::size_t i = 0; i < count; ++i) cameras += openVinsCamera(i, sensors, streams[i]);
  return filled("openvins", {{"uav", sensors.uav},
                             {"max_cameras", std::to_string(count)},
                             {"use_stereo", count == 2 ? "true" : "false"},
                             {"imu_rate", number(sensors.imu.rate)},
                             {"accelerometer_noise", number(accelerometer.noise_density)},
                             {"accelerometer_walk", number(vehicle::biasWalk(accelerometer))},
                             {"gyroscope_noise", number(gyroscope.noise_density)},
                             {"gyroscope_walk", number(vehicle::biasWalk(gyroscope))},
                             {"cameras", std::string(trimmed(cameras))}});
}

std::string fastLivoSettings(const CarriedSensors& sensors, const lidar::LidarConfig& lidar) {
  if (!sensors.cameras) throw Error("FAST-LIVO2 has no settings without cameras (--camera stereo)");
  const dataset::ImageStream camera = kalibrOrder(sensors).front();
  const lidar::CameraModel& model = camera.model;
  if (!kalibrHolds(*sensors.cameras) ||
      model.projection != lidar::CameraModel::Projection::kPinhole) {
    throw Error("FAST-LIVO2 has no settings for this camera, allowed: pinhole with k1, k2, p1, p2");
  }
  const Pose X_CL = camera.X_BC.inverse() * sensors.X_BL, X_IL = lidarInImu(sensors);
  Values values = lidarValues(readByFastLio(lidar.outputs, "FAST-LIVO2"), sensors, lidar);
  values.insert({{"img_topic", fmt::format("/{}/{}", sensors.uav, camera.topic)},
                 {"extrinsic_T", numbers(X_IL.p)},
                 {"extrinsic_R", rotationRows(X_IL, 16)},
                 {"Pcl", numbers(cleaned(X_CL.p))},
                 {"Rcl", rotationRows(X_CL, 8)},
                 {"width", std::to_string(model.width)},
                 {"height", std::to_string(model.height)},
                 {"fx", number(model.fx)},
                 {"fy", number(model.fy)},
                 {"cx", number(model.cx)},
                 {"cy", number(model.cy)},
                 {"camera_offset", number(-clockOf(sensors, camera).offset)}});
  for (std::size_t i = 0; i < 4; ++i) {
    values[fmt::format("d{}", i)] = number(model.distortion[i]);
  }
  return filled("fast_livo2", values);
}

}  // namespace

std::string clientSettings(const std::string& client, const CarriedSensors& sensors,
                           const lidar::LidarConfig& lidar) {
  if (client == "fast_lio") return fastLioSettings(sensors, lidar);
  if (client == "point_lio") return pointLioSettings(sensors, lidar);
  if (client == "dlio") return dlioSettings(sensors, lidar);
  if (client == "openvins") return openVinsSettings(sensors);
  if (client == "fast_livo2") return fastLivoSettings(sensors, lidar);
  throw UnknownNameError("command line", "--settings", client, config::knownNames("clients"));
}

}  // namespace marsim::tools
