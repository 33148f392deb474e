#pragma once

#include "marsim/lidar/scan_pattern.hpp"
#include "yaml_reader.hpp"

namespace marsim::config {

/// The map below `pattern:` of a sensor's file.
void readPattern(YamlReader& reader, lidar::PatternConfig& pattern);

}  // namespace marsim::config
