// SPDX-License-Identifier: BSD-3-Clause
// The shipped sensors against their makers' figures, and the library's own figures of coverage.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/data_dir.hpp"
#include "config/launch_words.hpp"
#include "firings.hpp"
#include "lidar/measure/field_of_view.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

using Complex = std::complex<double>;

constexpr TimeNs kTenth = 100'000'000;

class SensorDatasheets : public ConfigTest {};

/// A maker's figures: field of view [deg] and shots a second.
struct Figures {
  double width;
  double elevation_min, elevation_max;
  double points_per_second;
  double tolerance = 0.5;  // [deg]
};

// Sources are named in the sensors' files.
const std::map<std::string, Figures>& published() {
  static const std::map<std::string, Figures> figures = {
      {"avia", {70.4, -38.6, 38.6, 240'000}},
      {"mid360", {360.0, -7.2, 52.3, 200'000, 1.0}},
      {"mid40", {38.4, -19.2, 19.2, 100'000}},
      {"mid70", {70.4, -35.2, 35.2, 100'000}},
      {"horizon", {81.7, -12.55, 12.55, 240'000}},
      {"hap", {120.0, -12.5, 12.5, 452'000}},
      {"vlp16", {360.0, -15.0, 15.0, 289'344}},
      {"vlp32c", {360.0, -25.0, 15.0, 578'688}},
      {"hdl32e", {360.0, -30.67, 10.67, 694'272}},
      {"hdl64e", {360.0, -24.8, 2.0, 1'333'312}},
      {"hdl64e_goodin", {360.0, -24.8, 2.0, 1'000'000}},
      {"lms291", {180.0, 0.0, 0.0, 75 * 181}},
      {"airsim_32", {360.0, -15.0, 30.0, 300'000}},
      {"os0_128", {360.0, -46.3, 45.8, 1'310'720}},
      {"os1_32", {360.0, -16.6, 16.6, 327'680, 4.0}},  // of a unit whose beams are drawn together
      {"os1_64", {360.0, -16.6, 16.6, 655'360}},
      {"os1_128", {360.0, -21.2, 21.2, 1'310'720, 1.0}},  // of a unit that looks 0.7 lower
      {"xt32", {360.0, -16.0, 15.0, 640'000}},
      {"helios32", {360.0, -16.0, 15.0, 576'000}},
      {"d455", {87.0, -29.0, 29.0, 4'070'400, 1.0}},  // 56.5 of the 58 degrees: square pixels
      {"d435i", {87.0, -29.0, 29.0, 4'070'400, 1.0}},
  };
  return figures;
}

/// How a maker speaks of an error: as one standard deviation, or as a bound ("less than"), which
/// stands for two of them. 0: no figure was found.
struct ErrorFigure {
  double value = 0.0;
  bool is_bound = false;

  double sigma() const { return is_bound ? 0.5 * value : value; }
};

/// Range [m] and angle [deg].
struct ErrorFigures {
  ErrorFigure range, angle;
};

// Sources are named in the sensors' files.
const std::map<std::string, ErrorFigures>& publishedErrors() {
  static const std::map<std::string, ErrorFigures> figures = {
      {"avia", {{0.02}, {0.05, true}}},
      {"mid360", {{0.02, true}, {0.15, true}}},
      {"mid40", {{0.02}, {}}},
      {"mid70", {{0.02}, {}}},
      {"horizon", {}},
      {"hap", {{0.02, true}, {0.1, true}}},
      {"vlp16", {{0.008}, {}}},  // from shot to shot, see Vlp16ErrsByUnitAndChannel
      {"vlp32c", {}},
      {"hdl32e", {{0.02}, {}}},
      {"hdl64e", {{0.02}, {}}},
      {"hdl64e_goodin", {{0.02}, {}}},
      {"lms291", {{0.007}, {}}},
      {"airsim_32", {}},
      {"os0_128", {}},
      {"os1_32", {{0.015}, {0.01}}},
      {"os1_64", {{0.015}, {0.01}}},
      {"os1_128", {}},
      {"xt32", {{0.005}, {}}},
      {"helios32", {{0.02, true}, {}}},
      {"d455", {}},
      {"d435i", {}},
  };
  return figures;
}

TEST_F(SensorDatasheets, SigmasAreTheMakersOrHalfOfTheirBounds) {
  EXPECT_EQ(knownNames("lidar").size(), publishedErrors().size());
  for (const auto& [name, figures] : publishedErrors()) {
    const lidar::NoiseConfig noise = loadLidar(name).noise;
    EXPECT_DOUBLE_EQ(noise.range_sigma, figures.range.sigma()) << name;
    EXPECT_NEAR(degrees(noise.angular_sigma), figures.angle.sigma(), 1e-12) << name;
  }
}

// Datasheets of the chips: noise [deg/s/sqrt(Hz), ug/sqrt(Hz)]; offsets at rest are bounds, two
// sigmas [deg/s, mg]; 0: not found.
TEST_F(SensorDatasheets, BuiltInImusHaveTheirChipsErrors) {
  struct Chip {
    double rate_noise, force_noise, rate_offset, force_offset;
  };
  const Chip bmi088{0.014, 175, 1, 20}, icm20948{0.015, 230, 5, 25}, iam20680ht{0.005, 135, 0, 0},
      icm40609{0.0038, 70, 0, 0};
  const std::map<std::string, Chip> chips = {
      {"avia", bmi088},     {"horizon", bmi088},     {"mid360", icm40609},   {"os1_32", icm20948},
      {"os1_64", icm20948}, {"os1_128", iam20680ht}, {"os0_128", iam20680ht}};
  constexpr double kG = 9.80665;
  for (const std::string& name : knownNames("lidar")) {
    EXPECT_EQ(hasImu(name), chips.count(name) == 1) << name;
  }
  for (const auto& [name, chip] : chips) {
    const vehicle::ImuConfig imu = loadLidarImu(name);
    EXPECT_NEAR(degrees(imu.gyroscope.noise_density) / chip.rate_noise, 1.0, 1e-3) << name;
    EXPECT_NEAR(imu.accelerometer.noise_density / (1e-6 * kG * chip.force_noise), 1.0, 1e-3)
        << name;
    EXPECT_NEAR(2.0 * degrees(imu.gyroscope.turn_on_bias), chip.rate_offset, 2e-3) << name;
    EXPECT_NEAR(2.0 * imu.accelerometer.turn_on_bias / (1e-3 * kG), chip.force_offset, 0.05)
        << name;
  }
}

// Its manual's +-3 cm are two sigmas of all errors together.
TEST_F(SensorDatasheets, Vlp16ErrsByUnitAndChannel) {
  const lidar::NoiseConfig noise = loadLidar("vlp16").noise;
  EXPECT_GT(noise.unit_bias_sigma, 0.0);
  EXPECT_EQ(noise.channel_bias_sigma, noise.unit_bias_sigma);
  EXPECT_NEAR(std::hypot(noise.range_sigma, noise.unit_bias_sigma, noise.channel_bias_sigma), 0.015,
              2e-4);
}

// sigma_z = z^2 s / (f B) with s = 0.05 pixels (Keselman et al., arXiv:1705.05548).
TEST_F(SensorDatasheets, DepthCamerasHaveTheSameOpticsAndNoiseAsLidarsAndAsImages) {
  for (const char* name : {"d435i", "d455"}) {
    const LidarConfig as_lidar = loadLidar(name);
    const lidar::DepthCameraConfig camera = loadDepthCamera(name);
    const auto& grid = std::get<lidar::GridPatternConfig>(as_lidar.pattern).grid;
    EXPECT_EQ(grid.width, camera.width) << name;
    EXPECT_EQ(grid.height, camera.height) << name;
    for (const double f : {grid.fx, grid.fy, camera.fx, camera.fy}) {
      EXPECT_NEAR(f, 424.0 / std::tan(radians(0.5 * 87.0)), 0.05) << name;
    }
    EXPECT_EQ(as_lidar.noise.along, lidar::NoiseConfig::Along::kAxis) << name;
    EXPECT_NEAR(as_lidar.noise.range_sigma_per_square_metre /
                    (camera.subpixel_error / (camera.fx * camera.baseline)),
                1.0, 0.005)
        << name;
  }
}

TEST_F(SensorDatasheets, EverySensorHasItsFigures) {
  for (const std::string& name : knownNames("lidar")) {
    EXPECT_EQ(published().count(name), 1U) << name;
  }
  EXPECT_EQ(knownNames("lidar").size(), published().size());
}

TEST_F(SensorDatasheets, FieldOfViewAndRateAgree) {
  for (const auto& [name, figures] : published()) {
    const LidarConfig config = loadLidar(name);
    const lidar::FieldOfView view(config);
    const auto firings = fired(config, 0, 4 * kTenth);  // whole scans of all, at 10 and 75 Hz
    EXPECT_NEAR(2.5 * static_cast<double>(firings.size()) / figures.points_per_second, 1.0, 1e-3)
        << name;
    double left = 0.0, right = 0.0, low = 90.0, high = -90.0;
    std::size_t kept = 0;
    for (const Firing& firing : firings) {
      left = std::max(left, azimuthOf(firing));
      right = std::min(right, azimuthOf(firing));
      low = std::min(low, elevationOf(firing));
      high = std::max(high, elevationOf(firing));
      kept += view.contains(firing.direction) ? 1 : 0;
    }
    EXPECT_NEAR(left - right, figures.width, figures.tolerance) << name;
    EXPECT_NEAR(left, -right, figures.tolerance) << name;
    EXPECT_NEAR(low, figures.elevation_min, figures.tolerance) << name;
    EXPECT_NEAR(high, figures.elevation_max, figures.tolerance) << name;
    EXPECT_GT(static_cast<double>(kept), 0.999 * static_cast<double>(firings.size())) << name;
  }
}

// Every scan takes up where the one before ended: 1808.45 columns of the VLP-16 are in a tenth of a
// second, so that neither columns nor azimuths repeat from scan to scan.
TEST_F(SensorDatasheets, SpinningScansCarryFractionalColumns) {
  const LidarConfig config = loadLidar("vlp16");
  std::vector<Firing> firings;
  std::set<std::uint32_t> seen;
  double first_azimuth = 0.0;
  for (int scan = 0; scan < 20; ++scan) {
    const auto part = fired(config, scan * kTenth, (scan + 1) * kTenth);
    if (scan > 0) {
      EXPECT_GE(part.front().stamp, firings.back().stamp);
      EXPECT_LE(part.front().stamp - firings.back().stamp, 20'736);  // the longest pause
      EXPECT_GT(std::abs(azimuthOf(part.front()) - first_azimuth), 1e-3);
    }
    first_azimuth = azimuthOf(part.front());
    firings.insert(firings.end(), part.begin(), part.end());
  }
  for (const Firing& firing : firings) seen.insert(firing.column);
  EXPECT_EQ(seen.size(), 36'169U);  // 2 s / 55.296 us, each once
  EXPECT_EQ(*seen.begin(), 0U);
  EXPECT_EQ(*seen.rbegin(), 36'168U);
  for (std::size_t i = 0; i < firings.size(); ++i) ASSERT_EQ(firings[i].column, i / 16);
}

TEST_F(SensorDatasheets, RingsRankByElevation) {
  for (const std::string& name : knownNames("lidar")) {
    const LidarConfig config = loadLidar(name);
    if (!std::holds_alternative<lidar::SpinningPatternConfig>(config.pattern)) continue;
    std::map<int, double> elevations;
    for (const Firing& firing : fired(config, 0, 1'000'000)) {
      elevations[firing.ring] = elevationOf(firing);
    }
    ASSERT_EQ(elevations.size(), lidar::makePattern(config.pattern)->rings()) << name;
    double last = -91.0;
    for (const auto& [ring, elevation] : elevations) {
      EXPECT_GE(elevation, last - 1e-4) << name << " " << ring;
      last = elevation;
    }
  }
}

// Velodyne HDL-64E S2 and S3 user manual: a laser of either block at the same time, equally many
// returns of both; params/64e_utexas.yaml of ros-drivers/velodyne: lasers 0 and 32 first.
TEST_F(SensorDatasheets, Hdl64eFiresItsBlocksInUnison) {
  const auto firings = fired(loadLidar("hdl64e"), 0, kTenth);
  for (std::size_t i = 0; i + 1 < firings.size(); i += 2) {
    ASSERT_EQ(firings[i].stamp, firings[i + 1].stamp);
    ASSERT_GE(firings[i].ring, 32);      // the upper block
    ASSERT_LT(firings[i + 1].ring, 32);  // the lower
    ASSERT_EQ(firings[i].column, i / 64);
  }
  EXPECT_NEAR(elevationOf(firings[0]), -7.16, 1e-4);
  EXPECT_NEAR(elevationOf(firings[1]), -22.74, 1e-4);
  EXPECT_NEAR(azimuthOf(firings[0]) - azimuthOf(firings[1]), 3.0, 1e-4);
}

/// Cells of half a degree that are met until some times, of those met in ten seconds.
std::vector<double> coverage(const LidarConfig& config, const std::vector<TimeNs>& times) {
  std::vector<bool> seen(720U * 360U);
  std::vector<double> cells;
  double count = 0.0;
  TimeNs begin = 0;
  std::vector<TimeNs> stops = times;
  stops.push_back(100 * kTenth);
  for (const TimeNs end : stops) {
    for (const Firing& firing : fired(config, begin, end)) {
      const auto column = static_cast<std::size_t>(2.0 * (azimuthOf(firing) + 180.0)) % 720;
      const auto row = static_cast<std::size_t>(2.0 * (elevationOf(firing) + 90.0)) % 360;
      if (!seen[row * 720 + column]) ++count;
      seen[row * 720 + column] = true;
    }
    cells.push_back(count);
    begin = end;
  }
  for (double& value : cells) value /= count;
  cells.pop_back();
  return cells;
}

// The library's own figures, which docs/sensors.md has, too: a change of a pattern shows.
TEST_F(SensorDatasheets, CoverageGrowsAsRecorded) {
  const std::map<std::string, std::vector<double>> recorded = {
      {"avia", {0.607, 0.844, 0.930, 0.975, 0.995}},
      {"mid360", {0.218, 0.382, 0.514, 0.704, 0.898}},
      {"mid40", {0.343, 0.592, 0.739, 0.931, 0.997}},
      {"mid70", {0.192, 0.358, 0.484, 0.685, 0.927}},
  };
  for (const auto& [name, shares] : recorded) {
    const auto found =
        coverage(loadLidar(name), {kTenth, 2 * kTenth, 3 * kTenth, 5 * kTenth, 10 * kTenth});
    for (std::size_t i = 0; i < shares.size(); ++i) {
      EXPECT_NEAR(found[i], shares[i], 0.01) << name << " " << i;
      EXPECT_GT(found[i], i == 0 ? 0.0 : found[i - 1]) << name << " " << i;
    }
  }
}

struct Line {
  double frequency;  // [Hz]
  double amplitude;
};

constexpr double kSampling = 5'000.0;  // [Hz]

double amplitudeAt(const std::vector<Complex>& signal, double frequency) {
  const Complex turn = std::polar(1.0, -2.0 * kPi * frequency / kSampling);
  Complex phase = 1.0, sum = 0.0;
  for (const Complex& value : signal) {
    sum += value * phase;
    phase *= turn;
  }
  return std::abs(sum) / static_cast<double>(signal.size());
}

/// The strongest lines of a signal up to 250 Hz, strongest first, without its mean: local maxima of
/// its Fourier transform in steps of a quarter of a hertz, then of a fiftieth.
std::vector<Line> spectrum(std::vector<Complex> signal) {
  Complex mean = 0.0;
  for (const Complex& value : signal) mean += value / static_cast<double>(signal.size());
  for (Complex& value : signal) value -= mean;
  constexpr double kStep = 0.25;
  std::vector<Line> all, lines;
  for (int k = -1000; k <= 1000; ++k) all.push_back({k * kStep, amplitudeAt(signal, k * kStep)});
  for (std::size_t i = 1; i + 1 < all.size(); ++i) {
    const double amplitude = all[i].amplitude;
    if (amplitude > all[i - 1].amplitude && amplitude >= all[i + 1].amplitude) {
      lines.push_back(all[i]);
    }
  }
  const auto stronger = [](const Line& a, const Line& b) { return a.amplitude > b.amplitude; };
  std::sort(lines.begin(), lines.end(), stronger);
  lines.resize(std::min<std::size_t>(lines.size(), 6));
  for (Line& line : lines) {
    const double coarse = line.frequency;
    for (double f = coarse - kStep; f <= coarse + kStep; f += 0.02) {
      const double amplitude = amplitudeAt(signal, f);
      if (amplitude > line.amplitude) line = {f, amplitude};
    }
  }
  std::sort(lines.begin(), lines.end(), stronger);
  return lines;
}

/// The line nearest to a frequency.
Line near(const std::vector<Line>& lines, double frequency) {
  return *std::min_element(lines.begin(), lines.end(), [&](const Line& a, const Line& b) {
    return std::abs(a.frequency - frequency) < std::abs(b.frequency - frequency);
  });
}

/// Spectral lines of one laser line's directions over four seconds.
template <class Coordinate>
std::vector<Line> linesOf(const std::string& name, std::uint8_t line, Coordinate coordinate) {
  std::vector<Complex> signal;
  TimeNs next = 0;
  for (const Firing& firing : fired(loadLidar(name), 0, 40 * kTenth)) {
    if (firing.line != line || firing.stamp < next) continue;
    signal.push_back(coordinate(firing.direction));
    next += 200'000;  // 1 / kSampling
  }
  return spectrum(std::move(signal));
}

Complex transverse(const Eigen::Vector3f& d) { return {d.y(), d.z()}; }

// Livox' own tables of the Mid-40 and Mid-70 (livox_laser_simulation): lines at 121.57 and 77.74 Hz
// turning against one another, of amplitudes 0.1673 and 0.1642, 0.2735 and 0.2861.
TEST_F(SensorDatasheets, SpectrumHasThePublishedPrismSpeeds) {
  struct Published {
    std::string name;
    double sign, quick, slow, tolerance;
  };
  for (const auto& [name, sign, quick, slow, tolerance] :
       {Published{"mid40", -1.0, 0.1673, 0.1642, 0.01},
        Published{"mid70", 1.0, 0.2735, 0.2861, 0.01}}) {
    auto lines = linesOf(name, 0, transverse);
    lines.resize(2);  // the two strongest
    const Line first = near(lines, sign * 121.57), second = near(lines, -sign * 77.74);
    EXPECT_NEAR(first.frequency, sign * 121.57, 0.03) << name;
    EXPECT_NEAR(second.frequency, -sign * 77.74, 0.03) << name;
    EXPECT_NEAR(first.amplitude / quick, 1.0, tolerance) << name;
    EXPECT_NEAR(second.amplitude / slow, 1.0, tolerance) << name;
  }
}

// Livox' own tables: shares of the points within 10 and 20 degrees of the axis.
TEST_F(SensorDatasheets, Mid70IsAsDenseInItsMiddleAsItsTable) {
  std::size_t within_10 = 0, within_20 = 0;
  const auto firings = fired(loadLidar("mid70"), 0, 40 * kTenth);
  for (const Firing& firing : firings) {
    const double off = degrees(std::acos(static_cast<double>(firing.direction.x())));
    within_10 += off < 10.0 ? 1 : 0;
    within_20 += off < 20.0 ? 1 : 0;
    ASSERT_LT(off, 35.4);
  }
  const auto all = static_cast<double>(firings.size());
  EXPECT_NEAR(static_cast<double>(within_10) / all, 0.216, 0.005);
  EXPECT_NEAR(static_cast<double>(within_20) / all, 0.438, 0.005);
}

// HELIOS++ scanner library: -131.5463, 40.8032 and 213.1611 Hz.
TEST_F(SensorDatasheets, SpectrumHasAviasThreePrisms) {
  auto lines = linesOf("avia", 2, transverse);
  lines.resize(3);
  for (const double frequency : {-131.5463, 40.8032, 213.1611}) {
    EXPECT_NEAR(near(lines, frequency).frequency, frequency, 0.03);
  }
}

// livox_laser_simulation's table of the Mid-360: about 182 turns a second, clockwise from above,
// and a sweep up and down ten times a second.
TEST_F(SensorDatasheets, SpectrumHasTheMid360sTurnsAndSweep) {
  const auto around = linesOf("mid360", 0, [](const Eigen::Vector3f& d) -> Complex {
    return {d.x(), d.y()};
  });
  EXPECT_NEAR(around[0].frequency, -182.4, 0.1);
  const auto upwards =
      linesOf("mid360", 0, [](const Eigen::Vector3f& d) -> Complex { return d.z(); });
  EXPECT_NEAR(std::abs(upwards[0].frequency), 10.0, 0.03);
}

// The stand-in tables are what the script beside them writes, byte for byte.
TEST_F(SensorDatasheets, TablesAreTheirScripts) {
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "no python3";
  const std::filesystem::path patterns = dataDir() / "config/lidar/patterns";
  const std::string command =
      "python3 '" + (patterns / "make_tables.py").string() + "' '" + folder_.string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  for (const char* name : {"hap.csv", "horizon.csv", "lms291.csv"}) {
    EXPECT_TRUE(contents(folder_ / name) == contents(patterns / name)) << name;
  }
}

// Rows of the file are the shots, and after the last comes the first.
TEST_F(SensorDatasheets, HorizonFollowsItsTable) {
  std::ifstream table(dataDir() / "config/lidar/patterns/horizon.csv");
  std::vector<std::pair<double, double>> rows;
  std::string line;
  std::getline(table, line);
  std::getline(table, line);
  double azimuth = 0.0, elevation = 0.0;
  for (char comma = 0; table >> azimuth >> comma >> elevation;)
    rows.emplace_back(azimuth, elevation);
  ASSERT_EQ(rows.size(), 96'000U);
  const auto firings = fired(loadLidar("horizon"), 0, 5 * kTenth);
  ASSERT_EQ(firings.size(), 120'000U);
  for (std::size_t i = 0; i < firings.size(); ++i) {
    ASSERT_NEAR(azimuthOf(firings[i]), rows[i % rows.size()].first, 1e-4);
    ASSERT_NEAR(elevationOf(firings[i]), rows[i % rows.size()].second, 1e-4);
    ASSERT_EQ(firings[i].line, i % 6);
  }
}

}  // namespace
}  // namespace marsim::config
