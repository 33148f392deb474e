#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "common/output_file.hpp"
#include "dataset/append_bytes.hpp"
#include "dataset/growing_file.hpp"
#include "dataset/scan_points.hpp"
#include "dataset/text.hpp"
#include "dataset/writer.hpp"

namespace marsim::dataset {
namespace {

/// The LiDAR (x forward, y left, z up) in camera 0 (z forward, x right). Without cameras camera 0
/// stands where the LiDAR does.
Pose lidarInCamera() {
  Eigen::Matrix3d R_CL;
  R_CL << 0.0, -1.0, 0.0, 0.0, 0.0, -1.0, 1.0, 0.0, 0.0;
  return {Eigen::Quaterniond(R_CL), Eigen::Vector3d::Zero()};
}

// Without cameras their matrices are those of a focal length of 1.
std::string calibration() {
  std::string text;
  for (int camera = 0; camera < 4; ++camera) {
    text += fmt::format("P{}: 1 0 0 0 0 1 0 0 0 0 1 0\n", camera);
  }
  return text + "Tr: 0 -1 0 0 0 0 -1 0 1 0 0 0\n";
}

class KittiWriter final : public Writer {
 public:
  explicit KittiWriter(const Destination& to)
      : sequence_(to.folder / "sequences" / "00"),
        points_(made(sequence_ / "velodyne")),
        labels_folder_(made(sequence_ / "labels")),
        poses_(sequence_ / "poses.txt"),
        benchmark_poses_(made(to.folder / "poses") / "00.txt"),
        times_(sequence_ / "times.txt") {
    writeNewFile(sequence_ / "calib.txt", calibration());
  }

  void addScan(const lidar::Scan& scan) override {
    const Pose X_LW = scan.X_WS.inverse();
    std::string points, labels;
    points.reserve(16 * scan.points.size());
    labels.reserve(4 * scan.points.size());
    for (const lidar::ScanPoint& point : scan.points) {
      const Eigen::Vector3f p = (X_LW * point.p_W.cast<double>()).cast<float>();
      const float remission = std::clamp(point.intensity / 255.0F, 0.0F, 1.0F);
      for (const float value : {p.x(), p.y(), p.z(), remission}) appendBytes(value, points);
      appendBytes(labels_.of(point), labels);
    }
    writeNewFile(points_ / fmt::format("{:06}.bin", count_), points);
    writeNewFile(labels_folder_ / fmt::format("{:06}.label", count_), labels);
    ++count_;
    addPose(scan);
  }
  void finish() override {
    poses_.close();
    benchmark_poses_.close();
    times_.close();
  }

 private:
  static std::filesystem::path made(const std::filesystem::path& folder) {
    makeFolder(folder);
    return folder;
  }

  // Poses of camera 0, in that of the first scan; times since the first scan.
  void addPose(const lidar::Scan& scan) {
    static const Pose X_CL = lidarInCamera();
    if (!X_LW_of_first_) {
      X_LW_of_first_ = scan.X_WS.inverse();
      first_stamp_ = scan.stamp;
    }
    const std::string row = matrixRows(X_CL * *X_LW_of_first_ * scan.X_WS * X_CL.inverse());
    poses_.write(row);
    benchmark_poses_.write(row);
    times_.write(fmt::format("{:.12e}\n", toSeconds(scan.stamp - first_stamp_)));
  }

  std::filesystem::path sequence_, points_, labels_folder_;
  GrowingFile poses_, benchmark_poses_, times_;
  std::optional<Pose> X_LW_of_first_;
  TimeNs first_stamp_ = 0;
  Labels labels_;
  std::size_t count_ = 0;
};

}  // namespace

std::unique_ptr<Writer> makeKittiWriter(const Destination& to) {
  return std::make_unique<KittiWriter>(to);
}

}  // namespace marsim::dataset
