#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "common/data_dir.hpp"
#include "firings.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

constexpr TimeNs kScan = 100'000'000;

class LoadLidarTest : public ConfigTest {};

struct Extents {
  double azimuth = 0.0;  // [deg] largest of either side
  double elevation_min = 90.0, elevation_max = -90.0;
};

Extents extentsOf(const std::vector<Firing>& firings) {
  Extents extents;
  for (const Firing& firing : firings) {
    extents.azimuth = std::max(extents.azimuth, std::abs(azimuthOf(firing)));
    extents.elevation_min = std::min(extents.elevation_min, elevationOf(firing));
    extents.elevation_max = std::max(extents.elevation_max, elevationOf(firing));
  }
  return extents;
}

/// Cells of half a degree that have been hit.
std::size_t coverage(const LidarConfig& config, TimeNs duration) {
  std::set<std::pair<int, int>> cells;
  for (const Firing& firing : fired(config, 0, duration)) {
    cells.emplace(std::floor(2.0 * azimuthOf(firing)), std::floor(2.0 * elevationOf(firing)));
  }
  return cells.size();
}

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

// Livox Avia specifications: 240,000 points/s, 70.4 x 77.2 degrees.
TEST_F(LoadLidarTest, AviaAgreesWithItsDatasheet) {
  const LidarConfig config = loadLidar("avia");
  const auto firings = fired(config, 0, 10 * kScan);
  EXPECT_EQ(firings.size(), 240'000U);
  const Extents extents = extentsOf(firings);
  EXPECT_NEAR(extents.elevation_max - extents.elevation_min, 77.2, 0.5);
  double across = 0.0;  // at the height of the axis
  for (const Firing& firing : firings) {
    if (std::abs(elevationOf(firing)) < 3.0) {
      across = std::max(across, std::abs(azimuthOf(firing)));
    }
  }
  EXPECT_NEAR(2.0 * across, 70.4, 0.5);
  EXPECT_EQ(firings[5].stamp, 0);
  EXPECT_EQ(firings[6].stamp, 25'000);
  EXPECT_EQ(firings[5].line, 5);
}

TEST_F(LoadLidarTest, AviaCoversMoreTheLongerItLooks) {
  const LidarConfig config = loadLidar("avia");
  const std::size_t once = coverage(config, kScan), thrice = coverage(config, 3 * kScan);
  EXPECT_GT(static_cast<double>(thrice), 1.3 * static_cast<double>(once));
}

// Livox Mid-360 specifications: 200,000 points/s, 360 degrees, -7 to +52.
TEST_F(LoadLidarTest, Mid360AgreesWithItsDatasheet) {
  const LidarConfig config = loadLidar("mid360");
  const auto firings = fired(config, 0, 10 * kScan);
  EXPECT_EQ(firings.size(), 200'000U);
  const Extents extents = extentsOf(firings);
  EXPECT_GT(extents.azimuth, 179.9);
  EXPECT_NEAR(extents.elevation_min, -7.2, 1.0);
  EXPECT_NEAR(extents.elevation_max, 52.3, 1.0);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(firings[i].stamp, static_cast<TimeNs>(5'000 * i));
    EXPECT_EQ(firings[i].line, i % 4);
  }
}

TEST_F(LoadLidarTest, Mid360CoversMoreTheLongerItLooks) {
  const LidarConfig config = loadLidar("mid360");
  const std::size_t once = coverage(config, kScan), thrice = coverage(config, 3 * kScan);
  EXPECT_GT(static_cast<double>(thrice), 1.3 * static_cast<double>(once));
}

// Rows (from 1) of mid360.csv in Livox-SDK/livox_laser_simulation: azimuth, zenith angle.
TEST_F(LoadLidarTest, Mid360FollowsThePublishedTable) {
  struct Row {
    std::size_t number;
    double azimuth, zenith;
  };
  const std::vector<Row> rows = {
      {1, 268.99, 37.838},     {2, 269.0, 40.825},      {3, 269.0, 43.581},
      {4, 269.0, 46.152},      {5, 267.82, 37.84},      {5197, 25.722, 71.282},
      {5200, 32.59, 71.318},   {5353, 335.63, 70.378},  {5356, 339.75, 73.892},
      {5469, 299.45, 70.539},  {5472, 299.43, 74.974},  {5737, 214.41, 74.253},
      {5740, 207.78, 74.237},  {5961, 138.24, 77.625},  {5964, 135.91, 73.31},
      {34129, 201.01, 73.744}, {34132, 196.38, 77.194}, {34281, 151.76, 74.646},
      {34284, 145.17, 74.642}, {34473, 86.498, 75.573}, {34476, 83.807, 71.584},
      {34725, 359.16, 73.411}, {34728, 4.9084, 71.048}, {34925, 293.19, 69.891},
      {34928, 299.01, 72.398}};
  const auto firings = fired(loadLidar("mid360"), 0, 2 * kScan);
  double squares = 0.0;
  for (const Row& row : rows) {
    const double azimuth = radians(row.azimuth), zenith = radians(row.zenith);
    const Eigen::Vector3d published(std::sin(zenith) * std::cos(azimuth),
                                    std::sin(zenith) * std::sin(azimuth), std::cos(zenith));
    const Eigen::Vector3d d = firings[row.number - 1].direction.cast<double>();
    const double error = degrees(std::acos(std::min(1.0, d.dot(published))));
    EXPECT_LT(error, 1.5) << "row " << row.number;
    squares += error * error;
  }
  EXPECT_LT(std::sqrt(squares / static_cast<double>(rows.size())), 0.9);
}

// The sweep: at the top of the view near the start, at its bottom half a tenth of a second on; the
// mirror makes 176.4 turns a second (63.5e3 deg/s) at the top and 187.2 (67.4e3) at the bottom.
TEST_F(LoadLidarTest, Mid360SweepsUpAndDownTenTimesASecond) {
  const LidarConfig config = loadLidar("mid360");
  const auto meanElevation = [&](TimeNs at) {
    double sum = 0.0;
    const auto firings = fired(config, at, at + 5'500'000);  // one revolution
    for (const Firing& firing : firings) sum += elevationOf(firing);
    return sum / static_cast<double>(firings.size());
  };
  for (int sweep = 0; sweep < 5; ++sweep) {
    EXPECT_GT(meanElevation(sweep * kScan), 40.0);
    EXPECT_LT(meanElevation(sweep * kScan + 48'000'000), 0.0);
  }
  const auto turning = [&](TimeNs at) {  // [deg/s]
    const auto firings = fired(config, at, at + 5'500'000);
    double turned = 0.0;
    for (std::size_t i = 5; i < firings.size(); i += 4) {
      turned += std::remainder(azimuthOf(firings[i]) - azimuthOf(firings[i - 4]), 360.0);
    }
    return turned / 5.5e-3;
  };
  EXPECT_NEAR(turning(0), -63.5e3, 1.0e3);
  EXPECT_NEAR(turning(47'000'000), -67.4e3, 1.0e3);
}

// Velodyne VLP-16 user manual: 289,344 measurements/s, 16 rings of 2 degrees from -15 to 15, 2.304
// us between lasers, 55.296 us a cycle; at 10 Hz a column every 0.199 degrees, clockwise.
TEST_F(LoadLidarTest, Vlp16AgreesWithItsManual) {
  const LidarConfig config = loadLidar("vlp16");
  EXPECT_EQ(config.outputs.front().layout, lidar::CloudLayout::kVelodyne);
  EXPECT_NEAR(lidar::makePattern(config.pattern)->pointsPerSecond(), 289'344.0, 12.0);
  const auto firings = fired(config, 0, kScan);
  EXPECT_NEAR(static_cast<double>(firings.size()), 28'935.0, 16.0);
  const std::vector<int> elevations = {-15, 1, -13, 3,  -11, 5,  -9, 7,
                                       -7,  9, -5,  11, -3,  13, -1, 15};
  for (std::size_t i = 0; i < 64; ++i) {
    const int elevation = elevations[i % 16];
    EXPECT_NEAR(elevationOf(firings[i]), elevation, 1e-4);
    EXPECT_EQ(firings[i].ring, (elevation + 15) / 2);
    EXPECT_EQ(firings[i].stamp, static_cast<TimeNs>(55'296 * (i / 16) + 2'304 * (i % 16)));
  }
  EXPECT_NEAR(azimuthOf(firings[16]) - azimuthOf(firings[0]), -0.19907, 1e-4);
}

// Three sets of the upper block's shots, then one of the lower block's, 32 us apart; 781 columns of
// the lower block a turn at 10 Hz (Goodin et al. 2018, section 3.5.2; MAVS).
TEST_F(LoadLidarTest, TheLowerBlockOfGoodinsHdl64HasAQuarterOfTheColumns) {
  const LidarConfig config = loadLidar("hdl64e_goodin");
  EXPECT_NEAR(lidar::makePattern(config.pattern)->pointsPerSecond(), 1e6, 1.0);
  const auto firings = fired(config, 0, kScan);
  std::size_t lower = 0;
  for (const Firing& firing : firings) lower += firing.ring < 32 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(lower) / 32.0, 781.25, 1.0);
  EXPECT_NEAR(static_cast<double>(firings.size() - lower) / 32.0, 3.0 * 781.25, 3.0);
  for (std::size_t i = 0; i < 1280; ++i) {
    const std::size_t set = i / 32;
    EXPECT_EQ(firings[i].ring < 32, set % 4 == 3) << i;
    EXPECT_EQ(firings[i].column, set);
    EXPECT_EQ(firings[i].stamp, static_cast<TimeNs>(32'000 * set + 1'000 * (i % 32)));
  }
}

// 181 beams a scan, from right to left, a degree and 1/27000 s apart.
TEST_F(LoadLidarTest, Lms291SweepsHalfATurn) {
  const LidarConfig config = loadLidar("lms291");
  for (const std::int64_t scan : {0, 1, 2, 1000, 100'000}) {
    const auto begin = toNs(static_cast<double>(scan) / 75.0);
    const auto firings = fired(config, begin, toNs(static_cast<double>(scan + 1) / 75.0));
    ASSERT_EQ(firings.size(), 181U) << scan;
    for (std::size_t i = 0; i < 181; ++i) {
      ASSERT_NEAR(azimuthOf(firings[i]), static_cast<double>(i) - 90.0, 1e-4);
      ASSERT_NEAR(toSeconds(firings[i].stamp - firings[0].stamp), static_cast<double>(i) / 27e3,
                  2e-9);
    }
  }
}

// ouster-sdk, xyzlut.cpp: beams begin n off the axis, where the encoder points; VLP16db.yaml of
// ros-drivers/velodyne: vert_offset_correction, across the beam.
TEST_F(LoadLidarTest, BeamsBeginWhereTheMakersSay) {
  const LidarConfig ouster = loadLidar("os1_64");
  for (const Firing& firing : fired(ouster, kScan / 3, kScan / 2)) {
    ASSERT_NEAR(firing.origin.norm(), 0.012163F, 1e-7F);
    ASSERT_EQ(firing.origin.z(), 0.0F);
    // The encoder's azimuth: clockwise, zero at simulated time 0.
    const double encoder = -20.0 * kPi * toSeconds(firing.stamp);
    ASSERT_NEAR(static_cast<double>(firing.origin.x()), 0.012163 * std::cos(encoder), 1e-6);
    ASSERT_NEAR(static_cast<double>(firing.origin.y()), 0.012163 * std::sin(encoder), 1e-6);
  }
  const std::vector<double> offsets = {11.2, -0.7, 9.7, -2.2, 8.1, -3.7, 6.6, -5.1,
                                       5.1,  -6.6, 3.7, -8.1, 2.2, -9.7, 0.7, -11.2};  // [mm]
  const auto firings = fired(loadLidar("vlp16"), 0, kScan);
  for (std::size_t i = 0; i < firings.size(); ++i) {
    const Eigen::Vector3f& o = firings[i].origin;
    ASSERT_NEAR(o.dot(firings[i].direction), 0.0F, 1e-6F);
    ASSERT_NEAR(1e3 * static_cast<double>(o.norm()), std::abs(offsets[i % 16]), 1e-4);
    ASSERT_EQ(o.z() > 0.0F, offsets[i % 16] > 0.0);
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
            "x.yaml: range.max is 0.2 m, allowed: more than range.min, 0.4 m");
  EXPECT_EQ(complaintOf("max: 100m", "max: .nan").substr(0, 27), "x.yaml: range.max is '.nan'");
  EXPECT_EQ(complaintOf(", max: 100m", ""),
            "x.yaml: range.max is missing, allowed: this key is required");
  EXPECT_EQ(complaintOf("rate: 10Hz", "rate: 0Hz"), "x.yaml: rate is 0, allowed: 0.1 to 1000 Hz");
  EXPECT_EQ(
      complaintOf("field_of_view:", "field_of_veiw:"),
      "x.yaml: field_of_veiw is an unknown key (did you mean 'field_of_view'?), allowed: "
      "name, range, rate, field_of_view, blind_zones, mounting, output, beam, returns, noise, "
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
  EXPECT_EQ(complaintOf("rays: 9", "rays: 10"), "x.yaml: beam.rays is 10, allowed: 1 | 7 | 9 | 19");
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

  EXPECT_EQ(said("vlp16", "8", "auto"), "/uav0/lidar: rays is '8', allowed: auto | 1 | 7 | 9 | 19");
  EXPECT_EQ(said("vlp16", "19", "auto"),
            "/uav0/lidar: Velodyne VLP-16 with rays 19 and returns auto: beam.rays is 19, allowed: "
            "1 | 9 of a rectangle");
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
