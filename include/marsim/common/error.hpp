// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Errors that a user can mend. Their text names the file, the field, its value and what is
/// allowed.
namespace marsim {

/// The base of all exceptions of this package; its text is one line.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that is missing, unreadable or malformed: "<path>: <reason>".
class FileError : public Error {
 public:
  FileError(const std::string& path, const std::string& reason);
};

/// A setting out of its bounds: "<where>: <field> is <value>, allowed: <allowed>".
class ConfigError : public Error {
 public:
  ConfigError(std::string_view where, std::string_view field, std::string_view value,
              std::string_view allowed);
};

/// A name that is not among the known ones; lists them and suggests the nearest:
/// "<where>: unknown <kind> 'avai' (did you mean 'avia'?), known: avia, mid360, vlp16".
class UnknownNameError : public Error {
 public:
  UnknownNameError(std::string_view where, std::string_view kind, std::string_view name,
                   const std::vector<std::string>& known);
};

/// Validation of one settings struct: every call throws ConfigError where the value is outside
/// its bounds (or not finite). `where` is the file or parameter namespace the struct was read from.
class Validator {
 public:
  explicit Validator(std::string_view where) : where_(where) {}

  /// value > 0 and finite.
  void positive(std::string_view field, double value, std::string_view unit = "") const;
  /// value >= 0 and finite.
  void notNegative(std::string_view field, double value, std::string_view unit = "") const;
  /// low <= value <= high.
  void within(std::string_view field, double value, double low, double high,
              std::string_view unit = "") const;
  /// value is neither NaN nor infinite.
  void finite(std::string_view field, double value, std::string_view unit = "") const;
  /// Any other condition, worded by the caller.
  void require(bool condition, std::string_view field, std::string_view value,
               std::string_view allowed) const;

 private:
  std::string where_;
};

}  // namespace marsim
