// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/bounds.hpp"
#include "marsim/common/units.hpp"

namespace marsim {

constexpr Bounds kFinite{-std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::infinity()};
constexpr Bounds kNotNegative{0.0, std::numeric_limits<double>::infinity()};
constexpr Bounds kPositive{0.0, std::numeric_limits<double>::infinity(), true};
constexpr Bounds kShare{0.0, 1.0};

/// The quantity whose SI unit this is ("m", "rad/s"); kNumber for any other text.
Quantity quantityOf(std::string_view unit);

/// Unit of a setting. A file may write any unit of its quantity ("5cm" for "m").
struct Unit {
  Unit(const char* name) : text(name), quantity(quantityOf(name)) {}
  Unit(std::string name) : text(std::move(name)), quantity(quantityOf(text)) {}
  Unit(std::string name, Quantity of) : text(std::move(name)), quantity(of) {}
  std::string text;
  Quantity quantity;
};

/// A column of a table of pairs.
struct Column {
  Unit unit = "";
  Bounds bounds = kFinite;
};

/// Visits the settings of a struct, which declares each of them once, in
///     void declare(Settings& settings);
/// with key, member, unit and bounds. The reader of files fills the members, checkSettings()
/// compares them with their bounds.
class Settings {
 public:
  using Declare = std::function<void(Settings&)>;
  using DeclareItem = std::function<void(Settings&, std::size_t)>;
  using Table = std::vector<std::pair<double, double>>;
  template <class Member>
  using Words = std::vector<std::pair<std::string, Member>>;
  using Value = std::variant<double*, int*, std::uint64_t*, bool*, std::string*,
                             std::filesystem::path*, Eigen::Vector3d*, std::vector<double>*,
                             std::vector<std::string>*, std::vector<Eigen::Vector3d>*>;

  virtual ~Settings() = default;

  /// A key that a file must have: a Value; a map or a list of maps for a struct or a vector of
  /// structs that have declare().
  template <class Member>
  void required(const std::string& key, Member& member, const Unit& unit = "",
                const Bounds& bounds = kFinite) {
    if constexpr (std::is_constructible_v<Value, Member*>) {
      visit(key, &member, unit, bounds);
    } else {
      visitStruct(key, member);
    }
  }
  /// A key that a file may leave out: the member keeps its value.
  template <class Member>
  void optional(const std::string& key, Member& member, const Unit& unit = "",
                const Bounds& bounds = kFinite) {
    if (has(key, true)) required(key, member, unit, bounds);
  }
  template <class Member>
  void optional(const std::string& key, std::optional<Member>& member, const Unit& unit = "",
                const Bounds& bounds = kFinite) {
    if (has(key, member.has_value())) {
      required(key, member ? *member : member.emplace(), unit, bounds);
    }
  }

  /// One of some words.
  template <class Member>
  void required(const std::string& key, Member& member, const Words<Member>& words) {
    std::vector<std::string> names;
    for (const auto& word : words) names.push_back(word.first);
    if (const auto index = wordIndex(key, names)) member = words[*index].second;
  }
  template <class Member>
  void optional(const std::string& key, Member& member, const Words<Member>& words) {
    if (has(key, false)) required(key, member, words);
  }
  template <class Member>
  void optional(const std::string& key, std::optional<Member>& member, const Words<Member>& words) {
    if (has(key, false)) required(key, member.emplace(), words);
  }

  /// A map.
  void required(const std::string& key, const Declare& declare) { visitMap(key, declare); }
  void optional(const std::string& key, const Declare& declare) {
    if (has(key, true)) visitMap(key, declare);
  }
  /// [min, max]; where there are bounds, the smaller number first.
  void optional(const std::string& key, double& min, double& max, const Unit& unit,
                const Bounds& bounds = kFinite) {
    if (has(key, true)) visitInterval(key, min, max, unit, bounds);
  }
  /// [[x, y], ...], x rising.
  void optional(const std::string& key, Table& table, const Column& x, const Column& y) {
    if (has(key, true)) visitTable(key, table, x, y);
  }

  /// Whether members are read from a file.
  virtual bool isReading() const { return false; }
  /// Whether the file has the key; whether that is a list, or a map. False where there is no file.
  bool inFile(const std::string& key) { return has(key, false); }
  virtual bool isList(const std::string&) { return false; }
  virtual bool isMap(const std::string&) { return false; }
  /// The error of a key, for conditions that bounds do not express.
  [[noreturn]] virtual void fail(const std::string& key, const std::string& value,
                                 const std::string& allowed) const = 0;

 protected:
  /// Whether the key is to be visited; `is_set`: whether its member has a value.
  virtual bool has(const std::string&, bool is_set) { return is_set; }
  virtual void visit(const std::string& key, const Value&, const Unit&, const Bounds&) = 0;
  virtual void visitInterval(const std::string& key, double& min, double& max, const Unit&,
                             const Bounds&) = 0;
  virtual void visitTable(const std::string& key, Table&, const Column& x, const Column& y) = 0;
  virtual void visitMap(const std::string& key, const Declare& declare) = 0;
  virtual void visitMaps(const std::string& key, std::size_t count, const DeclareItem& declare) = 0;
  /// The index of the word in the file.
  virtual std::optional<std::size_t> wordIndex(const std::string&,
                                               const std::vector<std::string>&) {
    return std::nullopt;
  }

 private:
  template <class Struct>
  void visitStruct(const std::string& key, Struct& member) {
    visitMap(key, [&](Settings& inner) { member.declare(inner); });
  }
  template <class Item>
  void visitStruct(const std::string& key, std::vector<Item>& items) {
    if (has(key, false)) items.clear();
    visitMaps(key, items.size(), [&](Settings& inner, std::size_t i) {
      (i < items.size() ? items[i] : items.emplace_back()).declare(inner);
    });
  }
};

/// Shows every number among settings to `see`: field, value, unit and bounds. Fields begin with
/// `path` ("pattern."). Throws ConfigError, with `where`, for settings that contradict each other.
using SeeNumber = std::function<void(const std::string&, double, const Unit&, const Bounds&)>;
void forEachNumber(const std::string& where, const Settings::Declare& declare,
                   const std::string& path, const SeeNumber& see);
template <class Config>
void forEachNumber(Config config, const SeeNumber& see) {
  forEachNumber(
      "", [&](Settings& settings) { config.declare(settings); }, "", see);
}

/// Throws ConfigError for the first setting out of its bounds. `where` is the file or node.
template <class Config>
void checkSettings(const std::string& where, Config config, const std::string& path = "") {
  forEachNumber(
      where, [&](Settings& settings) { config.declare(settings); }, path,
      [&](const std::string& field, double value, const Unit& unit, const Bounds& bounds) {
        bounds.require(where, field, value, unit.text);
      });
}

}  // namespace marsim
