// SPDX-License-Identifier: BSD-3-Clause
// The Point Cloud Library on a map and a scan: thins the map, casts a scan at it, and finds the
// largest plane of the scan. pcl_ground [MAP]
#include <cstdio>
#include <memory>
#include <string>

#include <pcl/filters/voxel_grid.h>
#include <pcl/segmentation/sac_segmentation.h>

#include "marsim/marsim.hpp"
#include "marsim/pcl.hpp"

using namespace marsim;
using Cloud = pcl::PointCloud<pcl::PointXYZI>;

namespace {

Cloud::Ptr thinned(const map::PointCloud& map) {
  pcl::VoxelGrid<pcl::PointXYZI> filter;
  filter.setInputCloud(std::make_shared<Cloud>(toPcl<pcl::PointXYZI>(map)));
  filter.setLeafSize(0.1F, 0.1F, 0.1F);  // [m]
  const auto result = std::make_shared<Cloud>();
  filter.filter(*result);
  return result;
}

Cloud::Ptr scanOf(const map::PointCloud& cloud) {
  map::SurfelMapConfig config;
  config.resolution = 0.2;  // [m]
  const auto map = std::make_shared<map::SurfelMap>(map::SurfelMap::build(cloud, config));
  lidar::Lidar lidar(config::loadLidar("os1_64"), lidar::makeRayCaster(map));
  const Pose X_WB{fromRollPitchYaw(0.0, 0.0, 0.0), {0.0, 0.0, 1.5}};
  return std::make_shared<Cloud>(toPcl<pcl::PointXYZI>(lidar.scan(X_WB)));
}

}  // namespace

int main(int argc, char** argv) try {
  const auto map = map::loadCloud(config::resolveMap(argc > 1 ? argv[1] : "building"));
  const Cloud::Ptr thin = thinned(map.cloud), scan = scanOf(fromPcl(*thin));
  pcl::SACSegmentation<pcl::PointXYZI> planes;
  planes.setModelType(pcl::SACMODEL_PLANE);
  planes.setDistanceThreshold(0.05);  // [m]
  planes.setInputCloud(scan);
  pcl::PointIndices inliers;
  pcl::ModelCoefficients plane;
  planes.segment(inliers, plane);
  std::printf("map of %zu points, %zu after the filter; %zu of %zu returns on one plane\n",
              map.cloud.size(), thin->size(), inliers.indices.size(), scan->size());
} catch (const Error& error) {
  std::fprintf(stderr, "pcl_ground: %s\n", error.what());
  return 1;
}
