// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "lidar/planes.hpp"

/// Effects of weather on a LiDAR, by midpoint sums over ranges and sizes: without the program's
/// code or closed forms. Also a world to compare the program with.
namespace marsim::lidar::formulas {

constexpr double kNearest = 1.0;  // [m] no particle is seen nearer

/// The world is the inside of a ball about the sensor: every shot meets it squarely at the same
/// range. Of radius 0: there is nothing.
class BallAround : public RayRenderer {
 public:
  explicit BallAround(double radius) : radius_(radius) {}
  std::string name() const override { return "ball"; }
  void cast(const std::vector<Ray>& rays, View<MovingObject>,
            std::vector<Hit>& hits) const override {
    hits.assign(rays.size(), Hit{});
    for (std::size_t i = 0; i < rays.size(); ++i) {
      if (radius_ <= 0.0 || radius_ > static_cast<double>(rays[i].range_max)) continue;
      hits[i] = {static_cast<float>(radius_), 7, kMapIdentity, -rays[i].direction};
    }
  }

 private:
  double radius_;
};

/// Sixteen channels, 28,928 shots a scan; an elliptic beam of 3 x 1.5 mrad, pulses of 5 ns that are
/// told apart however near they are.
inline LidarConfig sensor() {
  LidarConfig config = spinner();
  config.range_max = 100.0;
  config.noise.range_by_reflectivity.clear();  // sees 90 % to range_max
  config.beam.divergence_horizontal = 3e-3;
  config.beam.divergence_vertical = 1.5e-3;
  config.beam.shape = BeamConfig::Shape::kEllipse;
  config.reflectivity = 0.5;
  return config;
}
constexpr double kSolidAngle = kPi / 4.0 * 3e-3 * 1.5e-3;
constexpr double kUsualDepth = 0.5 * 299'792'458 * 5e-9;  // [m] that a pulse of 5 ns lights up
constexpr double kLeastEnergy = 0.9 / (100.0 * 100.0);    // 90 % at 100 m
/// The sensor with a lower threshold, which sees some metres into fog: 10 % at 180 m.
constexpr double kThreshold = 3e-6;
inline LidarConfig sensitiveSensor() {
  LidarConfig config = sensor();
  config.returns.threshold = kThreshold;
  config.reflectivity = 0.05;
  return config;
}

/// N(D) = count exp(-slope D) [1/(m^3 mm)], D in mm; a particle as wide as the beam sends back as
/// much as a surface of `reflectivity`.
struct Sizes {
  double count, slope, reflectivity;
};
inline Sizes dropSizes(double rate) {
  return {8000.0, 4.1 * std::pow(rate, -0.21), std::pow(0.328 / 2.328, 2)};
}
inline Sizes flakeSizes(double rate) {
  return {7.6e3 * std::pow(rate, -0.87), 2.55 * std::pow(rate, -0.48), 0.9};
}

/// Twice the particles' cross-section [1/m].
inline double extinctionOf(const Sizes& sizes) {
  double sum = 0.0;
  constexpr double kStep = 1e-3;  // [mm]
  for (double d = 0.5 * kStep; d < 30.0; d += kStep) {
    sum += sizes.count * std::exp(-sizes.slope * d) * 2.0 * kPi / 4.0 * d * d * 1e-6 * kStep;
  }
  return sum;
}

/// Particles in a beam from one range to another, on the average, whose echoes have more than an
/// energy.
inline double particles(const Sizes& sizes, double extinction, double energy, double from,
                        double to) {
  constexpr int kRanges = 400, kDiameters = 3000;
  const double step = (to - from) / kRanges, size_step = 12.0 / kDiameters;
  double sum = 0.0;
  for (int i = 0; i < kRanges; ++i) {
    const double r = from + (i + 0.5) * step, spot = kSolidAngle * r * r;
    const double way = std::exp(-2.0 * extinction * r) / (r * r);
    for (int k = 0; k < kDiameters; ++k) {
      const double d = (k + 0.5) * size_step;
      const double share = std::min(1.0, kPi / 4.0 * d * d * 1e-6 / spot);
      if (sizes.reflectivity * share * way <= energy) continue;
      sum += sizes.count * std::exp(-sizes.slope * d) * size_step * spot * step;
    }
  }
  return sum;
}

/// A cloud: beta = 0.046 a / ln 20; each kUsualDepth of it sends back an exponentially distributed
/// energy, on the average beta 20 ns / (1e-6 / pi) of a surface of 100 %. Of a pulse's the
/// strongest counts.
class Cloud {
 public:
  Cloud(double extinction, double until) : extinction_(extinction), until_(until) {}

  /// Chance that the strongest has more than an energy.
  double above(double energy) const { return 1.0 - std::exp(-numberAbove(energy)); }
  /// Chance that the strongest has more than an energy and is between two ranges.
  double strongestWithin(double energy, double from, double to) const {
    constexpr int kEnergies = 1500, kRanges = 50;
    double sum = 0.0, low = energy;
    for (int i = 0; i < kEnergies; ++i) {  // energies rise by a factor
      const double high = low * std::pow(1e4, 1.0 / kEnergies), e = 0.5 * (low + high);
      const double none_above = std::exp(-numberAbove(e));
      for (int k = 0; k < kRanges; ++k) {
        const double r = from + (k + 0.5) * (to - from) / kRanges, mean = meanAt(r);
        sum += none_above * std::exp(-e / mean) / mean / kUsualDepth * (to - from) / kRanges *
               (high - low);
      }
      low = high;
    }
    return sum;
  }

 private:
  double meanAt(double r) const {
    const double backscatter = 0.046 * extinction_ / std::log(20.0);
    return backscatter * 20e-9 * kPi / 1e-6 * std::exp(-2.0 * extinction_ * r) / (r * r);
  }
  double numberAbove(double energy) const {
    constexpr int kRanges = 500;
    double sum = 0.0;
    for (int i = 0; i < kRanges; ++i) {
      const double r = kNearest + (i + 0.5) * (until_ - kNearest) / kRanges;
      sum += std::exp(-energy / meanAt(r)) / kUsualDepth * (until_ - kNearest) / kRanges;
    }
    return sum;
  }

  double extinction_, until_;
};

/// The range at which what is seen to `clear` [m] in clear air is lost: r exp(a r) = clear.
inline double lostAt(double clear, double extinction) {
  double low = 0.0, high = clear;
  for (int i = 0; i < 100; ++i) {
    const double r = 0.5 * (low + high);
    (r * std::exp(extinction * r) < clear ? low : high) = r;
  }
  return low;
}

/// Shares of the shots of some scans.
struct Shares {
  std::size_t shots = 0;
  std::vector<double> particle_ranges;  ///< of returns, each its own
  std::size_t surface = 0;              ///< returns of the ball
  std::size_t both = 0;                 ///< shots with two or more returns

  double share(std::size_t count) const {
    return static_cast<double>(count) / static_cast<double>(shots);
  }
  double particles() const { return share(particle_ranges.size()); }
  double within(double from, double to) const {
    std::size_t count = 0;
    for (const double range : particle_ranges) count += range >= from && range < to ? 1 : 0;
    return share(count);
  }
};

/// Scans of a sensor in the middle of a ball.
inline Shares scansOf(const LidarConfig& config, const Weather& weather, double radius, int scans) {
  Lidar lidar(config, std::make_shared<BallAround>(radius), 5);
  lidar.setWeather(weather);
  Shares shares;
  for (int i = 0; i < scans; ++i) {
    const Scan scan = lidar.scan(i * kNsPerSecond / 10, (i + 1) * kNsPerSecond / 10,
                                 resting({}, 100 * kNsPerSecond));
    shares.shots += scan.rays;
    for (const ScanPoint& point : scan.points) {
      if (point.surfel == kNoSurfel) {
        shares.particle_ranges.push_back(static_cast<double>(point.range));
      } else {
        ++shares.surface;
      }
      if (point.return_number == 2) ++shares.both;
    }
  }
  return shares;
}

/// Tolerance of a share: 3 % or three standard errors.
inline double tolerance(double share, std::size_t shots) {
  return std::max(0.03 * share,
                  3.0 * std::sqrt(share * (1.0 - share) / static_cast<double>(shots)));
}

}  // namespace marsim::lidar::formulas
