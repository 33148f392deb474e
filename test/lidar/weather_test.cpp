// SPDX-License-Identifier: BSD-3-Clause
// Effects of weather on scans, compared with integrals of its formulas (weather_formulas.hpp).
#include "marsim/lidar/weather.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "lidar/measure/shot_weather.hpp"
#include "lidar/surfel_sets.hpp"
#include "lidar/weather_formulas.hpp"
#include "marsim/common/error.hpp"

namespace marsim::lidar {
namespace {

using formulas::Shares;

Weather rainOf(double rate) {
  Weather weather;
  weather.rain.emplace().rate = rate;
  return weather;
}

Weather snowOf(double rate) {
  Weather weather;
  weather.snow.emplace().rate = rate;
  return weather;
}

Weather fogOf(double visibility) {
  Weather weather;
  weather.fog.emplace().visibility = visibility;
  return weather;
}

void expectShare(double share, double expected, std::size_t shots, const std::string& what) {
  EXPECT_NEAR(share, expected, formulas::tolerance(expected, shots)) << what;
}

std::string bytesOf(const Scan& scan) {
  std::string bytes;
  for (const ScanPoint& point : scan.points) {
    for (const float value : {point.p_S.x(), point.p_S.y(), point.p_S.z(), point.p_W.x(),
                              point.p_W.y(), point.p_W.z(), point.intensity, point.time}) {
      bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    bytes.append(reinterpret_cast<const char*>(&point.surfel), sizeof(point.surfel));
  }
  return bytes;
}

TEST(Extinction, FollowsTheModels) {
  const auto perKm = [](double decibels) {
    return decibels / (10.0 * std::log10(std::exp(1.0))) * 1e-3;
  };
  for (const double rate : {0.5, 2.0, 25.0}) {
    EXPECT_NEAR(rainOf(rate).extinction() / formulas::extinctionOf(formulas::dropSizes(rate)), 1.0,
                5e-3);
    EXPECT_NEAR(snowOf(rate).extinction() / formulas::extinctionOf(formulas::flakeSizes(rate)), 1.0,
                5e-3);
  }
  Weather rain = rainOf(10.0);
  rain.rain->model = Rain::Model::kCarbonneau;
  EXPECT_NEAR(rain.extinction(), perKm(5.03), 1e-5);
  rain.rain->model = Rain::Model::kGoodin;
  EXPECT_NEAR(rain.extinction(), 0.0398, 1e-4);
  Weather snow = snowOf(2.0);
  snow.snow->model = Snow::Model::kDry;
  EXPECT_NEAR(snow.extinction(), perKm((5.42e-5 * 905 + 5.4958776) * std::pow(2.0, 1.38)), 1e-6);
  snow.snow->model = Snow::Model::kWet;
  EXPECT_NEAR(snow.extinction(), perKm((1.023e-4 * 905 + 3.7855466) * std::pow(2.0, 0.72)), 1e-6);
  EXPECT_NEAR(std::exp(-200.0 * fogOf(200.0).extinction()), 0.05, 1e-12);
  Weather fog = fogOf(50.0);
  fog.fog->model = Fog::Model::kKim;
  EXPECT_NEAR(fog.extinction(), perKm(346.7), 1e-4);
  fog.fog->visibility = 1000.0;
  EXPECT_NEAR(fog.extinction(), perKm(13.5), 2e-5);
  fog.fog->model = Fog::Model::kKruse;
  EXPECT_NEAR(fog.extinction(), perKm(17.334 * std::pow(905.0 / 550.0, -0.585)), 1e-7);
  fog.fog->visibility = 20e3;
  EXPECT_NEAR(fog.extinction(), perKm(17.334 / 20.0 * std::pow(905.0 / 550.0, -1.3)), 1e-8);
  Weather both = rainOf(25.0);
  both.fog = fogOf(100.0).fog;
  EXPECT_DOUBLE_EQ(both.extinction(), rainOf(25.0).extinction() + fogOf(100.0).extinction());
}

// The strongest or nearest echo is a drop's or a flake's.
TEST(Particles, RainAndSnowReturnAsOftenAsTheirSizesGive) {
  struct Case {
    std::string name;
    Weather weather;
    formulas::Sizes sizes;
  };
  for (const Case& one : {Case{"rain", rainOf(25.0), formulas::dropSizes(25.0)},
                          Case{"snow", snowOf(1.5), formulas::flakeSizes(1.5)}}) {
    const double a = one.weather.extinction();
    const auto number = [&](double energy, double from, double to) {
      return formulas::particles(one.sizes, a, energy, from, to);
    };
    LidarConfig config = formulas::sensor();
    config.returns.mode = ReturnMode::kFirst;
    const Shares sky = formulas::scansOf(config, one.weather, 0.0, 20);
    double before = 0.0;
    const std::vector<double> ranges = {1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0};
    for (std::size_t i = 0; i + 1 < ranges.size(); ++i) {
      const double more = before + number(formulas::kLeastEnergy, ranges[i], ranges[i + 1]);
      expectShare(sky.within(ranges[i], ranges[i + 1]), std::exp(-before) - std::exp(-more),
                  sky.shots, one.name + " from " + std::to_string(ranges[i]));
      before = more;
    }
    EXPECT_EQ(sky.surface, 0U);

    // A target at 20 m is lost where something in front of it is brighter.
    constexpr double kTarget = 20.0;
    config.returns.mode = ReturnMode::kStrongest;
    config.reflectivity = 0.15;
    const double energy = 0.15 * std::exp(-2.0 * a * kTarget) / (kTarget * kTarget);
    const Shares wall = formulas::scansOf(config, one.weather, kTarget, 20);
    expectShare(wall.particles(), 1.0 - std::exp(-number(energy, 1.0, kTarget)), wall.shots,
                one.name + " brighter than the target");
    EXPECT_EQ(wall.surface + wall.particle_ranges.size(), wall.shots);
  }
}

TEST(Particles, FogReturnsItsBackscatter) {
  for (const double visibility : {30.0, 100.0}) {
    const Weather fog = fogOf(visibility);
    const double a = fog.extinction();
    const LidarConfig config = formulas::sensitiveSensor();
    const Shares sky = formulas::scansOf(config, fog, 0.0, 10);
    const formulas::Cloud all(a, 60.0);
    expectShare(sky.particles(), all.above(formulas::kThreshold), sky.shots, "sky");
    for (const auto& [from, to] : {std::pair{1.0, 1.5}, {1.5, 2.5}, {2.5, 4.0}, {4.0, 8.0}}) {
      expectShare(sky.within(from, to), all.strongestWithin(formulas::kThreshold, from, to),
                  sky.shots, "from " + std::to_string(from));
    }
    constexpr double kTarget = 15.0;
    const double energy = 0.05 * std::exp(-2.0 * a * kTarget) / (kTarget * kTarget);
    const Shares wall = formulas::scansOf(config, fog, kTarget, 10);
    expectShare(wall.particles(), formulas::Cloud(a, kTarget).above(energy), wall.shots,
                "brighter than the target");
  }
}

TEST(Particles, DustReturnsAsMuchAsFogWithItsExtinction) {
  Weather dust;
  dust.dust.emplace().extinction = std::log(20.0) / 50.0;
  const Shares fog = formulas::scansOf(formulas::sensitiveSensor(), fogOf(50.0), 0.0, 1);
  const Shares same = formulas::scansOf(formulas::sensitiveSensor(), dust, 0.0, 1);
  EXPECT_EQ(same.particle_ranges, fog.particle_ranges);
  EXPECT_FALSE(fog.particle_ranges.empty());
  dust.dust->backscatter = 0.0;
  EXPECT_TRUE(formulas::scansOf(formulas::sensitiveSensor(), dust, 0.0, 1).particle_ranges.empty());
}

// Surfaces hide what is behind them, each from its part of the beam.
TEST(Particles, AreWhereLightGets) {
  const ShotWeather snow(snowOf(5.0), formulas::sensor(), 1);
  std::vector<std::size_t> counts;  // behind 3 m: of all, of a beam that is cut, of one that ends
  for (const float met : {0.0F, 0.4F, 1.0F}) {
    std::size_t count = 0;
    for (std::uint64_t key = 0; key < 50'000; ++key) {
      std::vector<Reflection> reflections;
      if (met > 0.0F) reflections.push_back({3.0F, 0.05F, met, 1.0F, 0});
      snow.act(mixBits(key), reflections);
      for (const Reflection& one : reflections) count += one.range > 3.0F ? 1 : 0;
    }
    counts.push_back(count);
  }
  ASSERT_GT(counts[0], 5'000U);
  const auto all = static_cast<double>(counts[0]);
  EXPECT_NEAR(static_cast<double>(counts[1]) / all, 0.6, 0.02);
  EXPECT_EQ(counts[2], 0U);
}

// The reflectivity at the limit is the one that is seen just so far, for any sensor.
TEST(RangeLimit, RangeAndReflectivityAreOneLaw) {
  LidarConfig config = formulas::sensor();
  const auto check = [&](double range, double reflectivity) {
    const RangeLimit limit(config);
    EXPECT_NEAR(limit.reach(reflectivity) / range, 1.0, 1e-6);
    EXPECT_NEAR(limit.leastReflectivity(range) / reflectivity, 1.0, 1e-6);
    for (const double off : {-1e-3, 1e-3}) {
      const auto at = static_cast<float>(range * (1.0 + off));
      EXPECT_EQ(limit.sees(at, static_cast<float>(reflectivity)), off < 0.0) << range;
    }
  };
  check(100.0, 0.9);
  check(50.0, 0.9 / 4.0);
  config.returns.threshold = 1e-4;
  check(50.0, 0.25);
  config.returns.threshold = 0.0;
  config.noise.range_by_reflectivity = {{0.1, 40.0}, {0.8, 120.0}};  // steeper than a square root
  check(20.0, 0.025);
  check(40.0, 0.1);
  check(40.0 * std::sqrt(3.0), 0.1 * std::sqrt(8.0));
  check(120.0, 0.8);
  check(360.0, 6.4);
  const RangeLimit limit(config);
  EXPECT_FALSE(limit.sees(1.0F, 0.0F));
  config.noise.range_by_reflectivity = {{0.1, 40.0}, {0.8, 40.0}};  // nothing is seen farther
  EXPECT_FALSE(RangeLimit(config).sees(40.1F, 50.0F));
  EXPECT_GT(RangeLimit(config).leastReflectivity(40.1), 1e9);
}

TEST(Visibility, TheRangeInClearAirShrinks) {
  for (const double visibility : {20.0, 50.0, 200.0, 1000.0}) {
    const Weather fog = fogOf(visibility);
    const double a = fog.extinction();
    struct Case {
      std::string name;
      std::function<void(LidarConfig&)> set;
      double lost_at;
    };
    for (const Case& one :
         {Case{"none", [](LidarConfig&) {}, formulas::lostAt(100.0 * std::sqrt(0.1 / 0.9), a)},
          Case{"table",
               [](LidarConfig& c) {
                 c.noise.range_by_reflectivity = {{0.1, 40.0}, {0.8, 70.0}};
               },
               formulas::lostAt(40.0, a)},
          Case{"threshold", [](LidarConfig& c) { c.returns.threshold = 1e-4; },
               formulas::lostAt(std::sqrt(0.1 / 1e-4), a)}}) {  // 0.1 exp(-2 a r) / r^2 = 1e-4
      LidarConfig config = formulas::sensor();
      config.reflectivity = 0.1;
      config.returns.mode = ReturnMode::kLast;
      one.set(config);
      config.azimuth_min = 0.0;  // a few shots will do
      config.azimuth_max = 0.05;
      const std::size_t shots = formulas::scansOf(config, {}, 1.0, 1).shots;
      EXPECT_EQ(formulas::scansOf(config, fog, one.lost_at - 0.01, 1).surface, shots) << one.name;
      EXPECT_EQ(formulas::scansOf(config, fog, one.lost_at + 0.01, 1).surface, 0U) << one.name;
    }
  }
}

// A retro-reflector K times as bright as white is seen like white sqrt(K) times nearer, or as far
// as the table, extrapolated from its last two rows, says for K. Dark surfaces are seen less far.
TEST(Visibility, RetroReflectorsAreSeenFarther) {
  const double beyond = std::log(70.0 / 40.0) / std::log(0.8 / 0.1);  // the table's exponent
  for (const double visibility : {20.0, 50.0, 2000.0}) {
    const Weather fog = fogOf(visibility);
    for (const double brightness : {0.5, 1.0, 30.0, 500.0}) {
      for (const bool has_table : {false, true}) {
        LidarConfig config = formulas::sensor();
        config.returns.mode = ReturnMode::kLast;
        config.azimuth_min = 0.0;  // a few shots will do
        config.azimuth_max = 0.05;
        config.surfaces.classes[0].retro_reflective = brightness;
        double clear = config.range_max * std::sqrt(brightness / 0.9);
        if (has_table) {
          config.noise.range_by_reflectivity = {{0.1, 40.0}, {0.8, 70.0}};
          clear = 70.0 * std::pow(brightness / 0.8, beyond);
        }
        const double lost_at = std::min(formulas::lostAt(clear, fog.extinction()), 100.0);
        const std::size_t shots = formulas::scansOf(config, {}, 1.0, 1).shots;
        EXPECT_EQ(formulas::scansOf(config, fog, lost_at - 0.01, 1).surface, shots)
            << visibility << " m, " << brightness << ", table: " << has_table;
        EXPECT_EQ(formulas::scansOf(config, fog, lost_at + 0.01, 1).surface, 0U)
            << visibility << " m, " << brightness << ", table: " << has_table;
      }
    }
  }
}

TEST(Weather, LastSeesThroughDrizzleAndDualReportsBoth) {
  LidarConfig config = formulas::sensor();
  const Weather rain = rainOf(25.0);
  config.returns.mode = ReturnMode::kLast;
  const Shares last = formulas::scansOf(config, rain, 20.0, 2);
  EXPECT_EQ(last.surface, last.shots);
  EXPECT_TRUE(last.particle_ranges.empty());
  config.returns.mode = ReturnMode::kFirst;
  const Shares first = formulas::scansOf(config, rain, 20.0, 2);
  EXPECT_GT(first.particle_ranges.size(), first.shots / 100);
  EXPECT_EQ(first.surface, first.shots - first.particle_ranges.size());
  config.returns.mode = ReturnMode::kDual;
  const Shares dual = formulas::scansOf(config, rain, 20.0, 2);
  EXPECT_EQ(dual.both, first.particle_ranges.size());
}

TEST(Weather, ExtinctionActsOnEveryEcho) {
  const Weather fog = fogOf(40.0);
  const ShotWeather weather(fog, formulas::sensor(), 1);
  std::vector<Reflection> reflections;
  for (std::uint32_t i = 0; i < 5; ++i) {
    reflections.push_back({2.0F + 7.0F * static_cast<float>(i), 0.01F, 0.2F, 1.0F, i});
  }
  weather.act(3, reflections);
  for (std::size_t i = 0; i < 5; ++i) {
    const double r = 2.0 + 7.0 * static_cast<double>(i);
    EXPECT_NEAR(reflections[i].energy, 0.01 * std::pow(0.05, 2.0 * r / 40.0), 1e-7);
  }
  // Intensities are of the light that comes back.
  LidarConfig config = formulas::sensor();
  config.returns.mode = ReturnMode::kLast;
  Lidar lidar(config, std::make_shared<formulas::BallAround>(10.0));
  lidar.setWeather(fog);
  const Scan scan = lidar.scan(0, kNsPerSecond / 10, resting({}));
  ASSERT_FALSE(scan.points.empty());
  for (const ScanPoint& point : scan.points) {
    ASSERT_NEAR(point.reflectivity, 0.5 * std::pow(0.05, 20.0 / 40.0), 1e-6);
  }
}

TEST(Weather, GoodinsRainMakesRangesUncertain) {
  Weather rain = rainOf(2.0);
  rain.rain->model = Rain::Model::kGoodin;
  Lidar lidar(formulas::sensor(), std::make_shared<formulas::BallAround>(10.0));
  lidar.setWeather(rain);
  const Scan scan = lidar.scan(0, kNsPerSecond / 10, resting({}));
  ASSERT_EQ(scan.points.size(), scan.rays);
  double squares = 0.0;
  for (const ScanPoint& point : scan.points) {
    squares += std::pow(static_cast<double>(point.range) - 10.0, 2);
  }
  const double sigma = 0.02 * 10.0 * std::pow(1.0 - std::exp(-2.0), 2);
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(scan.rays)) / sigma, 1.0, 0.02);
}

// Through the film twice, and any number of times between film and surface, by the parts of a sum.
TEST(Weather, WetGroundIsDarkerMoreSoAslant) {
  Weather wet;
  wet.wet_ground = true;
  const ShotWeather weather(wet, formulas::sensor(), 1);
  const auto reflected = [](double angle) {  // Fresnel's sines and tangents
    const double inside = std::asin(std::sin(angle) / 1.33);
    return 0.5 * (std::pow(std::sin(angle - inside) / std::sin(angle + inside), 2) +
                  std::pow(std::tan(angle - inside) / std::tan(angle + inside), 2));
  };
  double kept = 0.0;  // of diffuse light inside, by the angle inside; all beyond the critical one
  constexpr int kParts = 20'000;
  for (int i = 0; i < kParts; ++i) {
    const double inside = (i + 0.5) / kParts * kPi / 2.0, sine = 1.33 * std::sin(inside);
    const double share = sine >= 1.0 ? 1.0 : reflected(std::asin(sine));
    kept += share * std::sin(2.0 * inside) * kPi / 2.0 / kParts;
  }
  Hit up{5.0F, 1, kMapIdentity, Eigen::Vector3f::UnitZ()};
  for (const double dry : {0.05, 0.277, 0.9}) {
    for (const double angle : {0.01, 0.5, 1.0, 1.4}) {
      double sum = 0.0, part = std::pow(1.0 - reflected(angle), 2) / (1.33 * 1.33) * dry;
      for (int times = 0; times < 100; ++times, part *= dry * kept) sum += part;
      EXPECT_NEAR(
          weather.reflectivity(up, static_cast<float>(dry), static_cast<float>(std::cos(angle))),
          sum, 2e-3 * sum);
    }
  }
  Hit wall = up, object = up;
  wall.normal = Eigen::Vector3f::UnitX();
  object.identity = 3;
  for (const Hit& other : {wall, object}) EXPECT_EQ(weather.reflectivity(other, 0.3F, 1.0F), 0.3F);
  EXPECT_EQ(ShotWeather(rainOf(5.0), formulas::sensor(), 1).reflectivity(up, 0.3F, 1.0F), 0.3F);
}

TEST(Weather, DoesNotDependOnThreadsOrOnWhereScansBegin) {
  LidarConfig config = formulas::sensor();
  config.noise.range_sigma = 0.02;
  config.beam.rays = 9;
  config.beam.pulse_length = 5e-9;
  Weather weather = snowOf(2.0);
  weather.fog = fogOf(60.0).fog;
  const auto map = roomMap({8.0, 6.0, 2.0}, 0.2, Kind::kPlanar);
  const auto scanWith = [&](int threads, const std::vector<TimeNs>& ends) {
    RendererConfig renderer;
    renderer.threads = threads;
    Lidar lidar(config, makeRayCaster(map, renderer));
    lidar.setWeather(weather);
    std::string ranges;
    TimeNs begin = 0;
    for (const TimeNs end : ends) {
      for (const ScanPoint& point : lidar.scan(begin, end, resting({})).points) {
        ranges.append(reinterpret_cast<const char*>(&point.range), sizeof(point.range));
        ranges.append(reinterpret_cast<const char*>(&point.intensity), sizeof(point.intensity));
      }
      begin = end;
    }
    return ranges;
  };
  const std::string one = scanWith(1, {100'000'000});
  ASSERT_GT(one.size(), 10'000U);
  EXPECT_EQ(scanWith(3, {100'000'000}), one);
  EXPECT_EQ(scanWith(2, {31'000'000, 70'000'000, 100'000'000}), one);
}

TEST(Weather, ClearAirAgainIsAsBefore) {
  LidarConfig config = formulas::sensor();
  config.noise.range_sigma = 0.02;
  config.noise.false_returns = 0.01;
  const auto plane = std::make_shared<PlaneRenderer>(Eigen::Vector3d::UnitZ(), -1.0);
  const std::string before = bytesOf(Lidar(config, plane).scan(0, kNsPerSecond / 10, resting({})));
  Lidar lidar(config, plane);
  lidar.setWeather(fogOf(30.0));
  EXPECT_NE(bytesOf(lidar.scan(0, kNsPerSecond / 10, resting({}))), before);
  lidar.setWeather({});
  EXPECT_EQ(bytesOf(lidar.scan(0, kNsPerSecond / 10, resting({}))), before);
}

TEST(Weather, RefusesWhatIsNone) {
  const auto complaint = [](const std::function<void(Weather&)>& change) -> std::string {
    Weather weather = rainOf(5.0);
    weather.fog = fogOf(100.0).fog;
    weather.snow = snowOf(1.0).snow;
    weather.dust.emplace().visibility = 50.0;
    change(weather);
    try {
      weather.validate("x.yaml");
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "valid";
  };
  EXPECT_EQ(complaint([](Weather&) {}), "valid");
  EXPECT_EQ(complaint([](Weather& w) { w.fog->visibility = 0.0; }),
            "x.yaml: fog.visibility is 0, allowed: 1 to 100000 m");
  EXPECT_EQ(complaint([](Weather& w) { w.fog->visibility = -5.0; }),
            "x.yaml: fog.visibility is -5, allowed: 1 to 100000 m");
  EXPECT_EQ(complaint([](Weather& w) { w.dust->visibility = 0.0; }),
            "x.yaml: dust.visibility is 0, allowed: 1 to 100000 m");
  EXPECT_EQ(complaint([](Weather& w) { w.rain->rate = 0.0; }),
            "x.yaml: rain.rate is 0, allowed: more than 0, up to 300 mm/h");
  EXPECT_EQ(complaint([](Weather& w) { w.snow->rate = -1.0; }),
            "x.yaml: snow.rate is -1, allowed: more than 0, up to 30 mm/h");
  EXPECT_EQ(complaint([](Weather& w) { w.snow->reflectivity = 2.0; }),
            "x.yaml: snow.reflectivity is 2, allowed: 0 to 1");
  EXPECT_EQ(complaint([](Weather& w) { w.fog->backscatter = -1.0; }),
            "x.yaml: fog.backscatter is -1, allowed: 0 to 1 1/sr");
  EXPECT_EQ(
      complaint([](Weather& w) { w.dust->extinction = 0.1; }),
      "x.yaml: dust is given by visibility and extinction, allowed: visibility or extinction");
  EXPECT_EQ(complaint([](Weather& w) { w.dust->visibility.reset(); }),
            "x.yaml: dust is empty, allowed: visibility or extinction");
  EXPECT_EQ(complaint([](Weather& w) {
              w.dust->visibility.reset();
              w.dust->extinction = 30.0;
            }),
            "x.yaml: dust.extinction is 30, allowed: 0 to 3 1/m");
}

}  // namespace
}  // namespace marsim::lidar
