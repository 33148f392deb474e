// SPDX-License-Identifier: BSD-3-Clause
#include "physics/mixed_pixels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "common/output_file.hpp"
#include "marsim/common/units.hpp"
#include "marsim/lidar/lidar.hpp"
#include "physics/exact_scene.hpp"
#include "suite/svg_chart.hpp"

namespace marsim::physics {
namespace {

constexpr double kToRods = 0.8;               // [m] from the sensor to the row
constexpr double kCutoff = 1.6;               // [m] of the LMS-291
constexpr double kLmsDivergence = 12.913e-3;  // [rad] of the LMS-291

StateHistory atRest() {
  StateHistory states;
  KinematicState state;
  states.push(state);
  state.stamp = kNsPerSecond;
  states.push(state);
  return states;
}

/// 320 beams 0.25 degrees apart about x.
lidar::LidarConfig planarLidar() {
  lidar::SpinningPatternConfig pattern;
  pattern.channels = {{0.0, kPi, 0.0}};
  pattern.rotation_rate = radians(360.0 * 18.75);
  pattern.cycle_period = 1.0 / (18.75 * 1440.0);
  lidar::LidarConfig config;
  config.name = "LMS-291";
  config.range_min = 0.0;
  config.range_max = 80.0;
  config.azimuth_min = radians(-40.1);
  config.azimuth_max = radians(39.9);
  config.pattern = pattern;
  config.beam.divergence_horizontal = config.beam.divergence_vertical = kLmsDivergence;
  config.beam.rays = 9;
  config.beam.pulse_length = 5e-9;
  config.returns.mode = lidar::ReturnMode::kFirst;
  config.returns.signal_cutoff = kCutoff;
  return config;
}

std::shared_ptr<const ExactScene> rodsBeforeWall(double wall_behind) {
  std::vector<ExactScene::Cylinder> rods;
  for (int i = -4; i <= 4; ++i) rods.push_back({kToRods, 0.127 * i, i == 0 ? 0.0375 : 0.0125});
  return std::make_shared<ExactScene>(rods, std::vector<double>{kToRods + wall_behind});
}

lidar::Scan scanOf(const lidar::LidarConfig& config, double wall_behind) {
  return lidar::Lidar(config, rodsBeforeWall(wall_behind)).scan(0, toNs(1.0 / 18.75), atRest());
}

}  // namespace

int mixedBeams(double wall_behind) {
  const lidar::Scan scan = scanOf(planarLidar(), wall_behind);
  return static_cast<int>(
      std::count_if(scan.points.begin(), scan.points.end(), [&](const lidar::ScanPoint& point) {
        const auto x = static_cast<double>(point.p_S.x());
        return x - kToRods > 0.05 && kToRods + wall_behind - x > 0.05;
      }));
}

namespace {

// --- walls that each cover a part of the beam ---

/// Hits of the rays left, right, above and below the middle one, which meets nothing.
class Quarters : public lidar::RayRenderer {
 public:
  explicit Quarters(std::array<double, 4> ranges) : ranges_(ranges) {}
  std::string name() const override { return "quarters"; }
  void cast(const std::vector<lidar::Ray>& rays, View<lidar::MovingObject>,
            std::vector<lidar::Hit>& hits) const override {
    hits.assign(rays.size(), {});
    for (std::size_t i = 0; i < rays.size(); ++i) {
      const Eigen::Vector3f& d = rays[i].direction;
      if (std::hypot(d.y(), d.z()) < 1e-6F) continue;
      const double angle = std::atan2(static_cast<double>(d.z()), static_cast<double>(d.y()));
      const auto quarter = static_cast<std::uint32_t>(std::floor(angle / (0.5 * kPi) + 2.25)) % 4;
      if (!std::isfinite(ranges_[quarter])) continue;
      hits[i] = {static_cast<float>(ranges_[quarter]), quarter, lidar::kMapIdentity, -d};
    }
  }

 private:
  std::array<double, 4> ranges_;
};

std::vector<float> rangesOf(lidar::ReturnMode mode, const std::array<double, 4>& quarters) {
  lidar::LidarConfig config = planarLidar();
  config.azimuth_min = -1e-3;
  config.azimuth_max = 1e-3;
  config.returns.mode = mode;
  config.returns.signal_cutoff = 0.0;
  lidar::Lidar lidar(config, std::make_shared<Quarters>(quarters));
  std::vector<float> ranges;
  for (const lidar::ScanPoint& point : lidar.scan(0, toNs(1.0 / 18.75), atRest()).points) {
    ranges.push_back(point.range);
  }
  return ranges;
}

void ratePlanes(std::vector<LimitRow>& rows) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const double half_pulse = 0.5 * 299'792'458.0 * 5e-9;
  for (const auto& [word, shift, echoes] :
       {std::tuple{"less", -0.01, 1.0}, std::tuple{"more", 0.01, 2.0}}) {
    const auto found =
        rangesOf(lidar::ReturnMode::kDual, {10.0, 10.0 + half_pulse + shift, kNone, kNone});
    rows.push_back({fmt::format("echoes of two planes 1 cm {} than half a pulse apart", word),
                    static_cast<double>(found.size()), echoes, echoes});
  }
}

/// Walls at 10, 15 and 20 m. One of them, the strongest, covers two quarters of the beam.
void rateModes(std::vector<LimitRow>& rows) {
  using lidar::ReturnMode;
  int wrong = 0, cases = 0;
  for (const double strongest : {10.0, 15.0, 20.0}) {
    std::array<double, 4> quarters = {10.0, 15.0, 20.0, strongest};
    std::sort(quarters.begin(), quarters.end());
    do {
      // Sorted by energy: share of the beam over the squared range.
      std::vector<std::pair<double, float>> order;
      for (const double range : {10.0, 15.0, 20.0}) {
        const double share =
            static_cast<double>(std::count(quarters.begin(), quarters.end(), range));
        order.emplace_back(share / (range * range), static_cast<float>(range));
      }
      std::sort(order.rbegin(), order.rend());
      const float best = order[0].second, second = order[1].second;
      const std::vector<float> dual =
          best == 20.0F ? std::vector<float>{second, 20.0F} : std::vector<float>{best, 20.0F};
      for (const auto& [mode, right] :
           {std::pair{ReturnMode::kFirst, std::vector<float>{10.0F}},
            std::pair{ReturnMode::kLast, std::vector<float>{20.0F}},
            std::pair{ReturnMode::kStrongest, std::vector<float>{best}},
            std::pair{ReturnMode::kDual, dual},
            std::pair{ReturnMode::kTriple, std::vector<float>{10.0F, 15.0F, 20.0F}}}) {
        ++cases;
        wrong += rangesOf(mode, quarters) == right ? 0 : 1;
      }
    } while (std::next_permutation(quarters.begin(), quarters.end()));
  }
  rows.push_back({fmt::format("wrong modes of {} with three planes", cases),
                  static_cast<double>(wrong), 0.0, 0.0});
}

/// A short dash at every point, seen from above, x upwards.
suite::Curve dashes(const lidar::Scan& scan, const std::string& name, const std::string& style) {
  constexpr double kHalf = 0.003, kNone = std::numeric_limits<double>::quiet_NaN();  // [m]
  suite::Curve curve{name, style, {}};
  for (const lidar::ScanPoint& point : scan.points) {
    const double x = static_cast<double>(point.p_S.x()), y = static_cast<double>(point.p_S.y());
    if (std::abs(y) > 0.75) continue;
    curve.points.insert(curve.points.end(), {{-y - kHalf, x}, {-y + kHalf, x}, {kNone, kNone}});
  }
  return curve;
}

void draw(const std::filesystem::path& path, const std::string& title,
          std::vector<suite::Curve> curves, double top, double height) {
  suite::Chart chart;
  chart.title = title;
  chart.x_label = title + " [m]";
  chart.y_label = "from the sensor [m]";
  chart.x_low = -0.75;
  chart.x_high = 0.75;
  chart.from_zero = true;
  chart.height = 330.0;
  chart.marks = {{{-0.7, top}, curves[0].name, "u0"},
                 {{-0.7, top - 0.09 * height}, curves[1].name, "u1"}};
  chart.curves = std::move(curves);
  writeFile(path, suite::svgFile(chart));
}

}  // namespace

void drawMixedPixels(const std::filesystem::path& folder) {
  lidar::LidarConfig nine = planarLidar(), one = planarLidar();
  one.beam.rays = 1;
  draw(folder / "mixed_pixels.svg", "rods 0.6 m before a wall, from above",
       {dashes(scanOf(one, 0.6), "one ray a beam", "u0"),
        dashes(scanOf(nine, 0.6), "nine rays, first", "u1")},
       0.45, 1.4);
  nine.returns.signal_cutoff = 0.0;
  lidar::LidarConfig last = nine;
  last.returns.mode = lidar::ReturnMode::kLast;
  draw(folder / "two_modes.svg", "rods 2 m before a wall, nine rays, from above",
       {dashes(scanOf(nine, 2.0), "first", "u0"), dashes(scanOf(last, 2.0), "last", "u1")}, 1.8,
       2.8);
}

void rateMixedPixels(std::vector<LimitRow>& rows) {
  rows.push_back({"rods 0.6 m before a wall: mixed of 320 beams",
                  static_cast<double>(mixedBeams(0.6)), 0.9 * 54.0, 1.1 * 54.0});
  rows.push_back({"rods 2.0 m before a wall: mixed of 320 beams",
                  static_cast<double>(mixedBeams(2.0)), 0.0, 0.0});
  ratePlanes(rows);
  rateModes(rows);
}

}  // namespace marsim::physics
