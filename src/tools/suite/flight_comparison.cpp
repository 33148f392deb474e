// SPDX-License-Identifier: BSD-3-Clause
#include "tools/suite/flight_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <Eigen/Geometry>

namespace marsim::tools {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using Poses = std::vector<StampedPose>;

constexpr std::size_t kMostDrawn = 2000;  // of a drawn curve

double secondsSinceStart(const Poses& flight, std::size_t i) {
  return toSeconds(flight[i].stamp - flight.front().stamp);
}

double squaredDistance(const Vector3d& p, const Vector3d& from, const Vector3d& to) {
  const Vector3d line = to - from;
  const double length = line.squaredNorm();
  const double share = length > 0.0 ? std::clamp((p - from).dot(line) / length, 0.0, 1.0) : 0.0;
  return (from + share * line - p).squaredNorm();
}

/// A path of straight lines, in stretches with bounding boxes.
class FlownPath {
 public:
  explicit FlownPath(const Poses& flight) : flight_(flight) {
    for (std::size_t i = 0; i + 1 < flight.size(); i += kStretch) {
      Eigen::AlignedBox3d box;
      for (std::size_t k = i; k <= endOf(i); ++k) box.extend(flight[k].X_WB.p);
      boxes_.push_back(box);
    }
  }

  double distanceTo(const Vector3d& p) {
    double least = std::numeric_limits<double>::infinity();
    std::size_t nearest = nearest_;  // that of the last query bounds the search
    const auto search = [&](std::size_t stretch) {
      const std::size_t first = stretch * kStretch;
      for (std::size_t i = first; i < endOf(first); ++i) {
        const double distance = squaredDistance(p, flight_[i].X_WB.p, flight_[i + 1].X_WB.p);
        if (distance >= least) continue;
        least = distance;
        nearest = stretch;
      }
    };
    search(nearest_);
    for (std::size_t stretch = 0; stretch < boxes_.size(); ++stretch) {
      if (boxes_[stretch].squaredExteriorDistance(p) < least) search(stretch);
    }
    nearest_ = nearest;
    return std::sqrt(least);
  }

 private:
  static constexpr std::size_t kStretch = 64;  // lines

  /// Last pose of the stretch that begins with a pose.
  std::size_t endOf(std::size_t first) const {
    return std::min(first + kStretch, flight_.size() - 1);
  }

  const Poses& flight_;
  std::vector<Eigen::AlignedBox3d> boxes_;
  std::size_t nearest_ = 0;
};

FlightExtent extentOf(const Poses& flight) {
  FlightExtent extent;
  extent.duration = secondsSinceStart(flight, flight.size() - 1);
  for (std::size_t i = 1; i < flight.size(); ++i) {
    extent.length += (flight[i].X_WB.p - flight[i - 1].X_WB.p).norm();
  }
  return extent;
}

FlightDistances distancesOf(std::vector<Vector2d> points) {
  FlightDistances distances;
  double sum = 0.0, squares = 0.0;
  for (const Vector2d& point : points) {
    sum += point.y();
    squares += point.y() * point.y();
    distances.largest = std::max(distances.largest, point.y());
  }
  const auto count = static_cast<double>(points.size());  // the first pose is always there
  distances.mean = sum / count;
  distances.rmse = std::sqrt(squares / count);
  distances.points = std::move(points);
  return distances;
}

std::vector<Vector2d> distancesToPath(const Poses& a, const Poses& b) {
  std::vector<Vector2d> points;
  FlownPath path(b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    points.emplace_back(secondsSinceStart(a, i), path.distanceTo(a[i].X_WB.p));
  }
  return points;
}

std::vector<Vector2d> distancesInTime(const Poses& a, const Poses& b) {
  std::vector<Vector2d> points;
  std::size_t after = 1;  // pose of B
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double t = secondsSinceStart(a, i);
    while (after < b.size() && secondsSinceStart(b, after) < t) ++after;
    if (after == b.size()) break;
    const double from = secondsSinceStart(b, after - 1), to = secondsSinceStart(b, after);
    const Vector3d &p = b[after - 1].X_WB.p, &q = b[after].X_WB.p;
    points.emplace_back(t, (p + (t - from) / (to - from) * (q - p) - a[i].X_WB.p).norm());
  }
  return points;
}

std::vector<Vector2d> fromAbove(const Poses& flight) {
  std::vector<Vector2d> points;
  const std::size_t step = 1 + flight.size() / kMostDrawn;
  for (std::size_t i = 0; i < flight.size(); i += step) {
    points.emplace_back(flight[i].X_WB.p.head<2>());
  }
  points.emplace_back(flight.back().X_WB.p.head<2>());
  return points;
}

suite::Chart paths(const Poses& a, const Poses& b, const FlightNames& names) {
  suite::Chart chart;
  chart.title = fmt::format("paths of {} and {} from above", names.a, names.b);
  chart.x_label = "x [m]";
  chart.y_label = "y [m]";
  chart.equal_scale = true;
  chart.curves = {{names.a, "u0", fromAbove(a)}, {names.b, "u1 d1", fromAbove(b)}};
  const auto &at_a = chart.curves[0].points, &at_b = chart.curves[1].points;
  chart.marks = {{at_a.front(), "start", "u0"},
                 {at_a[at_a.size() / 3], names.a, "u0"},
                 {at_b[at_b.size() * 2 / 3], names.b, "u1"}};
  Eigen::AlignedBox2d box;
  for (const auto* points : {&at_a, &at_b}) {
    for (const Vector2d& p : *points) box.extend(p);
  }
  const Vector2d size = box.sizes();
  chart.height =
      std::clamp(size.x() > 0.0 ? 60.0 + 500.0 * size.y() / size.x() : 500.0, 230.0, 500.0);
  return chart;
}

}  // namespace

FlightComparison compareFlights(const Poses& a, const Poses& b) {
  return {extentOf(a), extentOf(b), distancesOf(distancesToPath(a, b)),
          distancesOf(distancesInTime(a, b))};
}

std::string comparisonTable(const FlightComparison& comparison, const FlightNames& names) {
  std::string text;
  const auto flight = [&](const char* letter, const std::string& name, const FlightExtent& extent) {
    text +=
        fmt::format("{}  {}: {:.2f} m in {:.2f} s\n", letter, name, extent.length, extent.duration);
  };
  flight("A", names.a, comparison.a);
  flight("B", names.b, comparison.b);
  text += fmt::format("{:<28}{:>10}{:>12}{:>11}{:>8}\n", "distance of A", "mean [m]", "largest [m]",
                      "rmse [m]", "poses");
  const auto row = [&](const char* name, const FlightDistances& distances) {
    text += fmt::format("{:<28}{:>10.4f}{:>12.4f}{:>11.4f}{:>8}\n", name, distances.mean,
                        distances.largest, distances.rmse, distances.points.size());
  };
  row("to the path of B", comparison.to_path);
  row("to B at the same time", comparison.to_time);
  return text;
}

std::vector<suite::Chart> comparisonCharts(const Poses& a, const Poses& b,
                                           const FlightComparison& comparison,
                                           const FlightNames& names) {
  suite::Chart chart;
  chart.title = fmt::format("distances of {} from {}", names.a, names.b);
  chart.x_label = "time since the start [s]";
  chart.y_label = "distance [m]";
  chart.from_zero = true;
  const auto add = [&](const FlightDistances& distances, const char* name, const char* style,
                       double share) {
    chart.curves.push_back({name, style, suite::thinnedCurve(distances.points, kMostDrawn)});
    const auto last = static_cast<double>(distances.points.size() - 1);
    chart.marks.push_back({distances.points[static_cast<std::size_t>(share * last)], name, style});
  };
  add(comparison.to_path, "to the path", "u0", 0.25);
  add(comparison.to_time, "at the same time", "u1", 0.6);
  return {paths(a, b, names), std::move(chart)};
}

}  // namespace marsim::tools
