// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "marsim/geometry/pose_file.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/map/voxel_grid.hpp"
#include "marsim/viz/picture.hpp"
#include "tools/demo/demo.hpp"

namespace marsim::tools {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kShownPoints = 2'000'000;  // more are not visible at the pictures' size

std::string title(const DemoOptions& options, const Preparation& preparation,
                  const suite::FlightRecord& record) {
  return fmt::format("{}, {}, {}: {} of {} goals in {:.0f} s", preparation.plan.map_name,
                     fs::path(options.vehicle).stem().string(),
                     fs::path(options.lidar).stem().string(), record.goals_reached, record.goals,
                     record.simulated);
}

}  // namespace

std::vector<std::string> drawPictures(const DemoOptions& options, const Preparation& preparation,
                                      const suite::FlightRecord& record) {
  const FlightPlan& plan = preparation.plan;
  Progress progress("drawing the pictures");
  progress.phase("reading the scan");
  map::PointCloud thinned;
  viz::FlightScene scene;
  scene.map = &preparation.cloud;
  if (preparation.cloud.size() > kShownPoints) {
    thinned = map::downsample(preparation.cloud, options.resolution);
    scene.map = &thinned;
  }
  if (const fs::path scan = plan.output / "scan.pcd"; fs::exists(scan)) {
    scene.scan = map::loadCloud(scan, progress).cloud.points;
    scene.scan_origin = record.scan_origin;
  }
  for (const StampedPose& pose : readPoseFile(plan.output / "trajectory.tum")) {
    scene.path.push_back(pose.X_WB.p);
  }
  scene.goals = plan.goals();
  scene.title = title(options, preparation, record);

  std::vector<std::string> names;
  const auto draw = [&](const char* name, viz::Viewpoint view) {
    progress.phase(name);
    viz::drawFlight(scene, view, {}, plan.output / name);
    names.emplace_back(name);
  };
  draw("flight_top.png", viz::Viewpoint::kTop);
  draw("flight_oblique.png", viz::Viewpoint::kOblique);
  draw("flight_side.png", viz::Viewpoint::kSide);
  return names;
}

}  // namespace marsim::tools
