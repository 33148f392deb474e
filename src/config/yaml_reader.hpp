#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <yaml-cpp/yaml.h>
#include <Eigen/Core>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::config {

/// Reads the keys of one YAML map into variables. It remembers the keys that were read; all others
/// are errors. An absent key leaves its variable unchanged, unless the call is a require...().
/// Every error is a ConfigError that names file, full path of the field, value and allowed values.
class YamlReader {
 public:
  using ReadMap = std::function<void(YamlReader&)>;

  /// Reads a whole file. Throws FileError if it is missing, not a regular file, larger than 1 MiB,
  /// empty, not YAML or not a map, has a duplicate key, or has anchors or aliases.
  static void readFile(const std::filesystem::path& path, const ReadMap& read);
  /// Reads a text instead; `name` stands for the file in errors.
  static void readText(const std::string& name, const std::string& text, const ReadMap& read);
  /// Throws FileError.
  static std::string textOf(const std::filesystem::path& path);

  /// Reads a number, in SI without a unit, or with a unit of its quantity: 0.4, 90deg, 5 cm.
  void read(const std::string& key, double& value, Quantity quantity = Quantity::kNumber);
  void require(const std::string& key, double& value, Quantity quantity = Quantity::kNumber);
  /// Reads text that is not empty.
  void require(const std::string& key, std::string& value);
  /// Reads a file's path; a relative one starts at the folder of this file.
  void require(const std::string& key, std::filesystem::path& value);
  /// true or false.
  void read(const std::string& key, bool& value);
  /// A whole number from 0 to 2^64 - 1.
  void read(const std::string& key, std::uint64_t& value);
  /// Reads a whole number up to 2^31 - 1.
  void read(const std::string& key, int& value);
  /// [x, y, z].
  void read(const std::string& key, Eigen::Vector3d& value, Quantity quantity = Quantity::kNumber);
  void require(const std::string& key, Eigen::Vector3d& value,
               Quantity quantity = Quantity::kNumber);
  /// [min, max].
  void readInterval(const std::string& key, double& min, double& max, Quantity quantity);
  /// A list of texts, none of them empty.
  void requireTexts(const std::string& key, std::vector<std::string>& values);
  /// A list of any length.
  void requireList(const std::string& key, std::vector<double>& values, Quantity quantity);

  /// [[x, y, z], ...] of any length.
  void requirePoints(const std::string& key, std::vector<Eigen::Vector3d>& points,
                     Quantity quantity);
  /// A list of points and of lists of points, as [[x, y, z], [[x, y, z], [x, y, z]], ...]: a point
  /// is a list of one.
  void requireWays(const std::string& key, std::vector<std::vector<Eigen::Vector3d>>& ways,
                   Quantity quantity);
  /// [[x, y], ...], the first of each a `first`, the second a `second`.
  void readPairs(const std::string& key, std::vector<std::pair<double, double>>& pairs,
                 Quantity first, Quantity second);

  /// One of some words, e.g. requireWord("spin", rotor.spin, {{"ccw", 1}, {"cw", -1}}).
  template <class Value>
  void requireWord(const std::string& key, Value& value,
                   const std::vector<std::pair<std::string, Value>>& words) {
    std::vector<std::string> names;
    for (const auto& word : words) names.push_back(word.first);
    value = words[wordIndex(key, names)].second;
  }
  template <class Value>
  void readWord(const std::string& key, Value& value,
                const std::vector<std::pair<std::string, Value>>& words) {
    if (has(key)) requireWord(key, value, words);
  }

  /// A map inside this one.
  void readMap(const std::string& key, const ReadMap& read);
  void requireMap(const std::string& key, const ReadMap& read);
  /// A list of maps: read() is called once for each, in order.
  void requireMaps(const std::string& key, const ReadMap& read);

  /// All keys of the map, in the file's order (which makes none of them a known one).
  std::vector<std::string> keys() const;
  /// Whether the key is there (asking makes it a known one).
  bool has(const std::string& key);
  /// Whether the key holds a list.
  bool isList(const std::string& key);
  /// Whether the key holds a map.
  bool isMap(const std::string& key);
  /// The error of a field, for conditions that only the caller can judge.
  [[noreturn]] void fail(const std::string& key, const std::string& value,
                         const std::string& allowed) const;

  const std::string& file() const { return file_; }

 private:
  YamlReader(std::string file, std::string path, YAML::Node node, std::shared_ptr<bool> hinted)
      : file_(std::move(file)),
        path_(std::move(path)),
        node_(std::move(node)),
        hinted_(std::move(hinted)) {}

  /// Undefined where the key is absent.
  YAML::Node at(const std::string& key) const { return node_[key]; }
  YAML::Node present(const std::string& key);
  std::string scalar(const std::string& key, const YAML::Node& node, const std::string& allowed);
  double number(const std::string& key, const YAML::Node& node, Quantity quantity);
  std::vector<double> numbers(const std::string& key, const YAML::Node& node, Quantity quantity,
                              const std::string& allowed);
  Eigen::Vector3d point(const std::string& key, const YAML::Node& node, Quantity quantity);
  std::size_t wordIndex(const std::string& key, const std::vector<std::string>& words);
  void readMapNode(const std::string& key, const YAML::Node& node, const ReadMap& read);
  void refuseUnknownKeys() const;
  std::string fieldPath(const std::string& key) const;

  std::string file_;
  std::string path_;  // of this map in the file, "" at the top
  YAML::Node node_;
  std::vector<std::string> known_;  // keys asked for, in that order
  std::shared_ptr<bool> hinted_;    // of the whole file: degrees were asked about
};

}  // namespace marsim::config
