#include <cmath>

#include <fmt/format.h>

#include "config/names.hpp"
#include "config/sensor_readers.hpp"
#include "config/yaml_reader.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace {

void readSize(YamlReader& reader, const std::string& key, int& value) {
  double number = 0.0;
  reader.require(key, number);
  constexpr double kMost = 1e9;  // fits into an int
  if (!(number >= 1.0 && number <= kMost) || number != std::floor(number)) {
    reader.fail(key, fmt::format("{}", number), "a whole number of 1 or more");
  }
  value = static_cast<int>(number);
}

}  // namespace

using lidar::DepthCameraConfig;

void readImageSize(YamlReader& reader, int& width, int& height) {
  readSize(reader, "width", width);
  readSize(reader, "height", height);
}

void readDepthEncoding(YamlReader& reader, lidar::DepthEncoding& encoding) {
  reader.readWord<lidar::DepthEncoding>(
      "encoding", encoding,
      {{"16UC1", lidar::DepthEncoding::kMillimetres}, {"32FC1", lidar::DepthEncoding::kMetres}});
}

void readDepthStereo(YamlReader& reader, DepthCameraConfig& config, bool with_image) {
  reader.readMap("stereo", [&](YamlReader& stereo) {
    stereo.read("subpixel_error", config.subpixel_error);
    stereo.read("baseline", config.baseline, Quantity::kLength);
    stereo.read("disparity_step", config.disparity_step);
    stereo.read("occlusions", config.occlusions);
    if (with_image) stereo.read("least_contrast", config.least_contrast);
  });
}

DepthCameraConfig loadDepthCamera(const std::string& name_or_path) {
  const std::filesystem::path path = resolve("depth", name_or_path);
  DepthCameraConfig config;
  YamlReader::readFile(path, [&](YamlReader& reader) {
    reader.require("name", config.name);
    reader.requireMap("image", [&](YamlReader& image) {
      readImageSize(image, config.width, config.height);
      image.require("fx", config.fx);
      image.require("fy", config.fy);
      image.require("cx", config.cx);
      image.require("cy", config.cy);
    });
    reader.requireMap("range", [&](YamlReader& range) {
      range.require("min", config.range_min, Quantity::kLength);
      range.require("max", config.range_max, Quantity::kLength);
    });
    reader.read("rate", config.rate, Quantity::kFrequency);
    readDepthEncoding(reader, config.encoding);
    reader.readMap("mounting", [&](YamlReader& mounting) { readMounting(mounting, config.X_BC); });
    readDepthStereo(reader, config, false);
  });
  config.X_BC.q = config.X_BC.q * lidar::opticalRotation();
  config.validate(path.string());
  return config;
}

}  // namespace marsim::config
