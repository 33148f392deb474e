// SPDX-License-Identifier: BSD-3-Clause
#include "config/study.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "common/bounds.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim::config {
namespace {

std::size_t levelsOf(const Factor& factor) {
  return factor.values.empty() ? static_cast<std::size_t>(factor.steps) : factor.values.size();
}

std::string levelOf(const Factor& factor, std::size_t level) {
  if (!factor.values.empty()) return factor.values[level];
  const double share = static_cast<double>(level) / static_cast<double>(factor.steps - 1);
  return fmt::format("{}", factor.from + share * (factor.to - factor.from));
}

/// The value at a share of the range, from 0 up to below 1.
std::string valueAt(const Factor& factor, double share) {
  if (factor.values.empty()) {
    return fmt::format("{}", factor.from + share * (factor.to - factor.from));
  }
  const auto index = static_cast<std::size_t>(share * static_cast<double>(factor.values.size()));
  return factor.values[std::min(index, factor.values.size() - 1)];
}

}  // namespace

double Study::count() const {
  if (!is_grid) return static_cast<double>(runs);
  double product = 1.0;
  for (const Factor& factor : factors) product *= static_cast<double>(levelsOf(factor));
  return product;
}

std::vector<std::vector<std::string>> Study::expanded() const {
  const auto count = static_cast<std::size_t>(this->count());
  std::vector<std::vector<std::string>> rows(count);
  if (is_grid) {  // the last factor changes first
    for (std::size_t i = 0; i < count; ++i) {
      rows[i].resize(factors.size());
      std::size_t rest = i;
      for (std::size_t f = factors.size(); f-- > 0;) {
        rows[i][f] = levelOf(factors[f], rest % levelsOf(factors[f]));
        rest /= levelsOf(factors[f]);
      }
    }
    return rows;
  }
  for (const Factor& factor : factors) {
    RandomStream random(design_seed, factor.name);
    std::vector<std::size_t> part(count);
    std::iota(part.begin(), part.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i) std::swap(part[i - 1], part[random.index(i)]);
    for (std::size_t i = 0; i < count; ++i) {
      const double share =
          (static_cast<double>(part[i]) + random.uniform()) / static_cast<double>(count);
      rows[i].push_back(valueAt(factor, share));
    }
  }
  return rows;
}

DatasetRun Study::runOf(const std::vector<std::string>& values) const {
  DatasetRun run = common;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const std::string& name = factors[i].name;
    if (name == "seed") {
      run.seed = parseWhole(values[i]);
      if (!run.seed) {
        throw ConfigError(file, "vary.seed", fmt::format("'{}'", clipped(values[i])),
                          kAllowedSeeds);
      }
    } else if (name == "scenario") {
      run.scenario = values[i];
    } else if (name == "trajectory") {
      run.trajectory = values[i];
    } else {
      run.arguments[name] = values[i];
    }
  }
  return run;
}

}  // namespace marsim::config
