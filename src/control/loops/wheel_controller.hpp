// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "marsim/control/controller.hpp"

namespace marsim::control {

/// Turns the velocity and yaw rate of references into the speeds of left and right wheels. Of the
/// velocity the part along the reference's heading counts; places are not followed, and attitudes
/// and body rates stop the wheels.
class WheelController : public Controller {
 public:
  explicit WheelController(const VehicleModel::Wheels& wheels) : wheels_(wheels) {}

  RotorArray update(const KinematicState& state, const Reference& reference) override;
  RotorArray trackAttitude(const KinematicState&, const Eigen::Quaterniond&, double,
                           double) override {
    return RotorArray::Zero(2);
  }
  RotorArray trackRates(const KinematicState&, const Eigen::Vector3d&, double) override {
    return RotorArray::Zero(2);
  }
  void reset() override {}
  void rest() override {}

 private:
  VehicleModel::Wheels wheels_;
};

}  // namespace marsim::control
