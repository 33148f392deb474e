// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "common/result_folder.hpp"
#include "common/text.hpp"
#include "lidar/measure/field_of_view.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/lidar/camera.hpp"
#include "marsim/lidar/depth_camera.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/map/semantic_class.hpp"
#include "marsim/scene/obstacles.hpp"
#include "marsim/sim/world.hpp"
#include "marsim/viz/picture.hpp"
#include "tools/process/command_line.hpp"
#include "tools/sensors/scan_once.hpp"

namespace {

namespace fs = std::filesystem;
using namespace marsim;

viz::PictureConfig sized(int width, int height) {
  viz::PictureConfig size;
  size.width = width;
  size.height = height;
  return size;
}

const viz::PictureConfig kScanSize = sized(1000, 625), kCellSize = sized(400, 230);

/// The directions of a sensor's pattern, each once at a picture's resolution, with the number of
/// their ring as their length.
std::vector<Eigen::Vector3f> firedAt(const lidar::LidarConfig& config, double duration) {
  constexpr float kShown = 1200.0F;  // directions a radian
  const auto pattern = lidar::makePattern(config.pattern);
  const lidar::FieldOfView view(config);
  std::unordered_set<std::uint64_t> seen;
  std::vector<Eigen::Vector3f> directions;
  std::vector<lidar::Firing> firings;
  const TimeNs end = toNs(duration), step = toNs(0.1);
  for (TimeNs begin = 0; begin < end; begin += step) {
    firings.clear();
    pattern->fire(begin, std::min(begin + step, end), firings);
    for (const lidar::Firing& firing : firings) {
      const Eigen::Vector3f d = firing.direction.cast<float>();
      if (!view.contains(d)) continue;
      const auto key = static_cast<std::uint64_t>(kShown * (std::atan2(d.y(), d.x()) + 4.0F))
                           << 32 |
                       static_cast<std::uint64_t>(kShown * (std::asin(d.z()) + 4.0F));
      if (seen.insert(key).second) directions.emplace_back((1.0F + firing.ring) * d);
    }
  }
  return directions;
}

void drawPatterns(double duration, const fs::path& path) {
  Progress progress("gallery");
  const std::vector<std::string> names = config::knownNames("lidar");
  progress.phase(path.filename().string(), names.size());
  std::vector<viz::SensorView> views;
  for (const std::string& name : names) {
    const lidar::LidarConfig sensor = config::loadLidar(name);
    views.push_back({fmt::format("{}, {:g} s", sensor.name, duration), firedAt(sensor, duration)});
    progress.update(views.size());
  }
  viz::drawSensorViews(views, 3, kCellSize, path);
}

void drawPlace(const std::string& place, const std::string& sensor, const fs::path& path) {
  tools::ScanRequest request;
  request.map = place;
  request.lidar = sensor;
  request.X_WS.p.z() = 1.8;
  request.image = path;
  request.picture = kScanSize;
  tools::scanOnce(request);
}

/// A place with its renderers.
struct Place {
  explicit Place(const std::string& name) {
    Progress progress("gallery");
    map = map::loadSurfelMap(config::resolveMap(name), {}, progress).map;
    cloud = map->positions();
  }
  viz::FlightScene scene(std::string title) const {
    viz::FlightScene result;
    result.map = &cloud;
    result.title = std::move(title);
    return result;
  }

  std::shared_ptr<const map::SurfelMap> map;
  map::PointCloud cloud;
};

sim::UavConfig hummingbird(const Eigen::Vector3d& start) {
  sim::UavConfig config;
  config.vehicle = config::loadVehicle("hummingbird");
  config.controller = config::loadController("default");
  config.start_p_WB = start;
  return config;
}

/// Draws one UAV's scan of the six around it.
void drawSwarm(const Place& place, const fs::path& path) {
  sim::World world(place.map, {});
  sim::UavConfig looking = hummingbird({0.0, 0.0, 1.5});
  looking.lidar = config::loadLidar("os0_128");
  sim::Uav& uav = world.addUav(looking);
  lidar::Scan scan;
  uav.on_scan = [&scan](const lidar::Scan& made) { scan = made; };
  for (int i = 0; i < 6; ++i) {
    const double angle = i * kPi / 3.0;
    world.addUav(hummingbird({1.7 * std::cos(angle), 1.7 * std::sin(angle), 1.2 + 0.3 * (i % 3)}));
  }
  world.runFor(0.3);

  std::vector<Eigen::Vector3f> in_sensor;
  viz::FlightScene scene = place.scene("");
  scene.scan_origin = scan.X_WS.p;
  std::size_t of_uavs = 0;
  for (const lidar::ScanPoint& point : scan.points) {
    scene.scan.push_back(point.p_W);
    in_sensor.push_back(point.p_S);
    if (point.identity != scene::kMapIdentity) ++of_uavs;
  }
  scene.title = fmt::format("among six UAVs: {} of {} returns are theirs", withThousands(of_uavs),
                            withThousands(scan.points.size()));
  viz::drawScan(scene, in_sensor, kScanSize, path);
}

void drawDepth(const Place& place, const fs::path& path) {
  lidar::DepthCamera camera(config::loadDepthCamera("d455"),
                            lidar::makeDepthImageRenderer(place.map, {}));
  const lidar::DepthCameraConfig& config = camera.config();
  Pose X_WB;
  X_WB.p = {-3.5, -1.0, 1.6};
  const lidar::DepthImage image = camera.image(0, X_WB);
  viz::FlightScene scene = place.scene(config.name + ", one depth image");
  scene.scan_origin = image.X_WC.p;
  std::vector<Eigen::Vector3f> in_sensor;
  for (std::size_t i = 0; i < image.depth.size(); ++i) {
    const double z = static_cast<double>(image.depth[i]);
    if (!std::isfinite(z)) continue;
    const auto column = static_cast<double>(i % static_cast<std::size_t>(config.width));
    const auto row = static_cast<double>(i / static_cast<std::size_t>(config.width));
    const Eigen::Vector3d p_C(z * (column - config.cx) / config.fx,
                              z * (row - config.cy) / config.fy, z);
    scene.scan.push_back((image.X_WC * p_C).cast<float>());
    in_sensor.push_back((lidar::opticalRotation() * p_C).cast<float>());
  }
  viz::drawScan(scene, in_sensor, kScanSize, path);
}

/// People who walk through the building.
std::vector<scene::MovingObject> people() {
  scene::ObstaclesConfig config;
  const double ways[][4] = {{-1.6, 0.7, 4.0, 1.4}, {-0.6, -1.2, -0.5, 4.0}, {1.5, 0.2, -3.0, -0.2}};
  for (const auto& [x, y, to_x, to_y] : ways) {
    scene::ObstacleGroup& group =
        config.groups.emplace_back(scene::usualGroup(scene::ObstacleKind::kWaypoints));
    group.name = "person_" + std::to_string(config.groups.size());
    group.shape = scene::ObstacleShape::kPerson;
    group.semantic_class = map::semantic::kPerson;
    group.size_min = 1.65;
    group.size_max = 1.85;
    group.speed_min = group.speed_max = 1.2;
    group.points = {{x, y, 0.9}, {to_x, to_y, 0.9}};
  }
  std::vector<scene::MovingObject> objects;
  scene::Obstacles(config, {}, "people").appendObjects(0, 0, objects);
  return objects;
}

/// Draws the view of a file's first camera from `X_WB`, in colour.
void drawCamera(const Place& place, const char* file, const Pose& X_WB, const fs::path& path,
                View<scene::MovingObject> objects = {}) {
  lidar::CameraConfig config = config::loadCameras(file).cameras.front();
  config.encoding = lidar::ImageEncoding::kBgr8;
  const lidar::CameraRenderers renderers{place.map, lidar::makeRayCaster(place.map, {}),
                                         lidar::makeDepthImageRenderer(place.map, {})};
  viz::drawCameraImage(lidar::Camera(config, renderers, 1).image(0, X_WB, objects), config, path);
}

/// Draws a place by `light: flat` to the left and by `light: sun` to the right, without noise.
void drawLights(const Place& place, const Pose& X_WB, const fs::path& path) {
  lidar::CameraConfig config = config::loadCameras("stereo").cameras.front();
  config.encoding = lidar::ImageEncoding::kBgr8;
  config.full_well = 0.0;
  for (int* size : {&config.model.width, &config.model.height}) *size /= 2;
  for (double* length : {&config.model.fx, &config.model.fy}) *length /= 2.0;
  config.model.cx = 0.5 * (config.model.width - 1);
  config.model.cy = 0.5 * (config.model.height - 1);
  const lidar::CameraRenderers renderers{place.map, lidar::makeRayCaster(place.map, {}),
                                         lidar::makeDepthImageRenderer(place.map, {})};
  const auto imageBy = [&](lidar::CameraLight light) {
    config.light = light;
    return lidar::Camera(config, renderers, 1).image(0, X_WB);
  };
  const lidar::CameraImage flat = imageBy(lidar::CameraLight::kFlat),
                           sun = imageBy(lidar::CameraLight::kSun);
  const auto row_bytes = 3 * static_cast<std::ptrdiff_t>(config.model.width);
  lidar::CameraImage both;
  for (int row = 0; row < config.model.height; ++row) {
    for (const lidar::CameraImage* image : {&flat, &sun}) {
      const auto begin = image->pixels.begin() + row * row_bytes;
      both.pixels.insert(both.pixels.end(), begin, begin + row_bytes);
    }
  }
  config.model.width *= 2;
  viz::drawCameraImage(both, config, path);
}

Pose lookingFrom(double x, double y, double z, double yaw_degrees) {
  return {fromRollPitchYaw(0.0, 0.0, radians(yaw_degrees)), {x, y, z}};
}

/// Draws a UAV that flies into a wall, its motors stopped by the collision.
void drawCollision(const Place& place, const fs::path& path) {
  sim::World world(place.map, {});
  sim::UavConfig config = hummingbird({-2.0, 2.0, 1.8});
  config.collision.response = sim::CollisionResponse::kStopMotors;
  sim::Uav& uav = world.addUav(config);
  double speed = 0.0;
  uav.on_contact = [&speed](const collision::ContactEvent& event) {
    if (speed == 0.0) speed = event.hit.v_rel_W.norm();
  };
  const Eigen::Vector3d goal(8.0, 2.0, 1.8);
  uav.setGoal(goal, 0.0);
  viz::FlightScene scene = place.scene("");
  while (world.time() < toNs(6.0)) {
    world.step();
    scene.path.push_back(uav.state().X_WB.p);
  }
  scene.goals = {goal};
  scene.title =
      fmt::format("a goal behind a wall: hit at {:.1f} m/s, motors stopped, fallen", speed);
  viz::drawFlight(scene, viz::Viewpoint::kOblique, kScanSize, path);
}

int drawAll(const fs::path& folder) {
  ResultFolder results(folder, "marsim gallery");
  const auto draw = [&](const char* name, const auto& picture) {
    const fs::path path = folder / name;
    results.begin({name});
    picture(path);
    fmt::print("{:<40}{:>6} kB\n", path.string(), fs::file_size(path) / 1000);
    std::fflush(stdout);
  };
  draw("patterns_100ms.png", [](const fs::path& path) { drawPatterns(0.1, path); });
  draw("patterns_1s.png", [](const fs::path& path) { drawPatterns(1.0, path); });
  draw("scan_forest.png", [](const fs::path& path) { drawPlace("forest", "os1_64", path); });
  draw("scan_building.png", [](const fs::path& path) { drawPlace("building", "mid360", path); });
  const Place building("building");
  draw("swarm.png", [&](const fs::path& path) { drawSwarm(building, path); });
  draw("depth.png", [&](const fs::path& path) { drawDepth(building, path); });
  draw("camera_building.png", [&](const fs::path& path) {
    drawCamera(building, "stereo", lookingFrom(-3.5, -1.0, 1.6, 10.0), path);
  });
  draw("camera_fisheye.png", [&](const fs::path& path) {
    drawCamera(building, "fisheye", lookingFrom(-3.5, -1.0, 1.6, 10.0), path);
  });
  draw("camera_people.png", [&](const fs::path& path) {
    drawCamera(building, "d435i", lookingFrom(-4.0, -0.6, 1.4, 8.0), path, people());
  });
  const Place forest("forest");
  draw("camera_forest.png", [&](const fs::path& path) {
    drawCamera(forest, "stereo", lookingFrom(0.0, 0.0, 1.5, 20.0), path);
  });
  const auto drawLight = [&](const std::string& name, const Place& place, const Pose& X_WB) {
    draw(("light_" + name + ".png").c_str(),
         [&](const fs::path& path) { drawLights(place, X_WB, path); });
  };
  drawLight("building", building, lookingFrom(-3.5, -1.0, 1.6, 10.0));
  drawLight("forest", forest, lookingFrom(0.0, 0.0, 1.5, 20.0));
  const std::pair<const char*, Pose> views[] = {
      {"large_office", lookingFrom(0.0, 0.0, 1.6, 0.0)},
      {"indoor_2", lookingFrom(0.0, 0.0, 1.6, 0.0)},
      {"mine_tunnel", lookingFrom(0.0, 0.0, 1.6, 0.0)},
      {"historical_building", lookingFrom(0.0, 0.0, 1.6, 0.0)}};
  for (const auto& [name, X_WB] : views) drawLight(name, Place(name), X_WB);
  draw("collision.png", [&](const fs::path& path) { drawCollision(building, path); });
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace marsim::tools;
  std::string folder = "gallery";
  CommandLine line(
      "Draws the pictures of docs/gallery.md: what the sensors' patterns fire at, scans, a swarm,\n"
      "a depth image, images of cameras, a collision. The same on every machine.",
      "marsim gallery");
  line.option("--out", folder, kFolder, "folder for the pictures; made where it is missing");
  return line.run(argc, argv, [&] { return drawAll(folder); });
}
