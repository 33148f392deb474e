// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <yaml-cpp/yaml.h>
#include <Eigen/Core>

#include "config/names.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/settings.hpp"

namespace marsim::config {

/// Reads the keys of one YAML map into variables: numbers (SI, or with a unit of their quantity:
/// 0.4, 90deg, 5 cm), texts, words, lists. It remembers which keys were asked for, so that those
/// nobody reads are errors. Bounds are not looked at. Every error is a ConfigError that names file,
/// full path of the field, value and what is allowed.
class YamlReader final : public Settings {
 public:
  using ReadMap = std::function<void(YamlReader&)>;

  /// Reads a whole file. Throws FileError if it is missing, not a regular file, larger than 1 MiB,
  /// empty, not YAML or not a map, has a duplicate key, or has anchors or aliases.
  static void readFile(const std::filesystem::path& path, const ReadMap& read);
  /// Reads a text instead; `name` stands for the file in errors.
  static void readText(const std::string& name, const std::string& text, const ReadMap& read);
  /// Throws FileError.
  static std::string textOf(const std::filesystem::path& path);

  /// A list of points and of lists of points, as [[x, y, z], [[x, y, z], [x, y, z]], ...]: a point
  /// is a list of one. The last point of each list may have a yaw [rad], [x, y, z, yaw]. Calls
  /// take() once for each list, in order.
  using TakeWay =
      std::function<void(const std::vector<Eigen::Vector3d>& way, std::optional<double> yaw)>;
  void requireWays(const std::string& key, const Unit& unit, const TakeWay& take);

  /// A map inside this one.
  void readMap(const std::string& key, const ReadMap& read);
  void requireMap(const std::string& key, const ReadMap& read);
  /// A list of maps: read() is called once for each, in order.
  void requireMaps(const std::string& key, const ReadMap& read);

  /// All keys of the map, in the file's order (which makes none of them a known one).
  std::vector<std::string> keys() const;
  /// Whether the key is there (asking makes it a known one).
  bool has(const std::string& key);
  bool isReading() const override { return true; }
  bool isList(const std::string& key) override;
  bool isMap(const std::string& key) override;
  [[noreturn]] void fail(const std::string& key, const std::string& value,
                         const std::string& allowed) const override;

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
  bool has(const std::string& key, bool) override { return has(key); }
  void visit(const std::string& key, const Value& value, const Unit& unit, const Bounds&) override {
    std::visit([&](auto* member) { read(key, *member, unit); }, value);
  }
  void read(const std::string& key, double& value, const Unit& unit);
  void read(const std::string& key, int& value, const Unit&);
  void read(const std::string& key, std::uint64_t& value, const Unit&);
  void read(const std::string& key, bool& value, const Unit&);
  /// Text that is not empty.
  void read(const std::string& key, std::string& value, const Unit&);
  /// A file; a relative path is from the folder of this file.
  void read(const std::string& key, std::filesystem::path& value, const Unit&);
  void read(const std::string& key, std::vector<std::string>& values, const Unit&);
  void read(const std::string& key, std::vector<Eigen::Vector3d>& points, const Unit& unit);
  void read(const std::string& key, Eigen::Vector3d& value, const Unit& unit);
  void read(const std::string& key, std::vector<double>& values, const Unit& unit);
  void visitInterval(const std::string& key, double& min, double& max, const Unit&,
                     const Bounds&) override;
  void visitTable(const std::string& key, Table&, const Column& x, const Column& y) override;
  void visitMap(const std::string& key, const Declare& declare) override;
  void visitMaps(const std::string& key, std::size_t, const DeclareItem& declare) override;
  std::optional<std::size_t> wordIndex(const std::string& key,
                                       const std::vector<std::string>& words) override;
  std::string scalar(const std::string& key, const YAML::Node& node, const std::string& allowed);
  double number(const std::string& key, const YAML::Node& node, Quantity quantity);
  /// `count`: how many there must be; 0: any number.
  std::vector<double> numbers(const std::string& key, const YAML::Node& node, Quantity quantity,
                              std::size_t count, const std::string& allowed);
  std::uint64_t whole(const std::string& key, std::uint64_t most);
  Eigen::Vector3d point(const std::string& key, const YAML::Node& node, const Unit& unit,
                        const std::string& allowed = "a list of three numbers, [x, y, z]");
  using TakeItem = std::function<void(const std::string& field, const YAML::Node& item)>;
  void forEachItem(const std::string& key, const YAML::Node& list, const std::string& allowed,
                   const TakeItem& take) const;
  void readMapNode(const std::string& key, const YAML::Node& node, const ReadMap& read);
  void refuseUnknownKeys() const;
  std::string fieldPath(const std::string& key) const;

  std::string file_;
  std::string path_;  // of this map in the file, "" at the top
  YAML::Node node_;
  std::vector<std::string> known_;  // keys asked for, in that order
  std::shared_ptr<bool> hinted_;    // of the whole file: degrees were asked about
};

/// The settings in a file of a kind ("weather"), by name or path, validated.
template <class Config>
Config load(const std::string& kind, const std::string& name_or_path) {
  const std::filesystem::path path = resolve(kind, name_or_path);
  Config config;
  YamlReader::readFile(path, [&](YamlReader& reader) { config.declare(reader); });
  config.validate(path.string());
  return config;
}

}  // namespace marsim::config
