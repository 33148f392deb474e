// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <diagnostic_updater/diagnostic_updater.h>

namespace marsim::ros_nodes {

/// The diagnostics of a node. diagnostic_updater::Updater throws within its period of the last time
/// in ros::Time, and stops when time goes back; a wrong /clock causes both.
class Diagnostics : public diagnostic_updater::Updater {
 public:
  using Updater::Updater;

  /// Publishes if it is due, once a period of simulated time.
  void update() {
    const double since = ros::Time::now().toSec() - updated_;
    if (since >= 0.0 && since < getPeriod()) return;
    force_update();
  }
  void force_update() {
    updated_ = ros::Time::now().toSec();
    if (updated_ + getPeriod() < ros::TIME_MAX.toSec() - 1.0) Updater::force_update();
  }

 private:
  double updated_ = -1e9;  ///< [s]
};

}  // namespace marsim::ros_nodes
