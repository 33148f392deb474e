// SPDX-License-Identifier: BSD-3-Clause
#include "physics/special_surfaces.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "common/output_file.hpp"
#include "marsim/common/units.hpp"
#include "marsim/lidar/lidar.hpp"
#include "suite/svg_chart.hpp"

namespace marsim::physics {
namespace {

using Eigen::Vector3d;

constexpr std::uint8_t kWall = 50, kMirror = 201, kPane = 202, kSign = 203;

/// A rectangle: its centre and its half sides, across each other.
struct Plate {
  Vector3d centre, u, v;
  std::uint8_t semantic_class;
};

/// Plates in double precision, one surfel each.
class Plates : public lidar::RayRenderer {
 public:
  explicit Plates(std::vector<Plate> plates) : plates_(std::move(plates)) {
    for (const Plate& plate : plates_) classes_.push_back(plate.semantic_class);
  }
  std::string name() const override { return "plates"; }
  map::SurfelChannelViews channels() const override {
    map::SurfelChannelViews views;
    views.classes = View<std::uint8_t>(classes_);
    return views;
  }
  void cast(const std::vector<lidar::Ray>& rays, View<lidar::MovingObject>,
            std::vector<lidar::Hit>& hits) const override {
    hits.assign(rays.size(), {});
    for (std::size_t i = 0; i < rays.size(); ++i) meet(rays[i], hits[i]);
  }

 private:
  void meet(const lidar::Ray& ray, lidar::Hit& hit) const {
    const Vector3d o = ray.origin.cast<double>(), d = ray.direction.cast<double>();
    double nearest = static_cast<double>(ray.range_max);
    for (std::size_t i = 0; i < plates_.size(); ++i) {
      const Plate& plate = plates_[i];
      const Vector3d n = plate.u.cross(plate.v).normalized();
      const double t = (plate.centre - o).dot(n) / d.dot(n);
      const Vector3d off = o + t * d - plate.centre;
      if (!(t > static_cast<double>(ray.range_min) && t < nearest) ||
          std::abs(off.dot(plate.u)) > plate.u.squaredNorm() ||
          std::abs(off.dot(plate.v)) > plate.v.squaredNorm()) {
        continue;
      }
      nearest = t;
      hit = {static_cast<float>(t), static_cast<std::uint32_t>(i), lidar::kMapIdentity,
             (n.dot(d) < 0.0 ? n : Vector3d(-n)).cast<float>()};
    }
  }

  std::vector<Plate> plates_;
  std::vector<std::uint8_t> classes_;
};

/// Beams of some elevations and azimuths within some degrees of x, `step` degrees apart.
lidar::LidarConfig fan(double low, double high, double azimuth, double step) {
  lidar::SpinningPatternConfig pattern;
  for (double elevation = low; elevation <= high + 1e-9; elevation += step) {
    pattern.channels.push_back({radians(elevation), 0.0, 0.0});
  }
  pattern.rotation_rate = radians(3600.0);
  pattern.cycle_period = step / 3600.0;
  lidar::LidarConfig config;
  config.name = "fan";
  config.range_min = 0.0;
  config.azimuth_min = radians(-azimuth - 0.1 * step);
  config.azimuth_max = radians(azimuth + 0.1 * step);
  config.pattern = pattern;
  config.returns.mode = lidar::ReturnMode::kDual;
  return config;
}

lidar::Scan scanOf(const lidar::LidarConfig& config, const std::vector<Plate>& plates,
                   const Vector3d& place = Vector3d::Zero()) {
  return lidar::Lidar(config, std::make_shared<Plates>(plates))
      .scan({Eigen::Quaterniond::Identity(), place});
}

Plate across(double x, double half, std::uint8_t semantic_class) {
  return {x * Vector3d::UnitX(), half * Vector3d::UnitY(), half * Vector3d::UnitZ(),
          semantic_class};
}

/// A mirror turned by 45 degrees 4 m ahead, which shows the wall y = 6.
void rateMirror(std::vector<LimitRow>& rows) {
  lidar::LidarConfig config = fan(-8.0, 8.0, 8.0, 0.5);
  config.surfaces.classes[kMirror].specular = 0.7;
  const lidar::Scan scan =
      scanOf(config, {{{4, 0, 0}, Vector3d(1, 1, 0), Vector3d(0, 0, 2), kMirror},
                      {{4, 6, 0}, Vector3d(5, 0, 0), Vector3d(0, 0, 5), kWall}});
  double error = 0.0;
  int mirrored = 0;
  for (const lidar::ScanPoint& point : scan.points) {
    if (point.semantic_class != kWall) continue;
    ++mirrored;
    const Vector3d d = point.p_S.cast<double>().normalized();
    const double to_mirror = 4.0 / (d.x() - d.y());
    const double path = to_mirror + (6.0 - to_mirror * d.y()) / d.x();
    error = std::max(error, std::abs(static_cast<double>(point.range) - path));
  }
  rows.push_back({"mirror: shots of 1089 that see the wall in it", static_cast<double>(mirrored),
                  1089.0, 1089.0});
  rows.push_back({"mirror: largest error of a path [m]", error, 0.0, 1e-4});
}

/// A pane before a wall: the wall's light passes it twice.
void ratePane(std::vector<LimitRow>& rows) {
  const double share = 0.8, half_pulse = 0.5 * 299'792'458.0 * 5e-9;
  lidar::LidarConfig config = fan(0.0, 0.0, 0.0, 1.0);
  config.surfaces.classes[kPane].transparent = share;
  config.beam.pulse_length = 5e-9;
  for (const double shift : {-0.01, 0.01}) {
    const lidar::Scan scan =
        scanOf(config, {across(4.0, 1.0, kPane), across(4.0 + half_pulse + shift, 3.0, kWall)});
    rows.push_back({shift < 0.0 ? "pane less than half a pulse before a wall: echoes"
                                : "pane more than half a pulse before a wall: echoes",
                    static_cast<double>(scan.points.size()), shift < 0.0 ? 1.0 : 2.0,
                    shift < 0.0 ? 1.0 : 2.0});
    if (shift < 0.0) continue;
    const double ratio = static_cast<double>(scan.points.back().reflectivity) /
                         static_cast<double>(scan.points.front().reflectivity);
    rows.push_back({"pane: wall's light by that of the pane's by its closed form",
                    ratio / (share * share / (1.0 - share)), 0.999, 1.001});
  }
}

/// Small, so that one shot meets it.
std::vector<Plate> signBeforeWall() {
  return {across(10.0, 0.005, kSign), across(15.0, 6.0, kWall)};
}

lidar::LidarConfig bloomFan(double angle) {
  lidar::LidarConfig config = fan(-3.0, 3.0, 3.0, 0.1);
  config.returns.mode = lidar::ReturnMode::kStrongest;
  config.surfaces.classes[kSign] = {0.0, 0.0, 200.0, angle, 0.02};
  return config;
}

void rateBloom(std::vector<LimitRow>& rows) {
  const double angle = 1.05;  // [deg]
  const lidar::Scan scan = scanOf(bloomFan(radians(angle)), signBeforeWall());
  int wrong = 0, bloomed = 0;
  float least = 255.0F;
  for (const lidar::ScanPoint& point : scan.points) {
    const Vector3d d = point.p_S.cast<double>().normalized();
    const double off = degrees(std::atan2(std::hypot(d.y(), d.z()), d.x()));
    const bool blooms = point.semantic_class == kSign;
    wrong += blooms != (off < angle) || (blooms && std::abs(point.range - 10.0F) > 1e-3F) ? 1 : 0;
    bloomed += blooms ? 1 : 0;
    if (blooms) least = std::min(least, point.intensity);
  }
  rows.push_back({"retro-reflector: shots of 3721 at its range", static_cast<double>(bloomed)});
  rows.push_back(
      {"retro-reflector: of them wrong by the angle", static_cast<double>(wrong), 0.0, 0.0});
  rows.push_back({"retro-reflector: least intensity", static_cast<double>(least), 255.0, 255.0});
}

/// A short dash at every point of some classes.
suite::Curve dashes(const lidar::Scan& scan, const std::string& name, const std::string& style,
                    double half, bool from_above,
                    const std::function<bool(const lidar::ScanPoint&)>& shows) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  suite::Curve curve{name, style, {}};
  for (const lidar::ScanPoint& point : scan.points) {
    if (!shows(point)) continue;
    const Vector3d p = point.p_W.cast<double>();
    const double x = from_above ? -p.y() : p.x(), y = from_above ? p.x() : p.z();
    curve.points.insert(curve.points.end(), {{x - half, y}, {x + half, y}, {kNone, kNone}});
  }
  return curve;
}

void drawPool(const std::filesystem::path& folder) {
  lidar::LidarConfig config = fan(-60.0, 20.0, 0.0, 0.5);
  config.surfaces.classes[kMirror].specular = 0.8;
  const lidar::Scan scan = scanOf(config,
                                  {{{6, 0, 0}, Vector3d(3, 0, 0), Vector3d(0, 2, 0), kMirror},
                                   {{1, 0, 0}, Vector3d(2, 0, 0), Vector3d(0, 2, 0), kWall},
                                   {{10.5, 0, 0}, Vector3d(1.5, 0, 0), Vector3d(0, 2, 0), kWall},
                                   {{12, 0, 1.5}, Vector3d(0, 2, 0), Vector3d(0, 0, 1.5), kWall}},
                                  {0, 0, 1.5});
  const auto isGhost = [](const lidar::ScanPoint& point) { return point.p_W.z() < -0.01F; };
  suite::Chart chart;
  chart.title = "a pool before a wall, from the side";
  chart.x_label = chart.title + ": sensor at (0, 1.5), water from 3 to 9 m [m]";
  chart.y_label = "height [m]";
  chart.height = 330.0;
  chart.curves = {
      dashes(scan, "points", "u0", 0.06, false, [&](const auto& point) { return !isGhost(point); }),
      dashes(scan, "ghosts", "u1", 0.06, false, isGhost)};
  chart.marks = {{{0.0, 1.5}, "sensor", "u0"}, {{9.0, -2.0}, "ghosts of the wall", "u1"}};
  writeFile(folder / "pool.svg", suite::svgFile(chart));
}

void drawBloom(const std::filesystem::path& folder) {
  lidar::LidarConfig config = bloomFan(radians(1.05));
  config.elevation_min = radians(-0.05);
  config.elevation_max = radians(0.05);
  const lidar::Scan scan = scanOf(config, {across(10.0, 0.15, kSign), across(12.0, 6.0, kWall)});
  const auto met = [](const lidar::ScanPoint& point) {
    return point.semantic_class == kSign && std::abs(point.p_W.y()) < 0.15F;
  };
  suite::Chart chart;
  chart.title = "a sign of 0.3 m that blooms before a wall, from above";
  chart.x_label = chart.title + " [m]";
  chart.y_label = "from the sensor [m]";
  chart.height = 330.0;
  chart.curves = {dashes(scan, "wall", "u0", 0.006, true,
                         [](const auto& point) { return point.semantic_class == kWall; }),
                  dashes(scan, "sign", "u1", 0.006, true, met),
                  dashes(scan, "bloom", "u0 d1", 0.006, true, [&](const auto& point) {
                    return point.semantic_class == kSign && !met(point);
                  })};
  chart.marks = {
      {{-0.55, 11.7}, "wall", "u0"}, {{-0.05, 10.1}, "sign", "u1"}, {{0.3, 10.1}, "bloom", "u0"}};
  writeFile(folder / "bloom.svg", suite::svgFile(chart));
}

}  // namespace

void rateSurfaces(std::vector<LimitRow>& rows) {
  rateMirror(rows);
  ratePane(rows);
  rateBloom(rows);
}

void drawSurfaces(const std::filesystem::path& folder) {
  drawPool(folder);
  drawBloom(folder);
}

}  // namespace marsim::physics
