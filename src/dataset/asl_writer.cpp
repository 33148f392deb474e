// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "common/output_file.hpp"
#include "dataset/growing_file.hpp"
#include "dataset/image_stream.hpp"
#include "dataset/png.hpp"
#include "dataset/scan_points.hpp"
#include "dataset/text.hpp"
#include "dataset/writer.hpp"
#include "vehicle/bias_walk.hpp"

namespace marsim::dataset {
namespace {

namespace fs = std::filesystem;

constexpr char kImuHeader[] =
    "#timestamp [ns],w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1],"
    "a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],a_RS_S_z [m s^-2]\n";
constexpr char kTruthHeader[] =
    "#timestamp, p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x [], q_RS_y [], "
    "q_RS_z [], v_RS_R_x [m s^-1], v_RS_R_y [m s^-1], v_RS_R_z [m s^-1], "
    "b_w_RS_S_x [rad s^-1], b_w_RS_S_y [rad s^-1], b_w_RS_S_z [rad s^-1], "
    "b_a_RS_S_x [m s^-2], b_a_RS_S_y [m s^-2], b_a_RS_S_z [m s^-2]\n";
constexpr char kFileHeader[] = "#timestamp [ns],filename\n";

std::string matrixYaml(const Pose& X_BS) {
  std::string rows = matrixRows(X_BS);
  rows.pop_back();  // at the end of the line
  std::replace(rows.begin(), rows.end(), ' ', ',');
  return fmt::format("T_BS:\n  cols: 4\n  rows: 4\n  data: [{},0,0,0,1]\n", rows);
}

std::string sensorYaml(const char* type, std::string comment, const Pose& X_BS) {
  std::replace(comment.begin(), comment.end(), '\'', '"');
  return fmt::format("sensor_type: {}\ncomment: '{}'\n{}", type, comment, matrixYaml(X_BS));
}

std::string imuYaml(const vehicle::ImuConfig& imu) {
  return sensorYaml("imu", "the body B is the IMU", Pose()) +
         fmt::format(
             "rate_hz: {}\n"
             "gyroscope_noise_density: {}      # [rad/s/sqrt(Hz)]\n"
             "gyroscope_random_walk: {}        # [rad/s^2/sqrt(Hz)]\n"
             "accelerometer_noise_density: {}  # [m/s^2/sqrt(Hz)]\n"
             "accelerometer_random_walk: {}    # [m/s^3/sqrt(Hz)]\n",
             imu.rate, imu.gyroscope.noise_density, vehicle::biasWalk(imu.gyroscope),
             imu.accelerometer.noise_density, vehicle::biasWalk(imu.accelerometer));
}

/// A sensor's folder, made here.
fs::path sensorFolder(const Destination& to, const char* name, const std::string& yaml) {
  const fs::path folder = to.folder / "mav0" / name;
  makeFolder(folder);
  writeNewFile(folder / "sensor.yaml", yaml);
  return folder;
}

/// The folder of a sensor with one file per sample, beside a table of their stamps.
class FileFolder {
 public:
  FileFolder(const Destination& to, const char* name, const std::string& yaml)
      : folder_(sensorFolder(to, name, yaml)), table_(folder_ / "data.csv") {
    makeFolder(folder_ / "data");
    table_.write(kFileHeader);
  }
  void add(TimeNs stamp, const char* extension, const std::string& bytes) {
    const std::string name = fmt::format("{}{}", stamp, extension);
    writeNewFile(folder_ / "data" / name, bytes);
    table_.write(fmt::format("{},{}\n", stamp, name));
  }
  void close() { table_.close(); }

 private:
  fs::path folder_;
  GrowingFile table_;
};

std::string lidarYaml(const lidar::LidarConfig& lidar, const Pose& X_IL) {
  return sensorYaml("lidar", lidar.name, X_IL) + fmt::format("rate_hz: {}\n", lidar.rate);
}

std::string cameraYaml(const ImageStream& camera, const Pose& X_IC) {
  const lidar::CameraModel& model = camera.model;
  const bool is_fisheye = model.projection == lidar::CameraModel::Projection::kFisheye;
  return sensorYaml("camera", camera.comment, X_IC) +
         fmt::format(
             "rate_hz: {}\n"
             "resolution: [{}, {}]\n"
             "camera_model: pinhole\n"
             "intrinsics: [{}, {}, {}, {}]  # fu, fv, cu, cv\n"
             "distortion_model: {}\n"
             "distortion_coefficients: [{}]\n",
             camera.rate, model.width, model.height, model.fx, model.fy, model.cx, model.cy,
             is_fisheye ? "equidistant" : "radial-tangential",
             fmt::join(shortDistortion(model), ", "));
}

class AslWriter final : public Writer {
 public:
  explicit AslWriter(const Destination& to)
      : axes_(to.axes),
        X_BI_(to.sensors.imu.X_BI),
        imu_(sensorFolder(to, "imu0", imuYaml(to.sensors.imu)) / "data.csv"),
        truth_(sensorFolder(to, "state_groundtruth_estimate0",
                            sensorYaml("visual-inertial", "the truth of the simulation", Pose())) /
               "data.csv"),
        labels_(to.sensors.things) {
    writeNewFile(to.folder / "mav0" / "body.yaml",
                 "comment: the body B is the IMU; the poses of all sensors are in it\n");
    if (to.sensors.lidar) {
      const Pose X_IL = X_BI_.inverse() * to.sensors.lidar->X_BS;
      lidar_.emplace(to, "lidar0", lidarYaml(*to.sensors.lidar, sensorInSensor(axes_, X_IL)));
    }
    for (const ImageStream& stream : imageStreams(to.sensors)) {
      const Pose X_IC = cameraInSensor(axes_, X_BI_.inverse() * stream.X_BC);
      images_.push_back(
          std::make_unique<FileFolder>(to, stream.name.c_str(), cameraYaml(stream, X_IC)));
      streams_.push_back(stream);
    }
    imu_.write(kImuHeader);
    truth_.write(kTruthHeader);
  }

  void addTruth(const Truth& truth) override {
    const KinematicState& state = truth.state;
    const Pose X_RS = sensorInWorld(axes_, state.X_WB * X_BI_);
    const Eigen::Vector3d v_WI = state.v_WB + state.X_WB.q * state.w_WB_B.cross(X_BI_.p);
    truth_.write(fmt::format("{},{},{},{},{},{},{},{},{}\n", state.stamp, vectorText(X_RS.p, ","),
                             X_RS.q.w(), X_RS.q.x(), X_RS.q.y(), X_RS.q.z(),
                             vectorText(inWorld(axes_, v_WI), ","),
                             vectorText(inSensor(axes_, truth.gyroscope_bias), ","),
                             vectorText(inSensor(axes_, truth.accelerometer_bias), ",")));
  }
  void addImu(const vehicle::ImuSample& sample) override {
    imu_.write(fmt::format("{},{},{}\n", sample.stamp,
                           vectorText(inSensor(axes_, sample.angular_velocity), ","),
                           vectorText(inSensor(axes_, sample.specific_force), ",")));
  }
  void addScan(const lidar::Scan& scan) override {
    lidar_->add(scan.stamp, ".pcd", pcdBytes(scan, axes_, labels_));
  }
  void addImage(const Image& image) override {
    images_[image.stream]->add(image.stamp, ".png", pngBytes(image, streams_[image.stream]));
  }
  void finish() override {
    imu_.close();
    truth_.close();
    if (lidar_) lidar_->close();
    for (const auto& images : images_) images->close();
  }

 private:
  // Instances are numbered as in the points' labels.
  std::string pngBytes(const Image& image, const ImageStream& stream) {
    if (stream.kind != ImageStream::Kind::kInstance) return pngOf(image, stream, kMillimetres);
    return greyPng(labels_.instancesOf(image.identities), stream.model.width);
  }

  static constexpr double kMillimetres = 1000.0;  // in a metre

  Axes axes_;
  Pose X_BI_;
  GrowingFile imu_, truth_;
  std::optional<FileFolder> lidar_;
  Labels labels_;
  std::vector<std::unique_ptr<FileFolder>> images_;
  std::vector<ImageStream> streams_;
};

}  // namespace

std::unique_ptr<Writer> makeAslWriter(const Destination& to) {
  return std::make_unique<AslWriter>(to);
}

}  // namespace marsim::dataset
