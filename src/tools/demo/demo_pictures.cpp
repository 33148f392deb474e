#include <fmt/format.h>

#include "marsim/map/cloud_io.hpp"
#include "marsim/map/voxel_grid.hpp"
#include "marsim/viz/picture.hpp"
#include "tools/demo/demo.hpp"

namespace marsim::tools {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kPicturePoints = 2'000'000;  // more are not seen at the pictures' size

std::string title(const FlightPlan& plan, const FlightRecord& record) {
  return fmt::format("{}, {}, {}: {} of {} goals in {:.0f} s", plan.map_name,
                     fs::path(plan.vehicle).stem().string(), fs::path(plan.lidar).stem().string(),
                     record.goals_reached, record.goals, record.simulated);
}

}  // namespace

std::vector<std::string> drawPictures(const Preparation& preparation, const FlightRecord& record) {
  const FlightPlan& plan = preparation.plan;
  Progress progress("drawing the pictures");
  progress.phase("reading the scan");
  map::PointCloud thinned;
  viz::FlightScene scene;
  scene.map = &preparation.cloud;
  if (preparation.cloud.size() > kPicturePoints) {
    thinned = map::downsample(preparation.cloud, plan.resolution);
    scene.map = &thinned;
  }
  if (const fs::path scan = plan.output / "scan.pcd"; fs::exists(scan)) {
    scene.scan = map::loadCloud(scan, progress).cloud.points;
    scene.scan_origin = record.scan_origin;
  }
  for (const TrajectoryRow& row : readTrajectory(plan.output / "trajectory.csv")) {
    scene.path.push_back(row.p_WB);
  }
  scene.goals = plan.goals();
  scene.title = title(plan, record);

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
