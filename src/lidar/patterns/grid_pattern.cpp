// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <fmt/format.h>

#include "lidar/patterns/patterns.hpp"
#include "marsim/common/error.hpp"

namespace marsim::lidar {
namespace {

constexpr int kMaxRows = 65535;              // rings are 16 bits
constexpr std::int64_t kMaxCells = 1 << 24;  // [cells] their directions are kept in memory

class GridPattern : public ScanPattern {
 public:
  explicit GridPattern(const GridPatternConfig& config) : config_(config) {
    const bool pinhole = config.grid.projection == ImageGrid::Projection::kPinhole;
    directions_.reserve(config.grid.size());
    for (int row = 0; row < config.grid.height; ++row) {
      for (int column = 0; column < config.grid.width; ++column) {
        const Eigen::Vector3d d = config.grid.direction(row, column);
        directions_.push_back(
            (pinhole ? Eigen::Vector3d(d.z(), -d.x(), -d.y()) : d).cast<float>().normalized());
      }
    }
  }

  void fire(TimeNs begin, TimeNs end, std::vector<Firing>& firings) const override {
    if (begin >= end) return;
    // The frame active at `begin`, or the one before where rounding leaves doubt.
    auto frame = static_cast<std::int64_t>(std::floor(toSeconds(begin) * config_.frame_rate)) - 1;
    for (; start(frame) < end; ++frame) {
      for (int part = 0; part < parts(); ++part) {
        const TimeNs stamp = partStart(frame, part);
        if (stamp >= begin && stamp < end) firePart(frame, part, stamp, firings);
      }
    }
  }

  double pointsPerSecond() const override {
    return static_cast<double>(config_.grid.size()) * config_.frame_rate;
  }
  std::uint16_t rings() const override { return static_cast<std::uint16_t>(config_.grid.height); }

 private:
  /// Parts of a frame, each of which fires at one instant.
  int parts() const {
    switch (config_.order) {
      case GridPatternConfig::Order::kInstant:
        return 1;
      case GridPatternConfig::Order::kRows:
        return config_.grid.height;
      case GridPatternConfig::Order::kColumns:
        return config_.grid.width;
    }
    return 1;
  }

  // Frames begin when scans of the same rate do: at the nearest nanosecond.
  TimeNs start(std::int64_t frame) const {
    return toNs(static_cast<double>(frame) / config_.frame_rate);
  }
  TimeNs partStart(std::int64_t frame, int part) const {
    return start(frame) + (start(frame + 1) - start(frame)) * part / parts();
  }

  void firePart(std::int64_t frame, int part, TimeNs stamp, std::vector<Firing>& firings) const {
    const int width = config_.grid.width, height = config_.grid.height;
    const bool rows = config_.order == GridPatternConfig::Order::kRows;
    const bool columns = config_.order == GridPatternConfig::Order::kColumns;
    const int row_begin = rows ? part : 0, row_end = rows ? part + 1 : height;
    const int column_begin = columns ? part : 0, column_end = columns ? part + 1 : width;
    for (int row = row_begin; row < row_end; ++row) {
      for (int column = column_begin; column < column_end; ++column) {
        const auto cell = static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                          static_cast<std::size_t>(column);
        firings.push_back({stamp, directions_[cell], static_cast<std::uint16_t>(height - 1 - row),
                           0, static_cast<std::uint32_t>(frame * width + column)});
      }
    }
  }

  GridPatternConfig config_;
  std::vector<Eigen::Vector3f> directions_;  // for the cells, row by row, in S
};

}  // namespace

void GridPatternConfig::declare(Settings& settings) {
  using Projection = ImageGrid::Projection;
  settings.required("projection", grid.projection,
                    {{"spherical", Projection::kSpherical}, {"pinhole", Projection::kPinhole}});
  settings.optional("width", grid.width, "columns", {1.0, kMaxRows});
  settings.optional("height", grid.height, "rows", {1.0, kMaxRows});
  settings.required("frame_rate", frame_rate, "Hz", {1e-3, kPointsPerSecondMax});
  settings.optional(
      "order", order,
      {{"instant", Order::kInstant}, {"rows", Order::kRows}, {"columns", Order::kColumns}});
  if (!settings.isReading()) return;  // ImageGrid::validate() looks at the rest
  if (grid.projection == Projection::kPinhole) {
    // As in sensor_msgs/CameraInfo; the axis meets the picture's middle unless cx, cy are given.
    settings.required("fx", grid.fx);
    settings.required("fy", grid.fy);
    grid.cx = 0.5 * (grid.width - 1);
    grid.cy = 0.5 * (grid.height - 1);
    settings.optional("cx", grid.cx);
    settings.optional("cy", grid.cy);
    return;
  }
  settings.optional("azimuth", grid.azimuth_min, grid.azimuth_max, "rad");
  if (!settings.inFile("elevation")) settings.fail("elevation", "missing", "this key is required");
  settings.optional("elevation", grid.elevation_min, grid.elevation_max, "rad");
}

void validateKind(const GridPatternConfig& config, const std::string& where) {
  checkSettings(where, config, "pattern.");
  const Validator check(where);
  const ImageGrid& grid = config.grid;
  check.require(static_cast<std::int64_t>(grid.width) * grid.height <= kMaxCells, "pattern.width",
                fmt::format("{} x {} rows", grid.width, grid.height),
                fmt::format("{} cells at most", kMaxCells));
  check.require(config.frame_rate * static_cast<double>(grid.size()) <= kPointsPerSecondMax,
                "pattern.frame_rate", fmt::format("{} Hz", config.frame_rate),
                fmt::format("{} shots a second at most", kPointsPerSecondMax));
  grid.validate(where + ": pattern");
}

std::unique_ptr<ScanPattern> makeKind(const GridPatternConfig& config) {
  return std::make_unique<GridPattern>(config);
}

}  // namespace marsim::lidar
