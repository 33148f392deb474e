// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/common/error.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/settings.hpp"

namespace marsim {
namespace {

/// A value for a message: at most 60 characters of a quoted text, and any text after it.
std::string shownValue(std::string_view value) {
  const std::size_t end = value.empty() ? 0 : value.rfind("' (");
  const std::size_t close = end == std::string_view::npos ? value.size() - 1 : end;
  if (value.size() < 2 || value.front() != '\'' || value[close] != '\'' || close == 0) {
    return clipped(value);
  }
  return fmt::format("'{}'{}", clipped(value.substr(1, close - 1)), value.substr(close + 1));
}

constexpr std::size_t kLineLength = 380;  // of a message that lists names
constexpr std::size_t kLeastKnown = 100;  // for the list of names
constexpr std::size_t kFieldLength = 100;
constexpr std::size_t kPathLength = 200;
constexpr std::size_t kReasonLength = 1000;

std::string unknownNameText(std::string_view where, std::string_view kind, std::string_view name,
                            const std::vector<std::string>& known) {
  const std::string nearest = nearestName(name, known);
  const std::string hint = nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest);
  const std::string prefix = where.empty() ? "" : fmt::format("{}: ", where);
  const std::string text =
      fmt::format("{}unknown {} '{}'{}, known: ", prefix, kind, clipped(name), hint);
  return text +
         clipped(join(known), std::max(kLineLength, text.size() + kLeastKnown) - text.size());
}

}  // namespace

FileError::FileError(const std::string& path, const std::string& reason)
    : Error(fmt::format("{}: {}", clipped(path, kPathLength), clipped(reason, kReasonLength))) {}

ConfigError::ConfigError(std::string_view where, std::string_view field, std::string_view value,
                         std::string_view allowed)
    : Error(fmt::format("{}{}{} is {}, allowed: {}", where, where.empty() ? "" : ": ",
                        clipped(field, kFieldLength), shownValue(value), allowed)) {}

UnknownNameError::UnknownNameError(std::string_view where, std::string_view kind,
                                   std::string_view name, const std::vector<std::string>& known)
    : Error(unknownNameText(where, kind, name, known)) {}

void Validator::positive(std::string_view field, double value, std::string_view unit) const {
  kPositive.require(where_, field, value, unit);
}

void Validator::notNegative(std::string_view field, double value, std::string_view unit) const {
  kNotNegative.require(where_, field, value, unit);
}

void Validator::within(std::string_view field, double value, double low, double high,
                       std::string_view unit) const {
  Bounds{low, high}.require(where_, field, value, unit);
}

void Validator::finite(std::string_view field, double value, std::string_view unit) const {
  kFinite.require(where_, field, value, unit);
}

void Validator::require(bool condition, std::string_view field, std::string_view value,
                        std::string_view allowed) const {
  if (!condition) throw ConfigError(where_, field, value, allowed);
}

}  // namespace marsim
