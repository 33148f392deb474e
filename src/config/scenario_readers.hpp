#pragma once

#include "config/yaml_reader.hpp"
#include "scenario/scenario.hpp"

/// Parts of the files of scenarios.
namespace marsim::config {

/// The arguments of the launch file under their own names, and the map `arguments`.
void readLaunchArguments(YamlReader& reader, scenario::Scenario& scenario);

/// The map `checks`. Frames of estimates are those of the scenario's vehicle and sensors, which
/// must have been read.
void readChecks(YamlReader& reader, scenario::Scenario& scenario);

/// The path of a file that a text names from the folder of the reader's file. Throws ConfigError
/// where there is none.
std::string existingFile(const YamlReader& reader, const std::string& key, const std::string& text);

}  // namespace marsim::config
