// SPDX-License-Identifier: BSD-3-Clause
// One scan of a Mid-360 at rest, written as a cloud: cast_scan [MAP [SCAN.pcd]]
#include <cstdio>
#include <string>

#include "marsim/marsim.hpp"

using namespace marsim;

namespace {

void castScan(const std::string& map_name, const std::string& file) {
  // A place by name, a place's YAML file, or a .pcd or .ply file.
  const auto map = map::loadSurfelMap(config::resolveMap(map_name)).map;
  lidar::Lidar lidar(config::loadLidar("mid360"), lidar::makeRayCaster(map));
  const lidar::Scan scan = lidar.scan({fromRollPitchYaw(0.0, 0.0, 0.0), {0.0, 0.0, 1.5}});

  map::PointCloud cloud;
  double sum = 0.0;
  for (const lidar::ScanPoint& point : scan.points) {
    cloud.points.push_back(point.p_W);
    cloud.intensity.push_back(point.intensity);
    sum += static_cast<double>(point.range);
  }
  map::saveCloud(file, cloud);
  std::printf("%s: %zu of %zu shots returned, mean range %.2f m, written to %s\n",
              lidar.config().name.c_str(), cloud.size(), scan.rays,
              cloud.empty() ? 0.0 : sum / static_cast<double>(cloud.size()), file.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    castScan(argc > 1 ? argv[1] : "building", argc > 2 ? argv[2] : "scan.pcd");
    return 0;
  } catch (const Error& error) {  // one line: file, field, value and what is allowed
    std::fprintf(stderr, "cast_scan: %s\n", error.what());
    return 1;
  }
}
