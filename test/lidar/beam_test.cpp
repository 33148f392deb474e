// SPDX-License-Identifier: BSD-3-Clause
// The rays of a beam, and scans by beams of several rays.
#include "marsim/lidar/beam.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "lidar/measure/beam_rays.hpp"
#include "lidar/planes.hpp"
#include "marsim/common/error.hpp"

namespace marsim::lidar {
namespace {

constexpr TimeNs kScan = 100'000'000;

BeamConfig beamOf(int rays, double horizontal, double vertical,
                  BeamConfig::Shape shape = BeamConfig::Shape::kEllipse) {
  BeamConfig beam;
  beam.divergence_horizontal = horizontal;
  beam.divergence_vertical = vertical;
  beam.shape = shape;
  beam.rays = rays;
  beam.pulse_length = 5e-9;
  return beam;
}

using Places = std::multiset<std::pair<int, int>>;

/// Places in quarters of the half widths of the spot.
Places placesOf(const BeamConfig& beam) {
  Places places;
  const double h = std::tan(0.5 * beam.divergence_horizontal);
  const double v = std::tan(0.5 * beam.divergence_vertical);
  for (const BeamRay& ray : beamRays(beam)) {
    places.emplace(std::lround(4.0 * static_cast<double>(ray.horizontal) / h),
                   std::lround(4.0 * static_cast<double>(ray.vertical) / v));
  }
  return places;
}

// Goodin et al. 2018, section 3.2.1.
TEST(BeamRays, NineAreThePapersStencil) {
  const Places cross = {{0, 0}, {4, 0}, {-4, 0}, {0, 4}, {0, -4}};
  Places round = cross, corners = cross;
  for (const int x : {-1, 1}) {
    for (const int y : {-1, 1}) {
      round.emplace(2 * x, 2 * y);
      corners.emplace(4 * x, 4 * y);
    }
  }
  EXPECT_EQ(placesOf(beamOf(9, 0.01, 0.01, BeamConfig::Shape::kCircle)), round);
  EXPECT_EQ(placesOf(beamOf(9, 0.01, 0.002)), round);
  EXPECT_EQ(placesOf(beamOf(9, 0.0033, 0.0007, BeamConfig::Shape::kRectangle)), corners);
  for (const BeamRay& ray : beamRays(beamOf(9, 0.01, 0.01))) EXPECT_EQ(ray.weight, 1.0F / 9.0F);
}

TEST(BeamRays, TheMiddleIsTheFirstAndWeightsSumToOne) {
  for (const int rays : {1, 7, 9, 19, 37, -7, -19, -37}) {  // below 0: of a rectangle
    const auto shape = rays < 0 ? BeamConfig::Shape::kRectangle : BeamConfig::Shape::kEllipse;
    const std::vector<BeamRay> beam = beamRays(beamOf(std::abs(rays), 0.005, 0.001, shape));
    ASSERT_EQ(beam.size(), static_cast<std::size_t>(std::abs(rays)));
    EXPECT_EQ(beam[0].horizontal, 0.0F);
    EXPECT_EQ(beam[0].vertical, 0.0F);
    double sum = 0.0;
    for (const BeamRay& ray : beam) sum += static_cast<double>(ray.weight);
    EXPECT_NEAR(sum, 1.0, 1e-6);
  }
}

// The energy of the part of a Gaussian spot (1/e^2 at its edge) that is nearest to each ray's ring.
TEST(BeamRays, RingsHaveTheEnergyOfTheirPartOfAGaussianSpot) {
  for (const int rays : {7, 19, 37}) {
    const std::vector<BeamRay> beam = beamRays(beamOf(rays, 0.004, 0.004));
    const double edge = std::tan(0.002);
    std::vector<double> radii;
    for (const BeamRay& ray : beam) {
      radii.push_back(static_cast<double>(std::hypot(ray.horizontal, ray.vertical)) / edge);
    }
    const int rings = rays == 7 ? 1 : rays == 19 ? 2 : 3;
    std::vector<double> energy(4, 0.0);
    double total = 0.0;
    constexpr int kSteps = 200'000;
    const double ring = radii.back() / rings;
    for (int i = 0; i < kSteps; ++i) {
      const double r = (i + 0.5) / kSteps, part = r * std::exp(-2.0 * r * r);
      total += part;
      energy[std::min<std::size_t>(3, static_cast<std::size_t>(r / ring + 0.5))] += part;
    }
    const std::vector<int> counts = {1, 6, 12, 18};
    for (std::size_t i = 0; i < beam.size(); ++i) {
      const auto number = static_cast<std::size_t>(std::lround(radii[i] / ring));
      EXPECT_NEAR(static_cast<double>(beam[i].weight), energy[number] / total / counts[number],
                  1e-5);
    }
  }
}

// The means of x^2 and x y over a rectangle of half widths h and v are h^2 / 3 and 0.
TEST(BeamRays, RectanglesAreEvenlyBright) {
  const double h = std::tan(0.5 * 0.0033), v = std::tan(0.5 * 0.0007);
  double error = 1.0;
  for (const int rays : {7, 19, 37}) {
    double xx = 0.0, yy = 0.0, xy = 0.0;
    for (const BeamRay& ray :
         beamRays(beamOf(rays, 0.0033, 0.0007, BeamConfig::Shape::kRectangle))) {
      const double x = static_cast<double>(ray.horizontal) / h;
      const double y = static_cast<double>(ray.vertical) / v;
      const auto weight = static_cast<double>(ray.weight);
      EXPECT_LT(std::max(std::abs(x), std::abs(y)), 1.0);
      xx += 3.0 * weight * x * x;
      yy += 3.0 * weight * y * y;
      xy += weight * x * y;
    }
    EXPECT_NEAR(xy, 0.0, 1e-6);
    const double worst = std::max(std::abs(xx - 1.0), std::abs(yy - 1.0));
    EXPECT_LT(worst, error) << "more rays, nearer";
    error = worst;
  }
  EXPECT_LT(error, 0.1);
}

// A pole 5 mm thick, 10 m from a beam of 3 x 1.5 mrad that touches it somewhere.
TEST(BeamRays, MoreRaysMissAThinPoleLessOften) {
  const auto missed = [](int rays) {
    const auto beam = beamRays(beamOf(rays, 0.003, 0.0015, BeamConfig::Shape::kRectangle));
    constexpr int kPlaces = 10'000;
    const double reach = 0.015 + 0.0025;  // [m] half the spot and half the pole
    int count = 0;
    for (int i = 0; i < kPlaces; ++i) {
      const double pole = ((i + 0.5) / kPlaces * 2.0 - 1.0) * reach;
      count += std::none_of(beam.begin(), beam.end(), [&](const BeamRay& ray) {
        return std::abs(10.0 * static_cast<double>(ray.horizontal) - pole) < 0.0025;
      });
    }
    return static_cast<double>(count) / kPlaces;
  };
  EXPECT_NEAR(missed(9), 0.571, 0.005);
  EXPECT_NEAR(missed(7), 0.381, 0.005);
  EXPECT_NEAR(missed(19), 0.229, 0.005);
  EXPECT_NEAR(missed(37), 0.122, 0.005);
}

// Rays at most 1 mrad apart: d / (2 rings + 1).
TEST(BeamConfig, RaysBySpot) {
  const auto rays = [](double divergence) { return beamOf(1, 1e-4, divergence).raysBySpot(); };
  EXPECT_EQ(rays(0.0009), 1);
  EXPECT_EQ(rays(0.0029), 7);
  EXPECT_EQ(rays(0.0049), 19);
  EXPECT_EQ(rays(0.0069), 37);
  EXPECT_EQ(rays(0.05), 37);
}

TEST(BeamConfig, RefusesWhatIsNoBeam) {
  const auto complaint = [](auto change) -> std::string {
    BeamConfig beam = beamOf(9, 0.003, 0.0015);
    change(beam);
    try {
      beam.validate("x.yaml");
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "valid";
  };
  EXPECT_EQ(complaint([](BeamConfig&) {}), "valid");
  EXPECT_EQ(complaint([](BeamConfig& b) { b.divergence_horizontal = -0.001; }),
            "x.yaml: beam.divergence[0] is -0.001, allowed: 0 to 0.2 rad");
  EXPECT_EQ(complaint([](BeamConfig& b) { b.divergence_vertical = 3.0; }),
            "x.yaml: beam.divergence[1] is 3, allowed: 0 to 0.2 rad");
  EXPECT_EQ(complaint([](BeamConfig& b) { b.shape = BeamConfig::Shape::kCircle; }),
            "x.yaml: beam.shape is circle, allowed: ellipse | rectangle where the divergences "
            "differ");
  EXPECT_EQ(complaint([](BeamConfig& b) { b.rays = 8; }),
            "x.yaml: beam.rays is 8, allowed: 1 | 7 | 9 | 19 | 37");
  EXPECT_EQ(complaint([](BeamConfig& b) { b.pulse_length = 0.0; }), "valid");
  EXPECT_EQ(complaint([](BeamConfig& b) { b.divergence_horizontal = b.divergence_vertical = 0.0; }),
            "x.yaml: beam.divergence is 0, allowed: more than 0 rad where there are several rays");
  EXPECT_EQ(complaint([](BeamConfig& b) { b.pulse_length = 1.0; }),
            "x.yaml: beam.pulse_length is 1, allowed: 0 to 1e-06 s");
}

TEST(ReturnsConfig, RefusesValuesOutOfBounds) {
  const auto complaint = [](auto change) -> std::string {
    ReturnsConfig returns;
    change(returns);
    try {
      returns.validate("x.yaml");
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "valid";
  };
  EXPECT_EQ(complaint([](ReturnsConfig&) {}), "valid");
  EXPECT_EQ(complaint([](ReturnsConfig& r) { r.signal_cutoff = -1.0; }),
            "x.yaml: returns.signal_cutoff is -1, allowed: 0 to 1000 m");
  EXPECT_EQ(
      complaint([](ReturnsConfig& r) { r.signal_cutoff = 1.0; }),
      "x.yaml: returns.signal_cutoff is 1 m with mode strongest, allowed: 0 m, or mode first");
  EXPECT_EQ(complaint([](ReturnsConfig& r) { r.threshold = 2.0; }),
            "x.yaml: returns.threshold is 2, allowed: 0 to 1 1/m^2");
  EXPECT_EQ(complaint([](ReturnsConfig& r) { r.separation = NAN; }),
            "x.yaml: returns.separation is nan, allowed: 0 to 100 m");
}

TEST(ReturnsConfig, AModeThatALayoutCannotCarryIsRefused) {
  LidarConfig config = spinner();
  const auto complaint = [&](CloudLayout layout, ReturnMode mode) -> std::string {
    config.outputs.back().layout = layout;
    config.returns.mode = mode;
    try {
      config.validate("x.yaml");
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "valid";
  };
  EXPECT_EQ(complaint(CloudLayout::kVelodyne, ReturnMode::kTriple),
            "x.yaml: returns.mode is triple, allowed: one of at most 2 returns, which the layout "
            "'velodyne' has room for");
  EXPECT_EQ(complaint(CloudLayout::kOrganised, ReturnMode::kDual),
            "x.yaml: returns.mode is dual, allowed: one of at most 1 returns, which the layout "
            "'organised' has room for");
  EXPECT_EQ(complaint(CloudLayout::kOrganised, ReturnMode::kLast), "valid");
  EXPECT_EQ(complaint(CloudLayout::kLivoxCustom, ReturnMode::kTriple), "valid");
  EXPECT_EQ(complaint(CloudLayout::kOuster, ReturnMode::kDual), "valid");
}

TEST(LidarConfig, ALaserScanIsOfAPlane) {
  LidarConfig config = spinner();
  config.outputs.back().layout = CloudLayout::kLaserScan;
  auto& channels = std::get<SpinningPatternConfig>(config.pattern).channels;
  channels.resize(1);
  channels[0].elevation = 0.0;
  EXPECT_NO_THROW(config.validate("x.yaml"));
  channels[0].elevation = 1.0;
  EXPECT_THROW(config.validate("x.yaml"), ConfigError);
}

TEST(LidarConfig, ATopicOfSecondReturnsIsNobodyElses) {
  LidarConfig config = spinner();
  config.outputs.resize(2);
  config.outputs[0].layout = CloudLayout::kOuster;
  config.outputs[0].topic = "a";
  config.outputs[1].topic = "a2";
  EXPECT_NO_THROW(config.validate("x.yaml"));
  config.returns.mode = ReturnMode::kTwoStrongest;
  EXPECT_THROW(config.validate("x.yaml"), ConfigError);
}

// --- scans ---

LidarConfig beamSpinner(const BeamConfig& beam) {
  LidarConfig config = spinner();
  config.beam = beam;
  return config;
}

/// Keeps the rays that it was given; the world is a wall x = `wall`, in front of its part left of
/// y = 0 another, `before` nearer.
class StepRenderer : public RayRenderer {
 public:
  StepRenderer(double wall, double before) : wall_(wall), before_(before) {}
  std::string name() const override { return "step"; }
  void cast(const std::vector<Ray>& rays, View<MovingObject>,
            std::vector<Hit>& hits) const override {
    rays_ = rays;
    hits.assign(rays.size(), Hit{});
    for (std::size_t i = 0; i < rays.size(); ++i) {
      const Eigen::Vector3d d = rays[i].direction.cast<double>();
      const Eigen::Vector3d o = rays[i].origin.cast<double>();
      if (d.x() <= 0.0) continue;
      const double to_near = (wall_ - before_ - o.x()) / d.x();
      const bool near = o.y() + to_near * d.y() > 0.0;
      const double range = near ? to_near : (wall_ - o.x()) / d.x();
      hits[i] = {static_cast<float>(range), near ? 1U : 2U, kMapIdentity,
                 -Eigen::Vector3f::UnitX()};
    }
  }
  const std::vector<Ray>& rays() const { return rays_; }

 private:
  double wall_, before_;
  mutable std::vector<Ray> rays_;
};

TEST(BeamScan, RaysSpreadAlongTheSensorsHorizonAndAcross) {
  LidarConfig config = beamSpinner(beamOf(9, 0.02, 0.004));
  config.X_BS = {fromRollPitchYaw(0.1, 0.2, -0.4), {0.1, -0.05, 0.12}};
  const auto step = std::make_shared<StepRenderer>(5.0, 0.0);
  const Pose X_WB{fromRollPitchYaw(0.3, -0.2, 1.0), {0.0, 0.0, 1.0}};
  Lidar(config, step).scan(0, kScan, resting(X_WB));
  const std::vector<Ray> nine = step->rays();
  config.beam = {};
  Lidar(config, step).scan(0, kScan, resting(X_WB));
  const std::vector<Ray>& one = step->rays();
  ASSERT_EQ(nine.size(), 9 * one.size());
  const Eigen::Matrix3d R_SW = (X_WB * config.X_BS).q.toRotationMatrix().transpose();
  const auto angles = [&](const Ray& ray) {
    const Eigen::Vector3d d = R_SW * ray.direction.cast<double>();
    return std::pair{std::atan2(d.y(), d.x()), std::asin(d.z())};
  };
  for (std::size_t i = 0; i < one.size(); ++i) {
    ASSERT_EQ(nine[9 * i].direction, one[i].direction);
    const auto [azimuth, elevation] = angles(one[i]);
    double left = 0.0, up = 0.0;
    for (std::size_t k = 0; k < 9; ++k) {
      const Ray& ray = nine[9 * i + k];
      ASSERT_EQ(ray.origin, one[i].origin);
      ASSERT_EQ(ray.time, one[i].time);
      ASSERT_NEAR(ray.direction.norm(), 1.0F, 1e-6F);
      const auto [a, e] = angles(ray);
      left = std::max(left, std::remainder(a - azimuth, 2.0 * kPi) * std::cos(elevation));
      up = std::max(up, e - elevation);
    }
    ASSERT_NEAR(left, 0.01, 1e-5);
    ASSERT_NEAR(up, 0.002, 1e-5);
  }
}

TEST(BeamScan, AnEdgeGivesAMixedPixelOrTwoReturns) {
  // A beam 0.2 rad wide at 5 m is 1 m wide: of its nine rays 3 lie left of the middle, 3 right.
  const auto scanOf = [](double before, ReturnMode mode) {
    LidarConfig config = beamSpinner(beamOf(9, 0.1, 0.1));
    config.beam.shape = BeamConfig::Shape::kRectangle;
    config.returns.mode = mode;
    config.azimuth_min = -1e-4;
    config.azimuth_max = 3.3e-3;
    config.elevation_min = radians(-2.0);
    config.elevation_max = radians(2.0);
    Lidar lidar(config, std::make_shared<StepRenderer>(5.0, before));
    return lidar.scan(0, kScan, resting({}));
  };
  const Scan mixed = scanOf(0.5, ReturnMode::kDual);
  ASSERT_FALSE(mixed.points.empty());
  for (const ScanPoint& point : mixed.points) {
    EXPECT_EQ(point.return_count, 1);
    EXPECT_GT(point.range, 4.6F);
    EXPECT_LT(point.range, 4.9F);
  }
  const Scan split = scanOf(2.0, ReturnMode::kDual);
  ASSERT_EQ(split.points.size(), 2 * mixed.points.size());
  for (std::size_t i = 0; i < split.points.size(); ++i) {
    const ScanPoint& point = split.points[i];
    const bool far = i % 2 == 1;
    EXPECT_EQ(point.return_count, 2);
    EXPECT_EQ(point.return_number, far ? 2 : 1);
    EXPECT_EQ(point.energy_rank, far ? 1 : 0) << "nearer is brighter";
    EXPECT_EQ(point.shot, i / 2);
    EXPECT_EQ(point.surfel, far ? 2U : 1U);
    EXPECT_NEAR(point.range, far ? 5.0F : 3.0F, 0.02F);
    EXPECT_LT((point.p_S - split.points[i ^ 1].p_S.normalized() * point.range).norm(), 1e-5F);
  }
  EXPECT_EQ(scanOf(2.0, ReturnMode::kLast).points.size(), mixed.points.size());
}

/// Its nearer part is black.
class BlackStep : public StepRenderer {
 public:
  using StepRenderer::StepRenderer;
  map::SurfelChannelViews channels() const override { return {reflectivity_, {}, {}, {}}; }

 private:
  std::vector<std::uint8_t> reflectivity_ = {0, 0, 255};
};

TEST(BeamScan, BlackSurfacesArePartOfNoEcho) {
  LidarConfig config = beamSpinner(beamOf(9, 0.1, 0.1));
  config.beam.shape = BeamConfig::Shape::kRectangle;
  config.azimuth_min = -1e-4;
  config.azimuth_max = 3.3e-3;
  config.elevation_min = radians(-2.0);
  config.elevation_max = radians(2.0);
  config.returns.mode = ReturnMode::kFirst;
  config.returns.signal_cutoff = 0.1;
  Lidar lidar(config, std::make_shared<BlackStep>(5.0, 0.5));
  const Scan scan = lidar.scan(0, kScan, resting({}));
  EXPECT_EQ(scan.points.size(), scan.rays);
  for (const ScanPoint& point : scan.points) EXPECT_NEAR(point.range, 5.0F, 0.02F);
}

TEST(BeamScan, AWallAcrossTheBeamHasTheReflectivityThatOneRaySees) {
  LidarConfig config = spinner();
  config.reflectivity = 0.6;
  const auto plane = std::make_shared<PlaneRenderer>(Eigen::Vector3d(1.0, 0.1, 0.05), 4.0);
  const Scan one = Lidar(config, plane).scan(0, kScan, resting({}));
  for (const int rays : {7, 9, 19, 37, -9}) {  // below 0: each ray has its own echo
    config.beam = beamOf(std::abs(rays), 0.003, 0.0015);
    if (rays < 0) config.beam.pulse_length = 0.0;
    const Scan many = Lidar(config, plane).scan(0, kScan, resting({}));
    ASSERT_EQ(many.rays, one.rays);
    std::size_t next = 0, compared = 0;
    for (const ScanPoint& point : many.points) {
      while (next < one.points.size() && one.points[next].shot < point.shot) ++next;
      if (next == one.points.size() || one.points[next].shot != point.shot) continue;
      const ScanPoint& single = one.points[next];
      if (single.range > 8.0F) continue;  // so oblique that the spot is long
      ++compared;
      ASSERT_NEAR(point.range / single.range, 1.0F, rays < 0 ? 4e-3F : 2e-3F);
      ASSERT_NEAR(point.reflectivity / single.reflectivity, 1.0F, 1e-2F);
    }
    EXPECT_GT(compared, 5'000U);
  }
}

TEST(BeamScan, ScansByOneRayAreTheSameWhateverTheDivergence) {
  LidarConfig config = spinner();
  config.noise.range_sigma = 0.02;
  config.noise.angular_sigma = 1e-3;
  config.noise.dropout = 0.1;
  const auto plane = std::make_shared<PlaneRenderer>(Eigen::Vector3d::UnitZ(), -1.0);
  const Scan plain = Lidar(config, plane).scan(0, kScan, resting({}));
  config.beam = beamOf(1, 0.003, 0.0015);
  for (const auto& [word, mode] : returnModes()) {
    config.returns.mode = mode;
    // By the receiver of echoes, too: a threshold makes it work on one ray.
    for (const double threshold : {0.0, 1e-9}) {
      config.returns.threshold = threshold;
      const Scan scan = Lidar(config, plane).scan(0, kScan, resting({}));
      ASSERT_EQ(scan.points.size(), plain.points.size()) << word;
      for (std::size_t i = 0; i < plain.points.size(); ++i) {
        ASSERT_EQ(scan.points[i].p_S, plain.points[i].p_S);
        ASSERT_EQ(scan.points[i].shot, plain.points[i].shot);
        ASSERT_EQ(scan.points[i].intensity, plain.points[i].intensity);
      }
    }
  }
}

TEST(BeamScan, NoiseOfTheReturnsOfAShotIsNotTheSame) {
  LidarConfig config = beamSpinner(beamOf(9, 0.1, 0.1));
  config.beam.shape = BeamConfig::Shape::kRectangle;
  config.returns.mode = ReturnMode::kDual;
  config.noise.range_sigma = 0.02;
  const auto step = std::make_shared<StepRenderer>(5.0, 2.0);
  const auto scanWith = [&](bool noise) {
    return Lidar(config, step, 1, noise).scan(0, kScan, resting({}));
  };
  const Scan noisy = scanWith(true), ideal = scanWith(false);
  ASSERT_EQ(noisy.points.size(), ideal.points.size());
  double product = 0.0;
  std::vector<double> first, second;
  for (std::size_t i = 0; i + 1 < ideal.points.size(); ++i) {
    if (ideal.points[i].return_count != 2 || ideal.points[i].return_number != 1) continue;
    first.push_back(static_cast<double>(noisy.points[i].range - ideal.points[i].range));
    second.push_back(static_cast<double>(noisy.points[i + 1].range - ideal.points[i + 1].range));
    product += first.back() * second.back();
  }
  ASSERT_GT(first.size(), 300U);
  const double correlation = product / static_cast<double>(first.size()) / (0.02 * 0.02);
  EXPECT_LT(std::abs(correlation), 4.0 / std::sqrt(static_cast<double>(first.size())));
}

TEST(BeamScan, SurfacesTooNearHideOnlyTheirPartOfTheBeam) {
  LidarConfig config = beamSpinner(beamOf(9, 0.1, 0.1));
  config.beam.shape = BeamConfig::Shape::kRectangle;
  config.range_min = 3.5;
  const auto step = std::make_shared<StepRenderer>(5.0, 2.0);  // the nearer one at 3 m
  Lidar lidar(config, step);
  lidar.keepMisses(true);
  const Scan scan = lidar.scan(0, kScan, resting({}));
  std::size_t partly = 0, hidden = 0;
  for (const ScanPoint& point : scan.points) {
    EXPECT_GE(point.range, 3.5F);
    partly += point.p_S.y() > 0.0F && point.p_S.y() < 0.04F * point.range ? 1 : 0;
  }
  for (const ScanMiss& miss : scan.misses) hidden += miss.too_near ? 1 : 0;
  EXPECT_GT(partly, 100U);
  EXPECT_GT(hidden, 1'000U);
  EXPECT_EQ(scan.too_near, hidden);
}

}  // namespace
}  // namespace marsim::lidar
