// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "common/output_file.hpp"
#include "dataset/append_bytes.hpp"
#include "dataset/growing_file.hpp"
#include "dataset/image_stream.hpp"
#include "dataset/scan_points.hpp"
#include "dataset/text.hpp"
#include "dataset/writer.hpp"

namespace marsim::dataset {
namespace {

/// The pose of the LiDAR (x forward, y left, z up) in a camera (z forward, x right) at its place.
Pose lidarInCameraThere() {
  Eigen::Matrix3d R_CL;
  R_CL << 0.0, -1.0, 0.0, 0.0, 0.0, -1.0, 1.0, 0.0, 0.0;
  return {Eigen::Quaterniond(R_CL), Eigen::Vector3d::Zero()};
}

/// The streams of images that KITTI can hold, by number.
std::map<std::size_t, ImageStream> heldStreams(const Sensors& sensors) {
  const std::vector<ImageStream> streams = imageStreams(sensors);
  std::map<std::size_t, ImageStream> held;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (kittiHolds(sensors, streams[i])) held.emplace(i, streams[i]);
  }
  return held;
}

/// Projection of a point in camera 0 to the pixels of a camera that looks the same way.
std::string projection(const ImageStream& camera, const Pose& X_BC0) {
  const lidar::CameraModel& model = camera.model;
  Eigen::Matrix3d K;
  K << model.fx, 0.0, model.cx, 0.0, model.fy, model.cy, 0.0, 0.0, 1.0;
  const Eigen::Vector3d shift = K * (camera.X_BC.inverse() * X_BC0).p;
  std::string text;
  for (Eigen::Index row = 0; row < 3; ++row) {
    text += fmt::format(" {} {}", vectorText(K.row(row).transpose(), " "), shift[row] + 0.0);
  }
  return text;
}

class KittiWriter final : public Writer {
 public:
  explicit KittiWriter(const Destination& to)
      : sequence_(made(to.folder / "sequences" / "00")),
        rate_(kittiRate(to.sensors)),
        has_scans_(to.sensors.lidar.has_value()),
        streams_(heldStreams(to.sensors)),
        poses_(sequence_ / "poses.txt"),
        benchmark_poses_(made(to.folder / "poses") / "00.txt"),
        times_(sequence_ / "times.txt"),
        labels_(to.sensors.things) {
    if (has_scans_) {
      makeFolder(sequence_ / "velodyne");
      makeFolder(sequence_ / "labels");
    }
    for (const auto& [number, stream] : streams_) makeFolder(sequence_ / folderOf(stream));
    X_CL_ = lidarInCameraThere();
    if (has_scans_ && !streams_.empty()) {
      X_CL_ = streams_.begin()->second.X_BC.inverse() * to.sensors.lidar->X_BS;
    }
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
    writeNewFile(sequence_ / "velodyne" / fmt::format("{:06}.bin", frames_), points);
    writeNewFile(sequence_ / "labels" / fmt::format("{:06}.label", frames_), labels);
    addFrame(scan.stamp, scan.X_WS * X_CL_.inverse());
  }
  void addImage(const Image& image) override {
    const auto stream = streams_.find(image.stream);
    const auto frame = std::llround(toSeconds(image.stamp) * rate_);
    if (stream == streams_.end() || toNs(static_cast<double>(frame) / rate_) != image.stamp) return;
    const std::string name = fmt::format("{}/{:06}.png", folderOf(stream->second), frame);
    waiting_.push_back({frame, name, pngOf(image, stream->second, 0.0)});
    if (!has_scans_ && stream == streams_.begin()) addFrame(image.stamp, image.X_WC);
    writeImages();
  }
  void finish() override {
    poses_.close();
    benchmark_poses_.close();
    times_.close();
  }

 private:
  /// An image whose frame has no pose yet, since the scan of its stamp is not complete.
  struct Waiting {
    std::int64_t frame;
    std::string name, png;
  };

  static std::filesystem::path made(const std::filesystem::path& folder) {
    makeFolder(folder);
    return folder;
  }
  /// The benchmark's first two cameras are grey, the others coloured.
  static std::string folderOf(const ImageStream& stream) {
    const bool is_grey = stream.pixels == lidar::ImageEncoding::kMono8;
    return fmt::format("image_{}", stream.camera + (is_grey ? 0U : 2U));
  }
  // Without cameras the matrices have a focal length of 1. A grey and a coloured pair share a
  // place.
  std::string calibration() const {
    std::string text;
    for (std::size_t camera = 0; camera < 4; ++camera) {
      std::string matrix = " 1 0 0 0 0 1 0 0 0 0 1 0";
      for (const auto& [number, stream] : streams_) {
        if (stream.camera > camera % 2) break;
        matrix = projection(stream, streams_.begin()->second.X_BC);
      }
      text += fmt::format("P{}:{}\n", camera, matrix);
    }
    return text + "Tr: " + matrixRows(X_CL_);
  }

  // Adds a pose of camera 0 in that of the first frame, and the time since then.
  void addFrame(TimeNs stamp, const Pose& X_WC) {
    if (frames_++ == 0) {
      X_WC_of_first_ = X_WC;
      first_stamp_ = stamp;
    }
    const std::string row = matrixRows(X_WC_of_first_.inverse() * X_WC);
    poses_.write(row);
    benchmark_poses_.write(row);
    times_.write(fmt::format("{:.12e}\n", toSeconds(stamp - first_stamp_)));
    writeImages();
  }
  void writeImages() {
    const auto is_due = [this](const Waiting& image) { return image.frame < frames_; };
    for (const Waiting& image : waiting_) {
      if (is_due(image)) writeNewFile(sequence_ / image.name, image.png);
    }
    waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), is_due), waiting_.end());
  }

  std::filesystem::path sequence_;
  double rate_;  ///< [Hz] of frames
  bool has_scans_;
  std::map<std::size_t, ImageStream> streams_;
  GrowingFile poses_, benchmark_poses_, times_;
  Pose X_CL_, X_WC_of_first_;
  TimeNs first_stamp_ = 0;
  Labels labels_;
  std::int64_t frames_ = 0;  ///< number of frames with a pose
  std::vector<Waiting> waiting_;
};

}  // namespace

std::unique_ptr<Writer> makeKittiWriter(const Destination& to) {
  return std::make_unique<KittiWriter>(to);
}

}  // namespace marsim::dataset
