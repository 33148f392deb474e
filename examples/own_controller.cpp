// SPDX-License-Identifier: BSD-3-Clause
// A controller of one's own answers every report of a vehicle: own_controller [MAP]
#include <cstdio>

#include "marsim/marsim.hpp"

using namespace marsim;
using Eigen::Vector3d;

namespace {

// Rotor speeds [rad/s] by proportional and derivative terms of position and attitude, yaw zero
// (after Lee et al., CDC 2010).
vehicle::RotorArray motorSpeeds(const control::VehicleModel& model, const KinematicState& state,
                                const Vector3d& goal_p_WB) {
  const Vector3d a = 4.0 * (goal_p_WB - state.X_WB.p) - 3.5 * state.v_WB + Vector3d(0, 0, 9.81);
  Eigen::Matrix3d R_wanted;
  R_wanted.col(2) = a.normalized();
  R_wanted.col(1) = R_wanted.col(2).cross(Vector3d::UnitX()).normalized();
  R_wanted.col(0) = R_wanted.col(1).cross(R_wanted.col(2));
  const Vector3d error = logMap(state.X_WB.q.conjugate() * Eigen::Quaterniond(R_wanted));
  const Vector3d dw = Vector3d(120, 120, 15).cwiseProduct(error) -
                      Vector3d(18, 18, 6).cwiseProduct(state.w_WB_B);  // [rad/s^2]
  const double thrust = model.mass * a.dot(state.X_WB.q * Vector3d::UnitZ());
  return control::Mixer(model).speeds(thrust, model.inertia.cwiseProduct(dw));
}

void fly(const char* map_name) {
  const auto map = map::loadSurfelMap(config::resolveMap(map_name)).map;
  sim::VehicleSetup setup;
  setup.vehicle = config::loadVehicle("hummingbird");
  const control::VehicleModel model = sim::vehicleModel(setup.vehicle);
  sim::Vehicle vehicle(setup, map->bounds().min().z(), collision::makeNeighbours(map), 0);
  const Vector3d start(0.0, 0.0, 1.5), goal(1.0, 0.5, 1.8);
  vehicle.place(start, 0.0, 0);
  while (vehicle.state().stamp < 5 * kNsPerSecond) {
    const sim::VehicleStep& due = vehicle.step();
    if (!due.report) continue;  // states are reported at 500 Hz
    const sim::VehicleReport report = vehicle.report();
    const KinematicState& state = report.motion;
    vehicle.command({motorSpeeds(model, state, goal), state.stamp, report.placements});
    if (state.stamp % kNsPerSecond != 0) continue;
    const double distance = (state.X_WB.p - goal).norm();
    std::printf("%.0f s  %.3f m from the goal\n", toSeconds(state.stamp), distance);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    fly(argc > 1 ? argv[1] : "building");
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "own_controller: %s\n", error.what());
    return 1;
  }
}
