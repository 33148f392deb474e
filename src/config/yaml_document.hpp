#pragma once

#include <string>

#include <yaml-cpp/yaml.h>

namespace marsim::config {

/// The one map of a YAML text; `file` stands for it in errors. Throws FileError where the text is
/// empty, not YAML or not a map, where a key comes twice or is no word, where anything is nested
/// more than 64 deep, and where there is an anchor or an alias: a few of those may stand for more
/// than memory holds, or for themselves.
YAML::Node loadDocument(const std::string& file, const std::string& text);

/// A value as an error message shows it.
std::string shown(const YAML::Node& node);

}  // namespace marsim::config
