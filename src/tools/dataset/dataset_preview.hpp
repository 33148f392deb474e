// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataset/image_stream.hpp"
#include "dataset/statistics.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::tools {

/// Pictures of a data set: the map with the flown path and the last scan with returns, and the last
/// image of each stream. Holds these and some points of the path: ten a second, fewer for a long
/// one.
class DatasetPreview final : public dataset::Writer {
 public:
  /// Writes preview.png and a preview_cam0.png for each stream into a folder.
  DatasetPreview(std::shared_ptr<const map::SurfelMap> map, const dataset::Sensors& sensors,
                 std::string title, std::filesystem::path folder);

  void addTruth(const dataset::Truth& truth) override;
  void addScan(const lidar::Scan& scan) override;
  void addImage(const dataset::Image& image) override {
    if (!streams_[image.stream].isTruth()) images_[image.stream] = image;
  }
  /// Draws the pictures. Throws FileError.
  void finish() override;
  /// [m] in W, the drawn path up to the last pose.
  std::vector<Eigen::Vector3d> path() const;

 private:
  void drawMap() const;

  std::shared_ptr<const map::SurfelMap> map_;
  std::string title_;
  std::filesystem::path folder_;
  std::vector<dataset::ImageStream> streams_;
  std::map<std::size_t, dataset::Image> images_;
  dataset::Thinned<Eigen::Vector3d, 20'000> path_;  ///< [m] in W
  std::optional<Eigen::Vector3d> last_;             ///< [m] in W
  std::vector<Eigen::Vector3f> in_world_, in_sensor_;
  Eigen::Vector3d origin_ = Eigen::Vector3d::Zero();  ///< [m] in W, of the scan
};

}  // namespace marsim::tools
