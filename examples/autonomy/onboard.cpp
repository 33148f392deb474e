// SPDX-License-Identifier: BSD-3-Clause
#include "onboard.hpp"

namespace autonomy {

using namespace marsim;
using Eigen::Vector3d;

namespace {

control::Reference referenceOf(const Command& command) {
  const auto& [p, v, a, j] = command.state;  // the steps of its jerk would shake the vehicle
  return {p, v, a, Vector3d::Zero(), command.yaw, command.yaw_rate};
}

}  // namespace

sim::UavConfig onboardConfig(const Vector3d& start, double yaw) {
  sim::UavConfig config;
  config.vehicle = config::loadVehicle("zhong_2023");
  config.controller = config::loadController("agile");
  config.lidar = config::loadLidar("mid360");
  config.start_p_WB = start;
  config.start_yaw = yaw;
  return config;
}

std::vector<Vector3d> pointsOf(const lidar::Scan& scan) {
  std::vector<Vector3d> points;
  points.reserve(scan.points.size());
  for (const lidar::ScanPoint& point : scan.points) points.push_back(point.p_W.cast<double>());
  return points;
}

void connect(sim::Uav& uav, Navigator& navigator) {
  uav.on_scan = [&](const lidar::Scan& scan) { navigator.addScan(scan.X_WS.p, pointsOf(scan)); };
  uav.on_report = [&](const sim::VehicleReport& report) {
    const KinematicState& state = report.motion;
    const double now = toSeconds(state.stamp);
    navigator.addOdometry(now, state.X_WB.p, yawOf(state.X_WB.q));
    if (const auto command = navigator.commandAt(now)) uav.setReference(referenceOf(*command));
  };
}

}  // namespace autonomy
