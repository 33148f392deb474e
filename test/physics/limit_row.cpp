// SPDX-License-Identifier: BSD-3-Clause
#include "physics/limit_row.hpp"

#include <cmath>

#include <fmt/format.h>

namespace marsim::physics {
namespace {

using Json = nlohmann::ordered_json;

Json bound(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string text(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : ""; }

void print(const LimitRow& row) {
  fmt::print("| {} | {:.4g} | {} | {} | {} |\n", row.name, row.value, text(row.low), text(row.high),
             row.ok() ? "ok" : "NOT OK");
}

}  // namespace

Json toJson(const std::vector<LimitRow>& rows) {
  Json json = Json::array();
  for (const LimitRow& row : rows) {
    json.push_back({{"name", row.name},
                    {"value", row.value},
                    {"limit", {bound(row.low), bound(row.high)}},
                    {"ok", row.ok()}});
  }
  return json;
}

bool printRows(const std::vector<LimitRow>& rows) {
  bool all = true;
  fmt::print("| figure | value | at least | at most | |\n| --- | --- | --- | --- | --- |\n");
  for (const LimitRow& row : rows) {
    print(row);
    all = all && row.ok();
  }
  if (all) return true;
  fmt::print("\nout of their bounds:\n");
  for (const LimitRow& row : rows) {
    if (!row.ok()) print(row);
  }
  return false;
}

}  // namespace marsim::physics
