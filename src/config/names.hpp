// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace marsim::config {

/// Whether the text is a path rather than a name: it has a slash or ends in .yaml.
bool isYamlPath(const std::string& name_or_path);

/// A part of a topic's or frame's name: a letter, then letters, digits and _.
bool isRosName(const std::string& name);

/// Names of the YAML files of a folder, sorted; none where there is no such folder.
std::vector<std::string> yamlNames(const std::filesystem::path& folder);

/// The file of a name that comes with the package, or the path itself. Throws UnknownNameError.
std::filesystem::path resolve(const std::string& kind, const std::string& name_or_path);

}  // namespace marsim::config
