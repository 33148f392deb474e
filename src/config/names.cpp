// SPDX-License-Identifier: BSD-3-Clause
#include "config/names.hpp"

#include <algorithm>
#include <cctype>

#include "common/data_dir.hpp"
#include "config/yaml_reader.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace fs = std::filesystem;

bool isYamlPath(const std::string& name_or_path) {
  return name_or_path.find('/') != std::string::npos ||
         fs::path(name_or_path).extension() == ".yaml";
}

bool isRosName(const std::string& name) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return letter(c) || c == '_' || std::isdigit(static_cast<unsigned char>(c)) != 0;
         });
}

std::vector<std::string> yamlNames(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> knownNames(const std::string& kind) {
  return yamlNames(dataDir() / "config" / kind);
}

fs::path resolve(const std::string& kind, const std::string& name_or_path) {
  if (isYamlPath(name_or_path)) return name_or_path;
  const std::vector<std::string> names = knownNames(kind);
  if (std::find(names.begin(), names.end(), name_or_path) == names.end()) {
    throw UnknownNameError("", kind, name_or_path, names);
  }
  return dataDir() / "config" / kind / (name_or_path + ".yaml");
}

std::string settingsText(const std::string& kind, const std::string& name_or_path) {
  if (name_or_path == "none") return name_or_path;
  if (kind != "vegetation") return YamlReader::textOf(resolve(kind, name_or_path));
  std::string text;
  loadVegetation(name_or_path, &text);
  return text;
}

}  // namespace marsim::config
