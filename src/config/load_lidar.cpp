#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/text.hpp"
#include "config/names.hpp"
#include "config/sensor_readers.hpp"
#include "config/yaml_reader.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace {

using lidar::LidarConfig;

void readOutput(YamlReader& reader, lidar::OutputConfig& output) {
  reader.requireWord<lidar::CloudLayout>("layout", output.layout, lidar::cloudLayouts());
  if (reader.has("topic")) reader.require("topic", output.topic);
  if (reader.has("frame_id")) reader.require("frame_id", output.frame_id);
  reader.readWord<lidar::StampPolicy>("stamp", output.stamp,
                                      {{"first_firing", lidar::StampPolicy::kFirstFiring},
                                       {"driver", lidar::StampPolicy::kDriver}});
  reader.readWord<lidar::MissEncoding>("misses", output.misses,
                                       {{"driver", lidar::MissEncoding::kDriver},
                                        {"drop", lidar::MissEncoding::kDrop},
                                        {"zero", lidar::MissEncoding::kZero},
                                        {"nan", lidar::MissEncoding::kNan}});
  reader.read("time_unit", output.time_unit, Quantity::kTime);
}

/// `output: WORD`, or a list of maps that each name a layout.
void readOutputs(YamlReader& reader, std::vector<lidar::OutputConfig>& outputs) {
  if (!reader.has("output")) return;
  outputs.clear();
  if (!reader.isList("output")) {
    reader.requireWord<lidar::CloudLayout>("output", outputs.emplace_back().layout,
                                           lidar::cloudLayouts());
    return;
  }
  reader.requireMaps("output", [&](YamlReader& item) { readOutput(item, outputs.emplace_back()); });
}

struct LidarFile {
  LidarConfig lidar;
  std::optional<vehicle::ImuConfig> imu;  // built in, at its pose in the sensor
};

/// A list of maps with azimuth, elevation or both; empty or absent: none.
void readBlindZones(YamlReader& reader, std::vector<lidar::AngularSector>& zones) {
  if (!reader.has("blind_zones")) return;
  reader.requireMaps("blind_zones", [&](YamlReader& item) {
    lidar::AngularSector& zone = zones.emplace_back();
    if (!item.has("azimuth") && !item.has("elevation")) {
      item.fail("azimuth", "missing", "azimuth, elevation or both");
    }
    item.readInterval("azimuth", zone.azimuth_min, zone.azimuth_max, Quantity::kAngle);
    item.readInterval("elevation", zone.elevation_min, zone.elevation_max, Quantity::kAngle);
  });
}

LidarFile readLidarFile(const std::filesystem::path& path) {
  LidarFile result;
  LidarConfig& config = result.lidar;
  YamlReader::readFile(path, [&](YamlReader& reader) {
    reader.require("name", config.name);
    reader.requireMap("range", [&](YamlReader& range) {
      range.require("min", config.range_min, Quantity::kLength);
      range.require("max", config.range_max, Quantity::kLength);
    });
    reader.read("rate", config.rate, Quantity::kFrequency);
    reader.readMap("field_of_view", [&](YamlReader& view) {
      view.readInterval("azimuth", config.azimuth_min, config.azimuth_max, Quantity::kAngle);
      view.readInterval("elevation", config.elevation_min, config.elevation_max, Quantity::kAngle);
    });
    readBlindZones(reader, config.blind_zones);
    reader.readMap("mounting", [&](YamlReader& mounting) { readMounting(mounting, config.X_BS); });
    readOutputs(reader, config.outputs);
    readBeam(reader, config.beam);
    readReturns(reader, config.returns);
    readNoise(reader, config.noise);
    readIntensity(reader, config.intensity);
    reader.read("reflectivity", config.reflectivity);
    reader.read("instantaneous", config.instantaneous);
    reader.requireMap("pattern",
                      [&](YamlReader& pattern) { readPattern(pattern, config.pattern); });
    reader.readMap("imu", [&](YamlReader& imu) { readMountedImu(imu, result.imu.emplace()); });
  });
  config.validate(path.string());
  if (result.imu) result.imu->validate(path.string() + ": imu");
  return result;
}

}  // namespace

LidarConfig loadLidar(const std::string& name_or_path) {
  return readLidarFile(resolve("lidar", name_or_path)).lidar;
}

void chooseBeam(const std::string& rays, const std::string& returns, const std::string& where,
                LidarConfig& lidar) {
  if (rays == "auto" && returns == "auto") return;
  if (rays != "auto") {
    const std::vector<int> counts = {1, 7, 9, 19};
    const auto found = std::find_if(counts.begin(), counts.end(),
                                    [&](int count) { return std::to_string(count) == rays; });
    Validator(where).require(found != counts.end(), "rays", fmt::format("'{}'", clipped(rays)),
                             "auto | 1 | 7 | 9 | 19");
    lidar.beam.rays = *found;
  }
  if (returns != "auto") {
    const auto& modes = lidar::returnModes();
    const auto found = std::find_if(modes.begin(), modes.end(),
                                    [&](const auto& mode) { return mode.first == returns; });
    if (found == modes.end()) {
      std::vector<std::string> known = {"auto"};
      for (const auto& mode : modes) known.push_back(mode.first);
      throw UnknownNameError(where, "returns", returns, known);
    }
    lidar.returns.mode = found->second;
    if (found->second != lidar::ReturnMode::kFirst) lidar.returns.signal_cutoff = 0.0;
  }
  lidar.validate(
      fmt::format("{}: {} with rays {} and returns {}", where, lidar.name, rays, returns));
}

bool hasImu(const std::string& lidar) {
  return lidar != "none" && readLidarFile(resolve("lidar", lidar)).imu.has_value();
}

vehicle::ImuConfig loadLidarImu(const std::string& name_or_path) {
  const std::filesystem::path path = resolve("lidar", name_or_path);
  LidarFile file = readLidarFile(path);
  if (!file.imu) {
    throw ConfigError(path.string(), "imu", "missing",
                      "a map with the model and place of the IMU in this sensor");
  }
  file.imu->X_BI = file.lidar.X_BS * file.imu->X_BI;
  return *file.imu;
}

}  // namespace marsim::config
