// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "marsim/control/reference.hpp"
#include "marsim/geometry/kinematic_state.hpp"

namespace marsim::control {

/// The reference that follows a motion.
inline Reference referenceOf(const KinematicState& state) {
  Reference reference;
  reference.p_WB = state.X_WB.p;
  reference.v_WB = state.v_WB;
  reference.a_WB = state.a_WB;
  reference.yaw = yawOf(state.X_WB.q);
  reference.yaw_rate = (state.X_WB.q * state.w_WB_B).z();
  return reference;
}

}  // namespace marsim::control
