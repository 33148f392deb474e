// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/format.h>

#include "lidar/patterns/firing_clock.hpp"
#include "lidar/patterns/patterns.hpp"
#include "marsim/common/error.hpp"

namespace marsim::lidar {
namespace {

/// floor(a / b) for b > 0.
std::int64_t floorDiv(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

/// Period of a table's repetition [ns]: to the last row and one mean step further.
TimeNs periodOf(const CsvPatternConfig& config) {
  if (config.period > 0.0) return toNs(config.period);
  const std::vector<TimeNs>& times = config.table->times;
  std::int64_t instants = 1;
  for (std::size_t i = 1; i < times.size(); ++i) instants += times[i] > times[i - 1] ? 1 : 0;
  return instants < 2 ? 0 : times.back() + times.back() / (instants - 1);
}

class CsvPattern : public ScanPattern {
 public:
  explicit CsvPattern(const CsvPatternConfig& config)
      : table_(config.table), lines_(config.lines), rate_(config.points_per_second) {
    const auto rows = static_cast<double>(table_->directions.size());
    if (rate_ > 0.0) {
      clock_ = FiringClock(1.0 / rate_, {0.0});
    } else {
      period_ = periodOf(config);
      rate_ = rows / toSeconds(period_);
    }
    for (std::size_t row = 0; row < table_->directions.size(); ++row) {
      rings_ = std::max(rings_, ringOf(row) + 1);
    }
    in_turns_ = ringsTakeTurns();
  }

  void fire(TimeNs begin, TimeNs end, std::vector<Firing>& firings) const override {
    if (begin >= end) return;
    if (period_ == 0) {
      clock_.forEachGroup(begin, end, [&](const FiringClock::Group& group) {
        firings.push_back(firing(clock_.stamp(group, 0), group.number));
      });
      return;
    }
    const auto rows = static_cast<std::int64_t>(table_->times.size());
    for (std::int64_t turn = floorDiv(begin, period_); turn * period_ < end; ++turn) {
      const TimeNs start = turn * period_;
      auto row = std::lower_bound(table_->times.begin(), table_->times.end(), begin - start) -
                 table_->times.begin();
      for (; row < rows; ++row) {
        const TimeNs stamp = start + table_->times[static_cast<std::size_t>(row)];
        if (stamp >= end) return;
        firings.push_back(firing(stamp, turn * rows + row));
      }
    }
  }

  double pointsPerSecond() const override { return rate_; }
  std::uint16_t rings() const override { return static_cast<std::uint16_t>(rings_); }

 private:
  /// The shot with a number since simulated time 0.
  Firing firing(TimeNs stamp, std::int64_t number) const {
    const auto rows = static_cast<std::int64_t>(table_->directions.size());
    const auto row = static_cast<std::size_t>(number - floorDiv(number, rows) * rows);
    const std::int64_t column = in_turns_ ? floorDiv(number, rings_) : number;
    return {stamp, table_->directions[row], static_cast<std::uint16_t>(ringOf(row)),
            static_cast<std::uint8_t>(lineOf(row)), static_cast<std::uint32_t>(column)};
  }

  int lineOf(std::size_t row) const {
    return table_->lines.empty() ? static_cast<int>(row % static_cast<std::size_t>(lines_))
                                 : table_->lines[row];
  }
  int ringOf(std::size_t row) const {
    return table_->rings.empty() ? lineOf(row) : table_->rings[row];
  }

  /// Whether every ring fires once before the first fires again, also across the table's end. Each
  /// such round is then a column; else every shot is one.
  bool ringsTakeTurns() const {
    const std::size_t rows = table_->directions.size(), rings = static_cast<std::size_t>(rings_);
    if (rows % rings != 0) return false;
    for (std::size_t row = 0; row < rows; ++row) {
      if (static_cast<std::size_t>(ringOf(row)) != row % rings) return false;
    }
    return true;
  }

  std::shared_ptr<const ScanTable> table_;
  int lines_;
  double rate_;
  FiringClock clock_{1.0, {0.0}};  // for evenly spaced rows
  TimeNs period_ = 0;              // for rows with their own times; else 0
  int rings_ = 0;
  bool in_turns_ = false;
};

}  // namespace

void CsvPatternConfig::declare(Settings& settings) {
  const Bounds rates = points_per_second == 0.0 ? kFinite : Bounds{1.0, kPointsPerSecondMax};
  settings.optional("points_per_second", points_per_second, "Hz", rates);
  settings.optional("period", period, "s");
  settings.optional("lines", lines, "", {1.0, 255.0});
}

void validateKind(const CsvPatternConfig& config, const std::string& where) {
  const Validator check(where);
  check.require(config.table && !config.table->directions.empty(), "pattern.file", "without rows",
                "a table of one row or more");
  checkSettings(where, config, "pattern.");
  const ScanTable& table = *config.table;
  if (config.points_per_second != 0.0) return;
  check.require(!table.times.empty(), "pattern.points_per_second", "missing",
                "a rate, or a table with a column of times");
  const TimeNs period = periodOf(config);
  check.require(period > table.times.back(), "pattern.period",
                fmt::format("{} s", toSeconds(period)),
                fmt::format("more than the {} s from the table's first time to its last",
                            toSeconds(table.times.back())));
  check.require(
      static_cast<double>(table.directions.size()) <= kPointsPerSecondMax * toSeconds(period),
      "pattern.file", fmt::format("{} rows in {} s", table.directions.size(), toSeconds(period)),
      fmt::format("{} shots a second at most", kPointsPerSecondMax));
}

std::unique_ptr<ScanPattern> makeKind(const CsvPatternConfig& config) {
  return std::make_unique<CsvPattern>(config);
}

}  // namespace marsim::lidar
