// SPDX-License-Identifier: BSD-3-Clause
// Pixels that see the sky through flat surfaces, in every bundled place.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "config/places.hpp"
#include "lidar/camera_models.hpp"
#include "lidar/camera_worlds.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/map/semantic_class.hpp"

namespace marsim::lidar {
namespace {

constexpr float kEdgeOn = 0.005F;  // cosine

/// Pixels without a surface in holes of up to 40 pixels, off the image's border, that one flat
/// surface surrounds, but for leaves.
int pinholesIn(const CameraImage& image, const Camera& camera, const map::SurfelMap& map) {
  const auto resolution = static_cast<float>(map.resolution());
  const CameraModel& model = camera.config().model;
  cv::Mat open(model.height, model.width, CV_8UC1);
  for (int i = 0; i < model.width * model.height; ++i) {
    open.data[i] = image.hits[static_cast<std::size_t>(i)].valid() ? 0 : 255;
  }
  cv::Mat labels, areas, centres;
  const int count = cv::connectedComponentsWithStats(open, labels, areas, centres, 8);
  int pinholes = 0;
  for (int label = 1; label < count; ++label) {
    const int area = areas.at<int>(label, cv::CC_STAT_AREA);
    const int left = areas.at<int>(label, cv::CC_STAT_LEFT);
    const int top = areas.at<int>(label, cv::CC_STAT_TOP);
    const bool is_inside = left > 0 && top > 0 &&
                           left + areas.at<int>(label, cv::CC_STAT_WIDTH) < model.width &&
                           top + areas.at<int>(label, cv::CC_STAT_HEIGHT) < model.height;
    if (area > 40 || !is_inside) continue;
    cv::Mat around;
    cv::dilate(labels == label, around, cv::Mat::ones(3, 3, CV_8UC1));
    std::vector<cv::Point> rim;
    cv::findNonZero(around & ~open, rim);
    const auto placeOf = [&](const cv::Point& pixel) {
      const auto i = static_cast<std::size_t>(pixel.y * model.width + pixel.x);
      return Eigen::Vector3f(image.hits[i].range * camera.directions()[i]);
    };
    Eigen::Vector3f middle = Eigen::Vector3f::Zero();
    for (const cv::Point& pixel : rim) middle += placeOf(pixel) / static_cast<float>(rim.size());
    Eigen::Matrix3f spread = Eigen::Matrix3f::Zero();
    for (const cv::Point& pixel : rim) {
      const Eigen::Vector3f off = placeOf(pixel) - middle;
      spread += off * off.transpose() / static_cast<float>(rim.size());
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3f> axes(spread);
    const float thickness = std::sqrt(std::max(axes.eigenvalues()[0], 0.0F));
    const Eigen::Vector3f normal = image.X_WC.q.cast<float>() * axes.eigenvectors().col(0);
    // A plane through the camera is that of edges of things one behind the other.
    if (std::abs(axes.eigenvectors().col(0).dot(middle.normalized())) < kEdgeOn) continue;
    const bool is_flat = std::all_of(rim.begin(), rim.end(), [&](const cv::Point& pixel) {
      const auto i = static_cast<std::size_t>(pixel.y * model.width + pixel.x);
      return std::abs(image.hits[i].normal.dot(normal)) > 0.7F &&
             map.channels().classes[image.hits[i].surfel] != map::semantic::kVegetation;
    });
    if (is_flat && thickness < 0.25F * resolution) pinholes += area;
  }
  return pinholes;
}

struct Count {
  double resolution, spacing;  // [m] of the map, and of the place's points; 0: as its file says
  std::vector<double> yaws;
  int most;  // pinholes an image
};

/// Expects few pinholes in the images in some directions, 1.5 m above a place's start.
void expectFewPinholes(const std::string& place, const Count& count) {
  const auto yaml =
      std::filesystem::path(std::getenv("MARSIM_TEST_SOURCE_DIR")) / "maps" / (place + ".yaml");
  map::SurfelMapConfig made;
  made.resolution = count.resolution;
  const auto map = count.spacing > 0.0
                       ? std::make_shared<const map::SurfelMap>(
                             map::SurfelMap::build(config::makePlaceAt(yaml, count.spacing), made))
                       : map::loadSurfelMap(config::resolveMap(yaml), made).map;
  const Camera camera(cameraOf(idealPinhole()), renderersOf(map, 2), 1);
  for (const double yaw : count.yaws) {
    const Pose X_WB{fromRollPitchYaw(0.0, 0.0, yaw), {0.0, 0.0, 1.5}};
    const int pinholes = pinholesIn(camera.image(0, X_WB), camera, *map);
    EXPECT_LE(pinholes, count.most) << place << ", r = " << count.resolution << ", yaw " << yaw;
    fmt::print("{}, r = {}, yaw {}: {} pinholes\n", place, count.resolution, yaw, pinholes);
  }
}

// In coarse places, made in a second or two, a pinhole has more pixels.
TEST(CameraVision, FewPinholesInCoarsePlaces) {
  for (const char* place : {"forest", "large_office", "power_line"}) {
    expectFewPinholes(place, {0.25, 0.15, {0.0, 2.0, 4.0}, 5});
  }
}

TEST(CameraVision, FewPinholesInEveryPlace) {
  if (std::getenv("MARSIM_ALL_PINHOLES") == nullptr) {
    GTEST_SKIP() << "makes maps of 17 places twice, for minutes: set MARSIM_ALL_PINHOLES=1";
  }
  for (const std::string place :
       {"building", "common_forest", "complex_parking_garage", "courtyard", "dense_forest",
        "forest", "historical_building", "indoor_1", "indoor_2", "indoor_3", "large_office",
        "mine_tunnel", "power_line", "random_forest", "simple_forest", "simple_parking_garage",
        "urban_canyon"}) {
    for (const double resolution : {0.1, 0.05}) {
      // Windows of a wall 120 m away have 33 pixels in one image.
      const int most = place == "urban_canyon" && resolution < 0.1 ? 40 : 5;
      expectFewPinholes(place, {resolution, 0.0, {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}, most});
    }
  }
}

}  // namespace
}  // namespace marsim::lidar
