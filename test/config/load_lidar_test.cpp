// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <vector>

#include "common/data_dir.hpp"
#include "config/launch_words.hpp"
#include "firings.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

constexpr TimeNs kScan = 100'000'000;

class LoadLidarTest : public ConfigTest {};

/// Share of a scan's shots that its field of view keeps.
double keptShare(const LidarConfig& config) {
  const auto firings = fired(config, 0, kScan);
  const double tolerance = 1e-4;
  const auto kept = std::count_if(firings.begin(), firings.end(), [&](const Firing& firing) {
    return azimuthOf(firing) >= degrees(config.azimuth_min) - tolerance &&
           azimuthOf(firing) <= degrees(config.azimuth_max) + tolerance &&
           elevationOf(firing) >= degrees(config.elevation_min) - tolerance &&
           elevationOf(firing) <= degrees(config.elevation_max) + tolerance;
  });
  return static_cast<double>(kept) / static_cast<double>(firings.size());
}

TEST_F(LoadLidarTest, EveryShippedFileLoads) {
  const std::vector<std::string> names = knownNames("lidar");
  for (const char* name : {"avia", "mid360", "vlp16"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
  for (const std::string& name : names) {
    const LidarConfig config = loadLidar(name);
    EXPECT_DOUBLE_EQ(config.rate, name == "lms291" ? 75.0 : 10.0) << name;
    EXPECT_GT(keptShare(config), 0.999) << name;
  }
}

TEST_F(LoadLidarTest, BadInputIsNamed) {
  const std::string good = contents(dataDir() / "config/lidar/vlp16.yaml");
  const auto complaintOf = [&](const std::string& part, const std::string& by) {
    const std::string path = write("x.yaml", replaced(good, part, by));
    const std::string message = complaint([&] { loadLidar(path); });
    return message == "no error" ? message : message.substr(message.find("x.yaml"));
  };
  EXPECT_EQ(complaintOf("rate: 10Hz", "rate: 20"), "no error");
  EXPECT_EQ(complaintOf("max: 100m", "max: 0.2m"),
            "x.yaml: range.max is 0.2 m, allowed: more than range.min, 1 m");
  EXPECT_EQ(complaintOf("max: 100m", "max: .nan").substr(0, 27), "x.yaml: range.max is '.nan'");
  EXPECT_EQ(complaintOf(", max: 100m", ""),
            "x.yaml: range.max is missing, allowed: this key is required");
  EXPECT_EQ(complaintOf("rate: 10Hz", "rate: 0Hz"), "x.yaml: rate is 0, allowed: 0.1 to 1000 Hz");
  EXPECT_EQ(complaintOf("field_of_view:", "field_of_veiw:"),
            "x.yaml: field_of_veiw is an unknown key (did you mean 'field_of_view'?), allowed: "
            "name, range, rate, clock, field_of_view, blind_zones, mounting, output, beam, "
            "returns, noise, "
            "intensity, reflectivity, instantaneous, pattern, imu");
  EXPECT_EQ(complaintOf("kind: spinning", "kind: spining"),
            "x.yaml: pattern.kind is 'spining' (did you mean 'spinning'?), allowed: risley, "
            "mid360, spinning, csv, grid");
  EXPECT_EQ(
      complaintOf("output: velodyne", "output: velodine"),
      "x.yaml: output is 'velodine' (did you mean 'velodyne'?), allowed: xyzi, xyzit, labelled, "
      "organised, velodyne, ouster, livox, livox2, livox_custom, livox_custom2, hesai, rslidar, "
      "laser_scan");
  EXPECT_EQ(complaintOf("elevation: 15deg", "elevation: 150deg").substr(0, 43),
            "x.yaml: pattern.channels[15].elevation is 2");
  EXPECT_EQ(complaintOf("cycle_period: 55.296us", "cycle_period: 30us").substr(0, 41),
            "x.yaml: pattern.channels[14].fire_time is");
}

/// A sensor's file around the text of its pattern.
std::string sensorWith(const std::string& pattern, const std::string& more = "") {
  return "name: x\nrange: {min: 1m, max: 9m}\n" + more + "pattern:\n" + pattern;
}

TEST_F(LoadLidarTest, TablesAreReadBesideTheFile) {
  const std::string table = write("table.csv", "el,az,laser\n10,90,0\n-10,-90,1\n");
  const std::string columns = "  columns: {azimuth: az, elevation: 1, ring: laser}\n";
  const std::string rate = "  points_per_second: 1kHz\n";
  for (const std::string& file : {std::string("table.csv"), table}) {
    const auto path =
        write("x.yaml", sensorWith("  kind: csv\n  file: " + file + "\n" + columns + rate));
    const auto firings = fired(loadLidar(path), 0, 4'000'000);
    ASSERT_EQ(firings.size(), 4U);
    EXPECT_NEAR(azimuthOf(firings[2]), 90.0, 1e-4);
    EXPECT_NEAR(elevationOf(firings[3]), -10.0, 1e-4);
    EXPECT_EQ(firings[3].ring, 1);
    EXPECT_EQ(firings[3].stamp, 3'000'000);
  }
  const auto complaintOf = [&](const std::string& pattern) {
    const std::string path = write("x.yaml", sensorWith("  kind: csv\n" + pattern));
    const std::string message = complaint([&] { loadLidar(path); });
    return message.substr(message.find(folder_.filename().string()));
  };
  const std::string folder = folder_.filename().string();
  EXPECT_EQ(complaintOf("  file: no.csv\n" + rate), folder + "/no.csv: no such file");
  ASSERT_EQ(mkfifo((folder_ / "fifo.csv").c_str(), 0600), 0);
  EXPECT_EQ(complaintOf("  file: fifo.csv\n" + rate), folder + "/fifo.csv: is no regular file");
  std::ofstream(folder_ / "large.csv").seekp(std::streamoff{1} << 27) << 'x';
  EXPECT_EQ(complaintOf("  file: large.csv\n" + rate),
            folder + "/large.csv: is larger than 128 MiB, which is the limit");
  EXPECT_EQ(complaintOf("  file: table.csv\n" + columns + rate + "  period: 2s\n"),
            folder +
                "/x.yaml: pattern.points_per_second is given beside the table's times, "
                "allowed: one of them");
  EXPECT_EQ(complaintOf("  file: table.csv\n" + columns),
            folder +
                "/x.yaml: pattern.points_per_second is missing, allowed: a rate, or a table "
                "with a column of times");
  EXPECT_EQ(complaintOf("  file: table.csv\n  lines: 5000000000\n" + rate),
            folder +
                "/x.yaml: pattern.lines is '5000000000', allowed: a whole number from 0 to "
                "2147483647");
}

TEST_F(LoadLidarTest, GridsAreRead) {
  const std::string spherical =
      "  kind: grid\n  projection: spherical\n  width: 4\n  height: 2\n"
      "  azimuth: [-40deg, 40deg]\n  elevation: [-10deg, 10deg]\n"
      "  frame_rate: 10Hz\n  order: columns\n";
  const auto firings = fired(loadLidar(write("x.yaml", sensorWith(spherical))), 0, kScan);
  ASSERT_EQ(firings.size(), 8U);
  EXPECT_NEAR(azimuthOf(firings[0]), 30.0, 1e-4);
  EXPECT_NEAR(elevationOf(firings[1]), -5.0, 1e-4);
  EXPECT_EQ(firings[7].stamp, 75'000'000);
  const auto complaintOf = [&](const std::string& part, const std::string& by) {
    const auto path = write("x.yaml", sensorWith(replaced(spherical, part, by)));
    const std::string message = complaint([&] { loadLidar(path); });
    return message.substr(message.find("x.yaml"));
  };
  EXPECT_EQ(complaintOf("  elevation: [-10deg, 10deg]\n", ""),
            "x.yaml: pattern.elevation is missing, allowed: this key is required");
  EXPECT_EQ(complaintOf("  width: 4\n", ""),
            "x.yaml: pattern.width is 0, allowed: 1 to 65535 columns");
  EXPECT_EQ(complaintOf("order: columns", "order: diagonal"),
            "x.yaml: pattern.order is 'diagonal', allowed: instant, rows, columns");
  EXPECT_EQ(complaintOf("projection: spherical", "projection: pinhole"),
            "x.yaml: pattern.fx is missing, allowed: this key is required");
}

TEST_F(LoadLidarTest, BlocksAndBlindZonesAreRead) {
  const std::string blocks =
      "  kind: spinning\n  rotation_rate: 600rpm\n  blocks:\n"
      "    - {cycle_period: 1ms, channels: [{elevation: 1deg, fire_time: 0s}]}\n"
      "    - {cycle_period: 2ms, channels: [{elevation: -1deg, fire_time: 1us}]}\n";
  const std::string zones =
      "blind_zones: [{azimuth: [170deg, 190deg]}, {elevation: [0deg, 5deg]}]\n";
  const LidarConfig config = loadLidar(write("x.yaml", sensorWith(blocks, zones)));
  EXPECT_EQ(fired(config, 0, kScan).size(), 150U);
  ASSERT_EQ(config.blind_zones.size(), 2U);
  EXPECT_DOUBLE_EQ(config.blind_zones[0].azimuth_max, radians(190.0));
  EXPECT_DOUBLE_EQ(config.blind_zones[1].elevation_max, radians(5.0));
  EXPECT_DOUBLE_EQ(config.blind_zones[1].azimuth_min, -kPi);
  const auto complaintOf = [&](const std::string& text) {
    const std::string path = write("x.yaml", text);
    const std::string message = complaint([&] { loadLidar(path); });
    return message.substr(message.find("x.yaml"));
  };
  EXPECT_EQ(complaintOf(sensorWith("  kind: spinning\n  rotation_rate: 1\n  blocks: []\n")),
            "x.yaml: pattern.blocks is an empty list, allowed: one block or more");
  EXPECT_EQ(complaintOf(sensorWith(blocks, "blind_zones: [{}]\n")),
            "x.yaml: blind_zones[0].azimuth is missing, allowed: azimuth, elevation or both");
  EXPECT_EQ(complaintOf(sensorWith(replaced(blocks, "fire_time: 1us", "fire_time: 3ms"))),
            "x.yaml: pattern.blocks[1].channels[0].fire_time is 0.003 s, allowed: 0 s (the channel "
            "before) or later, below the cycle period of 0.002 s");
}

TEST_F(LoadLidarTest, BeamsAndReturnsAreRead) {
  const std::string pattern =
      "  {kind: risley, points_per_second: 100, prisms: [{speed: 60rpm, wedge_angle: 10deg}]}\n";
  const std::string beam =
      "beam: {divergence: [0.03deg, 0.28deg], shape: ellipse, rays: 9, pulse_length: 4ns}\n"
      "returns: {mode: dual, threshold: 1e-5, separation: 1m}\n";
  LidarConfig config = loadLidar(write("x.yaml", sensorWith(pattern, beam)));
  EXPECT_DOUBLE_EQ(config.beam.divergence_horizontal, radians(0.03));
  EXPECT_DOUBLE_EQ(config.beam.divergence_vertical, radians(0.28));
  EXPECT_EQ(config.beam.shape, lidar::BeamConfig::Shape::kEllipse);
  EXPECT_EQ(config.beam.rays, 9);
  EXPECT_DOUBLE_EQ(config.beam.pulse_length, 4e-9);
  EXPECT_EQ(config.returns.mode, lidar::ReturnMode::kDual);
  EXPECT_DOUBLE_EQ(config.returns.threshold, 1e-5);
  EXPECT_DOUBLE_EQ(config.returns.separation, 1.0);
  config = loadLidar(write("x.yaml", sensorWith(pattern, "beam: {divergence: 0.2deg}\n")));
  EXPECT_DOUBLE_EQ(config.beam.divergence_horizontal, radians(0.2));
  EXPECT_DOUBLE_EQ(config.beam.divergence_vertical, radians(0.2));
  EXPECT_EQ(config.beam.rays, 1);
  const auto complaintOf = [&](const std::string& part, const std::string& by) {
    const auto path = write("x.yaml", sensorWith(pattern, replaced(beam, part, by)));
    const std::string message = complaint([&] { loadLidar(path); });
    return message.substr(message.find("x.yaml"));
  };
  EXPECT_EQ(complaintOf("[0.03deg, 0.28deg]", "[0.03deg]"),
            "x.yaml: beam.divergence is a list of 1, allowed: an angle or [horizontal, vertical]");
  EXPECT_EQ(complaintOf("0.28deg", "-0.28deg").substr(0, 33), "x.yaml: beam.divergence[1] is -0.");
  EXPECT_EQ(complaintOf("ellipse", "elipse"),
            "x.yaml: beam.shape is 'elipse' (did you mean 'ellipse'?), allowed: circle, ellipse, "
            "rectangle");
  EXPECT_EQ(complaintOf("rays: 9", "rays: 10"),
            "x.yaml: beam.rays is '10' (did you mean '1'?), allowed: 1, 7, 9, 19, 37, auto");
  config = loadLidar(write("x.yaml", sensorWith(pattern, replaced(beam, "rays: 9", "rays: auto"))));
  EXPECT_EQ(config.beam.rays, 19) << "4.9 mrad, at most 1 mrad apart";
  EXPECT_EQ(complaintOf("mode: dual", "mode: second"),
            "x.yaml: returns.mode is 'second', allowed: strongest, first, last, dual, triple, "
            "two_strongest");
  EXPECT_EQ(complaintOf("mode: dual", "mod: dual").substr(0, 47),
            "x.yaml: returns.mod is an unknown key (did you ");
}

TEST_F(LoadLidarTest, LaunchArgumentsStandInPlaceOfTheFilesBeams) {
  const auto chosen = [](const std::string& name, const std::string& rays,
                         const std::string& returns) {
    lidar::LidarConfig config = loadLidar(name);
    chooseBeam(rays, returns, "/uav0/lidar", config);
    return config;
  };
  const auto said = [&](const std::string& name, const std::string& rays,
                        const std::string& returns) {
    return complaint([&] { chosen(name, rays, returns); });
  };
  EXPECT_EQ(chosen("vlp16", "auto", "auto").beam.rays, 1);
  const lidar::LidarConfig dual = chosen("vlp16", "9", "dual");
  EXPECT_EQ(dual.beam.rays, 9);
  EXPECT_EQ(dual.returns.mode, lidar::ReturnMode::kDual);
  EXPECT_EQ(dual.returns.separation, 1.0) << "as the file says";
  EXPECT_EQ(chosen("vlp16", "auto", "last").beam.rays, 1);
  EXPECT_GT(loadLidar("lms291").returns.signal_cutoff, 0.0);
  EXPECT_EQ(chosen("lms291", "auto", "last").returns.signal_cutoff, 0.0);

  EXPECT_EQ(said("vlp16", "8", "auto"),
            "/uav0/lidar: rays is '8', allowed: auto | 1 | 7 | 9 | 19 | 37");
  for (const char* name : {"vlp16", "lms291", "hdl32e", "hdl64e"}) {
    for (const char* rays : {"9", "19", "37"}) {
      EXPECT_EQ(std::to_string(chosen(name, rays, "auto").beam.rays), rays) << name;
    }
  }
  EXPECT_EQ(said("mid360", "9", "auto"),
            "/uav0/lidar: Livox Mid-360 with rays 9 and returns auto: beam.divergence is 0, "
            "allowed: more than 0 rad where there are several rays");
  EXPECT_EQ(said("vlp16", "auto", "duel")
                .find("/uav0/lidar: unknown returns 'duel' (did you mean 'dual'?), known: auto, "),
            0U);
  EXPECT_EQ(said("vlp16", "auto", "triple"),
            "/uav0/lidar: Velodyne VLP-16 with rays auto and returns triple: returns.mode is "
            "triple, allowed: one of at most 2 returns, which the layout 'velodyne' has room for");
}

TEST_F(LoadLidarTest, ReadsHowASensorMeasures) {
  const std::string path = write(
      "x.yaml",
      "name: x\nrange: {min: 1m, max: 50m}\ninstantaneous: true\nreflectivity: 0.3\n"
      "intensity: {scale: 150, limit: 200, range_reference: 10m}\nnoise:\n"
      "  range_bias: 1cm\n  range_bias_per_metre: 0.001\n  range_sigma: 2cm\n"
      "  range_sigma_per_metre: 0.002\n"
      "  range_sigma_per_square_metre: 0.003\n  range_resolution: 4mm\n  angular_sigma: 0.1deg\n"
      "  dropout: 0.01\n  dropout_by_range: [[10m, 0.1], [1km, 0.5]]\n"
      "  dropout_by_incidence: [[60deg, 0], [90deg, 1]]\n"
      "  range_by_reflectivity: [[0.1, 20m], [0.8, 50m]]\n  false_returns: 0.001\n"
      "pattern: {kind: risley, points_per_second: 100, prisms: [{speed: 60rpm, wedge_angle: "
      "10deg}]}\n");
  const LidarConfig config = loadLidar(path);
  EXPECT_TRUE(config.instantaneous);
  EXPECT_EQ(config.reflectivity, 0.3);
  EXPECT_FALSE(config.intensity.constant.has_value());
  EXPECT_EQ(config.intensity.scale, 150.0);
  EXPECT_EQ(config.intensity.limit, 200.0);
  EXPECT_EQ(config.intensity.range_reference, 10.0);
  const lidar::NoiseConfig& noise = config.noise;
  EXPECT_EQ(noise.range_bias, 0.01);
  EXPECT_EQ(noise.range_bias_per_metre, 0.001);
  EXPECT_EQ(noise.range_sigma, 0.02);
  EXPECT_EQ(noise.range_sigma_per_metre, 0.002);
  EXPECT_EQ(noise.range_sigma_per_square_metre, 0.003);
  EXPECT_EQ(noise.range_resolution, 0.004);
  EXPECT_EQ(noise.angular_sigma, radians(0.1));
  EXPECT_EQ(noise.dropout, 0.01);
  EXPECT_EQ(noise.false_returns, 0.001);
  using Table = lidar::NoiseConfig::Table;
  EXPECT_EQ(noise.dropout_by_range, (Table{{10.0, 0.1}, {1000.0, 0.5}}));
  EXPECT_EQ(noise.dropout_by_incidence, (Table{{radians(60.0), 0.0}, {radians(90.0), 1.0}}));
  EXPECT_EQ(noise.range_by_reflectivity, (Table{{0.1, 20.0}, {0.8, 50.0}}));
}

TEST_F(LoadLidarTest, NoiseIsOffUnlessTheFileSaysOtherwise) {
  const std::string good = contents(dataDir() / "config/lidar/vlp16.yaml");
  EXPECT_TRUE(loadLidar("vlp16").noise.any());
  const std::size_t begin = good.find("noise:"), end = good.find("\n\n", begin);
  const std::string without = good.substr(0, begin) + "noise: {}" + good.substr(end);
  EXPECT_FALSE(loadLidar(write("x.yaml", without)).noise.any());
  const std::string constant =
      write("y.yaml", replaced(good, "intensity: {scale: 100}", "intensity: 42"));
  EXPECT_EQ(loadLidar(constant).intensity.constant, 42.0);
}

TEST_F(LoadLidarTest, BadNoiseIsNamed) {
  const std::string good = contents(dataDir() / "config/lidar/vlp16.yaml");
  const auto complaintOf = [&](const std::string& line, const std::string& part = "noise:\n",
                               const std::string& keep = "noise:\n") {
    const std::string path = write("x.yaml", replaced(good, part, keep + line));
    const std::string message = complaint([&] { loadLidar(path); });
    return message == "no error" ? message : message.substr(message.find("x.yaml"));
  };
  EXPECT_EQ(complaintOf("  dropout: 2\n"), "x.yaml: noise.dropout is 2, allowed: 0 to 1");
  EXPECT_EQ(complaintOf("  droput: 0.1\n").substr(0, 66),
            "x.yaml: noise.droput is an unknown key (did you mean 'dropout'?), ");
  EXPECT_EQ(complaintOf("  dropout_by_range: 0.1\n"),
            "x.yaml: noise.dropout_by_range is '0.1', allowed: a list of pairs of numbers, [[x, "
            "y], ...]");
  EXPECT_EQ(complaintOf("  dropout_by_range: [[1m, 0.1], [2m]]\n"),
            "x.yaml: noise.dropout_by_range[1] is a list of 1, allowed: a pair of numbers, [x, y]");
  EXPECT_EQ(complaintOf("  dropout_by_range: [[1m, 0.1m]]\n"),
            "x.yaml: noise.dropout_by_range[0][1] is '0.1m', allowed: a finite number without a "
            "unit");
  EXPECT_EQ(complaintOf("intensity: 300", "intensity: {scale: 100}", ""),
            "x.yaml: intensity is 300, allowed: 0 to 255");
  EXPECT_EQ(complaintOf("intensity: {scle: 100}", "intensity: {scale: 100}", "").substr(0, 64),
            "x.yaml: intensity.scle is an unknown key (did you mean 'scale'?)");
}

TEST_F(LoadLidarTest, UnknownNamesListTheKnownOnes) {
  std::string known;
  for (const std::string& name : knownNames("lidar")) known += (known.empty() ? "" : ", ") + name;
  EXPECT_EQ(complaint([] { loadLidar("avai"); }),
            "unknown lidar 'avai' (did you mean 'avia'?), known: " + known);
  EXPECT_EQ(complaint([] { loadLidar("no/such.yaml"); }), "no/such.yaml: no such file");
  EXPECT_EQ(complaint([] { loadLidar(""); }), "unknown lidar '', known: " + known);
}

TEST_F(LoadLidarTest, AnImuMayBeBuiltIn) {
  // mid360.yaml of FAST-LIO2: the LiDAR in its IMU.
  const Eigen::Vector3d lidar_in_imu(-0.011, -0.02329, 0.04412);
  const vehicle::ImuConfig imu = loadLidarImu("mid360");
  const Pose X_BS = loadLidar("mid360").X_BS;
  EXPECT_NEAR(((imu.X_BI.inverse() * X_BS).p - lidar_in_imu).norm(), 0.0, 1e-12);
  EXPECT_DOUBLE_EQ(imu.gyroscope.noise_density, loadImu("mid360_icm40609").gyroscope.noise_density);
  EXPECT_NE(complaint([] {
              loadLidarImu("vlp16");
            }).find("vlp16.yaml: imu is missing, allowed: a map with the model and place"),
            std::string::npos);
}

}  // namespace
}  // namespace marsim::config
