// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sensors/client_settings.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "tools/sensors/calibration_text.hpp"
#include "vehicle/bias_walk.hpp"

namespace marsim::tools {
namespace {

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

double blind(const ReadByFastLio& read, const lidar::LidarConfig& lidar) {
  return std::max(lidar.range_min, read.isLivox() ? 0.5 : 1.0);
}

std::string fastLioSettings(const CarriedSensors& sensors, const lidar::LidarConfig& lidar) {
  const ReadByFastLio& read = readByFastLio(lidar.outputs, "FAST-LIO2");
  const bool all_round = std::holds_alternative<lidar::Mid360PatternConfig>(lidar.pattern);
  return fmt::format(
      "common:\n"
      "  lid_topic: {}\n"
      "  imu_topic: {}\n"
      "  time_sync_en: false\n"
      "  time_offset_lidar_to_imu: {}\n"
      "preprocess:\n"
      "  lidar_type: {}\n"
      "  scan_line: {}\n"
      "  scan_rate: {:.0f}\n"
      "  timestamp_unit: {}\n"
      "  blind: {}\n"
      "{}"
      "  acc_cov: 0.1\n"
      "  gyr_cov: 0.1\n"
      "  b_acc_cov: 0.0001\n"
      "  b_gyr_cov: 0.0001\n"
      "  fov_degree: {}\n"
      "  det_range: {}\n"
      "publish:\n"
      "  path_en: true\n"
      "  scan_publish_en: true\n"
      "  dense_publish_en: true\n"
      "  scan_bodyframe_pub_en: true\n"
      "pcd_save:\n"
      "  pcd_save_en: false\n"
      "  interval: -1\n"
      "point_filter_num: 3\n"
      "max_iteration: 3\n"
      "filter_size_surf: 0.5\n"
      "filter_size_map: 0.2\n"
      "cube_side_length: 1000.0\n"
      "feature_extract_enable: false\n",
      read.cloud_topic, read.imu_topic, number(-lidar.clock.offset), read.lidar_type,
      lidar::makePattern(lidar.pattern)->rings(), lidar.rate, timeUnit(read, lidar),
      number(blind(read, lidar)), fastLioExtrinsics(sensors),
      !read.isLivox() ? 180
      : all_round     ? 360
                      : 90,
      number(lidar.range_max));
}

/// Values of its avia.yaml, velody16.yaml and ouster64.yaml and of their launch files.
std::string pointLioSettings(const CarriedSensors& sensors, const lidar::LidarConfig& lidar) {
  const ReadByFastLio& read = readByFastLio(lidar.outputs, "Point-LIO");
  return fmt::format(
      "common:\n"
      "  lid_topic: {}\n"
      "  imu_topic: {}\n"
      "  con_frame: false\n"
      "  cut_frame: false\n"
      "  time_diff_lidar_to_imu: {}\n"
      "preprocess:\n"
      "  lidar_type: {}\n"
      "  scan_line: {}\n"
      "  scan_rate: {:.0f}\n"
      "  timestamp_unit: {}\n"
      "  blind: {}\n"
      "{}"
      "  imu_en: true\n"
      "  imu_time_inte: {}\n"
      "  lidar_time_inte: {}\n"
      "  acc_norm: {}  # one gravity in the unit of {}\n"
      "  satu_acc: {}\n"
      "  satu_gyro: 35.0\n"
      "  lidar_meas_cov: 0.01\n"
      "  acc_cov_output: 500.0\n"
      "  gyr_cov_output: 1000.0\n"
      "  b_acc_cov: 0.0001\n"
      "  b_gyr_cov: 0.0001\n"
      "  imu_meas_acc_cov: 0.1\n"
      "  imu_meas_omg_cov: 0.1\n"
      "  gyr_cov_input: 0.01\n"
      "  acc_cov_input: 0.1\n"
      "  plane_thr: 0.1\n"
      "  match_s: 81.0\n"
      "  ivox_grid_resolution: 2.0\n"
      "  gravity: [0.0, 0.0, -9.81]\n"
      "  gravity_init: [0.0, 0.0, -9.81]\n"
      "odometry:\n"
      "  publish_odometry_without_downsample: false\n"
      "publish:\n"
      "  path_en: true\n"
      "  scan_publish_en: true\n"
      "  scan_bodyframe_pub_en: false\n"
      "pcd_save:\n"
      "  pcd_save_en: false\n"
      "  interval: -1\n"
      "use_imu_as_input: false\n"
      "prop_at_freq_of_imu: true\n"
      "check_satu: true\n"
      "init_map_size: 10\n"
      "point_filter_num: {}\n"
      "space_down_sample: true\n"
      "filter_size_surf: 0.5\n"
      "filter_size_map: {}\n"
      "ivox_nearby_type: 6\n",
      read.cloud_topic, read.imu_topic, number(-lidar.clock.offset), read.lidar_type,
      lidar::makePattern(lidar.pattern)->rings(), lidar.rate, timeUnit(read, lidar),
      number(blind(read, lidar)), fastLioExtrinsics(sensors), number(1.0 / sensors.imu.rate),
      number(1.0 / lidar.rate), read.isLivox() ? "1.0" : "9.81", read.imu_topic,
      read.isLivox() ? "3.0" : "30.0", read.isLivox() ? 1 : 4, read.isLivox() ? "0.4" : "0.5");
}

std::string dlioExtrinsics(const char* key, const Pose& X) {
  return fmt::format("    {}:\n      t: [{}, {}, {}]\n      R: {}", key, number(X.p.x()),
                     number(X.p.y()), number(X.p.z()),
                     rotationRows(X.q.toRotationMatrix(), std::string(10, ' ')));
}

/// Values of its dlio.yaml and params.yaml.
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
  return fmt::format(
      "dlio:\n"
      "  version: 1.1.1\n"
      "  adaptive: true\n"
      "  frames: {{odom: odom, baselink: {0}/base_link, lidar: {0}/lidar, imu: {0}/imu_link}}\n"
      "  pointcloud: {{deskew: true, voxelize: true}}\n"
      "  imu:\n"
      "    calibration: true\n"
      "    intrinsics:\n"
      "      accel:\n"
      "        bias: [0.0, 0.0, 0.0]\n"
      "        sm: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]\n"
      "      gyro:\n"
      "        bias: [0.0, 0.0, 0.0]\n"
      "  extrinsics:\n"
      "{1}{2}"
      "  map:\n"
      "    waitUntilMove: true\n"
      "    dense: {{filtered: false}}\n"
      "    sparse: {{leafSize: 0.25}}\n"
      "  odom:\n"
      "    gravity: 9.80665\n"
      "    computeTimeOffset: true\n"
      "    imu:\n"
      "      approximateGravity: true\n"
      "      calibration: {{gyro: true, accel: true, time: 1.5}}  # [s] at rest, within the first "
      "2\n"
      "      bufferSize: 5000\n"
      "    preprocessing:\n"
      "      cropBoxFilter: {{size: 1.0}}\n"
      "      voxelFilter: {{res: 0.25}}\n"
      "    keyframe: {{threshD: 1.0, threshR: 45.0}}\n"
      "    submap:\n"
      "      keyframe: {{knn: 10, kcv: 10, kcc: 10}}\n"
      "    gicp:\n"
      "      minNumPoints: 64\n"
      "      kCorrespondences: 16\n"
      "      maxCorrespondenceDistance: 0.5\n"
      "      maxIterations: 32\n"
      "      transformationEpsilon: 0.01\n"
      "      rotationEpsilon: 0.01\n"
      "      initLambdaFactor: 1.0e-9\n"
      "    geo: {{Kp: 4.5, Kv: 11.25, Kq: 4.0, Kab: 2.25, Kgb: 1.0, abias_max: 5.0, gbias_max: "
      "0.5}}\n",
      sensors.uav, dlioExtrinsics("baselink2imu", sensors.imu.X_BI),
      dlioExtrinsics("baselink2lidar", sensors.X_BL));
}

std::string openVinsCamera(std::size_t i, const CarriedSensors& sensors,
                           const dataset::ImageStream& camera) {
  const lidar::CameraModel& model = camera.model;
  const Pose X_IC = sensors.imu.X_BI.inverse() * camera.X_BC;
  std::string rows;
  for (int row = 0; row < 3; ++row) {
    const Eigen::Vector3d R = X_IC.q.toRotationMatrix().row(row);
    rows += fmt::format("{}, {}, {}, {}, ", number(cleaned(R.x())), number(cleaned(R.y())),
                        number(cleaned(R.z())), number(cleaned(X_IC.p[row])));
  }
  const bool is_fisheye = model.projection == lidar::CameraModel::Projection::kFisheye;
  return fmt::format(
      "cam{0}_rostopic: /{1}/{2}\n"
      "cam{0}_T_imu_cam: [{3}0.0, 0.0, 0.0, 1.0]\n"
      "cam{0}_intrinsics: [{4}, {5}, {6}, {7}]\n"
      "cam{0}_distortion_model: {8}\n"
      "cam{0}_distortion_coeffs: [{9}, {10}, {11}, {12}]\n"
      "cam{0}_resolution: [{13}, {14}]\n"
      "cam{0}_timeshift_cam_imu: {15}\n",
      i, sensors.uav, camera.topic, rows, number(model.fx), number(model.fy), number(model.cx),
      number(model.cy), is_fisheye ? "equidistant" : "radtan", number(model.distortion[0]),
      number(model.distortion[1]), number(model.distortion[2]), number(model.distortion[3]),
      model.width, model.height, number(-clockOf(sensors, camera).offset));
}

/// Parameters of its node, which replace values of the files that estimator_config.yaml names.
std::string openVinsSettings(const CarriedSensors& sensors) {
  if (!sensors.cameras) throw Error("OpenVINS has no settings without cameras (--camera stereo)");
  if (!kalibrHolds(*sensors.cameras)) {
    throw Error("OpenVINS has no settings for cameras with k3, allowed: k1, k2, p1, p2");
  }
  const vehicle::InertialErrors& gyroscope = sensors.imu.gyroscope;
  const vehicle::InertialErrors& accelerometer = sensors.imu.accelerometer;
  const std::size_t cameras = std::min<std::size_t>(sensors.cameras->cameras.size(), 2);
  std::string text = fmt::format(
      "max_cameras: {}\n"
      "use_stereo: {}\n"
      "imu0_rostopic: /{}/imu/data\n"
      "imu0_update_rate: {}\n"
      "imu0_accelerometer_noise_density: {}\n"
      "imu0_accelerometer_random_walk: {}\n"
      "imu0_gyroscope_noise_density: {}\n"
      "imu0_gyroscope_random_walk: {}\n",
      cameras, cameras == 2, sensors.uav, number(sensors.imu.rate),
      number(accelerometer.noise_density), number(vehicle::biasWalk(accelerometer)),
      number(gyroscope.noise_density), number(vehicle::biasWalk(gyroscope)));
  const std::vector<dataset::ImageStream> streams = kalibrOrder(sensors);
  for (std::size_t i = 0; i < cameras; ++i) text += openVinsCamera(i, sensors, streams[i]);
  return text;
}

std::string fastLivoCamera(const CarriedSensors& sensors) {
  if (!sensors.cameras) throw Error("FAST-LIVO2 has no settings without cameras (--camera stereo)");
  const dataset::ImageStream camera = kalibrOrder(sensors).front();
  const lidar::CameraModel& model = camera.model;
  if (!kalibrHolds(*sensors.cameras) ||
      model.projection != lidar::CameraModel::Projection::kPinhole) {
    throw Error("FAST-LIVO2 has no settings for this camera, allowed: pinhole with k1, k2, p1, p2");
  }
  const Pose X_CL = camera.X_BC.inverse() * sensors.X_BL, X_IL = lidarInImu(sensors);
  return fmt::format(
      "extrin_calib:\n"
      "  extrinsic_T: [{}, {}, {}]\n"
      "  extrinsic_R: {}"
      "  Pcl: [{}, {}, {}]\n"
      "  Rcl: {}"
      "laserMapping:\n"
      "  cam_model: Pinhole\n"
      "  cam_width: {}\n"
      "  cam_height: {}\n"
      "  scale: 1.0\n"
      "  cam_fx: {}\n"
      "  cam_fy: {}\n"
      "  cam_cx: {}\n"
      "  cam_cy: {}\n"
      "  cam_d0: {}\n"
      "  cam_d1: {}\n"
      "  cam_d2: {}\n"
      "  cam_d3: {}\n"
      "time_offset:\n"
      "  imu_time_offset: 0.0\n"
      "  img_time_offset: {}\n"
      "  lidar_time_offset: {}\n"
      "  exposure_time_init: 0.0\n",
      number(X_IL.p.x()), number(X_IL.p.y()), number(X_IL.p.z()),
      rotationRows(X_IL.q.toRotationMatrix(), std::string(16, ' ')), number(cleaned(X_CL.p.x())),
      number(cleaned(X_CL.p.y())), number(cleaned(X_CL.p.z())),
      rotationRows(X_CL.q.toRotationMatrix(), std::string(8, ' ')), model.width, model.height,
      number(model.fx), number(model.fy), number(model.cx), number(model.cy),
      number(model.distortion[0]), number(model.distortion[1]), number(model.distortion[2]),
      number(model.distortion[3]), number(-clockOf(sensors, camera).offset),
      number(-sensors.lidar_clock.offset));
}

/// Values of its avia.yaml, which has its numbers of layouts and topics from FAST-LIO2.
std::string fastLivoSettings(const CarriedSensors& sensors, const lidar::LidarConfig& lidar) {
  const std::string camera = fastLivoCamera(sensors);
  const ReadByFastLio& read = readByFastLio(lidar.outputs, "FAST-LIVO2");
  return fmt::format(
      "common:\n"
      "  img_topic: /{}/{}\n"
      "  lid_topic: {}\n"
      "  imu_topic: {}\n"
      "  img_en: 1\n"
      "  lidar_en: 1\n"
      "  ros_driver_bug_fix: false\n"
      "{}"
      "preprocess:\n"
      "  point_filter_num: 1\n"
      "  filter_size_surf: 0.1\n"
      "  lidar_type: {}\n"
      "  scan_line: {}\n"
      "  blind: {}\n"
      "vio:\n"
      "  max_iterations: 5\n"
      "  outlier_threshold: 1000\n"
      "  img_point_cov: 100\n"
      "  patch_size: 8\n"
      "  patch_pyrimid_level: 4\n"
      "  normal_en: true\n"
      "  raycast_en: false\n"
      "  inverse_composition_en: false\n"
      "  exposure_estimate_en: true\n"
      "  inv_expo_cov: 0.1\n"
      "imu:\n"
      "  imu_en: true\n"
      "  imu_int_frame: 30\n"
      "  acc_cov: 0.5\n"
      "  gyr_cov: 0.3\n"
      "  b_acc_cov: 0.0001\n"
      "  b_gyr_cov: 0.0001\n"
      "lio:\n"
      "  max_iterations: 5\n"
      "  dept_err: 0.02\n"
      "  beam_err: 0.05\n"
      "  min_eigen_value: 0.0025\n"
      "  voxel_size: 0.5\n"
      "  max_layer: 2\n"
      "  max_points_num: 50\n"
      "  layer_init_num: [5, 5, 5, 5, 5]\n"
      "local_map:\n"
      "  map_sliding_en: false\n"
      "  half_map_size: 100\n"
      "  sliding_thresh: 8\n"
      "publish:\n"
      "  dense_map_en: true\n"
      "  pub_effect_point_en: false\n"
      "  pub_plane_en: false\n"
      "  pub_scan_num: 1\n"
      "  blind_rgb_points: 0.0\n",
      sensors.uav, kalibrOrder(sensors).front().topic, read.cloud_topic, read.imu_topic, camera,
      read.lidar_type, lidar::makePattern(lidar.pattern)->rings(), number(blind(read, lidar)));
}

}  // namespace

std::vector<std::string> clientsWithSettings() {
  return {"fast_lio", "point_lio", "dlio", "openvins", "fast_livo2"};
}

std::string clientSettings(const std::string& client, const CarriedSensors& sensors,
                           const lidar::LidarConfig& lidar) {
  if (client == "fast_lio") return fastLioSettings(sensors, lidar);
  if (client == "point_lio") return pointLioSettings(sensors, lidar);
  if (client == "dlio") return dlioSettings(sensors, lidar);
  if (client == "openvins") return openVinsSettings(sensors);
  if (client == "fast_livo2") return fastLivoSettings(sensors, lidar);
  throw UnknownNameError("command line", "--settings", client, clientsWithSettings());
}

}  // namespace marsim::tools
