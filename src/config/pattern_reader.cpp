#include "config/sensor_readers.hpp"

#include <filesystem>
#include <memory>
#include <utility>

namespace marsim::config {
namespace {

void readPrism(YamlReader& reader, lidar::RotatingPrism& prism) {
  reader.require("speed", prism.speed, Quantity::kAngularSpeed);
  reader.require("wedge_angle", prism.wedge_angle, Quantity::kAngle);
  reader.read("refractive_index", prism.refractive_index);
  reader.read("phase", prism.phase, Quantity::kAngle);
}

lidar::PatternConfig readRisley(YamlReader& reader) {
  lidar::RisleyPatternConfig pattern;
  reader.require("points_per_second", pattern.points_per_second, Quantity::kFrequency);
  if (reader.has("beam_angles")) {
    reader.requireList("beam_angles", pattern.beam_angles, Quantity::kAngle);
  }
  reader.read("lines_fire_together", pattern.lines_fire_together);
  reader.requireMaps("prisms",
                     [&](YamlReader& item) { readPrism(item, pattern.prisms.emplace_back()); });
  return pattern;
}

lidar::PatternConfig readMid360(YamlReader& reader) {
  lidar::Mid360PatternConfig pattern;
  reader.require("points_per_second", pattern.points_per_second, Quantity::kFrequency);
  reader.requireList("beam_angles", pattern.beam_angles, Quantity::kAngle);
  reader.read("fan_azimuth", pattern.fan_azimuth, Quantity::kAngle);
  reader.requireMap("prism", [&](YamlReader& prism) { readPrism(prism, pattern.prism); });
  reader.requireMap("mirror", [&](YamlReader& mirror) {
    mirror.require("speed", pattern.mirror_speed, Quantity::kAngularSpeed);
    mirror.require("tilt", pattern.mirror_tilt, Quantity::kAngle);
    mirror.read("phase", pattern.mirror_phase, Quantity::kAngle);
  });
  return pattern;
}

using Block = lidar::SpinningPatternConfig::Block;

void readBlock(YamlReader& reader, Block& block) {
  reader.require("cycle_period", block.cycle_period, Quantity::kTime);
  reader.requireMaps("channels", [&](YamlReader& item) {
    auto& channel = block.channels.emplace_back();
    item.require("elevation", channel.elevation, Quantity::kAngle);
    item.read("azimuth_offset", channel.azimuth_offset, Quantity::kAngle);
    item.require("fire_time", channel.fire_time, Quantity::kTime);
    item.read("offset", channel.offset, Quantity::kLength);
  });
  if (reader.has("start_times")) {
    reader.requireList("start_times", block.start_times, Quantity::kTime);
  }
}

/// Reads one block's cycle_period and channels, or a list of blocks below `blocks:`.
lidar::PatternConfig readSpinning(YamlReader& reader) {
  lidar::SpinningPatternConfig pattern;
  reader.require("rotation_rate", pattern.rotation_rate, Quantity::kAngularSpeed);
  reader.read("lens_radius", pattern.lens_radius, Quantity::kLength);
  std::vector<Block> blocks;
  if (reader.has("blocks")) {
    reader.requireMaps("blocks", [&](YamlReader& item) { readBlock(item, blocks.emplace_back()); });
    if (blocks.empty()) reader.fail("blocks", "an empty list", "one block or more");
  } else {
    readBlock(reader, blocks.emplace_back());
  }
  pattern.channels = std::move(blocks.front().channels);
  pattern.cycle_period = blocks.front().cycle_period;
  pattern.start_times = blocks.front().start_times;
  pattern.more_blocks.assign(blocks.begin() + 1, blocks.end());
  return pattern;
}

lidar::PatternConfig readCsv(YamlReader& reader) {
  lidar::CsvPatternConfig pattern;
  std::filesystem::path file;
  reader.require("file", file);
  lidar::ScanTableColumns columns;
  reader.readMap("columns", [&](YamlReader& item) {
    for (const auto& [key, column] :
         {std::pair{"azimuth", &columns.azimuth}, std::pair{"elevation", &columns.elevation},
          std::pair{"zenith", &columns.zenith}, std::pair{"time", &columns.time},
          std::pair{"line", &columns.line}, std::pair{"ring", &columns.ring}}) {
      if (item.has(key)) item.require(key, *column);
    }
  });
  reader.read("points_per_second", pattern.points_per_second, Quantity::kFrequency);
  reader.read("period", pattern.period, Quantity::kTime);
  reader.read("lines", pattern.lines);
  const bool even = pattern.points_per_second != 0.0;
  if (even && (reader.has("period") || !columns.time.empty())) {
    reader.fail("points_per_second", "given beside the table's times", "one of them");
  }
  pattern.table =
      std::make_shared<lidar::ScanTable>(lidar::readScanTable(file.string(), columns, !even));
  return pattern;
}

using Projection = lidar::ImageGrid::Projection;

/// Reads intrinsics as in sensor_msgs/CameraInfo; the axis is in the picture's middle unless cx, cy
/// are given.
void readPinhole(YamlReader& reader, lidar::ImageGrid& grid) {
  reader.require("fx", grid.fx);
  reader.require("fy", grid.fy);
  grid.cx = 0.5 * (grid.width - 1);
  grid.cy = 0.5 * (grid.height - 1);
  reader.read("cx", grid.cx);
  reader.read("cy", grid.cy);
}

void readSpherical(YamlReader& reader, lidar::ImageGrid& grid) {
  reader.readInterval("azimuth", grid.azimuth_min, grid.azimuth_max, Quantity::kAngle);
  if (!reader.has("elevation")) reader.fail("elevation", "missing", "this key is required");
  reader.readInterval("elevation", grid.elevation_min, grid.elevation_max, Quantity::kAngle);
}

lidar::PatternConfig readGrid(YamlReader& reader) {
  using Order = lidar::GridPatternConfig::Order;
  lidar::GridPatternConfig pattern;
  lidar::ImageGrid& grid = pattern.grid;
  reader.requireWord<Projection>(
      "projection", grid.projection,
      {{"spherical", Projection::kSpherical}, {"pinhole", Projection::kPinhole}});
  reader.read("width", grid.width);
  reader.read("height", grid.height);
  reader.require("frame_rate", pattern.frame_rate, Quantity::kFrequency);
  reader.readWord<Order>(
      "order", pattern.order,
      {{"instant", Order::kInstant}, {"rows", Order::kRows}, {"columns", Order::kColumns}});
  (grid.projection == Projection::kPinhole ? readPinhole : readSpherical)(reader, grid);
  return pattern;
}

}  // namespace

void readPattern(YamlReader& reader, lidar::PatternConfig& pattern) {
  using ReadKind = lidar::PatternConfig (*)(YamlReader&);
  ReadKind read_kind = nullptr;
  reader.requireWord<ReadKind>("kind", read_kind,
                               {{"risley", readRisley},
                                {"mid360", readMid360},
                                {"spinning", readSpinning},
                                {"csv", readCsv},
                                {"grid", readGrid}});
  pattern = read_kind(reader);
}

}  // namespace marsim::config
