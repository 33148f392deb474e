#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/lidar/lidar.hpp"
#include "marsim/map/point_cloud.hpp"

namespace marsim::viz {

/// What a picture of a flight shows, all in W [m].
struct FlightScene {
  const map::PointCloud* map = nullptr;                   ///< grey, by height
  std::vector<Eigen::Vector3f> scan;                      ///< one scan's returns, coloured by range
  Eigen::Vector3d scan_origin = Eigen::Vector3d::Zero();  ///< where the scan was taken
  std::vector<Eigen::Vector3d> path;                      ///< flown
  std::vector<Eigen::Vector3d> goals;
  std::string title;
};

enum class View {
  kTop,      ///< parallel projection along -z; a cut above the path takes roofs away
  kSide,     ///< parallel projection along +y
  kOblique,  ///< perspective from behind and above
};

struct PictureConfig {
  int width = 1600;   ///< [px]
  int height = 1000;  ///< [px]
};

/// Writes a PNG with a scale bar and a legend. Throws FileError.
void drawFlight(const FlightScene& scene, View view, const PictureConfig& config,
                const std::filesystem::path& path);

}  // namespace marsim::viz
