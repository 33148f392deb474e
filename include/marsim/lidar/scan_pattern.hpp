// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/settings.hpp"
#include "marsim/common/time.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {

/// One laser shot of a scan pattern.
struct Firing {
  TimeNs stamp;               ///< simulated time of the shot
  Eigen::Vector3f direction;  ///< unit, sensor frame S (FLU)
  std::uint16_t ring;         ///< spinning, grid: rank by elevation, 0 = lowest; else the line
  std::uint8_t line;          ///< Livox, csv: laser line of the shot; else 0
  std::uint32_t column;       ///< number of the firing cycle since simulated time 0, wrapping
  Eigen::Vector3f origin = Eigen::Vector3f::Zero();  ///< [m] where the beam begins, in S
};

/// A glass wedge with one plane and one inclined face, turning about the optical axis.
struct RotatingPrism {
  double speed = 0.0;        ///< [rad/s] about the optical axis, signed
  double wedge_angle = 0.0;  ///< [rad] > 0: the inclined face meets the beam first
  double refractive_index = 1.51;
  double phase = 0.0;  ///< [rad] at simulated time 0
  void declare(Settings& settings);
};

/// Rotating prisms (Risley) in front of a fan of lasers. Model: refraction at the plane and the
/// inclined face of each prism (Li, Liu, Sun, Opt. Express 25:7677, 2017). The optical axis is +x.
struct RisleyPatternConfig {
  using Prism = RotatingPrism;
  std::vector<Prism> prisms;
  std::vector<double> beam_angles = {0.0};  ///< [rad] of each line in the fan, vertical, + up
  double points_per_second = 0.0;           ///< over all lines
  bool lines_fire_together = true;          ///< lines at one instant; else evenly spread
  void declare(Settings& settings);
};

/// Livox Mid-360: a fan of lasers shines up the z axis through a rotating prism onto a mirror that
/// turns at another speed. The mirror sweeps azimuth; the prism, turning against the mirror at the
/// difference of their speeds, sweeps elevation up and down; the fan turns in the image once a
/// revolution, as it stands still in the body. The lines of a group follow one another evenly, all
/// through the deflector as it stands at the group's first.
struct Mid360PatternConfig {
  double points_per_second = 200000.0;  ///< over all lines
  std::vector<double> beam_angles;      ///< [rad] of each line in the fan, before the prism
  double fan_azimuth = 0.0;             ///< [rad] direction to which positive beam angles lean
  RotatingPrism prism;                  ///< its optical axis is +z
  double mirror_speed = 0.0;            ///< [rad/s] negative: clockwise from above
  double mirror_phase = 0.0;            ///< [rad] azimuth of the mirror at simulated time 0
  double mirror_tilt = 0.0;             ///< [rad] between the mirror's normal and -z
  void declare(Settings& settings);
};

/// Channels in columns that turn about z.
struct SpinningPatternConfig {
  struct Channel {
    double elevation = 0.0;       ///< [rad]
    double azimuth_offset = 0.0;  ///< [rad] counter-clockwise
    double fire_time = 0.0;       ///< [s] within the firing cycle
    double offset = 0.0;          ///< [m] of the beam's line from the axis, across the beam and up
    void declare(Settings& settings);
  };
  /// Channels that fire in a cycle of their own.
  struct Block {
    std::vector<Channel> channels;            ///< in firing order
    double cycle_period = 0.0;                ///< [s] between columns
    std::vector<double> start_times = {0.0};  ///< [s] in the cycle at which all of them fire
    void declare(Settings& settings);
  };
  std::vector<Channel> channels;            ///< in firing order
  double cycle_period = 0.0;                ///< [s] between columns
  std::vector<double> start_times = {0.0};  ///< see Block::start_times
  double rotation_rate = 0.0;               ///< [rad/s], negative: clockwise from above
  double lens_radius = 0.0;        ///< [m] from the axis to the beams' origins, in the head's
                                   ///< direction
  std::vector<Block> more_blocks;  ///< beside the channels above, on the same head
  void declare(Settings& settings);
};

/// Directions of a table, shot one after another and again from the start at its end.
struct ScanTable {
  std::string file;                         ///< for messages
  std::vector<Eigen::Vector3f> directions;  ///< unit, sensor frame S (FLU)
  std::vector<TimeNs> times;                ///< since the table's start, not falling; empty: even
  std::vector<std::uint8_t> lines;          ///< empty: see CsvPatternConfig::lines
  std::vector<std::uint16_t> rings;         ///< empty: the lines
};

/// The columns of a table, each by its name in the header or its number from 1; empty: the column
/// whose name begins with the field's ("Azimuth/deg"), if there is one.
struct ScanTableColumns {
  std::string azimuth, elevation, zenith, time, line, ring;
};

/// Reads a table of comma (semicolon, tab) separated columns, with or without a header: azimuth
/// (counter-clockwise from +x) and elevation, or zenith (from +z), in degrees; time [s], line and
/// ring if there. Lines that are empty or begin with # are passed over. With `with_times` false a
/// time column is not looked at. Throws FileError naming file, line, column and value.
ScanTable readScanTable(const std::string& file, const ScanTableColumns& columns, bool with_times);

/// A table of directions, e.g. a recorded one.
struct CsvPatternConfig {
  std::shared_ptr<const ScanTable> table;
  double points_per_second = 0.0;  ///< the rows evenly; 0: by the table's times
  double period = 0.0;             ///< [s] by the times: of the table; 0: as its times suggest
  int lines = 1;                   ///< where the table names none, rows take turns at this many
  void declare(Settings& settings);
};

/// All cells of a regular grid over and over, e.g. a depth camera's pixels.
struct GridPatternConfig {
  enum class Order {
    kInstant,  ///< "instant": all cells at once, at the start of the frame
    kRows,     ///< "rows": one row after another, from the top, over the frame's period
    kColumns,  ///< "columns": one column after another, from the left
  };
  ImageGrid grid;           ///< pinhole: its z forward, x right, y down are S's x, -y, -z
  double frame_rate = 0.0;  ///< [Hz]
  Order order = Order::kInstant;
  void declare(Settings& settings);
};

using PatternConfig = std::variant<RisleyPatternConfig, Mid360PatternConfig, SpinningPatternConfig,
                                   CsvPatternConfig, GridPatternConfig>;

/// The word for `kind:` in YAML files: "risley", "mid360", "spinning", "csv", "grid".
const char* nameOf(const PatternConfig& config);

/// The pattern of a sensor: when it fires in which direction. It is a function of simulated time
/// alone: adjoining intervals together give the shots of their union.
class ScanPattern {
 public:
  virtual ~ScanPattern() = default;
  /// Appends the shots with begin <= stamp < end, in the order of their stamps.
  virtual void fire(TimeNs begin, TimeNs end, std::vector<Firing>& firings) const = 0;
  /// Mean number of shots a second.
  virtual double pointsPerSecond() const = 0;
  /// One more than the highest ring.
  virtual std::uint16_t rings() const = 0;
  /// Whether beams begin off the sensor's origin.
  virtual bool hasOrigins() const { return false; }
};

/// Throws ConfigError.
void validatePattern(const PatternConfig& config, const std::string& where);
std::unique_ptr<ScanPattern> makePattern(const PatternConfig& config);

}  // namespace marsim::lidar
