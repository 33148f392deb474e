// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "dataset/image_stream.hpp"
#include "dataset/statistics.hpp"
#include "dataset/stream_meter.hpp"
#include "dataset/writer.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::dataset {

/// The share of a map that returns came from: share of the cubes of side kSide with surfels.
class SurfaceCoverage {
 public:
  static constexpr double kSide = 0.5;  ///< [m]

  explicit SurfaceCoverage(const map::SurfelMap& map);
  void add(const lidar::Scan& scan);
  std::size_t cubes() const { return seen_.size(); }
  std::size_t seen() const { return seen_count_; }
  double share() const {
    return seen_.empty() ? 0.0 : static_cast<double>(seen_count_) / static_cast<double>(cubes());
  }

 private:
  std::vector<std::uint32_t> cube_of_surfel_;
  std::vector<bool> seen_;
  std::size_t seen_count_ = 0;
};

/// Measures the quality of a data set while it is written. Its memory depends on the map alone.
class QualityMeter final : public Writer {
 public:
  /// `map` is used if there is a LiDAR.
  QualityMeter(const Sensors& sensors, const map::SurfelMap& map);

  void addTruth(const Truth& truth) override;
  void addImu(const vehicle::ImuSample& sample) override;
  void addScan(const lidar::Scan& scan) override;
  void addImage(const Image& image) override;
  void finish() override {}

  /// Intervals of the streams.
  StreamMeter truth, imu, scans;

  // Motion.
  double distance = 0.0;  ///< [m]
  Moments speed;          ///< [m/s]
  ThinnedSeries path;     ///< [m] x and y in W

  // Readings of the IMU, by axis.
  std::array<Moments, 3> angular_velocity;  ///< [rad/s]
  std::array<Moments, 3> specific_force;    ///< [m/s^2]

  // Scans.
  Moments points;               ///< returns of a scan
  std::size_t empty_scans = 0;  ///< without a return
  std::size_t shots = 0;        ///< inside the field of view
  std::size_t returns = 0;      ///< a shot may have several
  std::optional<SurfaceCoverage> coverage;
  ThinnedSeries points_by_time, coverage_by_time;  ///< over time [s]

  /// Images of a stream.
  struct Images {
    ImageStream stream;
    StreamMeter meter;
    std::size_t empty = 0;   ///< images without depth, or with less contrast than kLeastContrast
    Moments measured;        ///< for depth: share of measured pixels
    Moments contrast;        ///< for others: Look::contrast
    LogHistogram sharpness;  ///< for others: Look::sharpness

    /// Number of images less sharp than a quarter of the stream's own median: they moved too fast,
    /// or show less than the others. The median also depends on the place, so that no image counts
    /// if all are equally blurred.
    std::size_t blurred() const { return sharpness.below(0.25 * sharpness.median()); }
  };
  static constexpr double kLeastContrast = 2.0;  ///< [grey levels]
  std::vector<Images> images;

 private:
  std::optional<Eigen::Vector3d> last_p_WB_;
};

}  // namespace marsim::dataset
