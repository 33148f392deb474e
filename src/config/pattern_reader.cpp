#include "pattern_reader.hpp"

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

lidar::PatternConfig readSpinning(YamlReader& reader) {
  lidar::SpinningPatternConfig pattern;
  reader.require("rotation_rate", pattern.rotation_rate, Quantity::kAngularSpeed);
  reader.require("cycle_period", pattern.cycle_period, Quantity::kTime);
  reader.requireMaps("channels", [&](YamlReader& item) {
    auto& channel = pattern.channels.emplace_back();
    item.require("elevation", channel.elevation, Quantity::kAngle);
    item.read("azimuth_offset", channel.azimuth_offset, Quantity::kAngle);
    item.require("fire_time", channel.fire_time, Quantity::kTime);
  });
  return pattern;
}

}  // namespace

void readPattern(YamlReader& reader, lidar::PatternConfig& pattern) {
  using ReadKind = lidar::PatternConfig (*)(YamlReader&);
  ReadKind read_kind = nullptr;
  reader.requireWord<ReadKind>(
      "kind", read_kind,
      {{"risley", readRisley}, {"mid360", readMid360}, {"spinning", readSpinning}});
  pattern = read_kind(reader);
}

}  // namespace marsim::config
