// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sensors/calibration_files.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/output_file.hpp"
#include "common/result_folder.hpp"
#include "common/text.hpp"
#include "dataset/image_stream.hpp"
#include "marsim/common/error.hpp"
#include "tools/sensors/calibration_text.hpp"
#include "vehicle/bias_walk.hpp"

namespace marsim::tools {
namespace fs = std::filesystem;

std::string number(double value) {
  std::string text = fmt::format("{:.12g}", value == 0.0 ? 0.0 : value);
  if (text.find('.') != std::string::npos) return text;
  return text.insert(std::min(text.find('e'), text.size()), ".0");  // else text in YAML 1.1
}

double cleaned(double value) {
  for (const double whole : {-1.0, 0.0, 1.0}) {
    if (std::abs(value - whole) < 1e-12) return whole;
  }
  return value;
}

Eigen::Vector3d cleaned(const Eigen::Vector3d& v) {
  return {cleaned(v.x()), cleaned(v.y()), cleaned(v.z())};
}

std::string numbers(const Eigen::Vector3d& v) {
  return fmt::format("{}, {}, {}", number(v.x()), number(v.y()), number(v.z()));
}

std::string rotationRows(const Pose& X, std::size_t indent) {
  const Eigen::Matrix3d R = X.q.toRotationMatrix();
  std::vector<std::string> rows;
  for (int row = 0; row < 3; ++row) rows.push_back(numbers(cleaned(R.row(row))));
  return "[" + join(rows, ",\n" + std::string(indent, ' ')) + "]";
}

std::string intrinsics(const lidar::CameraModel& model) {
  return fmt::format("{}, {}, {}, {}", number(model.fx), number(model.fy), number(model.cx),
                     number(model.cy));
}

std::string distortion(const lidar::CameraModel& model) {
  const auto& d = model.distortion;
  return fmt::format("{}, {}, {}, {}", number(d[0]), number(d[1]), number(d[2]), number(d[3]));
}

const char* kalibrModel(const lidar::CameraModel& model) {
  const bool is_fisheye = model.projection == lidar::CameraModel::Projection::kFisheye;
  return is_fisheye ? "equidistant" : "radtan";
}

Pose lidarInImu(const CarriedSensors& sensors) { return sensors.imu.X_BI.inverse() * sensors.X_BL; }

namespace {

std::string matrix(const Pose& X_AB, const std::string& indent = "  ") {
  const Eigen::Matrix3d R = X_AB.q.toRotationMatrix();
  std::string text;
  for (int row = 0; row < 3; ++row) {
    text += fmt::format("{}- [{}, {}]\n", indent, numbers(cleaned(R.row(row))),
                        number(cleaned(X_AB.p[row])));
  }
  return text + indent + "- [0.0, 0.0, 0.0, 1.0]\n";
}

/// Lines that explain a random walk in place of a Gauss-Markov bias.
std::string commentOnWalk(const char* sensor, const vehicle::InertialErrors& errors) {
  if (!(errors.gauss_markov_sigma > 0.0)) return {};
  return fmt::format(
      "# The {}'s bias is a Gauss-Markov process, which Kalibr's model does not have: sigma {},\n"
      "# tau {} s. Its random walk is sigma sqrt(2 / tau), as for times that are short against "
      "tau;\n"
      "# over longer ones the bias stays within sigma and the walk does not.\n",
      sensor, number(errors.gauss_markov_sigma), number(errors.gauss_markov_time));
}

/// The lines as YAML comments.
std::string commented(const std::string& lines) {
  std::string text;
  for (const std::string& line : split(lines, '\n')) {
    if (!line.empty()) text += "# " + line + "\n";
  }
  return text;
}

/// The target in Kalibr's form.
std::string kalibrTarget(const scene::ObstacleGroup& group) {
  if (group.shape == scene::ObstacleShape::kAprilGrid) {
    const scene::AprilGrid& grid = group.aprilgrid;
    return fmt::format(
        "target_type: 'aprilgrid'\n"
        "tagCols: {}\n"
        "tagRows: {}\n"
        "tagSize: {}  # [m] side of a tag with its dark border\n"
        "tagSpacing: {}  # space between tags / tagSize\n",
        grid.tag_columns, grid.tag_rows, number(grid.tag_size), number(grid.tag_spacing));
  }
  const scene::Chessboard& board = group.chessboard;
  return fmt::format(
      "target_type: 'checkerboard'\n"
      "targetCols: {}  # inner corners in a row\n"
      "targetRows: {}  # inner corners in a column\n"
      "rowSpacingMeters: {}  # [m] side of a square\n"
      "colSpacingMeters: {}\n",
      board.columns, board.rows, number(board.square), number(board.square));
}

/// Lines of corners.csv for a target at rest.
std::string cornerLines(const scene::ObstacleGroup& group) {
  const int columns = group.target()->cornerColumns();
  std::string lines;
  int corner = 0;
  for (const Eigen::Vector3d& p_M : group.target()->corners()) {
    const Eigen::Vector3d p_W = cleaned(group.X_WM * p_M);
    const int column = corner % columns, row = corner / columns;
    std::string tag = ",";
    if (group.shape == scene::ObstacleShape::kAprilGrid) {
      // Corners of a tag run round it from the bottom left, by the bottom right one.
      tag = fmt::format("{},{}", row / 2 * group.aprilgrid.tag_columns + column / 2,
                        row % 2 == 0 ? column % 2 : 3 - column % 2);
    }
    lines += fmt::format("{},{},{},{:.9f},{:.9f},{:.9f},{}\n", group.name, column, row, p_W.x(),
                         p_W.y(), p_W.z(), tag);
    ++corner;
  }
  return lines;
}

}  // namespace

std::vector<dataset::ImageStream> kalibrOrder(const CarriedSensors& sensors) {
  dataset::Sensors with_images;
  with_images.cameras = sensors.cameras;
  std::vector<dataset::ImageStream> streams = imageStreams(with_images);
  streams.erase(std::remove_if(streams.begin(), streams.end(),
                               [](const dataset::ImageStream& stream) {
                                 return stream.kind != dataset::ImageStream::Kind::kColour;
                               }),
                streams.end());
  with_images.cameras.reset();
  with_images.depth = sensors.depth;
  for (dataset::ImageStream& stream : imageStreams(with_images)) {
    streams.push_back(std::move(stream));
  }
  return streams;
}

std::string kalibrImu(const CarriedSensors& sensors) {
  const vehicle::InertialErrors& gyroscope = sensors.imu.gyroscope;
  const vehicle::InertialErrors& accelerometer = sensors.imu.accelerometer;
  return fmt::format(
      "# The simulated IMU's own densities (Kalibr's IMU noise model). 0: it has no such error;\n"
      "# Kalibr itself wants a small number instead.\n"
      "{}{}"
      "rostopic: /{}/{}\n"
      "update_rate: {}  # [Hz]\n"
      "accelerometer_noise_density: {}  # [m/s^2/sqrt(Hz)]\n"
      "accelerometer_random_walk: {}    # [m/s^3/sqrt(Hz)]\n"
      "gyroscope_noise_density: {}      # [rad/s/sqrt(Hz)]\n"
      "gyroscope_random_walk: {}        # [rad/s^2/sqrt(Hz)]\n"
      "{}",
      commentOnWalk("accelerometer", accelerometer), commentOnWalk("gyroscope", gyroscope),
      sensors.uav, sensors.imu_topic, number(sensors.imu.rate), number(accelerometer.noise_density),
      number(vehicle::biasWalk(accelerometer)), number(gyroscope.noise_density),
      number(vehicle::biasWalk(gyroscope)), commented(imuSigmas(sensors.imu)));
}

std::string imuSigmas(const vehicle::ImuConfig& imu) {
  const double root = std::sqrt(imu.rate);
  const auto line = [&](const char* sensor, const vehicle::InertialErrors& errors,
                        const char* unit) {
    return fmt::format("{}: noise {} {}, step of the bias {} {}\n", sensor,
                       number(errors.noise_density * root), unit,
                       number(vehicle::biasWalk(errors) / root), unit);
  };
  return fmt::format("Standard deviations of one sample at {} Hz\n", number(imu.rate)) +
         line("accelerometer", imu.accelerometer, "m/s^2") +
         line("gyroscope", imu.gyroscope, "rad/s");
}

static bool kalibrHolds(const lidar::CameraModel& model) {
  return model.projection != lidar::CameraModel::Projection::kPinhole || model.distortion[4] == 0.0;
}

bool kalibrHolds(const lidar::CameraRigConfig& rig) {
  return std::all_of(rig.cameras.begin(), rig.cameras.end(),
                     [](const lidar::CameraConfig& camera) { return kalibrHolds(camera.model); });
}

const ClockErrors& clockOf(const CarriedSensors& sensors, const dataset::ImageStream& stream) {
  const bool is_depth = stream.kind == dataset::ImageStream::Kind::kDepth;
  return is_depth ? sensors.depth->clock : sensors.cameras->clock;
}

std::string kalibrCameras(const CarriedSensors& sensors) {
  const std::vector<dataset::ImageStream> cameras = kalibrOrder(sensors);
  if (cameras.empty()) throw Error("camchain.yaml: the UAV has no camera");
  std::string text = "%YAML 1.0\n---\n";  // required by OpenCV
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    const dataset::ImageStream& camera = cameras[i];
    const lidar::CameraModel& model = camera.model;
    if (!kalibrHolds(model)) {
      throw Error(
          fmt::format("camchain.yaml: camera '{}' has k3 = {}, Kalibr's radtan only k1, k2, p1, p2",
                      sensors.cameras->cameras[camera.camera].name, model.distortion[4]));
    }
    const Pose X_CB = camera.X_BC.inverse();
    text += fmt::format("cam{}:\n  T_cam_imu:\n{}", i, matrix(X_CB * sensors.imu.X_BI, "    "));
    if (i > 0) text += "  T_cn_cnm1:\n" + matrix(X_CB * cameras[i - 1].X_BC, "    ");
    std::vector<std::size_t> others;
    for (std::size_t other = 0; other < cameras.size(); ++other) {
      if (other != i) others.push_back(other);
    }
    text += fmt::format(
        "  cam_overlaps: [{}]\n"
        "  camera_model: pinhole\n"
        "  intrinsics: [{}]\n"
        "  distortion_model: {}\n"
        "  distortion_coeffs: [{}]\n"
        "  resolution: [{}, {}]\n"
        "  rostopic: /{}/{}\n"
        "  timeshift_cam_imu: {}\n",
        fmt::join(others, ", "), intrinsics(model), kalibrModel(model), distortion(model),
        model.width, model.height, sensors.uav, camera.topic,
        number(-clockOf(sensors, camera).offset));
  }
  return text;
}

std::string fastLioExtrinsics(const CarriedSensors& sensors) {
  const Pose X_IL = lidarInImu(sensors);
  return fmt::format(
      "# {} in the IMU, exact: for the `mapping` part of FAST-LIO2's configuration.\n"
      "mapping:\n"
      "  extrinsic_est_en: false\n"
      "  extrinsic_T: [{}]\n"
      "  extrinsic_R: {}\n",
      sensors.lidar_name, numbers(X_IL.p), rotationRows(X_IL, 17));
}

static std::string clocksTable(const CarriedSensors& sensors, bool has_lidar) {
  std::string text;
  const auto add = [&text](const char* sensor, const ClockErrors& clock) {
    if (!clock.any()) return;
    text += fmt::format("clock_{}: {{offset: {}, drift: {}, jitter: {}, drops: {}}}\n", sensor,
                        number(clock.offset), number(clock.drift), number(clock.jitter),
                        number(clock.drops));
  };
  if (has_lidar) add("lidar", sensors.lidar_clock);
  if (sensors.depth) add("depth", sensors.depth->clock);
  if (sensors.cameras) add("cameras", sensors.cameras->clock);
  if (text.empty()) return text;
  return "# A measurement of the IMU's time t has the stamp t + offset + drift t + j [s], with j\n"
         "# uniform within +-jitter; drops: share of lost measurements.\n" +
         text;
}

std::string extrinsicsTable(const CarriedSensors& sensors, bool has_lidar) {
  std::string cameras = sensors.depth ? "T_body_camera:\n" + matrix(sensors.depth->X_BC) : "";
  if (sensors.cameras) {
    for (const lidar::CameraConfig& camera : sensors.cameras->cameras) {
      cameras += fmt::format("T_body_camera{}{}:\n{}", camera.name.empty() ? "" : "_", camera.name,
                             matrix(camera.X_BC));
    }
  }
  const std::string lidar = has_lidar ? "T_body_lidar:\n" + matrix(sensors.X_BL) +
                                            "T_imu_lidar:\n" + matrix(lidarInImu(sensors))
                                      : "";
  return "# T_a_b takes points of frame b into frame a [m].\nT_body_imu:\n" +
         matrix(sensors.imu.X_BI) + lidar + cameras + clocksTable(sensors, has_lidar);
}

CalibrationFiles calibrationFiles(const CarriedSensors& sensors) {
  CalibrationFiles files = {{"imu.yaml", kalibrImu(sensors)},
                            {"fast_lio.yaml", fastLioExtrinsics(sensors)},
                            {"extrinsics.yaml", extrinsicsTable(sensors, true)}};
  if (sensors.depth || sensors.cameras) {
    files.emplace_back("camchain.yaml", kalibrCameras(sensors));
  }
  return files;
}

CalibrationFiles targetFiles(const scene::ObstaclesConfig& obstacles) {
  std::vector<scene::ObstacleGroup> boards;
  std::copy_if(obstacles.groups.begin(), obstacles.groups.end(), std::back_inserter(boards),
               [](const scene::ObstacleGroup& group) { return group.target() != nullptr; });
  CalibrationFiles files;
  if (boards.empty()) return files;
  std::string corners = "board,column,row,x [m],y [m],z [m],tag,corner\n";
  for (const scene::ObstacleGroup& group : boards) {
    files.emplace_back(
        boards.size() == 1 ? "target.yaml" : fmt::format("target_{}.yaml", group.name),
        kalibrTarget(group));
    if (group.kind == scene::ObstacleKind::kFixed) corners += cornerLines(group);
  }
  files.emplace_back("corners.csv", corners);
  return files;
}

std::vector<fs::path> writeCalibration(const CalibrationFiles& files, const fs::path& folder) {
  ResultFolder results(folder, "marsim calibration");
  std::vector<std::string> names;
  for (const auto& [name, text] : files) names.push_back(name);
  results.begin(names);
  std::vector<fs::path> paths;
  for (const auto& [name, text] : files) {
    paths.push_back(folder / name);
    writeFile(paths.back(), text);
  }
  return paths;
}

}  // namespace marsim::tools
