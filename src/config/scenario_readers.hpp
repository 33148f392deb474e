// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/yaml_reader.hpp"
#include "scenario/scenario.hpp"

/// Parts of the files of scenarios.
namespace marsim::config {

/// Reads launch arguments by their own names, and the map `arguments`.
void readLaunchArguments(YamlReader& reader, scenario::Scenario& scenario);

/// Reads the map `checks`. Frames of estimates belong to the scenario's vehicle and sensors, which
/// must have been read.
void readChecks(YamlReader& reader, scenario::Scenario& scenario);

/// The path of a file relative to the folder of the reader's file. Throws ConfigError if it does
/// not exist.
std::string existingFile(const YamlReader& reader, const std::string& key, const std::string& text);

}  // namespace marsim::config
