// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/bounds.hpp"
#include "marsim/lidar/camera.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/map/point_cloud.hpp"

namespace marsim::viz {

/// The contents of a flight's picture, all in W [m].
struct FlightScene {
  const map::PointCloud* map = nullptr;  ///< grey, by height
  std::vector<map::Colour> map_colours;  ///< of each map point; empty or as many as there are
  /// [m] a length that colours each map point; empty or as many as the map has points.
  std::vector<float> map_lengths;
  double map_length_shown = 0.0;                          ///< [m] at the end of the colour bar
  std::string map_length_name;                            ///< above the colour bar
  std::vector<Eigen::Vector3f> scan;                      ///< one scan's returns, coloured by range
  Eigen::Vector3d scan_origin = Eigen::Vector3d::Zero();  ///< where the scan was taken
  std::vector<Eigen::Vector3d> path;                      ///< flown
  std::vector<Eigen::Vector3d> goals;
  std::string title;
};

/// The side from which a picture is drawn.
enum class Viewpoint {
  kTop,      ///< parallel projection along -z; a cut above the path takes roofs away
  kSide,     ///< parallel projection along +y; a cut before the path takes walls away
  kFront,    ///< parallel projection along +x
  kOblique,  ///< perspective from behind and above, cut above the path as well
};

/// Size and section of a picture.
struct PictureConfig {
  static constexpr Bounds kWidths{320, 16384}, kHeights{200, 16384};

  int width = 1600;   ///< [px]
  int height = 1000;  ///< [px]
  /// [m] of the map kept above the path (side: before the path); points beyond are cut away where
  /// they would hide the flight.
  double cut_margin = 0.7;

  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// Writes a PNG with a scale bar and a legend; the same bytes for the same scene. Throws FileError,
/// ConfigError.
void drawFlight(const FlightScene& scene, Viewpoint view, const PictureConfig& config,
                const std::filesystem::path& path);

/// The oblique view of drawFlight and, below or beside it, what the sensor itself sees: the returns
/// by azimuth and elevation, coloured by range. `in_sensor` [m]: the returns in the sensor's frame.
/// `config` sizes the oblique view. Throws as drawFlight does.
void drawScan(const FlightScene& scene, const std::vector<Eigen::Vector3f>& in_sensor,
              const PictureConfig& config, const std::filesystem::path& path);

/// Writes a camera's image as a PNG. Throws FileError.
void drawCameraImage(const lidar::CameraImage& image, const lidar::CameraConfig& camera,
                     const std::filesystem::path& path);

/// The directions that one sensor sees.
struct SensorView {
  std::string title;
  std::vector<Eigen::Vector3f> in_sensor;  ///< in its frame
};

/// Views by azimuth and elevation side by side in `columns`, the highest first, coloured by the
/// points' distances up to the largest of each. None is larger than `cell`. Throws as drawFlight
/// does.
void drawSensorViews(const std::vector<SensorView>& views, int columns, const PictureConfig& cell,
                     const std::filesystem::path& path);

}  // namespace marsim::viz
