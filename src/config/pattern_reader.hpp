#pragma once

#include "config/yaml_reader.hpp"
#include "marsim/lidar/scan_pattern.hpp"

namespace marsim::config {

/// The map below `pattern:` of a sensor's file.
void readPattern(YamlReader& reader, lidar::PatternConfig& pattern);

}  // namespace marsim::config
