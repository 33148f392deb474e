// SPDX-License-Identifier: BSD-3-Clause
#include "config/yaml_reader.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "common/bounds.hpp"
#include "common/input_file.hpp"
#include "common/text.hpp"
#include "config/yaml_document.hpp"

namespace marsim::config {
namespace fs = std::filesystem;
namespace {

constexpr char kPoints[] = "a list of points, [[x, y, z], ...]";
constexpr std::size_t kLargestFile = std::size_t{1} << 20;  // [bytes]; the largest here has 11 kB

std::string allowedNumber(Quantity quantity) {
  const std::string units = unitList(quantity);
  if (units.empty()) return "a finite number without a unit";
  return fmt::format("a finite number, bare in {}, or with one of the units {}",
                     units.substr(0, units.find(',')), units);
}

}  // namespace

void YamlReader::readFile(const fs::path& path, const ReadMap& read) {
  readText(path.string(), textOf(path), read);
}

void YamlReader::readText(const std::string& name, const std::string& text, const ReadMap& read) {
  YamlReader reader(name, "", loadDocument(name, text), std::make_shared<bool>(false));
  read(reader);
  reader.refuseUnknownKeys();
}

std::string YamlReader::textOf(const fs::path& path) {
  return marsim::readFile(path, kLargestFile);
}

void YamlReader::read(const std::string& key, double& value, const Unit& unit) {
  value = number(key, present(key), unit.quantity);
}

void YamlReader::read(const std::string& key, std::string& value, const Unit&) {
  value = scalar(key, present(key), "a text");
  if (value.empty()) fail(key, "''", "a text");
}

void YamlReader::read(const std::string& key, bool& value, const Unit&) {
  required<bool>(key, value, {{"true", true}, {"false", false}});
}

std::uint64_t YamlReader::whole(const std::string& key, std::uint64_t most) {
  const std::string allowed = fmt::format("a whole number from 0 to {}", most);
  const std::string text = scalar(key, present(key), allowed);
  const std::optional<std::uint64_t> number = parseWhole(text);
  if (!number || *number > most) fail(key, fmt::format("'{}'", text), allowed);
  return *number;
}

void YamlReader::read(const std::string& key, std::uint64_t& value, const Unit&) {
  value = whole(key, std::numeric_limits<std::uint64_t>::max());
}

void YamlReader::read(const std::string& key, int& value, const Unit&) {
  value = static_cast<int>(whole(key, std::numeric_limits<int>::max()));
}

void YamlReader::read(const std::string& key, Eigen::Vector3d& value, const Unit& unit) {
  value = point(key, present(key), unit);
}

void YamlReader::visitInterval(const std::string& key, double& min, double& max, const Unit& unit,
                               const Bounds&) {
  const std::vector<double> items =
      numbers(key, present(key), unit.quantity, 2, "a list of two numbers, [min, max]");
  min = items[0];
  max = items[1];
}

void YamlReader::read(const std::string& key, std::vector<double>& values, const Unit& unit) {
  values = numbers(key, present(key), unit.quantity, 0, "a list of numbers");
}

void YamlReader::visitTable(const std::string& key, Table& table, const Column& x,
                            const Column& y) {
  const auto take = [&](const std::string& field, const YAML::Node& pair) {
    if (!pair.IsSequence() || pair.size() != 2) {
      fail(field, shown(pair), "a pair of numbers, [x, y]");
    }
    table.emplace_back(number(field + "[0]", pair[0], x.unit.quantity),
                       number(field + "[1]", pair[1], y.unit.quantity));
  };
  table.clear();
  forEachItem(key, present(key), "a list of pairs of numbers, [[x, y], ...]", take);
}

void YamlReader::read(const std::string& key, std::filesystem::path& value, const Unit&) {
  std::string name;
  required(key, name);
  value = std::filesystem::path(file_).parent_path() / name;  // an absolute one stays
}

void YamlReader::read(const std::string& key, std::vector<std::string>& values, const Unit&) {
  values.clear();
  forEachItem(key, present(key), "a list of texts",
              [&](const std::string& field, const YAML::Node& item) {
                values.push_back(scalar(field, item, "a text"));
                if (values.back().empty()) fail(field, "''", "a text");
              });
}

void YamlReader::read(const std::string& key, std::vector<Eigen::Vector3d>& points,
                      const Unit& unit) {
  points.clear();
  forEachItem(key, present(key), kPoints, [&](const std::string& field, const YAML::Node& item) {
    points.push_back(point(field, item, unit));
  });
}

void YamlReader::requireWays(const std::string& key, const Unit& unit, const TakeWay& take) {
  forEachItem(key, present(key), kPoints, [&](const std::string& field, const YAML::Node& item) {
    const bool is_list = item.IsSequence() && item.size() > 0 && item[0].IsSequence();
    const std::size_t count = is_list ? item.size() : 1;
    std::vector<Eigen::Vector3d> way;
    for (std::size_t j = 0; j + 1 < count; ++j) {
      way.push_back(point(fmt::format("{}[{}]", field, j), item[j], unit));
    }
    const std::string last = is_list ? fmt::format("{}[{}]", field, count - 1) : field;
    YAML::Node place = YAML::Clone(is_list ? item[count - 1] : item);
    std::optional<double> yaw;
    if (place.IsSequence() && place.size() == 4) {
      yaw = number(last + "[3]", place[3], Quantity::kAngle);
      place.remove(3);
    }
    way.push_back(
        point(last, place, unit, "a list of three or four numbers, [x, y, z] or [x, y, z, yaw]"));
    take(way, yaw);
  });
}

Eigen::Vector3d YamlReader::point(const std::string& key, const YAML::Node& node, const Unit& unit,
                                  const std::string& allowed) {
  const std::vector<double> items = numbers(key, node, unit.quantity, 3, allowed);
  return {items[0], items[1], items[2]};
}

void YamlReader::visitMap(const std::string& key, const Declare& declare) {
  requireMap(key, declare);
}

void YamlReader::visitMaps(const std::string& key, std::size_t, const DeclareItem& declare) {
  std::size_t i = 0;
  requireMaps(key, [&](YamlReader& item) { declare(item, i++); });
}

void YamlReader::readMap(const std::string& key, const ReadMap& read) {
  if (has(key)) readMapNode(key, at(key), read);
}

void YamlReader::requireMap(const std::string& key, const ReadMap& read) {
  readMapNode(key, present(key), read);
}

void YamlReader::requireMaps(const std::string& key, const ReadMap& read) {
  forEachItem(
      key, present(key), "a list of maps",
      [&](const std::string& field, const YAML::Node& item) { readMapNode(field, item, read); });
}

std::vector<std::string> YamlReader::keys() const {
  std::vector<std::string> names;
  for (const auto& entry : node_) names.push_back(entry.first.Scalar());
  return names;
}

bool YamlReader::has(const std::string& key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  return at(key).IsDefined();
}

bool YamlReader::isList(const std::string& key) { return has(key) && at(key).IsSequence(); }

bool YamlReader::isMap(const std::string& key) { return has(key) && at(key).IsMap(); }

void YamlReader::fail(const std::string& key, const std::string& value,
                      const std::string& allowed) const {
  throw ConfigError(file_, fieldPath(key), value, allowed);
}

YAML::Node YamlReader::present(const std::string& key) {
  if (has(key)) return at(key);
  // A typing error in a required key would otherwise only be reported as a missing key.
  std::vector<std::string> unread;
  for (const auto& entry : node_) {
    const std::string& name = entry.first.Scalar();
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) unread.push_back(name);
  }
  const std::string nearest = nearestName(key, unread);
  fail(key, nearest.empty() ? "missing" : fmt::format("missing (is it '{}'?)", nearest),
       "this key is required");
}

std::string YamlReader::scalar(const std::string& key, const YAML::Node& node,
                               const std::string& allowed) {
  if (!node.IsScalar()) fail(key, shown(node), allowed);
  return node.Scalar();
}

double YamlReader::number(const std::string& key, const YAML::Node& node, Quantity quantity) {
  const std::string text = scalar(key, node, allowedNumber(quantity));
  const std::string hint = degreesHint(text, quantity);
  if (!hint.empty() && !std::exchange(*hinted_, true)) {  // once per file
    fmt::print(stderr, "warning: {}: {}: {}\n", file_, fieldPath(key), hint);
  }
  try {
    return parseQuantity(text, quantity);
  } catch (const Error&) {
    fail(key, shown(node), allowedNumber(quantity));
  }
}

std::vector<double> YamlReader::numbers(const std::string& key, const YAML::Node& node,
                                        Quantity quantity, std::size_t count,
                                        const std::string& allowed) {
  std::vector<double> values;
  forEachItem(key, node, allowed, [&](const std::string& field, const YAML::Node& item) {
    values.push_back(number(field, item, quantity));
  });
  if (count != 0 && values.size() != count) fail(key, shown(node), allowed);
  return values;
}

std::optional<std::size_t> YamlReader::wordIndex(const std::string& key,
                                                 const std::vector<std::string>& words) {
  const YAML::Node node = present(key);
  const std::string allowed = join(words);
  const std::string text = scalar(key, node, allowed);
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) {
    const std::string nearest = nearestName(text, words);
    const std::string hint = nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest);
    fail(key, shown(node) + hint, allowed);
  }
  return static_cast<std::size_t>(found - words.begin());
}

void YamlReader::forEachItem(const std::string& key, const YAML::Node& list,
                             const std::string& allowed, const TakeItem& take) const {
  if (!list.IsSequence()) fail(key, shown(list), allowed);
  for (std::size_t i = 0; i < list.size(); ++i) take(fmt::format("{}[{}]", key, i), list[i]);
}

void YamlReader::readMapNode(const std::string& key, const YAML::Node& node, const ReadMap& read) {
  if (!node.IsMap()) fail(key, shown(node), "a map of keys");
  YamlReader reader(file_, fieldPath(key), node, hinted_);
  read(reader);
  reader.refuseUnknownKeys();
}

void YamlReader::refuseUnknownKeys() const {
  for (const auto& entry : node_) {
    const std::string& key = entry.first.Scalar();
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    const std::string nearest = nearestName(key, known_);
    const std::string hint = nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest);
    fail(key, "an unknown key" + hint, known_.empty() ? "none" : join(known_));
  }
}

std::string YamlReader::fieldPath(const std::string& key) const {
  return path_.empty() ? key : fmt::format("{}.{}", path_, key);
}

}  // namespace marsim::config
