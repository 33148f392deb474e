#include "config/sensor_readers.hpp"

namespace marsim::config {

void readNoise(YamlReader& reader, lidar::NoiseConfig& noise) {
  reader.readMap("noise", [&](YamlReader& map) {
    map.read("range_bias", noise.range_bias, Quantity::kLength);
    map.read("range_bias_per_metre", noise.range_bias_per_metre);
    map.read("range_sigma", noise.range_sigma, Quantity::kLength);
    map.read("range_sigma_per_metre", noise.range_sigma_per_metre);
    map.read("range_sigma_per_square_metre", noise.range_sigma_per_square_metre);
    map.read("range_resolution", noise.range_resolution, Quantity::kLength);
    map.readWord<lidar::NoiseConfig::Along>(
        "along", noise.along,
        {{"beam", lidar::NoiseConfig::Along::kBeam}, {"axis", lidar::NoiseConfig::Along::kAxis}});
    map.read("angular_sigma", noise.angular_sigma, Quantity::kAngle);
    map.read("dropout", noise.dropout);
    map.readPairs("dropout_by_range", noise.dropout_by_range, Quantity::kLength, Quantity::kNumber);
    map.readPairs("dropout_by_incidence", noise.dropout_by_incidence, Quantity::kAngle,
                  Quantity::kNumber);
    map.readPairs("range_by_reflectivity", noise.range_by_reflectivity, Quantity::kNumber,
                  Quantity::kLength);
    map.read("false_returns", noise.false_returns);
  });
}

void readIntensity(YamlReader& reader, lidar::IntensityConfig& intensity) {
  if (!reader.isMap("intensity")) {
    double constant = 0.0;
    reader.read("intensity", constant);
    if (reader.has("intensity")) intensity.constant = constant;
    return;
  }
  reader.readMap("intensity", [&](YamlReader& map) {
    map.read("scale", intensity.scale);
    map.read("limit", intensity.limit);
    map.read("range_reference", intensity.range_reference, Quantity::kLength);
  });
}

}  // namespace marsim::config
