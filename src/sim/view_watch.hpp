// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "marsim/common/time.hpp"
#include "marsim/lidar/scan.hpp"

namespace marsim::sim {

/// Watches a LiDAR's view and reports when hardly any of its shots have returned for a while, which
/// makes odometry lose its way. Times are those of the scans.
class ViewWatch {
 public:
  /// `name` of the sensor, e.g. uav0/lidar; `range_max` [m] of the sensor.
  ViewWatch(std::string name, double range_max) : name_(std::move(name)), range_max_(range_max) {}

  /// Takes a scan and the number of its shots that returned (lidar::shotsReturned). Returns a line
  /// for the log if the last kWindow had too few: once, and again only after the view was good and
  /// kSilence has passed.
  std::optional<std::string> add(const lidar::Scan& scan, std::size_t returned);

  static constexpr TimeNs kWindow = 2'000'000'000;    // [ns]
  static constexpr TimeNs kSilence = 20'000'000'000;  // [ns]
  static constexpr double kFew = 0.02;                // share of the shots

 private:
  std::string name_;
  double range_max_;
  TimeNs begin_ = -1;  // begin of the window; < 0: none
  TimeNs last_ = -1;   // end of the latest scan
  TimeNs told_ = -1;   // < 0: never
  bool good_ = true;   // since the last line
  std::size_t shots_ = 0, returned_ = 0, too_near_ = 0, too_dark_ = 0;
};

}  // namespace marsim::sim
