// SPDX-License-Identifier: BSD-3-Clause
// Whether the noise of a shot is its own: independent of its neighbours in row and column and of
// the equal shot of the next scan, for every kind of pattern and every channel of the noise.

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "lidar/planes.hpp"

namespace marsim::lidar {
namespace {

constexpr double kRadius = 20.0;                // [m] of the ball
const Eigen::Vector3d kSensor(4.0, -3.0, 5.0);  // [m] off its middle: beams meet it aslant
constexpr TimeNs kScan = 50'000'000;
constexpr int kScans = 4;

/// The world is the inside of a ball: every shot meets it.
class BallRenderer : public RayRenderer {
 public:
  std::string name() const override { return "ball"; }
  void cast(const std::vector<Ray>& rays, View<MovingObject>,
            std::vector<Hit>& hits) const override {
    hits.assign(rays.size(), Hit{});
    for (std::size_t i = 0; i < rays.size(); ++i) {
      const Eigen::Vector3d o = rays[i].origin.cast<double>(), d = rays[i].direction.cast<double>();
      const double range = rangeFrom(o, d);
      const Eigen::Vector3d inwards = -(o + range * d).normalized();
      hits[i] = {static_cast<float>(range), 7, kMapIdentity, inwards.cast<float>()};
    }
  }

  /// |o + t d| = kRadius.
  static double rangeFrom(const Eigen::Vector3d& o, const Eigen::Vector3d& d) {
    const double along = o.dot(d);
    return -along + std::sqrt(along * along - o.squaredNorm() + kRadius * kRadius);
  }
  /// Change of the range per small turn of the beam about either axis across it [m/rad].
  static double slope(const Eigen::Vector3d& o, const Eigen::Vector3d& d) {
    const double along = o.dot(d);
    const double root = std::sqrt(along * along - o.squaredNorm() + kRadius * kRadius);
    return (o - along * d).norm() * (1.0 - along / root);
  }
};

/// Effect of noise on a shot, with mean 0 and variance 1; none where it is unknown.
using Value = std::optional<double>;
using ValueOfPoint = std::function<Value(const ScanPoint& point, double truth, double slope)>;

struct Channel {
  std::string name;
  NoiseConfig noise;
  ValueOfPoint of_point;
  Value of_miss;
};

double standardised(bool happened, double chance) {
  return ((happened ? 1.0 : 0.0) - chance) / std::sqrt(chance * (1.0 - chance));
}

std::vector<Channel> channels() {
  constexpr double kSigma = 0.02, kAngle = 0.002, kChance = 0.3;
  Channel range{"range", {}, {}, std::nullopt};
  range.noise.range_sigma = kSigma;
  range.of_point = [](const ScanPoint& point, double truth, double) -> Value {
    return (static_cast<double>(point.range) - truth) / kSigma;
  };
  Channel angle{"angle", {}, {}, std::nullopt};
  angle.noise.angular_sigma = kAngle;
  angle.of_point = [](const ScanPoint& point, double truth, double slope) -> Value {
    if (slope < 2.0) return std::nullopt;  // head-on, turning a beam changes nothing
    return (static_cast<double>(point.range) - truth) / (slope * kAngle);
  };
  Channel lost{"dropout", {}, {}, standardised(true, kChance)};
  lost.noise.dropout = kChance;
  lost.of_point = [](const ScanPoint&, double, double) -> Value {
    return standardised(false, kChance);
  };
  Channel lies{"false returns", {}, {}, std::nullopt};
  lies.noise.false_returns = kChance;
  lies.of_point = [](const ScanPoint& point, double, double) -> Value {
    return standardised(point.surfel == kNoSurfel, kChance);
  };
  return {range, angle, lost, lies};
}

struct Kind {
  std::string name;
  PatternConfig pattern;
};

PatternConfig grid(ImageGrid::Projection projection, GridPatternConfig::Order order) {
  GridPatternConfig pattern;
  pattern.grid.projection = projection;
  pattern.grid.width = 120;
  pattern.grid.height = 50;
  pattern.grid.fx = pattern.grid.fy = 80.0;
  pattern.grid.cx = 59.5;
  pattern.grid.cy = 24.5;
  pattern.grid.elevation_min = -0.5;
  pattern.grid.elevation_max = 0.5;
  pattern.frame_rate = 20.0;
  pattern.order = order;
  return pattern;
}

/// Every instant `together` rows, which have one line and one ring.
PatternConfig csvOfInstants(std::size_t together) {
  auto table = std::make_shared<ScanTable>();
  for (std::size_t row = 0; row < 3000; ++row) {
    const double azimuth = 0.002 * static_cast<double>(row), elevation = 0.3 * std::sin(azimuth);
    table->directions.push_back(Eigen::Vector3d(std::cos(elevation) * std::cos(azimuth),
                                                std::cos(elevation) * std::sin(azimuth),
                                                std::sin(elevation))
                                    .cast<float>());
    table->times.push_back(static_cast<TimeNs>(row / together * together) * 4'000);
  }
  CsvPatternConfig pattern;
  pattern.table = std::move(table);
  return pattern;
}

std::vector<Kind> kinds() {
  RisleyPatternConfig risley;
  risley.prisms = {{-826.0, 0.5, 1.51, 0.0}, {256.0, 0.5, 1.51, 0.3}};
  risley.beam_angles = {-0.05, -0.03, -0.01, 0.01, 0.03, 0.05};
  risley.points_per_second = 240'000.0;
  RisleyPatternConfig in_turns = risley;
  in_turns.lines_fire_together = false;
  Mid360PatternConfig mid360;
  mid360.beam_angles = {-0.03, -0.01, 0.01, 0.03};
  mid360.prism = {-1100.0, 0.3, 1.51, 0.0};
  mid360.mirror_speed = -1146.0;
  mid360.mirror_tilt = 0.6;
  SpinningPatternConfig spinning;  // all channels of a column at one instant
  for (int i = 0; i < 32; ++i) spinning.channels.push_back({radians(i - 16.0), 0.0, 0.0});
  spinning.cycle_period = 200e-6;
  spinning.rotation_rate = -40.0 * kPi;
  SpinningPatternConfig blocks = spinning;
  blocks.more_blocks.push_back({spinning.channels, 600e-6});
  CsvPatternConfig lines = std::get<CsvPatternConfig>(csvOfInstants(1));
  lines.lines = 4;
  using Projection = ImageGrid::Projection;
  using Order = GridPatternConfig::Order;
  return {{"risley", risley},
          {"risley, lines in turns", in_turns},
          {"mid360", mid360},
          {"spinning", spinning},
          {"spinning, two blocks", blocks},
          {"csv, many at an instant", csvOfInstants(30)},
          {"csv, four lines", lines},
          {"grid, instant", grid(Projection::kPinhole, Order::kInstant)},
          {"grid, rows", grid(Projection::kPinhole, Order::kRows)},
          {"grid, columns", grid(Projection::kSpherical, Order::kColumns)}};
}

/// Values of a scan's shots by (ring, column of the scan).
using Values = std::map<std::pair<int, int>, double>;

std::vector<Values> valuesOf(const Kind& kind, const Channel& channel) {
  LidarConfig config;
  config.name = kind.name;
  config.range_min = 1.0;
  config.range_max = 60.0;
  config.noise = channel.noise;
  config.pattern = kind.pattern;
  Lidar lidar(config, std::make_shared<BallRenderer>(), 3);
  lidar.keepMisses(true);
  const StateHistory rest = resting({Eigen::Quaterniond::Identity(), kSensor});
  std::vector<Values> scans(kScans);
  for (int i = 0; i < kScans; ++i) {
    const Scan scan = lidar.scan(i * kScan, (i + 1) * kScan, rest);
    Values& values = scans[static_cast<std::size_t>(i)];
    for (const ScanPoint& point : scan.points) {
      const Eigen::Vector3d d = point.p_S.cast<double>().normalized();
      const Value value = channel.of_point(point, BallRenderer::rangeFrom(kSensor, d),
                                           BallRenderer::slope(kSensor, d));
      if (value) values[{point.ring, static_cast<int>(point.column)}] = *value;
    }
    if (!channel.of_miss) continue;
    for (const ScanMiss& miss : scan.misses) {
      values[{miss.ring, static_cast<int>(miss.column)}] = *channel.of_miss;
    }
  }
  return scans;
}

/// Products of neighbours, and squares of second differences, over all that there are.
struct Sums {
  double products = 0.0, squares = 0.0;
  int pairs = 0, triples = 0;

  void add(const Values& here, const Values& there, int ring_step, int column_step) {
    for (const auto& [at, value] : here) {
      const auto next = there.find({at.first + ring_step, at.second + column_step});
      if (next == there.end()) continue;
      ++pairs;
      products += value * next->second;
      const auto after = there.find({at.first + 2 * ring_step, at.second + 2 * column_step});
      if (after == there.end()) continue;
      ++triples;
      squares += std::pow(value - 2.0 * next->second + after->second, 2);
    }
  }
};

/// The mean product of neighbours among independent values of mean 0 and variance 1 is 0, and the
/// second difference has the variance 1 + 4 + 1.
void expectIndependent(const Sums& sums, const std::string& what) {
  ASSERT_GT(sums.pairs, 5'000) << what;
  const double pairs = sums.pairs;
  EXPECT_NEAR(sums.products / pairs, 0.0, 5.0 / std::sqrt(pairs)) << what;
  if (sums.triples == 0) return;
  EXPECT_NEAR(std::sqrt(sums.squares / sums.triples), std::sqrt(6.0), 0.1) << what;
}

TEST(NoiseOfShots, IsIndependentAlongRowsAndColumnsAndFromScanToScan) {
  for (const Kind& kind : kinds()) {
    const bool has_rows = makePattern(kind.pattern)->rings() > 1;
    for (const Channel& channel : channels()) {
      const std::vector<Values> scans = valuesOf(kind, channel);
      Sums along_row, along_column, over_scans;
      for (std::size_t i = 0; i < scans.size(); ++i) {
        along_row.add(scans[i], scans[i], 0, 1);
        along_column.add(scans[i], scans[i], 1, 0);
        if (i + 1 < scans.size()) over_scans.add(scans[i], scans[i + 1], 0, 0);
      }
      const std::string what = kind.name + ": " + channel.name;
      expectIndependent(along_row, what + " along a row");
      if (has_rows) expectIndependent(along_column, what + " along a column");
      over_scans.triples = 0;  // there are none over scans
      expectIndependent(over_scans, what + " from scan to scan");
    }
  }
}

}  // namespace
}  // namespace marsim::lidar
