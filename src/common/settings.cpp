// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/common/settings.hpp"

#include <cmath>

#include <fmt/format.h>

#include "marsim/common/error.hpp"

namespace marsim {
namespace {

/// Shows every number to a function.
class NumberVisitor : public Settings {
 public:
  NumberVisitor(std::string where, std::string path, SeeNumber see)
      : where_(std::move(where)), path_(std::move(path)), see_(std::move(see)) {}
  void fail(const std::string& key, const std::string& value,
            const std::string& allowed) const override {
    throw ConfigError(where_, path_ + key, value, allowed);
  }

 private:
  void see(const std::string& key, double value, const Unit& unit, const Bounds& bounds) {
    see_(path_ + key, value, unit, bounds);
  }
  void visit(const std::string& key, const Value& value, const Unit& unit,
             const Bounds& bounds) override {
    const auto all = [&](const auto& values) {
      for (int i = 0; i < static_cast<int>(values.size()); ++i) {
        see(fmt::format("{}[{}]", key, i), values.data()[i], unit, bounds);
      }
    };
    if (const auto* number = std::get_if<double*>(&value)) see(key, **number, unit, bounds);
    if (const auto* whole = std::get_if<int*>(&value)) see(key, **whole, unit, bounds);
    if (const auto* vector = std::get_if<Eigen::Vector3d*>(&value)) all(**vector);
    if (const auto* list = std::get_if<std::vector<double>*>(&value)) all(**list);
  }
  void visitInterval(const std::string& key, double& min, double& max, const Unit& unit,
                     const Bounds& bounds) override {
    if (!std::isfinite(bounds.high)) return;
    see(key, min, unit, bounds);
    see(key, max, unit, bounds);
    if (min > max) fail(key, fmt::format("[{}, {}]", min, max), "the smaller number first");
  }
  void visitTable(const std::string& key, Table& table, const Column& x, const Column& y) override {
    for (std::size_t i = 0; i < table.size(); ++i) {
      const std::string row = fmt::format("{}[{}]", key, i);
      see(row + "[0]", table[i].first, x.unit, x.bounds);
      see(row + "[1]", table[i].second, y.unit, y.bounds);
      if (i == 0 || table[i].first > table[i - 1].first) continue;
      fail(row + "[0]", fmt::format("{}", table[i].first),
           fmt::format("more than the one before, {}", table[i - 1].first));
    }
  }
  void visitMap(const std::string& key, const Declare& declare) override {
    NumberVisitor inner(where_, path_ + key + ".", see_);
    declare(inner);
  }
  void visitMaps(const std::string& key, std::size_t count, const DeclareItem& declare) override {
    for (std::size_t i = 0; i < count; ++i) {
      visitMap(fmt::format("{}[{}]", key, i), [&](Settings& inner) { declare(inner, i); });
    }
  }

  std::string where_, path_;
  SeeNumber see_;
};

}  // namespace

void forEachNumber(const std::string& where, const Settings::Declare& declare,
                   const std::string& path, const SeeNumber& see) {
  NumberVisitor visitor(where, path, see);
  declare(visitor);
}

}  // namespace marsim
