#pragma once

#include "config/yaml_reader.hpp"
#include "marsim/lidar/intensity.hpp"
#include "marsim/lidar/noise.hpp"

namespace marsim::config {

/// The map `noise` of a sensor's file, if there.
void readNoise(YamlReader& reader, lidar::NoiseConfig& noise);

/// `intensity` of a sensor's file, if there: a map, or a number that every point reports.
void readIntensity(YamlReader& reader, lidar::IntensityConfig& intensity);

}  // namespace marsim::config
