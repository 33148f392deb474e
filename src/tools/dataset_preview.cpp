#include "tools/dataset_preview.hpp"

#include <utility>

#include "marsim/map/voxel_grid.hpp"
#include "marsim/viz/picture.hpp"

namespace marsim::tools {
namespace {

constexpr TimeNs kPathPeriod = kNsPerSecond / 10;
constexpr std::size_t kMostPoints = 500'000;  // of the map; more are not seen at this size

}  // namespace

DatasetPreview::DatasetPreview(std::shared_ptr<const map::SurfelMap> map, std::string title,
                               std::filesystem::path file)
    : map_(std::move(map)), title_(std::move(title)), file_(std::move(file)) {}

void DatasetPreview::addTruth(const dataset::Truth& truth) {
  if (truth.state.stamp % kPathPeriod == 0) path_.push_back(truth.state.X_WB.p);
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
  map::PointCloud shown = map_->positions();
  for (double side = 2.0 * map_->resolution(); shown.size() > kMostPoints; side *= 2.0) {
    shown = map::downsample(shown, side);
  }
  viz::FlightScene scene;
  scene.map = &shown;
  scene.path = path_;
  scene.title = title_;
  viz::PictureConfig picture;
  picture.width = 1000;
  picture.height = 620;
  if (in_sensor_.empty()) return viz::drawFlight(scene, viz::View::kOblique, picture, file_);
  scene.scan = in_world_;
  scene.scan_origin = origin_;
  viz::drawScan(scene, in_sensor_, picture, file_);
}

}  // namespace marsim::tools
