// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <yaml-cpp/yaml.h>

namespace marsim::config {

/// The map of a YAML text; `file` stands for it in errors. Throws FileError if the text is empty,
/// not YAML or not a map, has a duplicate key or a key that is no word, is nested more than 64
/// deep, or has an anchor or an alias: a few of these may stand for more than memory holds, or for
/// themselves.
YAML::Node loadDocument(const std::string& file, const std::string& text);

/// A value as an error message shows it.
std::string shown(const YAML::Node& node);

}  // namespace marsim::config
