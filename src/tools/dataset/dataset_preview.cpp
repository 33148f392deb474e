// SPDX-License-Identifier: BSD-3-Clause
#include "tools/dataset/dataset_preview.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "common/output_file.hpp"
#include "dataset/png.hpp"
#include "marsim/map/voxel_grid.hpp"
#include "marsim/viz/picture.hpp"

namespace marsim::tools {
namespace {

constexpr TimeNs kPathPeriod = kNsPerSecond / 10;
constexpr std::size_t kMostPoints = 500'000;  // of the map; more are not visible at this size

/// A depth image as a picture: near is bright, no depth is black.
std::string greyOf(const std::vector<float>& depth, int width) {
  float most = 0.0F;
  for (const float z : depth) {
    if (std::isfinite(z)) most = std::max(most, z);
  }
  std::vector<std::uint8_t> grey;
  for (const float z : depth) {
    const bool is_there = std::isfinite(z) && most > 0.0F;
    grey.push_back(is_there ? static_cast<std::uint8_t>(255.0F - 200.0F * z / most) : 0);
  }
  return dataset::imagePng(grey, width, lidar::ImageEncoding::kMono8);
}

}  // namespace

DatasetPreview::DatasetPreview(std::shared_ptr<const map::SurfelMap> map,
                               const dataset::Sensors& sensors, std::string title,
                               std::filesystem::path folder)
    : map_(std::move(map)),
      title_(std::move(title)),
      folder_(std::move(folder)),
      streams_(dataset::imageStreams(sensors)) {}

void DatasetPreview::addTruth(const dataset::Truth& truth) {
  last_ = truth.state.X_WB.p;
  if (truth.state.stamp % kPathPeriod == 0) path_.add(*last_);
}

std::vector<Eigen::Vector3d> DatasetPreview::path() const {
  std::vector<Eigen::Vector3d> points = path_.points();
  if (last_ && (points.empty() || points.back() != *last_)) points.push_back(*last_);
  return points;
}

void DatasetPreview::addScan(const lidar::Scan& scan) {
  if (scan.points.empty()) return;
  in_world_.clear();
  in_sensor_.clear();
  for (const lidar::ScanPoint& point : scan.points) {
    in_world_.push_back(point.p_W);
    in_sensor_.push_back(point.p_S);
  }
  origin_ = scan.X_WS.p;
}

void DatasetPreview::finish() {
  drawMap();
  for (const auto& [number, image] : images_) {
    const dataset::ImageStream& stream = streams_[number];
    writeFile(folder_ / fmt::format("preview_{}.png", stream.name),
              stream.isDepth() ? greyOf(image.depth, stream.model.width)
                               : dataset::pngOf(image, stream, 0.0));
  }
}

void DatasetPreview::drawMap() const {
  map::PointCloud shown = map_->positions();
  for (double side = 2.0 * map_->resolution(); shown.size() > kMostPoints; side *= 2.0) {
    shown = map::downsample(shown, side);
  }
  viz::FlightScene scene;
  scene.map = &shown;
  scene.path = path();
  scene.title = title_;
  viz::PictureConfig picture;
  picture.width = 1000;
  picture.height = 620;
  if (in_sensor_.empty())
    return viz::drawFlight(scene, viz::Viewpoint::kOblique, picture, folder_ / "preview.png");
  scene.scan = in_world_;
  scene.scan_origin = origin_;
  viz::drawScan(scene, in_sensor_, picture, folder_ / "preview.png");
}

}  // namespace marsim::tools
