// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/noise.hpp"

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lidar/measure/normal_deviate.hpp"
#include "lidar/planes.hpp"
#include "lidar/surfel_sets.hpp"
#include "marsim/common/error.hpp"

namespace marsim::lidar {
namespace {

constexpr TimeNs kScan = 100'000'000;

struct Moments {
  std::size_t count = 0;
  double sum = 0.0, squares = 0.0;

  void add(double value) {
    ++count;
    sum += value;
    squares += value * value;
  }
  double mean() const { return sum / static_cast<double>(count); }
  double sigma() const { return std::sqrt(squares / static_cast<double>(count) - mean() * mean()); }
};

/// Level, 2 m above the floor z = 0: the ring at elevation -e sees it at 2 m / sin e all round. Or
/// beside the wall x = 5 m.
class Noise : public testing::Test {
 protected:
  static constexpr double kHeight = 2.0, kWall = 5.0;

  /// Calls visit(point, true range) for what `scans` scans of a plane report.
  template <class Visit>
  void scanPlane(const PlaneRenderer& plane, int scans, const Visit& visit) {
    Lidar lidar(config_, std::make_shared<PlaneRenderer>(plane), 3);
    lidar.keepMisses(true);
    const Eigen::Vector3d p(0.0, 0.0, kHeight);
    const StateHistory history = resting({Eigen::Quaterniond::Identity(), p}, 1000 * kNsPerSecond);
    for (int i = 0; i < scans; ++i) {
      const Scan scan = lidar.scan(i * kScan, (i + 1) * kScan, history);
      EXPECT_EQ(scan.points.size() + scan.misses.size(), scan.rays);
      for (const ScanPoint& point : scan.points) {
        const Eigen::Vector3d direction = point.p_S.cast<double>().normalized();
        visit(point, plane.rangeFrom(p, direction));
      }
      for (const ScanMiss& miss : scan.misses) ++misses_[miss.ring];
      rays_ += scan.rays;
    }
  }

  /// Range errors of each ring that sees the floor, and how often it did.
  std::map<int, Moments> floorErrors(int scans) {
    std::map<int, Moments> errors;
    scanPlane(floor_, scans, [&](const ScanPoint& point, double truth) {
      errors[point.ring].add(static_cast<double>(point.range) - truth);
    });
    return errors;
  }

  static double elevation(int ring) { return radians(15.0 - 2.0 * ring); }  // below the horizon
  static double floorRange(int ring) { return kHeight / std::sin(elevation(ring)); }

  const PlaneRenderer floor_{Eigen::Vector3d::UnitZ(), 0.0};
  const PlaneRenderer wall_{-Eigen::Vector3d::UnitX(), -kWall};
  LidarConfig config_ = spinner();
  std::map<int, std::size_t> misses_;
  std::size_t rays_ = 0;
};

TEST_F(Noise, BiasAndSigmaAreAConstantAndAPartOfTheRange) {
  config_.noise.range_bias = 0.03;
  config_.noise.range_bias_per_metre = 0.002;
  config_.noise.range_sigma = 0.02;
  config_.noise.range_sigma_per_metre = 0.004;
  const auto errors = floorErrors(10);
  ASSERT_GE(errors.size(), 7U);
  for (int ring = 0; ring < 6; ++ring) {
    const Moments& found = errors.at(ring);
    const double range = floorRange(ring);
    EXPECT_GT(found.count, 10'000U);
    EXPECT_NEAR(found.mean() / (0.03 + 0.002 * range), 1.0, 0.05) << ring;
    EXPECT_NEAR(found.sigma() / (0.02 + 0.004 * range), 1.0, 0.05) << ring;
  }
}

TEST_F(Noise, SigmaMayGrowWithTheSquareOfTheRange) {
  config_.noise.range_sigma_per_square_metre = 0.0005;
  const auto errors = floorErrors(10);
  for (int ring = 0; ring < 6; ++ring) {
    const double range = floorRange(ring);
    EXPECT_NEAR(errors.at(ring).sigma() / (0.0005 * range * range), 1.0, 0.05) << ring;
  }
}

// The wall x = 5 m lies at one depth: its noise is the same in every direction along the axis, and
// larger by 1 / cos along the beam.
TEST_F(Noise, DepthCamerasMeasureAlongTheAxis) {
  GridPatternConfig pattern;
  pattern.grid.projection = ImageGrid::Projection::kPinhole;
  pattern.grid.width = 200;
  pattern.grid.height = 100;
  pattern.grid.fx = pattern.grid.fy = 100.0;
  pattern.grid.cx = 99.5;
  pattern.grid.cy = 49.5;
  pattern.frame_rate = 10.0;
  config_.pattern = pattern;
  config_.noise.range_bias = 0.02;
  config_.noise.range_sigma_per_square_metre = 0.002;
  config_.noise.along = NoiseConfig::Along::kAxis;
  Moments middle, edge;
  scanPlane(wall_, 5, [&](const ScanPoint& point, double) {
    const double depth = static_cast<double>(point.p_S.x());
    const double aside = std::abs(std::atan2(point.p_S.y(), point.p_S.x()));
    if (aside < radians(10.0)) middle.add(depth - kWall);
    if (aside > radians(40.0)) edge.add(depth - kWall);
  });
  for (const Moments& found : {middle, edge}) {
    EXPECT_GT(found.count, 4'000U);
    EXPECT_NEAR(found.mean(), 0.02, 0.003);
    EXPECT_NEAR(found.sigma() / (0.002 * kWall * kWall), 1.0, 0.05);
  }
}

TEST_F(Noise, BeamsGoOffAcrossTheirDirectionOnBothAxes) {
  config_.noise.angular_sigma = radians(0.15);
  Moments up, aside;
  scanPlane(floor_, 10, [&](const ScanPoint& point, double) {
    if (point.ring == 0) up.add(std::asin(kHeight / point.range) - elevation(0));
  });
  scanPlane(wall_, 30, [&](const ScanPoint& point, double truth) {
    const double azimuth = std::abs(std::atan2(point.p_S.y(), point.p_S.x()));
    if ((point.ring != 7 && point.ring != 8) || std::abs(azimuth - radians(45.0)) > 0.2) return;
    const double flat = std::cos(elevation(point.ring));
    EXPECT_NEAR(truth, kWall / flat / std::cos(azimuth), 1e-3) << "reported where it should go";
    aside.add(std::acos(kWall / static_cast<double>(point.range) / flat) - azimuth);
  });
  for (const Moments& found : {up, aside}) {
    EXPECT_GT(found.count, 10'000U);
    EXPECT_NEAR(found.sigma() / radians(0.15), 1.0, 0.05);
    EXPECT_NEAR(found.mean() / radians(0.15), 0.0, 0.05);
  }
}

TEST_F(Noise, RangesAreWholeStepsAndNoFartherThanHalfAStepOff) {
  config_.noise.range_resolution = 0.004;
  Moments errors;
  scanPlane(PlaneRenderer(Eigen::Vector3d(0.1, 0.2, 1.0), 0.0), 1,
            [&](const ScanPoint& point, double truth) {
              const double steps = static_cast<double>(point.range) / 0.004;
              ASSERT_NEAR(steps, std::round(steps), 1e-2);
              ASSERT_LT(std::abs(static_cast<double>(point.range) - truth), 0.002 + 1e-5);
              errors.add(static_cast<double>(point.range) - truth);
            });
  EXPECT_GT(errors.count, 10'000U);
  EXPECT_NEAR(errors.sigma() / (0.004 / std::sqrt(12.0)), 1.0, 0.05);
}

TEST_F(Noise, ReturnsAreLostByRange) {
  config_.noise.dropout_by_range = {{5.0, 0.2}, {10.0, 0.4}, {20.0, 0.8}};
  const auto kept = floorErrors(40);
  const auto share = [](double range) {
    return range < 10.0 ? 0.2 + 0.04 * (range - 5.0) : std::min(0.4 + 0.04 * (range - 10.0), 0.8);
  };
  for (int ring = 0; ring < 6; ++ring) {
    const auto lost = static_cast<double>(misses_.at(ring));
    EXPECT_GT(lost, 10'000.0);
    const double all = lost + static_cast<double>(kept.at(ring).count);
    EXPECT_NEAR(lost / all / share(floorRange(ring)), 1.0, 0.05) << ring;
    EXPECT_LT(std::abs(kept.at(ring).mean()), 1e-4) << "those kept are as they were";
  }
}

TEST_F(Noise, ReturnsAreLostByIncidenceAndByAConstantShare) {
  config_.noise.dropout = 0.1;
  config_.noise.dropout_by_incidence = {{radians(70.0), 0.0}, {radians(90.0), 1.0}};
  const auto kept = floorErrors(40);
  for (int ring = 0; ring < 6; ++ring) {
    const auto lost = static_cast<double>(misses_.at(ring));
    EXPECT_GT(lost, 10'000.0);
    const double all = lost + static_cast<double>(kept.at(ring).count);
    const double incidence = degrees(kPi / 2.0 - elevation(ring));
    const double expected = 1.0 - 0.9 * (1.0 - (incidence - 70.0) / 20.0);
    EXPECT_NEAR(lost / all / expected, 1.0, 0.05) << ring;
  }
}

// On the wall x = 5 m at an angle a the range is 5 / cos a and the reflectivity along the beam
// rho cos a. The sensor's reach is C q^k; below the first pair the square root of q.
TEST_F(Noise, DarkSurfacesAreSeenLessFar) {
  config_.noise.range_by_reflectivity = {{0.1, 10.0}, {0.8, 20.0}};
  const double k = std::log(2.0) / std::log(8.0), c = 10.0 / std::pow(0.1, k);
  const auto reach = [&](double q) {
    return q < 0.1 ? 10.0 * std::sqrt(q / 0.1) : c * std::pow(q, k);
  };
  for (const double reflectivity : {0.03, 0.1, 0.4, 0.8, 1.6}) {
    config_.reflectivity = reflectivity;
    float farthest = 0.0F, last_azimuth = 0.0F;
    std::size_t seen = 0;
    scanPlane(wall_, 5, [&](const ScanPoint& point, double) {
      if (point.ring != 7) return;
      ++seen;
      farthest = std::max(farthest, point.range);
      last_azimuth = std::max(last_azimuth, std::abs(std::atan2(point.p_S.y(), point.p_S.x())));
    });
    double low = 0.0, cosine = 1.0;  // the reach at `low` is too short
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + cosine);
      (kWall / middle > reach(reflectivity * middle) ? low : cosine) = middle;
    }
    EXPECT_NEAR(static_cast<double>(farthest) * cosine / kWall, 1.0, 0.02) << reflectivity;
    const double share = 2.0 * static_cast<double>(last_azimuth) / (2.0 * kPi);
    EXPECT_NEAR(static_cast<double>(seen) / (5.0 * 1808.4) / share, 1.0, 0.01)
        << "and whatever is nearer";
  }
}

// 90 % to range_max = 60 m by default.
TEST_F(Noise, DarkSurfacesAreSeenLessFarByDefaultAndWithoutNoise) {
  config_.noise.range_by_reflectivity.clear();
  for (const double reflectivity : {0.02, 0.1, 0.8}) {
    config_.reflectivity = reflectivity;
    const double limit = 60.0 * std::sqrt(reflectivity / 0.9);
    for (const bool noise : {true, false}) {
      for (const double wall : {limit - 0.01, limit + 0.01}) {
        config_.azimuth_min = -1e-3;
        config_.azimuth_max = 1e-3;
        config_.elevation_min = radians(0.9);
        config_.elevation_max = radians(1.1);
        // Met squarely by the channel of 1 degree.
        const Eigen::Vector3d normal(-std::cos(radians(1.0)), 0.0, -std::sin(radians(1.0)));
        Lidar lidar(config_, std::make_shared<PlaneRenderer>(normal, -wall), 3, noise);
        const Scan scan = lidar.scan(0, 10 * kScan, resting({}, 10 * kScan));
        EXPECT_GT(scan.rays, 0U);
        EXPECT_EQ(scan.points.size(), wall < limit ? scan.rays : 0U) << reflectivity << noise;
      }
    }
  }
}

TEST_F(Noise, ShotsLostToLowReflectivityAreCounted) {
  config_.noise.range_by_reflectivity = {{0.1, 10.0}};
  const auto scan = [&](double reflectivity) {
    config_.reflectivity = reflectivity;
    Lidar lidar(config_, std::make_shared<PlaneRenderer>(wall_), 3);
    return lidar.scan(0, kScan, resting({Eigen::Quaterniond::Identity(), {0.0, 0.0, kHeight}}));
  };
  const std::size_t bright = scan(100.0).points.size();  // all that meet the wall
  const Scan half = scan(0.1), none = scan(0.0);
  EXPECT_GT(half.too_dark, 1'000U);
  EXPECT_EQ(half.points.size() + half.too_dark, bright);
  EXPECT_FALSE(nearlyAllTooDark(shotsReturned(half), half.too_dark));
  EXPECT_EQ(none.too_dark, bright);
  EXPECT_TRUE(nearlyAllTooDark(shotsReturned(none), none.too_dark));
  EXPECT_FALSE(nearlyAllTooDark(0, 0));
  Scan dual;
  for (std::uint8_t number : {1, 2, 1}) dual.points.emplace_back().return_number = number;
  EXPECT_EQ(shotsReturned(dual), 2U);
}

TEST_F(Noise, NothingIsSeenBeyondTheSensorsRangeHoweverBright) {
  config_.noise.range_by_reflectivity = {{0.1, 100.0}};
  config_.noise.range_sigma = 0.5;
  config_.range_max = 12.0;
  config_.reflectivity = 4.0;
  std::size_t points = 0;
  scanPlane(floor_, 1, [&](const ScanPoint& point, double) {
    EXPECT_LE(point.range, 12.0F);
    ++points;
  });
  EXPECT_GT(points, 3'000U);
}

TEST_F(Noise, FalseReturnsAreUniformOverTheRangeAndOfNoSurfel) {
  config_.noise.false_returns = 0.1;
  std::array<std::size_t, 4> quarters{};
  std::size_t false_returns = 0;
  scanPlane(floor_, 20, [&](const ScanPoint& point, double truth) {
    if (point.surfel == 7U) {
      EXPECT_NEAR(point.range, truth, 1e-3 * truth);
      return;
    }
    EXPECT_EQ(point.surfel, kNoSurfel);
    EXPECT_EQ(point.intensity, 0.0F);
    ++false_returns;
    const auto quarter = static_cast<std::size_t>((point.range - 0.5F) / (59.5F / 4.0F));
    ++quarters.at(std::min<std::size_t>(quarter, 3));
  });
  EXPECT_GT(false_returns, 50'000U);
  EXPECT_NEAR(static_cast<double>(false_returns) / (0.1 * static_cast<double>(rays_)), 1.0, 0.05);
  for (const std::size_t quarter : quarters) {
    EXPECT_NEAR(4.0 * static_cast<double>(quarter) / static_cast<double>(false_returns), 1.0, 0.05);
  }
}

// Biases of units (seeds) and of their channels; the same for all shots of a channel.
TEST_F(Noise, UnitsAndTheirChannelsHaveBiases) {
  config_.noise.unit_bias_sigma = 0.03;
  config_.noise.channel_bias_sigma = 0.01;
  config_.azimuth_min = -0.02;
  config_.azimuth_max = 0.02;
  const auto wall = std::make_shared<PlaneRenderer>(wall_);
  Moments of_units, of_channels;
  constexpr int kUnits = 400;
  for (std::uint64_t seed = 1; seed <= kUnits; ++seed) {
    Lidar lidar(config_, wall, seed);
    std::map<int, Moments> errors;
    for (const ScanPoint& point : lidar.scan(0, kScan, resting({})).points) {
      const double truth = wall->rangeFrom({0.0, 0.0, 0.0}, point.p_S.cast<double>().normalized());
      errors[point.ring].add(static_cast<double>(point.range) - truth);
    }
    ASSERT_EQ(errors.size(), 16U);
    Moments of_unit;
    for (const auto& [ring, error] : errors) {
      EXPECT_LT(error.sigma(), 1e-5) << "no noise from shot to shot";
      of_unit.add(error.mean());
    }
    of_units.add(of_unit.mean());
    for (const auto& [ring, error] : errors) of_channels.add(error.mean() - of_unit.mean());
  }
  EXPECT_NEAR(of_units.sigma() / std::hypot(0.03, 0.01 / 4.0), 1.0, 0.1);
  EXPECT_NEAR(of_channels.sigma() / (0.01 * std::sqrt(15.0 / 16.0)), 1.0, 0.05);
  EXPECT_NEAR(of_units.mean(), 0.0, 4.0 * 0.03 / std::sqrt(kUnits));
}

// A spot of 4 x 2 mrad; sqrt((4^2 + 2^2) / 2) = 3.162.
TEST_F(Noise, SlantedSurfacesAreMoreUncertain) {
  config_.beam.divergence_horizontal = 4e-3;
  config_.beam.divergence_vertical = 2e-3;
  config_.beam.shape = BeamConfig::Shape::kRectangle;
  config_.noise.range_sigma = 0.01;
  config_.noise.slant_sigma = 2.0;
  const auto errors = floorErrors(10);
  for (int ring = 0; ring < 6; ++ring) {
    const double range = floorRange(ring);
    const double depth = range * 3.162e-3 / 4.0 / std::tan(elevation(ring));
    EXPECT_NEAR(errors.at(ring).sigma() / std::hypot(0.01, 2.0 * depth), 1.0, 0.05) << ring;
  }
}

NoiseConfig everything() {
  NoiseConfig noise;
  noise.range_bias = 0.01;
  noise.unit_bias_sigma = 0.01;
  noise.channel_bias_sigma = 0.01;
  noise.slant_sigma = 0.5;
  noise.range_sigma = 0.02;
  noise.range_sigma_per_metre = 0.001;
  noise.range_sigma_per_square_metre = 0.0001;
  noise.angular_sigma = radians(0.1);
  noise.range_resolution = 0.002;
  noise.dropout = 0.1;
  noise.dropout_by_range = {{0.0, 0.0}, {60.0, 0.5}};
  noise.dropout_by_incidence = {{0.0, 0.0}, {1.5, 0.5}};
  noise.range_by_reflectivity = {{0.1, 20.0}, {0.8, 40.0}};
  noise.false_returns = 0.05;
  return noise;
}

void expectSame(const std::vector<ScanPoint>& a, const std::vector<ScanPoint>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].range, b[i].range);
    ASSERT_EQ(a[i].p_S, b[i].p_S);
    ASSERT_EQ(a[i].intensity, b[i].intensity);
    ASSERT_EQ(a[i].surfel, b[i].surfel);
    ASSERT_EQ(a[i].ring, b[i].ring);
  }
}

TEST_F(Noise, IsTheSameForAnyNumberOfThreads) {
  config_.noise = everything();
  const auto map = roomMap({6.0, 4.0, 2.0}, 0.1, Kind::kMixed);
  const StateHistory history = resting({fromRollPitchYaw(0.1, 0.2, 0.3), {0.5, 0.2, -0.3}});
  std::vector<Scan> scans;
  for (const int threads : {1, 4}) {
    RendererConfig renderer;
    renderer.threads = threads;
    Lidar lidar(config_, makeRayCaster(map, renderer), 5);
    scans.push_back(lidar.scan(0, kScan, history));
  }
  EXPECT_GT(scans[0].points.size(), 10'000U);
  expectSame(scans[0].points, scans[1].points);
}

TEST_F(Noise, DoesNotDependOnWhereScansBegin) {
  config_.noise = everything();
  const auto floor = std::make_shared<PlaneRenderer>(floor_);
  const StateHistory history = resting({Eigen::Quaterniond::Identity(), {0.0, 0.0, kHeight}});
  Lidar lidar(config_, floor, 5);
  std::vector<ScanPoint> whole = lidar.scan(0, 2 * kScan, history).points, pieces;
  Lidar other(config_, floor, 5);
  TimeNs begin = 0;
  for (const TimeNs end : {TimeNs{37'000'001}, kScan, TimeNs{140'000'000}, 2 * kScan}) {
    for (const ScanPoint& point : other.scan(begin, end, history).points) pieces.push_back(point);
    begin = end;
  }
  expectSame(whole, pieces);
}

TEST_F(Noise, SeedDecidesAndTheSwitchTurnsItOff) {
  const auto floor = std::make_shared<PlaneRenderer>(floor_);
  const StateHistory history = resting({Eigen::Quaterniond::Identity(), {0.0, 0.0, kHeight}});
  const auto scan = [&](std::uint64_t seed, bool noise) {
    return Lidar(config_, floor, seed, noise).scan(0, kScan, history).points;
  };
  config_.noise.range_by_reflectivity = everything().range_by_reflectivity;
  const std::vector<ScanPoint> ideal = scan(1, true);
  config_.noise = everything();
  expectSame(ideal, scan(1, false));
  expectSame(scan(1, true), scan(1, true));
  const std::vector<ScanPoint> one = scan(1, true), two = scan(2, true);
  std::map<std::uint32_t, float> ranges;
  for (const ScanPoint& point : one) ranges[point.shot] = point.range;
  std::size_t equal = 0;
  for (const ScanPoint& point : two) equal += ranges[point.shot] == point.range ? 1 : 0;
  EXPECT_LT(static_cast<double>(equal), 0.1 * static_cast<double>(two.size()));
}

TEST(NoiseConfig, RefusesValuesOutOfBounds) {
  const auto complaint = [](auto change) -> std::string {
    LidarConfig config = spinner();
    change(config.noise);
    try {
      config.validate("x.yaml");
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "valid";
  };
  EXPECT_EQ(complaint([](NoiseConfig& n) { n = everything(); }), "valid");
  EXPECT_EQ(complaint([](NoiseConfig& n) { n.dropout = 1.5; }),
            "x.yaml: noise.dropout is 1.5, allowed: 0 to 1");
  EXPECT_EQ(complaint([](NoiseConfig& n) { n.range_sigma = -0.1; }),
            "x.yaml: noise.range_sigma is -0.1, allowed: 0 to 10 m");
  EXPECT_EQ(complaint([](NoiseConfig& n) { n.angular_sigma = std::nan(""); }),
            "x.yaml: noise.angular_sigma is nan, allowed: 0 to 0.02 rad");
  EXPECT_EQ(complaint([](NoiseConfig& n) { n.along = NoiseConfig::Along::kAxis; }),
            "x.yaml: noise.along is axis, allowed: beam; axis only of a pinhole grid");
  EXPECT_EQ(complaint([](NoiseConfig& n) {
              n.dropout_by_range = {{1.0, 0.1}, {1.0, 0.2}};
            }),
            "x.yaml: noise.dropout_by_range[1][0] is 1, allowed: more than the one before, 1");
  EXPECT_EQ(complaint([](NoiseConfig& n) {
              n.dropout_by_incidence = {{2.0, 0.1}};
            }).substr(0, 47),
            "x.yaml: noise.dropout_by_incidence[0][0] is 2, ");
  EXPECT_EQ(complaint([](NoiseConfig& n) {
              n.range_by_reflectivity = {{0.1, 50}, {0.8, 40}};
            }),
            "x.yaml: noise.range_by_reflectivity[1][1] is 40 m, allowed: not less than the one "
            "before, 50 m");
}

// The distribution function of what comes out is the share that went in.
TEST(NormalDeviate, InvertsTheDistributionFunction) {
  const NormalDeviate& normal = NormalDeviate::table();
  for (std::uint64_t bits = 1; bits < (std::uint64_t{1} << 32); bits += 1'234'567) {
    const double u = (static_cast<double>(bits) + 0.5) * 0x1.0p-32;
    const auto x = static_cast<double>(normal.of(static_cast<std::uint32_t>(bits)));
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * kPi);
    ASSERT_LT(std::abs(0.5 * std::erfc(-x / std::sqrt(2.0)) - u), 0.003 * density) << u;
  }
  EXPECT_NEAR(normal.of(0), -6.3379, 1e-3);  // the outermost: u = 2^-33
  EXPECT_NEAR(normal.of(0xFFFFFFFFU), 6.3379, 1e-3);
}

}  // namespace
}  // namespace marsim::lidar
