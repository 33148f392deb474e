#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "dataset/writer.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::tools {

/// A picture of a data set: the map with the flown path, and the last scan that returned anything.
/// Holds one scan and a point of the path each tenth of a second.
class DatasetPreview final : public dataset::Writer {
 public:
  DatasetPreview(std::shared_ptr<const map::SurfelMap> map, std::string title,
                 std::filesystem::path file);

  void addTruth(const dataset::Truth& truth) override;
  void addScan(const lidar::Scan& scan) override;
  /// Draws it. Throws FileError.
  void finish() override;

 private:
  std::shared_ptr<const map::SurfelMap> map_;
  std::string title_;
  std::filesystem::path file_;
  std::vector<Eigen::Vector3d> path_;  ///< [m] in W
  std::vector<Eigen::Vector3f> in_world_, in_sensor_;
  Eigen::Vector3d origin_ = Eigen::Vector3d::Zero();  ///< [m] in W, of the scan
};

}  // namespace marsim::tools
